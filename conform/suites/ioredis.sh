#!/usr/bin/env bash
# Runs the tests of ioredis against a real redis-server and against `picklock serve`, both on port 6379 of a network of
# their own. SOURCES is a folder with the sources of ioredis 5.4.1, in which `npm ci --ignore-scripts` has been run; its
# tests are not a part of picklock. Needs redis-server, node and unshare.
#   conform/suites/ioredis.sh PICKLOCK SOURCES [FILE...]
set -eu
(($# >= 2)) || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ ${SUITE_NETWORK:-} ]] || exec env SUITE_NETWORK=own unshare -rn bash "$0" "$@"
ip link set lo up
suites=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
picklock=$(readlink -f -- "$1") sources=$2
shift 2
(($#)) || set -- 'test/unit/**/*.ts' 'test/functional/**/*.ts'
[[ -x $sources/node_modules/.bin/mocha ]] || { echo "ioredis.sh: $sources: there is no mocha; run npm ci there" >&2; exit 2; }

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# results NAME FILE...: the report of these tests; the server in the background ends with them
results() {
  local report=$work/$1.xml
  shift
  until redis-cli ping 2>/dev/null | grep -q PONG; do sleep 0.05; done
  (cd "$sources" && TS_NODE_TRANSPILE_ONLY=true NODE_ENV=test node_modules/.bin/mocha --reporter xunit \
    --reporter-options "output=$report" 'test/helpers/*.ts' "$@" >"$work/log" 2>&1) || true
  [[ -s $report ]] || { cat "$work/log" >&2; exit 2; }
  kill %%
  wait %% 2>/dev/null || true
}

redis-server --dir "$work" --save "" >/dev/null &
results real "$@"
"$picklock" serve --port 6379 --no-timeline --die-with-parent >/dev/null &
results model "$@"
python3 "$suites/compare.py" "$work/real.xml" "$work/model.xml"
