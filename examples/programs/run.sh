#!/usr/bin/env bash
# Runs each scenario of a folder twice, each time twice, and expects equal runs.
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
for story in "$source"/*.toml; do
  first=""
  for _ in 1 2; do
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
  printf '%s: %s\n' "$(basename "$source")/$(basename "$story")" "$(grep '^digest' <<<"$first")"
done
