#!/usr/bin/env bash
# Runs the tests of kazoo against three real ZooKeeper servers and against those of `picklock serve`. SOURCES is a folder
# with the sources of kazoo 2.8.0, whose tests are not a part of picklock. Needs the packages zookeeper, python3-pytest,
# python3-mock and python3-objgraph; with python3-gevent and python3-eventlet it has more tests.
#   conform/suites/kazoo.sh PICKLOCK SOURCES [FILE...]
set -eu
(($# >= 2)) || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ ${SUITE_NETWORK:-} ]] || exec env SUITE_NETWORK=own unshare -rn bash "$0" "$@"
ip link set lo up
suites=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PICKLOCK=$(readlink -f -- "$1") sources=$(readlink -f -- "$2")
export PICKLOCK
shift 2
(($#)) || set -- kazoo/tests
[[ -d $sources/kazoo/tests ]] || { echo "kazoo.sh: $sources: there is no kazoo/tests; give the sources of kazoo" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ZOOKEEPER_VERSION=3.8.0 ZOOKEEPER_CLASSPATH=/etc/zookeeper/conf
for jar in zookeeper zookeeper-jute slf4j-api slf4j-simple netty-all netty-common metrics-core snappy-java commons-cli \
  jackson-core jackson-databind jackson-annotations commons-io servlet-api jetty9-{http,io,security,server,servlet,util}; do
  ZOOKEEPER_CLASSPATH+=:/usr/share/java/$jar.jar
done

# results NAME OPTION...: the report of the tests
results() {
  local report=$work/$1.xml
  shift
  (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$suites:$sources /usr/bin/python3 -m pytest -q -p no:cacheprovider \
    -c "$sources/setup.cfg" --rootdir "$sources" --junitxml="$report" "$@" >"$work/log" 2>&1) || true
  [[ -s $report ]] || { cat "$work/log" >&2; exit 2; }
}

tests=("${@/#/$sources/}")
results real "${tests[@]}"
results model -p kazoo_ensemble "${tests[@]}"
/usr/bin/python3 "$suites/compare.py" "$work/real.xml" "$work/model.xml"
