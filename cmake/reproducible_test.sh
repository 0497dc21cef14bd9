#!/usr/bin/env bash
# Builds the packages of the last commit twice, in two folders, and compares them byte by byte. Nothing comes from a
# compiler cache, and what a build could pick up from its surroundings differs: path, time zone, locale, umask, jobs.
#   cmake/reproducible_test.sh [FOLDER]    works in FOLDER, by default a temporary one
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=$(readlink -f -- "${1:-$(mktemp -d)}")
mkdir -p "$place" || exit
trap 'rm -rf "${place:?}/one" "${place:?}/another folder"; rmdir "$place" 2>/dev/null' EXIT
commit=$(git -C "$root" rev-parse HEAD) || exit  # a commit that comes in between must not count
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

build() {  # build FOLDER JOBS
  git clone -q --no-hardlinks "$root" "$1" && cd "$1" && git checkout -q --detach "$commit" &&
    cmake --preset release -DPICKLOCK_TESTS=OFF -DPICKLOCK_BENCH=OFF -DCMAKE_CXX_COMPILER_LAUNCHER= &&
    cmake --build --preset release --target packages -j "$2"
}

logged() {  # logged LOG COMMAND...: the log is of interest only if it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log"; return 1; }
}

unset SOURCE_DATE_EPOCH CXXFLAGS CPPFLAGS LDFLAGS
export CCACHE_DISABLE=1
(logged "$place/one.log" build "$place/one" "$jobs") || exit 1
(umask 077; TZ=Asia/Tokyo LC_ALL=C HOME=$place \
  logged "$place/another.log" build "$place/another folder" $((jobs + 1))) || exit 1
rm -f "$place/one.log" "$place/another.log"

failed=0
cd "$place/one/build/release" || exit
for package in *.deb; do
  if cmp "$package" "$place/another folder/build/release/$package"; then
    sha256sum "$package"
  else
    failed=1
    keep=${TMPDIR:-/tmp}/picklock-differs && mkdir -p "$keep/one" "$keep/another"
    cp "$package" "$keep/one" && cp "$place/another folder/build/release/$package" "$keep/another"
    echo "$package differs; both are kept in $keep"
  fi
done
[[ $(ls picklock_*.deb | wc -l) == 1 ]] || { echo "there is not one package picklock"; failed=1; }
exit "$failed"
