#!/usr/bin/env bash
# The command that cmake/mutants.sh runs for each fault of planted.txt. It checks that explore finds the fault,
# with as many injected faults as the list says.
#   planted.sh PICKLOCK LIST
# $kind is needs-N for N injected faults, and $words are the arguments of explore. The exit status is 1 if the fault was
# found so. Without $words no fault is planted; the status is 0 if explore finds nothing with any arguments in LIST.
set -u
# shellcheck disable=SC2154  # kind, words and wanted are in the environment
: "$kind" "$words" "$wanted"
picklock=$1 list=$2
out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT

# search ARGUMENT...: sets property, run and faults of the shortest violation found, run being that of the first.
search() {
  local -a arguments
  read -ra arguments <<<"$*"
  "$picklock" explore "${arguments[@]}" --json --out "$out" >"$out/json"
  local status=$?
  read -r property run faults < <(awk -F'[ ",:]+' '
    listed && $2 == "property" { name = $3 }
    listed && $2 == "faults" && (!found++ || $3 < least) { least = $3; property = name }
    listed && $2 == "first_at_run" && (!first || $3 < first) { first = $3 }
    /^  "/ { listed = $2 == "violations" }
    END { print found ? property " " first " " least : "none - -" }' "$out/json")
  return "$status"
}

if [[ ! $words ]]; then
  lines=$(awk -v wanted="$wanted" 'NF > 4 && $4 ~ /^needs-[0-9]$/ &&
    (wanted == "  " || index(wanted, " " $1 " ")) { $1 = $2 = $3 = $4 = ""; print }' "$list" | LC_ALL=C sort -u)
  [[ $lines ]] || exit 2
  while read -r line; do
    search "$line" || { echo "explore $line: $property at run $run, faults: $faults"; exit 1; }
  done <<<"$lines"
  exit 0
fi

# Run i is the same however many there are: most need only the first few.
for runs in 1000 10000 ''; do
  search "$words ${runs:+--runs $runs}"
  status=$?
  ((status == 0)) || break
done
needs=${kind#needs-}
found="$property at run $run, faults: $faults"
fails() { echo "$found; $1"; exit 3; }
((status == 1)) || fails "exit $status"
[[ $property != none ]] || fails "nothing listed"
((faults >= needs)) || fails "$needs said"
# The first story of a violation is shrunk, and another may need fewer.
if ((faults > needs)); then
  search "$words --max-faults $needs" && fails "and none with $needs"
  ((faults == needs)) || fails "$needs said"
fi
if ((needs > 0)); then
  search "$words --faults none --runs 2000" || fails "and without any: $property at run $run"
fi
if ((needs > 1)); then
  search "$words --max-faults $((needs - 1))" || fails "and with fewer: $property at run $run"
fi
echo "$found"
exit 1
