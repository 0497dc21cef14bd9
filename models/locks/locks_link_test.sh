#!/usr/bin/env bash
# The locks must run over real sockets as the same object code: their archives, LOCKS..., may need nothing of the
# simulator. MODELS does need it, which shows that the question is the right one.
# usage: locks_link_test.sh MODELS LOCKS...
set -u
export LC_ALL=C

needs_of() {
  nm -C --undefined-only "$1" 2>&1 | grep -F 'picklock::sim::'
}

models=$1
shift
for archive in "$models" "$@"; do
  [[ -s $archive ]] || { echo "$archive is not there"; exit 1; }
done
needs_of "$models" >/dev/null || { echo "$models needs nothing of picklock::sim: nm shows nothing"; exit 1; }
for archive in "$@"; do
  if needs=$(needs_of "$archive"); then
    printf '%s needs the simulator:\n%s\n' "$archive" "$needs"
    exit 1
  fi
done
