#!/usr/bin/env bash
# bundle.sh SOURCE_DIR WORK_DIR: bundles the page in WORK_DIR, where modules.sh has been, and holds that the bundle in
# the tree is the same, byte by byte. With PICKLOCK_UPDATE=1 it replaces the one in the tree.
set -euo pipefail
source_dir=$1 work_dir=$2

cd "$work_dir"
rm -rf bundle
node build.mjs bundle
diff -rq bundle "$source_dir/bundle" && exit
if [[ ${PICKLOCK_UPDATE:-} ]]; then
  mkdir -p "$source_dir/bundle"
  rm -f "$source_dir"/bundle/*
  cp bundle/* "$source_dir/bundle"
  echo "reports/page/bundle is rewritten: build picklock again"
else
  echo "reports/page/bundle is not what its sources give; to rewrite it:" >&2
  echo "  PICKLOCK_UPDATE=1 ctest --preset dev -R page_bundle" >&2
  exit 1
fi
