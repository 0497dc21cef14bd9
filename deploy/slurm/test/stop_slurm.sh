#!/usr/bin/env bash
# Ends the cluster that start_slurm.sh has made in FOLDER, with all jobs, and removes FOLDER: by the process ids that were
# written there, and those of their children, which have its name in their environment.   stop_slurm.sh FOLDER
folder=$(cd -- "${1:?the folder}" 2>/dev/null && pwd -P) || exit 0
[[ -e $folder/slurm.conf ]] || { echo "stop_slurm: $folder: no cluster" >&2; exit 2; }

# The processes of this cluster: daemons, steps of jobs that they left behind, and the jobs' own below these.
ours() {
  local process pid
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qxF "PICKLOCK_SLURM=$folder"; then
      echo "$pid"
      below "$pid"
    fi
  done | sort -nu
}
below() {
  local child
  # shellcheck disable=SC2013  # words
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    echo "$child"
    below "$child"
  done
}

end_with() {  # SIGNAL TENTHS
  local pids i
  mapfile -t pids < <(ours)
  ((${#pids[@]})) || return 0
  kill "-$1" "${pids[@]}" 2>/dev/null
  for ((i = 0; i < $2; ++i)); do
    mapfile -t pids < <(ours)
    ((${#pids[@]})) || return 0
    sleep 0.1
  done
  return 1
}
export SLURM_CONF=$folder/slurm.conf
timeout 2 scancel --quiet --full --state=RUNNING 2>/dev/null
timeout 2 scancel --quiet --state=PENDING 2>/dev/null
end_with TERM 50 || end_with KILL 50 || { echo "stop_slurm: still there: $(ours | tr '\n' ' ')" >&2; exit 1; }
rm -rf -- "$folder"
