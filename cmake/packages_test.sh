#!/usr/bin/env bash
# Makes the Debian packages of a build folder, looks at what is in them, and runs the program out of them.
#   cmake/packages_test.sh BUILD VERSION
set -u
build=$(readlink -f -- "$1")
version=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failed=0

fail() {
  printf 'FAILED: %s\n' "$1"
  failed=1
}

cmake --build "$build" --target packages >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
program=$build/picklock_${version}_$(dpkg --print-architecture).deb
[[ -f $program ]] || { echo "FAILED: there is no ${program##*/}"; exit 1; }

field() { dpkg-deb -f "$program" "$1"; }
[[ $(field Package) == picklock ]] || fail "the package is called $(field Package)"
[[ $(field Version) == "$version" ]] || fail "its version is $(field Version)"
[[ $(field Depends) == *libc6* ]] || fail "it does not depend on the C library, but on: $(field Depends)"
[[ $(field Depends) == *-dev* ]] && fail "it depends on headers: $(field Depends)"

dpkg-deb -c "$program" >"$place/contents"
for file in bin/picklock lib/picklock/conform/libpicklock_steered_clock.so share/man/man1/picklock.1.gz \
  share/bash-completion/completions/picklock share/zsh/vendor-completions/_picklock \
  share/doc/picklock/{README.md,CHANGELOG.md,CONTRIBUTING.md,copyright,changelog.gz,docs/scenario-format.md} \
  share/doc/picklock/examples/own_lock/{CMakeLists.txt,own_lock_test.cc}; do
  grep -qE " \./usr/$file\$" "$place/contents" || fail "/usr/$file is missing"
done
unexpected=$(grep -vE ' \./(usr/(bin|lib|share)?/?)?$' "$place/contents" |
  grep -vE ' \./usr/(bin/picklock$|lib/picklock/|share/(picklock|doc|man|bash-completion|zsh)/)')
[[ -z $unexpected ]] || fail "it holds what it should not: $unexpected"
grep -vE '^[d-]rw[x-]r-[x-]r-[x-] root/root ' "$place/contents" && fail "an owner or a mode is wrong"
(cd "$root/scenarios" && find . -name '*.toml') | LC_ALL=C sort >"$place/source"
sed -nE 's@.* \./usr/share/picklock/scenarios/(.*\.toml)$@./\1@p' "$place/contents" | LC_ALL=C sort |
  diff "$place/source" - || fail "its scenarios are not those of the repository"

dpkg-deb -x "$program" "$place/root" || exit 1
grep -rlaF -e "$root/" -e "$build" "$place/root" && fail "these files name the folder in which they were built"
(
  cd / || exit
  picklock() { env -i PATH=/usr/bin:/bin "$place/root/usr/bin/picklock" "$@"; }
  picklock run ttl-expiry-blind-delete >"$place/story" && grep -q client-1 "$place/story" || fail "a scenario does not run"
  [[ $(picklock list scenarios --names | wc -l) == "$(wc -l <"$place/source")" ]] || fail "scenarios are not listed"
  picklock help >"$place/help" && grep -q explore "$place/help" || fail "there is no help"
  exit "$failed"
) || failed=1

said=$(cmake --install "$build" --component picklock --prefix /proc/none 2>&1) && fail "installs into /proc"
[[ $(tr -s ' \n' ' ' <<<"$said") == *"/proc/none cannot be written to; choose another folder with --prefix"* ]] ||
  fail "an unwritable prefix: $said"

# The library, unless it was left out (PICKLOCK_INSTALL).
if [[ -e $build/picklockConfig.cmake ]]; then
  library=$build/libpicklock-dev_${version}_$(dpkg --print-architecture).deb
  [[ -f $library ]] || { echo "FAILED: there is no ${library##*/}"; exit 1; }
  for package in g++ libboost-fiber1.81-dev libfmt-dev libgtest-dev liblua5.1-0-dev; do
    dpkg-deb -f "$library" Depends Recommends | grep -qF "$package" || fail "libpicklock-dev does not ask for $package"
  done
  dpkg-deb -c "$library" >"$place/contents"
  for file in include/picklock/{lock,test}.h lib/libpicklock_{lock,test}.a lib/cmake/picklock/picklockConfig{,Version}.cmake \
    share/doc/libpicklock-dev/{copyright,changelog.gz}; do
    grep -qE " \./usr/$file\$" "$place/contents" || fail "/usr/$file is missing"
  done
  dpkg-deb -x "$library" "$place/library" || exit 1
  grep -rlaF -e "$root/" -e "$build" "$place/library" && fail "these files name the folder in which they were built"
fi

if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$build"/*_"$version"_*.deb || fail "lintian complains"
else
  echo "lintian is not installed: it was not asked"
fi
exit "$failed"
