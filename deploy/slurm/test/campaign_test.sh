#!/usr/bin/env bash
# Makes a search and a comparison of 20 shards each on a Slurm cluster of three nodes on this machine. Kills a process, a
# slurmd with its node, and puts a task back into the queue by hand. The reports must be those of one process.
#   campaign_test.sh PROGRAM   Exit status 77: Slurm, or root, is not there.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
program=$(readlink -f -- "${1:?usage: campaign_test.sh PROGRAM}")
place=$(mktemp -d /tmp/picklock-slurm-XXXXXX)
cluster=$place/c
trap '[[ ! -d $cluster ]] || "$here/stop_slurm.sh" "$cluster"; rm -rf "$place"' EXIT
fail() {
  echo "FAIL: $*" >&2
  squeue --array >&2 || true
  tail -n 5 "$place"/*/log/* >&2 || true
  exit 1
}
# wait_for TENTHS WHAT COMMAND...
wait_for() {
  local left=$1 what=$2
  shift 2
  until "$@"; do
    ((left-- > 0)) || fail "$what"
    sleep 0.1
  done
}
# So many slots that all tasks of one array are at work at once, and some of the other.
"$here/start_slurm.sh" "$cluster" 3 8 || exit $?
export SLURM_CONF=$cluster/slurm.conf PICKLOCK=$place/picklock
cd -- "$place"

# The first attempts stop in the midst of their work until the test has done its harm. So the harm meets tasks that are
# at work, however fast or slow the machine is. A report waits for nothing.
mkdir held
cat >picklock <<WRAPPER
#!/usr/bin/env bash
[[ \$1 != merge && ! -e $place/go ]] || exec "$program" "\$@"
"$program" "\$@" &
until compgen -G "$place/*/shard-*-\$!.jsonl" >/dev/null || ! kill -0 \$!; do sleep 0.05; done
kill -STOP \$!
task=\${SLURM_ARRAY_JOB_ID}_\$SLURM_ARRAY_TASK_ID
echo "\$task \$\$ \$!" >$place/held/\$SLURMD_NODENAME.\$task
until [[ -e $place/go ]]; do sleep 0.1; done
kill -CONT \$!
wait \$!
WRAPPER
chmod +x picklock

search=(explore --algorithm set-px-blind-delete --property own-release --set clients.count=2 --set clients.cycles=1
  --runs 81920 --seed 3)
table=(compare --algorithms lua-check-delete --faults "pause,lost-reply" --runs 1500)
"$here/../submit" search 20 "${search[@]}" >said
grep -q 'submitted 20 shards' said || fail "submit says: $(cat said)"
"$here/../submit" table 20 "${table[@]}" >>said

first_on() {
  local file
  for file in held/"$1".*; do [[ ! -s $file ]] || cat "$file"; done | head -n 1
}
each_node_is_at_work() { [[ -n $(first_on node1) && -n $(first_on node2) && -n $(first_on node3) ]]; }
wait_for 600 "not every node is at work" each_node_is_at_work
# Both processes of the task, so that its program ends as well.
read -r killed waits makes <<<"$(first_on node1)"
kill -KILL "$makes" "$waits" || fail "no process was killed"
read -r requeued _ _ <<<"$(first_on node2)"
scontrol requeue "$requeued" || fail "task $requeued cannot be put back"
# The node loses its slurmd and one whole task. Its other tasks continue, as where a node has lost its network.
read -r lost waits makes <<<"$(first_on node3)"
parent() { awk '/^PPid:/ {print $2}' "/proc/$1/status"; }
script=$(parent "$waits")
kill -KILL "$(awk '$2 == "node3" {print $1}' "$cluster/pids")" "$(parent "$script")" "$script" "$waits" "$makes" ||
  fail "node3 was not harmed"
touch go

# One process makes the same while Slurm looks for its node. Reports name files from the working directory, so it has one
# of its own.
one_process() {
  mkdir -p "one/$1"
  (cd one && "$program" "${@:2}" --store "$1/store" --out "$1/found" >"$1/report.txt") || (($? < 2))
}
one_process search "${search[@]}" || fail "one process cannot make the search"
one_process table "${table[@]}" || fail "one process cannot make the comparison"

reported() { [[ -e search/report.txt && -e table/report.txt ]]; }
wait_for 3000 "there is no report" reported
"$here/../submit" --watch search >watched
grep -q '81,920 runs of 81,920' watched || fail "the watch says: $(cat watched)"
for task in "$killed" "$requeued" "$lost"; do
  [[ $(scontrol show job "$task") == *Restarts=[1-9]* ]] || fail "task $task was not made again"
done

for name in search table; do
  cmp {,one/}$name/report.txt || fail "the report of the $name is another one"
  # A comparison keeps the stories of its finds in the order in which they are ready.
  diff -qr -x 'runs-seed-*.jsonl' {,one/}$name/found || fail "what was found in the $name is something else"
  echo "the $name of 20 shards is that of one process"
done
