#!/usr/bin/env bash
# Tests the commit that `picklock --version` prints for each kind of source tree, and that an equal one is not rewritten.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

commit_of() {  # commit_of SOURCE [ARGUMENT...]
  local source=$1
  shift
  cmake -D "SOURCE=$source" -D "OUT=$place/commit.cc" "$@" -P "$root/cmake/commit.cmake" || exit
  sed -n 's/.*kCommit.* = "\(.*\)";/\1/p' "$place/commit.cc"
}

expect() {  # expect WHAT WANTED FOUND
  [[ $2 == "$3" ]] && return
  echo "$1: expected $2, found $3"
  exit 1
}

tree=$place/tree
mkdir -p "$tree/cmake"
cp "$root/.gitattributes" "$tree"
echo '$Format:%H$' >"$tree/cmake/source_commit.txt"
expect "no repository" unknown "$(commit_of "$tree")"

git -C "$tree" init -q && git -C "$tree" add . && git -C "$tree" commit -q -m one || exit
head=$(git -C "$tree" rev-parse HEAD)
expect "a clean repository" "${head:0:12}" "$(commit_of "$tree")"
touch -d 2001-01-01 "$place/commit.cc"
commit_of "$tree" >/dev/null
expect "the same again is not written" 2001 "$(date -r "$place/commit.cc" +%Y)"
mkdir "$tree/inside" && cp -r "$tree/cmake" "$tree/inside"
expect "a tarball that was unpacked in another repository" unknown "$(commit_of "$tree/inside")"
expect "files that git does not know" "${head:0:12}" "$(commit_of "$tree")"
echo >>"$tree/.gitattributes"
expect "a changed repository" "${head:0:12}-dirty" "$(commit_of "$tree")"

mkdir "$place/archive" && git -C "$tree" archive HEAD | tar -x -C "$place/archive" || exit
expect "a tarball of git archive" "${head:0:12}" "$(commit_of "$place/archive")"
expect "a commit that was given" abc "$(commit_of "$tree" -D COMMIT=abc)"
