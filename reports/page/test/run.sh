#!/usr/bin/env bash
# run.sh WORK_DIR PAGE_SAMPLE: checks the types of the page's sources in WORK_DIR, where modules.sh has been, makes
# sample pages, and tests them in Chromium. A missing browser is a failure.
set -euo pipefail
work_dir=$1 sample=$2

PICKLOCK_CHROMIUM=${PICKLOCK_CHROMIUM:-$(command -v chromium || true)}
if [[ ! -x $PICKLOCK_CHROMIUM ]]; then
  echo "chromium is missing: the page is tested in it. On Debian: apt-get install chromium" >&2
  exit 1
fi
export PICKLOCK_CHROMIUM

"$sample" "$work_dir/small.html"
"$sample" --full "$work_dir/full.html"
"$sample" --run ttl-expiry-blind-delete "$work_dir/run.html"
cd "$work_dir"
node node_modules/typescript/bin/tsc -p .
node test/page_test.mjs small.html full.html run.html
