#!/usr/bin/env bash
# Runs the tests of redis-semaphore against three real servers of Redis and against those of `picklock serve`, on ports 6001
# to 6003 of a network of their own. SOURCES is a folder with the sources of redis-semaphore 5.7.0, in which `npm install
# --ignore-scripts` has been run; its tests are not a part of picklock. Needs redis-server, node and unshare.
#   conform/suites/redis_semaphore.sh PICKLOCK SOURCES [FILE...]
set -eu
(($# >= 2)) || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ ${SUITE_NETWORK:-} ]] || exec env SUITE_NETWORK=own unshare -rn bash "$0" "$@"
ip link set lo up
suites=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PICKLOCK=$(readlink -f -- "$1") sources=$2
export PICKLOCK
shift 2
PATH=$suites/redis_semaphore:$PATH
[[ -x $sources/node_modules/.bin/mocha ]] || { echo "redis_semaphore.sh: $sources: there is no mocha; run npm install there" >&2; exit 2; }

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; for port in 600{1..3}; do redis-cli -p $port shutdown nosave 2>/dev/null || true; done; rm -rf "$work"' EXIT

# results NAME FILE...: the report of the tests
results() {
  local report=$work/$1.xml
  shift
  for port in 600{1..3}; do yarn wait-for --redis redis://127.0.0.1:$port; done
  (cd "$sources" && node_modules/.bin/mocha --exit --reporter xunit --reporter-options "output=$report" "$@" >"$work/log" 2>&1) || true
  [[ -s $report ]] || { cat "$work/log" >&2; exit 2; }
}

cd "$work"
for number in 1 2 3; do docker compose up -d redis$number >/dev/null; done
cd - >/dev/null
results real "$@"
for port in 600{1..3}; do redis-cli -p $port shutdown nosave; done
export SUITE_CONTROL=6000
"$PICKLOCK" serve --redis masters=3 --port 6001 --control-port $SUITE_CONTROL --no-timeline --die-with-parent >/dev/null &
results model "$@"
python3 "$suites/compare.py" "$work/real.xml" "$work/model.xml"
