#!/usr/bin/env bash
# Tests ./picklock with a stand-in for CMake that "builds" a program which prints where it runs and what it is given.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
repository="$place/a b/repository"
failed=0

expect() {  # expect WHAT ACTUAL EXPECTED
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s\n  expected: %s\n  actual:   %s\n' "$1" "$3" "$2"
  failed=1
}

mkdir -p "$repository/include" "$repository/sim" "$repository/cmake" "$place/bin" "$place/elsewhere"
cp "$root/picklock" "$repository/"
cp "$root/cmake/packages.sh" "$repository/cmake/"
touch "$repository/CMakeLists.txt" "$repository/CMakePresets.json" "$repository/sim/a.cc"
cat >"$place/bin/cmake" <<'CMAKE'
#!/usr/bin/env bash
[[ -e broken ]] && { cat broken; echo "sim/a.cc: error: broken"; exit 1; }
[[ $1 == --preset ]] && { mkdir -p build/release/cli; touch build/release/build.ninja; exit; }
sleep 0.2
echo built >>builds
printf '#!/bin/sh\necho "$PWD|$*|$(cat)"\n' >build/release/cli/picklock
chmod +x build/release/cli/picklock
CMAKE
chmod +x "$place/bin/cmake"
printf '#!/bin/sh\necho "installed "\n' >"$place/bin/dpkg-query"
chmod +x "$place/bin/dpkg-query"
PATH="$place/bin:$PATH"

cd "$place/elsewhere" || exit
ln -s "../a b/repository/picklock" link
(echo | ./link first >"$place/out1" 2>"$place/err1") &
(echo | "$repository/picklock" first >"$place/out2" 2>"$place/err2") &
wait
expect "both of two first starts run" "$(cat "$place/out1" "$place/out2")" \
  "$place/elsewhere|first|
$place/elsewhere|first|"
expect "two first starts build once" "$(wc -l <"$repository/builds")" 1
expect "a first start says one line" "$(cat "$place/err1" "$place/err2")" "building picklock…"

expect "a second start is silent and hands on arguments, input and folder" \
  "$(echo input | ./link run 'x y' --seed 2 2>&1)" "$place/elsewhere|run x y --seed 2|input"
expect "a second start builds nothing" "$(wc -l <"$repository/builds")" 1

touch "$repository/sim/a.cc"
expect "a changed source is built" "$(./link 2>&1 </dev/null)" "building picklock…
$place/elsewhere||"
rm "$repository/sim/a.cc"
expect "a source that is gone is noticed" "$(./link 2>&1 </dev/null)" "building picklock…
$place/elsewhere||"

touch "$repository/sim/a.cc" "$repository/broken"
expect "a failed build shows its log" "$(./link 2>&1 >/dev/null </dev/null)" "building picklock…
sim/a.cc: error: broken
picklock: the build failed"
./link >/dev/null 2>&1 </dev/null
expect "a failed build exits with 2" $? 2
# reason TEXT: what is said of a build that fails with this text
reason() {
  echo "$1" >"$repository/broken"
  ./link 2>&1 >/dev/null </dev/null | sed -e 1d -e "s|$repository|HERE|"
}
expect "a full disk is told in one line" "$(reason "cc1plus: fatal error: a.o: No space left on device")" \
  "picklock: the disk is full: building takes some 500 MB in HERE/build; free some and start again"
expect "an old CMake is told in one line" \
  "$(reason "  CMake 3.23 or higher is required.  You are running version 3.18.4")" \
  "picklock: CMake 3.23 or higher is required. You are running version 3.18.4"
expect "a missing package is told in one line" "$(reason "CMake Error at cmake/Dependencies.cmake:9 (message):
  picklock needs tomlplusplus; on Debian: apt-get install
  libtomlplusplus-dev
Call Stack (most recent call first):")" \
  "picklock: needs tomlplusplus; on Debian: apt-get install libtomlplusplus-dev"
rm "$repository/broken"
expect "a build after a failed one succeeds" "$(./link 2>/dev/null </dev/null)" "$place/elsewhere||"

# asked_for STATUS: which packages would be installed, where dpkg says STATUS of all
asked_for() {
  printf '#!/bin/sh\necho "%s "\n' "$1" >"$place/bin/dpkg-query"
  printf '#!/bin/sh\n[ "$1" = -n ] || echo "$@" >"%s/asked"\n' "$place" >"$place/bin/sudo"
  printf '#!/bin/sh\necho "$@" >"%s/asked"\n' "$place" >"$place/bin/apt-get"
  chmod +x "$place/bin/sudo" "$place/bin/apt-get"
  rm -f "$place/asked"
  (source "$root/cmake/packages.sh" && install_missing libone libtwo) >/dev/null 2>&1 </dev/null
  [[ ! -e $place/asked ]] || grep -o 'lib.*' "$place/asked"
}
expect "what is installed is left alone" "$(asked_for installed)" ""
expect "what was removed is installed" "$(asked_for 'not-installed')" "libone libtwo"
expect "what is installed for one of two architectures is left alone" "$(asked_for 'not-installed installed')" ""

exit "$failed"
