#!/usr/bin/env bash
# Runs the test suite of Redis itself against a real redis-server and against `picklock serve`, and lists each test that
# passes on the real one alone, with its reason. SOURCES is a folder with the sources of Redis 7.0.15, whose suite is
# Redis's own and not a part of picklock. Needs redis-server and tclsh.
#   conform/suites/redis.sh PICKLOCK SOURCES [UNIT...]
set -eu
(($# >= 2)) || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
picklock=$(readlink -f -- "$1") sources=$2
shift 2
(($#)) || set -- expire type/hash type/string type/incr scripting pubsub keyspace multi protocol quit
[[ -e $sources/runtest ]] || { echo "redis.sh: $sources: there is no runtest; give the sources of Redis" >&2; exit 2; }

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
cp -r "$sources/tests" "$sources/runtest" "$work"
mkdir "$work/src"
for program in redis-server redis-cli redis-benchmark; do ln -s "$(command -v $program)" "$work/src/$program"; done
# The model has no functions, so that there are none to flush between two tests.
sed -i 's/^\(\s*\)r function flush/\1catch {r function flush}/' "$work/tests/support/server.tcl"
# The model does not know how many bytes a real server needs.
sed -i 's/^proc memory_usage {key} {/&\n    return 1/' "$work/tests/support/util.tcl"
# The tests of scripts run them as functions first, and then by EVAL.
sed -i 's/^foreach is_eval {0 1}/foreach is_eval {1}/' "$work/tests/unit/scripting.tcl"

# Both servers anew: a test that fails half-way may leave its settings behind.
start_servers() {
  real=$((RANDOM % 10000 + 20000))
  redis-server --port $real --dir "$work" --save "" >/dev/null &
  : >"$work/ports"
  "$picklock" serve --json --no-timeline --die-with-parent >"$work/ports" &
  until [[ -s $work/ports ]] && redis-cli -p $real ping 2>/dev/null | grep -q PONG; do sleep 0.05; done
  model=$(sed -E 's/.*"port":([0-9]+)}\].*/\1/' "$work/ports")
}

stop_servers() {
  # shellcheck disable=SC2046
  kill $(jobs -p)
  wait
}

# results PORT NAME UNIT: "TEST<tab>REASON" of each failed test and the names of those that passed
results() {
  (cd "$work" && timeout 300 ./runtest --host 127.0.0.1 --port "$1" --durable --single "unit/$3" \
    --tags "-needs:debug -needs:repl -external:skip -slow" 2>&1 || true) |
    sed 's/\x1b\[[0-9;]*m//g' >"$work/$2.log"
  sed -nE 's/^\[ok\]: (.*) \([0-9]+ ms\)$/\1/p' "$work/$2.log" | LC_ALL=C sort -u >"$work/$2.passed"
}

status=0
for unit; do
  start_servers
  results "$real" real "$unit"
  results "$model" model "$unit"
  stop_servers
  LC_ALL=C comm -23 "$work/real.passed" "$work/model.passed" >"$work/missing"
  printf '%-14s %4d of %4d\n' "$unit" "$(LC_ALL=C comm -12 "$work/real.passed" "$work/model.passed" | wc -l)" \
    "$(wc -l <"$work/real.passed")"
  while IFS= read -r name; do
    status=1
    reason=$(grep -F -A1 "[err]: $name in " "$work/model.log" | sed -n 2p | cut -c1-100)
    printf '  %s: %s\n' "$name" "${reason:-it was not reached}"
  done <"$work/missing"
done
exit $status
