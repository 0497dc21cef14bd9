#!/usr/bin/env bash
# Checks the manifests against Kubernetes' schema, and that what is wrong is refused. Runs the Jobs' arguments here, as
# Kubernetes would, and compares the report with that of one process. No cluster, no network.
#   kubernetes_test.sh PROGRAM     Exit status 77: Python's modules for YAML and JSON schemas are not there.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=$(readlink -f -- "${1:?usage: kubernetes_test.sh PROGRAM}")
/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null ||
  { echo "kubernetes_test: no python3-jsonschema and python3-yaml" >&2; exit 77; }
place=$(mktemp -d /tmp/picklock-kubernetes-XXXXXX)
trap 'rm -rf "$place"' EXIT
cd -- "$here"
fail() {
  echo "FAIL: $*" >&2
  exit 1
}

manifests=(base/store.yaml base/shards.yaml base/merge.yaml)
./check "${manifests[@]}" example/shards.yaml example/store.yaml || fail "a manifest is wrong"
for file in base/*.yaml; do
  [[ $file == base/kustomization.yaml ]] || grep -qxF "  - ${file#base/}" base/kustomization.yaml ||
    fail "kustomize does not take $file"
done

# refuse SED WORDS: shards.yaml, changed in this way, is refused with these words.
refuse() {
  local said status=0
  sed -E "$1" base/shards.yaml >"$place/shards.yaml"
  said=$(./check "$place/shards.yaml") || status=$?
  [[ "$status $said" == "1 $place/shards.yaml: Job: $2"* ]] || fail "$1: the check ends with $status: $said"
}
refuse 's/completions:/complections:/' 'spec.complections: there is no such field; did you mean completions?'
refuse 's/completions: 20/completions: twenty/' 'spec.completions: must be of type integer, not "twenty"'
refuse 's/readOnlyRoot/readonlyRoot/' 'spec.template.spec.containers[0].securityContext.readonlyRootFilesystem: there is no'
refuse 's/(runAsNonRoot:).*/\1 "yes"/' 'spec.template.spec.securityContext.runAsNonRoot: must be of type boolean'
refuse 's/claimName: .*/readOnly: false/' 'spec.template.spec.volumes[0].persistentVolumeClaim.claimName: missing'
refuse 's/(value:) "20"/\1 20/' 'spec.template.spec.containers[0].env[0].value: must be of type string, not 20'

# look FILE: what the schema cannot say of the Jobs. Prints the arguments of the shards and of the merge, a line each
# after its Job and its index, as Kubernetes would give them.
cat >"$place/look.py" <<'PYTHON'
import re, sys, yaml

version, file = sys.argv[1:]
jobs = {one["metadata"]["name"]: one["spec"] for one in yaml.safe_load_all(open(file)) if one["kind"] == "Job"}
for name, spec in jobs.items():
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"].split("/")[-1] == f"picklock:{version}", container["image"]
    assert pod["restartPolicy"] == "Never" and pod["automountServiceAccountToken"] is False, name
    assert pod["securityContext"]["runAsNonRoot"] is True and pod["securityContext"]["runAsUser"] == 65534, name
    assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault", name
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}, name
    variables = {one["name"]: one["value"] for one in container.get("env", [])}
    if spec.get("completionMode") == "Indexed":
        assert variables["SHARDS"] == str(spec["completions"]), f"{spec['completions']} pods for {variables} shards"
        variables["SHARDS"] = "2"
    for index in range(2 if name == "picklock-shards" else 1):
        variables["JOB_COMPLETION_INDEX"] = str(index)
        for word in container["args"]:
            word = re.sub(r"\$\((\w+)\)", lambda found: variables.get(found[1], found[0]), word)
            print(name, index, word)
PYTHON
version=$("$program" --version | sed -n '1s/^picklock \([^,]*\).*/\1/p')

# campaign FILE RUNS: runs the Jobs of these manifests, with so few runs, and compares the report with that of one process.
campaign() {
  local store=$place/store runs=$2 status=0 words
  rm -rf "$store" "$place"/{alone,found,report,expected}
  /usr/bin/python3 "$place/look.py" "$version" "$1" >"$place/arguments" || fail "$1: see above"
  job() {  # job NAME INDEX [SED]: the words of this pod, as they are run here
    sed -nE "s@^picklock-$1 $2 @@p" "$place/arguments" | sed -E "s@/store@$store@; s@^--runs=.*@--runs=$runs@; ${3-}"
  }
  mapfile -t words < <(job merge 0)
  mkdir "$store"
  "$program" "${words[@]}" >"$place/report" 2>/dev/null || status=$?
  ((status == 2)) || fail "$1: a merge before the shards ends with $status"
  for index in 0 1; do
    mapfile -t words < <(job shards "$index")
    "$program" "${words[@]}" >/dev/null || fail "$1: picklock ${words[*]} ends with $?"
  done
  mapfile -t words < <(job merge 0)
  status=0
  "$program" "${words[@]}" >"$place/report" || status=$?
  ((status < 2)) || fail "$1: the merge ends with $status"
  mapfile -t words < <(job shards 0 "s@^--store=.*@--store=$place/alone@; /^--shard=/d")
  mv "$store/found" "$place/found" 2>/dev/null || true
  "$program" "${words[@]}" --out "$store/found" >"$place/expected" || (($? == status)) || fail "one process ends otherwise"
  cmp "$place/expected" "$place/report" || fail "$1: the report is another one"
  [[ ! -e $place/found ]] || diff -r "$store/found" "$place/found" || fail "$1: what was found is something else"
}
for file in "${manifests[@]}"; do
  echo ---
  cat "$file"
done >"$place/base.yaml"
campaign "$place/base.yaml" 4200  # a part for each shard
with=
if command -v kubectl >/dev/null; then
  for folder in base example; do
    kubectl kustomize "$folder" >"$place/$folder.yaml" || fail "kustomize refuses $folder"
    ./check "$place/$folder.yaml" || fail "what kustomize makes of $folder is wrong"
  done
  grep -q 'registry.example.org' "$place/example.yaml" || fail "the example does not change the image"
  campaign "$place/example.yaml" 300
  with=", also after kustomize"
fi
echo "the manifests fit the schema$with, and their Jobs make the report of one process"
