#!/usr/bin/env bash
# Runs tests of redis-py against a real redis-server and against `picklock serve`. SOURCES is a folder with the sources of
# redis-py 4.3.4, whose tests are not a part of picklock. Needs redis-server and the packages python3-pytest,
# python3-pytest-asyncio, python3-mock, python3-async-timeout, python3-deprecated and python3-packaging.
#   conform/suites/redis_py.sh PICKLOCK SOURCES [FILE...]
set -eu
(($# >= 2)) || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
picklock=$(readlink -f -- "$1") sources=$(readlink -f -- "$2")
suites=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift 2
(($#)) || set -- tests/test_{lock,scripting,pipeline,pubsub,monitor,connection_pool,encoding,sentinel}.py \
  tests/test_asyncio/test_{lock,scripting,pipeline,pubsub}.py
[[ -e $sources/tests/test_lock.py ]] ||
  { echo "redis_py.sh: $sources: there is no tests/test_lock.py; give the sources of redis-py" >&2; exit 2; }

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
real=$((RANDOM % 10000 + 20000))
redis-server --port $real --dir "$work" --save "" >/dev/null &
"$picklock" serve --json --no-timeline --die-with-parent >"$work/ports" &
until [[ -s $work/ports ]] && redis-cli -p $real ping 2>/dev/null | grep -q PONG; do sleep 0.05; done
model=$(sed -E 's/.*"port":([0-9]+)}\].*/\1/' "$work/ports")

# results NAME PORT FILE...: the report of the tests
results() {
  local report=$work/$1.xml port=$2
  shift 2
  (cd "$sources" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources timeout 300 /usr/bin/python3 -m pytest -q \
    -p no:cacheprovider --redis-url "redis://localhost:$port/9" --junitxml="$report" "$@" >"$work/log" 2>&1) || true
  [[ -s $report ]] || { cat "$work/log" >&2; exit 2; }
}

results real "$real" "$@"
results model "$model" "$@"
/usr/bin/python3 "$suites/compare.py" "$work/real.xml" "$work/model.xml"
