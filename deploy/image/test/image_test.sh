#!/usr/bin/env bash
# Makes the container image of a Debian package, looks at what is in it, and runs shards of a search in it as a container
# engine would: without network, as user 65534, on a file system that is read-only but for the store.
#   image_test.sh BUILD VERSION     The package lies in the build folder: the target `packages` makes it.
# Exit status 77: there is no package, or this user may not start containers.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=${1:?usage: image_test.sh BUILD VERSION} version=${2:?usage: image_test.sh BUILD VERSION}
command -v dpkg-deb >/dev/null || { echo "image_test: no dpkg" >&2; exit 77; }
package=$(readlink -f -- "$build")/picklock_${version}_$(dpkg --print-architecture).deb
[[ -e $package ]] || { echo "image_test: no ${package##*/}: the target packages makes it" >&2; exit 77; }
place=$(mktemp -d /tmp/picklock-image-XXXXXX)
chmod 755 "$place"
trap 'rm -rf "$place"' EXIT
cd -- "$place"
fail() {
  echo "FAIL: $*" >&2
  exit 1
}

refuse() {  # refuse WORDS ARGUMENT...: build ends with 2 and one line that has these words
  local words=$1 status=0
  shift
  "$here/../build" "$@" >said 2>&1 || status=$?
  [[ "$status $(wc -l <said) $(<said)" == "2 1 "*"$words"* ]] || fail "build $* ends with $status: $(<said)"
}
echo text >text
refuse 'nothing.deb: there is no such file' nothing.deb
refuse 'text: not a Debian package' text
refuse 'no/where.tar: cannot be written' "$package" no/where.tar
refuse '/dev/full: this is not a file' "$package" /dev/full

# The two builds differ in all that they could pick up from their surroundings.
"$here/../build" "$package" one.tar
(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 HOME=/ "$here/../build" "$package" two.tar >/dev/null)
cmp one.tar two.tar || fail "two builds differ"

# --- what an engine reads

mkdir image root
tar -xf one.tar -C image
blob() {  # blob DIGEST SIZE: the file, whose digest and size must be these
  local file=image/blobs/sha256/${1#sha256:}
  [[ $(sha256sum <"$file") == "${1#sha256:}  -" ]] || fail "$file has another digest"
  [[ $(stat -c %s "$file") == "$2" ]] || fail "$file is not of $2 bytes"
  echo "$file"
}
# The digests and sizes of a file, in their order.
named() { grep -oE '"digest":"[^"]+","size":[0-9]+' "$1" | sed -E 's/"digest":"([^"]+)","size":/\1 /'; }
read -r digest bytes <<<"$(named image/index.json)"
manifest=$(blob "$digest" "$bytes")
{ read -r config_digest config_bytes && read -r layer_digest layer_bytes; } <<<"$(named "$manifest")"
config=$(blob "$config_digest" "$config_bytes")
layer=$(blob "$layer_digest" "$layer_bytes")
unpacked=$(gzip -dc "$layer" | sha256sum)
grep -qF "\"diff_ids\":[\"sha256:${unpacked%% *}\"]" "$config" || fail "the unpacked layer has another digest"
grep -qF '"User":"65534"' "$config" || fail "the user is not 65534: $(<"$config")"
grep -qF '"Entrypoint":["/usr/bin/picklock"]' "$config" || fail "the entry point is not picklock: $(<"$config")"
[[ $(<image/manifest.json) == *"\"${config#image/}\""*"\"${layer#image/}\""* ]] || fail "docker load finds no image"
[[ $(find image/blobs -type f | wc -l) == 3 ]] || fail "there are blobs that nothing names"

gzip -dc "$layer" | tar -x --no-same-owner -p -C root
for size in $(stat -c %s one.tar) "$(du -sb root | cut -f 1)"; do
  ((size <= 40000000)) || fail "$size bytes are more than 40 MB"
done
[[ -z $(find root -name '*sh' -path '*bin/*') ]] || fail "there is a shell"
[[ -z $(find root -perm /6000) ]] || fail "a program gets the rights of its owner"
[[ -z $(find root -not -type l -perm /022 -not -path root/store) ]] || fail "other users may write to a file"
grep -q '^[^:]*:[^:]*:65534:65534:' root/etc/passwd || fail "the user has no entry in passwd"
for owner in root/var/lib/dpkg/status.d/*; do
  owner=${owner##*/}
  [[ -s root/usr/share/doc/$owner/copyright ]] || fail "$owner has no license"
  [[ $owner == picklock ]] || dpkg-query -L "$owner"
done | sed 's@.*/@@' >files
for library in root/usr/lib/*-linux-gnu/* root/usr/lib64/*; do
  grep -qxF "${library##*/}" files || fail "$library belongs to no package"
done

# --- a search

# picklock ARGUMENT...: what a container engine does, by the means of Debian's util-linux.
# shellcheck disable=SC2016  # expanded by the inner shell
contain='set -e
mount --bind root root
mount --bind store root/store
mount -t proc -o ro proc root/proc
mount -o remount,bind,ro root
exec setpriv --no-new-privs unshare --root=root --wd=/store --setgid=65534 --setuid=65534 /usr/bin/picklock "$@"'
picklock() { unshare --mount --net --ipc --uts --pid --fork --kill-child -- bash -c "$contain" picklock "$@"; }
mkdir store
if ! unshare --mount --net --pid --fork -- mount -t tmpfs none root/proc 2>said; then
  echo "image_test: all but the search has passed; it was not run in the image: $(tail -n 1 said)" >&2
  exit 77
fi
chown 65534:65534 store
[[ $(picklock list scenarios --names | wc -l) == "$(find root/usr/share/picklock/scenarios -name '*.toml' | wc -l)" ]] ||
  fail "its scenarios are not listed"
search=(explore --algorithm set-px-blind-delete --property own-release --runs 12288 --seed 3)
status=0
picklock "${search[@]}" --store /elsewhere --shard 0/2 >said 2>&1 || status=$?
[[ "$status $(<said)" == "2 "*/elsewhere* ]] || fail "it writes beside the store, or ends with $status: $(<said)"
picklock "${search[@]}" --jobs 1 --store /store --shard 0/2 >said || fail "a shard ends with $?: $(<said)"
status=0
picklock merge /store >said 2>&1 || status=$?
[[ "$status $(<said)" == "2 "*missing* ]] || fail "a merge of one of two shards ends with $status: $(<said)"
picklock "${search[@]}" --jobs 1 --store /store --shard 1/2 >said || fail "a shard ends with $?: $(<said)"
status=0
picklock merge /store --out /store/found >report || status=$?
((status == 1)) || fail "the merge ends with $status: $(<report)"
[[ -z $(find store -not -user 65534) ]] || fail "another user has written"

# The program of the package, outside. Finds have the names of their folders in the report.
dpkg-deb -x "$package" outside
status=0
outside/usr/bin/picklock "${search[@]}" --store alone --out found >expected || status=$?
((status == 1)) || fail "one process ends with $status: $(<expected)"
sed -i 's@/store/found/@found/@' report
diff expected report || fail "the report is another one"
diff -r found store/found || fail "what was found is something else"
echo "the report of two shards in the image is that of one process outside of it"
