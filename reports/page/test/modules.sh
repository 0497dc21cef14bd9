#!/usr/bin/env bash
# modules.sh SOURCE_DIR WORK_DIR: copies the page's sources into WORK_DIR and installs there what package-lock.json
# names, once for each lock file. The other two scripts work in that folder. A missing program is a failure.
set -euo pipefail
source_dir=$1 work_dir=$2

for program in node npm; do
  command -v "$program" >/dev/null && continue
  echo "$program is missing: the page's tests take it. On Debian: apt-get install nodejs npm" >&2
  exit 1
done

mkdir -p "$work_dir"
cd "$work_dir"
rm -rf src test
cp -r "$source_dir"/{src,test,build.mjs,package.json,package-lock.json,tsconfig.json} .
cmp -s package-lock.json installed-package-lock.json && exit
# Nothing that is run here needs the scripts that packages run when they are installed.
npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
cp package-lock.json installed-package-lock.json
