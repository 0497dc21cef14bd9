#!/usr/bin/env bash
# Makes a campaign on a Slurm cluster of three nodes on this machine, and kills a shard on the way. Compares the report
# with that of one process.   campaign_test.sh PROGRAM   Exit status 77: Slurm, or root, is not there.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
program=$(readlink -f -- "${1:?usage: campaign_test.sh PROGRAM}")
place=$(mktemp -d /tmp/picklock-slurm-XXXXXX)
cluster=$place/c
trap '[[ ! -d $cluster ]] || "$here/stop_slurm.sh" "$cluster"; rm -rf "$place"' EXIT
fail() {
  echo "FAIL: $*" >&2
  cat "$place"/store/log/* >&2 || true
  exit 1
}
"$here/start_slurm.sh" "$cluster" 3 || exit $?
export SLURM_CONF=$cluster/slurm.conf PICKLOCK=$program
cd -- "$place"
search=(explore --algorithm set-px-blind-delete --property own-release --runs 60000 --seed 3)
"$here/../submit" "$place/store" 6 "${search[@]}" >"$place/said"
grep -q 'submitted 6 shards' "$place/said" || fail "submit says: $(cat "$place/said")"

# The first shard that is at work is killed with its program, as on a node that fails; Slurm makes it again.
killed=
for ((i = 0; i < 1200; ++i)); do
  if [[ -z $killed ]]; then
    # Only processes that name this store.
    victim=$(pgrep -of -- "explore .* --store $place/store" || true)
    [[ -z $victim ]] || ! kill -KILL "$victim" 2>/dev/null || killed=$victim
  fi
  [[ -e $place/store/report.txt ]] && break
  sleep 0.2
done
"$here/../submit" --watch "$place/store" >"$place/watched"
grep -q '60,000 runs of 60,000' "$place/watched" || fail "the watch says: $(cat "$place/watched")"
[[ -n $killed ]] || fail "no shard was killed"
[[ -e $place/store/report.txt ]] || fail "there is no report"
status=0
mv store/found found.slurm
"$program" "${search[@]}" --store "$place/alone" --out "$place/store/found" >"$place/expected" || status=$?
((status == 1)) || fail "one process ends with $status"
cmp expected store/report.txt || fail "the report is another one"
diff -r store/found found.slurm || fail "what was found is something else"
echo "the report of 6 shards on 3 nodes, with one killed, is that of one process"
