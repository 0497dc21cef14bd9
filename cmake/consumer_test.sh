#!/usr/bin/env bash
# A project outside the tree tests its locks with picklock: installed, and as a part of its own build.
# usage: consumer_test.sh BUILD CXX     BUILD is a build folder of picklock
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(readlink -f "${1:?usage: consumer_test.sh BUILD CXX}")
# Debian's cmake comes without make; ./check installs Ninja.
export CXX=${2:?usage: consumer_test.sh BUILD CXX} CMAKE_GENERATOR=Ninja LC_ALL=C.UTF-8
unset PICKLOCK_REPLAY PICKLOCK_OUT
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit

fail() {
  echo "$1"
  [[ ! -s log ]] || cat log
  exit 1
}
must() { "$@" >log 2>&1 || fail "failed: $*"; }
# must_fail SENTENCE COMMAND...: and says so in one line
must_fail() {
  local sentence=$1
  shift
  ! "$@" >log 2>&1 || fail "did not fail: $*"
  tr -s ' \n' ' ' <log | grep -qF "$sentence" || fail "did not say '$sentence': $*"
}
configure() { cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release "${@:3}"; }
with_cmake() {  # with_cmake NAME LINE...: a project of these lines
  mkdir -p "$1"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.23)' "project($1 LANGUAGES CXX)" "${@:2}" >"$1/CMakeLists.txt"
}

# --- installed
must cmake --install "$build" --prefix "$scratch/prefix" --component picklock-dev
[[ $(cd prefix && find . -name '*.h' | LC_ALL=C sort | tr '\n' ' ') == \
  "./include/picklock/client.h ./include/picklock/lease_store.h ./include/picklock/lock.h ./include/picklock/mysql.h ./include/picklock/redis.h "*\
"./include/picklock/scenario.h ./include/picklock/test.h ./include/picklock/zookeeper.h " ]] ||
  fail "other headers than the eight are installed"
cp -r "$root/examples/own_lock" .
must configure own_lock own_lock/build -DCMAKE_PREFIX_PATH="$scratch/prefix"
must cmake --build own_lock/build
must ctest --test-dir own_lock/build
export PICKLOCK_OUT=$scratch/out
own_lock/build/own_lock_test >story 2>&1 && fail "the careless lock passes"
grep -qF '[       OK ] CarefulLock.KeepsItsPromises' story || fail "the careful lock fails: $(cat story)"
grep -qF 'own-release violated, although promised' story || fail "no story: $(cat story)"
PICKLOCK_REPLAY=$(ls "$PICKLOCK_OUT"/own-release-*.toml) own_lock/build/own_lock_test >story 2>&1 &&
  fail "the counterexample passes"
grep -qF 'own-release' story || fail "no replayed story: $(cat story)"

# A lock alone, without the simulator.
with_cmake lock_alone 'find_package(picklock CONFIG REQUIRED COMPONENTS lock)' \
  'add_library(mine mine.cc)' 'target_link_libraries(mine PRIVATE picklock::lock)'
sed -n '/^class CarefulLock/,/^};/p' "$root/examples/own_lock/own_lock_test.cc" |
  cat <(printf '#include <picklock/lock.h>\n#include <picklock/redis.h>\nusing namespace picklock;\n') - >lock_alone/mine.cc
must configure lock_alone lock_alone/build -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON
must cmake --build lock_alone/build

# --- bad input
must_fail 'picklock needs fmt; on Debian: apt-get install libfmt-dev' \
  configure own_lock no_fmt -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON
with_cmake component 'find_package(picklock CONFIG REQUIRED COMPONENTS tests)'
must_fail 'picklock has no component `tests`; it has lock and test' \
  configure component component/build -DCMAKE_PREFIX_PATH="$scratch/prefix"
with_cmake version 'find_package(picklock 0.1 CONFIG REQUIRED)'
must_fail 'compatible with requested version "0.1"' \
  configure version version/build -DCMAKE_PREFIX_PATH="$scratch/prefix"
touch file
must_fail "$scratch/file/prefix cannot be written to; choose another folder with --prefix" \
  cmake --install "$build" --prefix "$scratch/file/prefix" --component picklock-dev

# --- as a part of a build: nothing is looked for that the library does not need
absent=()
for package in CLI11 pugixml ZLIB nlohmann_json rapidcheck benchmark; do
  absent+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
must configure own_lock inside -DPICKLOCK_SOURCE="$root" "${absent[@]}"
! command -v ccache >/dev/null || grep -q 'ccache' inside/CMakeFiles/rules.ninja || fail "does not use the compiler cache"
must configure own_lock launched -DPICKLOCK_SOURCE="$root" -DCMAKE_CXX_COMPILER_LAUNCHER=nice
! grep -q 'ccache' launched/CMakeFiles/rules.ninja || fail "uses another launcher than the one that its user wants"
! grep -iE '^[A-Z_]*(mariadb|mysqlclient|npm|node)[A-Z_]*:' inside/CMakeCache.txt || fail "looks for what it does not need"
must_fail 'picklock needs tomlplusplus; on Debian: apt-get install libtomlplusplus-dev' \
  configure own_lock no_toml -DPICKLOCK_SOURCE="$root" -DCMAKE_DISABLE_FIND_PACKAGE_tomlplusplus=ON
