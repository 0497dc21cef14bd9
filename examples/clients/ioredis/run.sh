#!/usr/bin/env bash
# Runs the tests with the packages of package-lock.json, which are put into the folder $1.
set -eu
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
mkdir -p "$1"
cp "$here"/package.json "$here"/package-lock.json "$here"/lock.test.mjs "$1"
npm ci --silent --no-audit --no-fund --prefix "$1"
cd "$1" && node --test lock.test.mjs
