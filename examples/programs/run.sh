#!/usr/bin/env bash
# Runs each scenario of a folder twice, or 20 times with PICKLOCK_WHOLE, and expects equal runs to the byte.
#
#   examples/programs/run.sh PICKLOCK FOLDER BUILT
#
# If FOLDER has a script `build`, it makes the program in the folder BUILT. Exit status 77: this machine lacks what the
# program needs.
set -eu
picklock=$1 source=$2 built=$3
if [[ -x $source/build ]]; then
  mkdir -p "$built"
  "$source/build" "$built" || exit 77
fi
runs=2
[[ -z ${PICKLOCK_WHOLE:-} ]] || runs=20
for story in "$source"/*.toml; do
  first=""
  for ((run_number = 0; run_number < runs; ++run_number)); do
    status=0
    run=$("$picklock" run "$story" --set "clients.folder=$built" 2>&1) || status=$?
    if [[ $run == *"cannot run programs in virtual time"* ]]; then
      echo "$run"
      exit 77
    fi
    if ((status)); then
      printf '%s: exit status %d\n%s\n' "$story" "$status" "$run"
      exit 1
    fi
    [[ -z $first || $run == "$first" ]] || {
      printf '%s: two runs differ\n' "$story"
      diff <(echo "$first") <(echo "$run")
      exit 1
    }
    first=$run
  done
  printf '%s: %d equal runs, %s\n' "$(basename "$source")/$(basename "$story")" "$runs" \
    "$(grep '^digest' <<<"$first")"
done
