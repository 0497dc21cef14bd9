#!/usr/bin/env bash
# Records again the requests of the libraries to real redis-servers. Exits with 0 only if the
# transcripts agree.
# Needs redis-server, python3-redis, node and npm with its registry.
set -eu
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")"
python=/usr/bin/python3  # Debian's own, whose packages are Debian's too

modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
cp package.json package-lock.json "$modules"
npm ci --silent --no-audit --no-fund --prefix "$modules"
export NODE_PATH=$modules/node_modules

"$python" record.py "What node-redlock sends" node redlock.js >../node-redlock.txt
"$python" record.py "What redis-py's Lock sends" "$python" redis_py.py >../redis-py.txt
git diff --exit-code -- ../node-redlock.txt ../redis-py.txt
