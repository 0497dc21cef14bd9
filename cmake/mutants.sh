#!/usr/bin/env bash
# Plants the faults of a list in a copy of the sources, one at a time, and rebuilds. The list's command must exit with 1
# for each fault, and with 0 without one.
#   mutants.sh BUILD_FOLDER LIST [NAME...]    only those named
#   mutants.sh --places LIST...               only checks that each line to be replaced is where the list says
#
# A list names the targets to build and the command to run at the root of the copy ($build is the build folder). Then
# each fault has a name, fact and file, a line (or part of one) that the file has exactly once, and its replacement:
#   build: TARGET...
#   flags: FLAG...        of the compiler; without them -O0
#   run: COMMAND
#   limit: SECONDS        for one COMMAND; without it 600
#   NAME FACT FILE [KIND [WORD...]]
#   - OLD
#   + NEW
# If faults have kinds, COMMAND gets the kind and its words in $kind and $words, its last line of output is shown, and
# caught faults are counted by kind. Without a fault both are empty, and $wanted has the requested names.
set -u
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
(($# >= 2)) || { sed -n '2,20s/^# \{0,1\}//p' "$0" >&2; exit 2; }

# stands_once OLD FILE: fails with a message unless FILE has OLD exactly once
stands_once() {
  local text without
  text=$(<"$root/$2") || { echo "there is no $2"; return 1; }
  without=${text//"$1"/}
  ((${#text} - ${#without} == ${#1})) && return
  echo "\`$1\` is not found exactly once in $2"
  return 1
}

if [[ $1 == --places ]]; then
  shift
  total=0 bad=0
  while IFS= read -r line; do
    case $line in
      '- '*)
        total=$((total + 1))
        stands_once "${line#- }" "$file" || bad=$((bad + 1))
        ;;
      '' | '#'* | 'build: '* | 'flags: '* | 'run: '* | 'limit: '* | '+ '*) ;;
      *) read -r _ _ file _ <<<"$line" ;;
    esac
  done < <(cat -- "$@")
  echo "$total places, $bad missing"
  ((total > 0 && bad == 0))
  exit
fi

work=$1
list=$(<"$2") || exit 2
shift 2
export wanted=" $* " kind='' words=''
targets=$(sed -n 's/^build: //p' <<<"$list")
flags=$(sed -n 's/^flags: //p' <<<"$list")
command=$(sed -n 's/^run: //p' <<<"$list")
limit=$(sed -n 's/^limit: //p' <<<"$list")

log=$work/log
copy=$work/source
export build=$work/build
rm -rf "$work"
mkdir -p "$copy"
for entry in "$root"/*; do
  case ${entry##*/} in
    build | picklock-out | bench-out) ;;
    *) cp -Rp "$entry" "$copy/" ;;
  esac
done

# The sources may change while this runs.
cp -Rp "$copy" "$work/original"
root=$work/original

# shellcheck disable=SC2086  # several targets
build() { cmake --build "$build" --target $targets >"$log" 2>&1; }

run() { (cd "$copy" && timeout "${limit:-600}" bash -c "$command" >"$log" 2>&1); }

configure() {
  cmake -S "$copy" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG="${flags:--O0}" -DPICKLOCK_BENCH=OFF -DPICKLOCK_WERROR=OFF >"$log" 2>&1
}
if ! configure || ! build; then
  cat "$log"
  exit 1
fi

# Removes the planted fault from the copy.
uproot() { cp "$root/$planted" "$copy/$planted"; }

run || { echo "without a mutant it fails:"; cat "$log"; exit 1; }

total=0 bad=0
declare -A caught
complain() { echo "$1"; bad=$((bad + 1)); }

# try NAME FACT FILE OLD NEW
try() {
  local name=$1 fact=$2 file=$3 old=$4 new=$5 missing text status said=''
  [[ $wanted == "  " || $wanted == *" $name "* ]] || return
  total=$((total + 1))
  if ! missing=$(stands_once "$old" "$file"); then
    complain "$name: $missing"
    return
  fi
  text=$(<"$root/$file")
  planted=$file
  printf '%s\n' "${text/"$old"/"$new"}" >"$copy/$file"
  if build; then
    run
    status=$?
    [[ ! $kind ]] || said=": $(tail -1 "$log")"
    if ((status == 1)); then
      echo "$name ($fact) caught$said"
      [[ ! $kind ]] || caught[$kind]=$((${caught[$kind]:-0} + 1))
    else
      complain "$name ($fact): not caught, exit $status$said"
    fi
  else
    complain "$name: does not compile"
    tail -20 "$log"
  fi
  uproot
}

while IFS= read -r line; do
  case $line in
    '' | '#'* | 'build: '* | 'flags: '* | 'run: '* | 'limit: '*) ;;
    '- '*) old=${line#- } ;;
    '+ '*) try "$name" "$fact" "$file" "$old" "${line#+ }" </dev/null ;;
    *) read -r name fact file kind words <<<"$line" ;;
  esac
done <<<"$list"

for kind in "${!caught[@]}"; do echo "${caught[$kind]} caught $kind"; done | LC_ALL=C sort -k3

echo "$total mutants, $bad not caught"
((total > 0 && bad == 0))
