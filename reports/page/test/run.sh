#!/usr/bin/env bash
# run.sh SOURCE_DIR WORK_DIR NPM NODE PAGE_SAMPLE: checks the types of the page's sources, makes pages to try, and tries
# them in Chromium. What is missing is a failure.
set -euo pipefail
source_dir=$1 work_dir=$2 npm=$3 node=$4 sample=$5

PICKLOCK_CHROMIUM=${PICKLOCK_CHROMIUM:-$(command -v chromium || true)}
if [[ ! -x $PICKLOCK_CHROMIUM ]]; then
  echo "chromium is missing: the page is tested in it. On Debian: apt-get install chromium" >&2
  exit 1
fi
export PICKLOCK_CHROMIUM

mkdir -p "$work_dir"
"$sample" "$work_dir/small.html"
"$sample" --full "$work_dir/full.html"

cd "$work_dir"
if ! cmp -s "$source_dir/package-lock.json" installed-package-lock.json; then
  cp "$source_dir"/package{,-lock}.json .
  "$npm" ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
  cp package-lock.json installed-package-lock.json
fi
rm -rf src test
cp -r "$source_dir"/{src,test,tsconfig.json} .

"$node" node_modules/typescript/bin/tsc -p .
"$node" test/page_test.mjs small.html full.html
