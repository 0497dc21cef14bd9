#!/usr/bin/env bash
# Plants the faults of mutants.txt in a copy of the sources, one at a time, rebuilds what changed, and runs
# `picklock conform redis` as it runs by default: each must make it exit with 1.
#   mutants.sh BUILD_FOLDER [NAME...]    only those named
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../../.." && pwd)
(($#)) || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
work=$1
shift
wanted=" $* "

log=$work/log
copy=$work/source
rm -rf "$work"
mkdir -p "$copy"
for entry in "$root"/*; do
  case ${entry##*/} in
    build | picklock-out | bench-out) ;;
    *) cp -Rp "$entry" "$copy/" ;;
  esac
done

build() { cmake --build "$work/build" --target picklock >"$log" 2>&1; }

configure() {
  cmake -S "$copy" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DPICKLOCK_TESTS=OFF -DPICKLOCK_BENCH=OFF -DPICKLOCK_WERROR=OFF >"$log" 2>&1
}
if ! configure || ! build; then
  cat "$log"
  exit 1
fi
program=$work/build/cli/picklock

# What is planted must come out again.
uproot() { cp "$root/$planted" "$copy/$planted"; }

"$program" conform redis >"$log" 2>&1 || { echo "without a mutant they differ:"; cat "$log"; exit 1; }

total=0 bad=0
complain() { echo "$1"; bad=$((bad + 1)); }

# try NAME FACT FILE OLD NEW
try() {
  local name=$1 fact=$2 file=$3 old=$4 new=$5 text without status
  [[ $wanted == "  " || $wanted == *" $name "* ]] || return
  total=$((total + 1))
  text=$(<"$root/$file") || { complain "$name: there is no $file"; return; }
  without=${text//"$old"/}
  if ((${#text} - ${#without} != ${#old})); then
    complain "$name: \`$old\` is not found exactly once in $file"
    return
  fi
  planted=$file
  printf '%s\n' "${text/"$old"/"$new"}" >"$copy/$file"
  if build; then
    timeout 300 "$program" conform redis >"$log" 2>&1
    status=$?
    if ((status == 1)); then
      echo "$name ($fact) caught"
    else
      complain "$name ($fact): not caught, exit $status"
    fi
  else
    complain "$name: does not compile"
    tail -20 "$log"
  fi
  uproot
}

# NAME FACT FILE
# - OLD
# + NEW
while IFS= read -r line; do
  case $line in
    '' | '#'*) ;;
    '- '*) old=${line#- } ;;
    '+ '*) try "$name" "$fact" "$file" "$old" "${line#+ }" </dev/null ;;
    *) read -r name fact file <<<"$line" ;;
  esac
done <"$here/mutants.txt"

echo "$total mutants, $bad not caught"
((total > 0 && bad == 0))
