#!/usr/bin/env bash
# Checks the documents against the program and the repository: commands run and exit as written, the program prints the
# shown outputs, links have targets, cited ids and files exist.
#
#   docs/docs_test.sh PROGRAM [EXAMPLE...]                    checks
#   PICKLOCK_UPDATE=1 docs/docs_test.sh PROGRAM [EXAMPLE...]  updates the shown outputs
#
# PROGRAM is picklock; each EXAMPLE is a program of examples/, called by its name.
#
# In a document, an HTML comment before a block says what the block is.
#
#   <!-- file: NAME -->       The fenced block is a file of this name, for the commands of the same document.
#   <!-- shows: COMMAND -->   The block, fenced or up to <!-- end -->, is the output of COMMAND.
#   <!-- from: FILE -->       The fenced block has lines of this file of the repository, in the same order. Lines may be
#                             left out, and the indentation may differ.
#
# Every command of a ```sh block that calls picklock or an example, with variables set or without, must exit with 0, or
# with the N of a comment `# exit N` behind it. `--seconds 60` is shortened to one.
# shellcheck disable=SC2016  # the single-quoted strings are text of documents
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(readlink -f -- "${1:?usage: docs/docs_test.sh PROGRAM [EXAMPLE...]}")
mapfile -t examples < <([[ $# -lt 2 ]] || readlink -f -- "${@:2}")
update=${PICKLOCK_UPDATE:-}
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
mkdir "$sandbox/bin"
ln -s "$program" "$sandbox/bin/picklock"
export PATH=$sandbox/bin:$PATH LC_ALL=C.UTF-8 PICKLOCK_SCENARIO_PATH=$root/scenarios

complain() {
  echo "$1"
  complaints=$((complaints + 1))
}

# --- tables that documents show

# Prints a row for each scenario of `picklock list scenarios --json`: name, summary, source, algorithm and violated
# properties. The plain scenarios, one of which comes with every lock, are left out.
scenario_table() {
  echo "| id | scenario | lock | the story | violated |"
  echo "|---|---|---|---|---|"
  picklock list scenarios --json | awk '
    function text(line) { sub(/^[^:]*: "/, "", line); sub(/",?$/, "", line); gsub(/\\"/, "\"", line); return line }
    /^    "name":/ { name = text($0) }
    /^    "summary":/ { story = text($0) }
    /^    "algorithm":/ { lock = text($0) }
    /^    "source":/ {
      id = ""
      if (match($0, /1\.1 row [0-9]+/)) id = "claim " substr($0, RSTART + 8, RLENGTH - 8)
      if (match($0, /[A-D]-[0-9][0-9]/)) id = substr($0, RSTART, RLENGTH)
    }
    /^    "violated":/ { inside = 1; violated = "" }
    inside && /^      "/ { gsub(/[ ",]/, ""); violated = violated (violated == "" ? "" : ", ") $0 }
    /^  }/ && name !~ /^plain\// { printf "%s\t| %s | `%s` | `%s` | %s | %s |\n", id name, id, name, lock, story, violated; }
    /^  }/ { inside = 0 }
  ' | LC_ALL=C sort | cut -f 2-
}

# `picklock list KIND --json` as a table with two columns, with the steps of a lock or the verbs of a class.
list_table() {  # list_table KIND HEADING
  echo "| $2 | |"
  echo "|---|---|"
  picklock list "$1" --json | awk '
    function text(line) { sub(/^[^:]*: "/, "", line); sub(/",?$/, "", line); gsub(/\\"/, "\"", line); return line }
    /^    "name":/ { name = text($0); words = "" }
    /^    "summary":/ { summary = text($0) }
    /^    "(steps|verbs)": \[$/ { inside = 1; gsub(/[ ":[]/, ""); words = "; " $0 ": " }
    inside && /^      "/ { gsub(/[ ",]/, ""); words = words (words ~ /: $/ ? "" : ", ") $0 }
    /^    \]/ { inside = 0 }
    /^  }/ { printf "| `%s` | %s%s |\n", name, summary, words }
  '
}
export -f scenario_table list_table

# --- one document

run_here() {  # run_here COMMAND: runs it in a folder with the program, the scenarios and the document's files
  (cd "$folder" && bash -c "set -o pipefail; $1" </dev/null)
}

# Reads a document into `lines` and makes the folder in which its commands run.
open_document() {
  folder=$(mktemp -d -p "$sandbox")
  local example
  ln -s "$program" "$folder/picklock"
  for example in "${examples[@]}"; do ln -s "$example" "$folder"; done
  [[ ! -d scenarios ]] || ln -s "$PWD/scenarios" "$folder/scenarios"
  mapfile -t lines <"$1"
  local i name
  for ((i = 0; i < ${#lines[@]}; ++i)); do
    [[ ${lines[i]} =~ ^'<!-- file: '([^/ ]+)' -->'$ ]] || continue
    name=${BASH_REMATCH[1]}
    for ((i += 2; i < ${#lines[@]}; ++i)); do
      [[ ${lines[i]} != '```' ]] || break
      printf '%s\n' "${lines[i]}"
    done >"$folder/$name"
  done
}

check_commands() {
  local i line wanted status inside="" example names=picklock
  for example in "${examples[@]}"; do names+="|${example##*/}"; done
  for ((i = 0; i < ${#lines[@]}; ++i)); do
    line=${lines[i]}
    case $line in
      '```sh') inside=1 ;;
      '```'*) inside= ;;
    esac
    [[ $inside && $line =~ ^([A-Z_]+=[^ ]+ )*(\./)?($names)( |$) ]] || continue
    wanted=0
    [[ ! $line =~ \#\ exit\ ([0-9]+) ]] || wanted=${BASH_REMATCH[1]}
    run_here "${line/--seconds 60/--seconds 1}" >"$sandbox/output" 2>&1
    status=$?
    ((status == wanted)) && continue
    complain "$1:$((i + 1)): exits with $status, not $wanted: $line"
    head -n 5 "$sandbox/output"
  done
}

check_shown() {
  local i first command end written=()
  for ((i = 0; i < ${#lines[@]}; ++i)); do
    written+=("${lines[i]}")
    [[ ${lines[i]} =~ ^'<!-- shows: '(.*)' -->'$ ]] || continue
    command=${BASH_REMATCH[1]} end='<!-- end -->'
    if [[ ${lines[i + 1]-} == '```'* ]]; then
      written+=("${lines[++i]}")
      end='```'
    fi
    first=$((i + 1))
    for ((++i; i < ${#lines[@]}; ++i)); do
      [[ ${lines[i]} != "$end" ]] || break
    done
    printf '%s\n' "${lines[@]:first:i - first}" >"$sandbox/shown"
    ((i > first)) || : >"$sandbox/shown"
    run_here "$command" >"$sandbox/output" 2>&1 || complain "$1:$first: fails: $command"
    if [[ ! $update ]] && ! diff -u "$sandbox/shown" "$sandbox/output" >"$sandbox/difference"; then
      complain "$1:$first: is not what this prints: $command (PICKLOCK_UPDATE=1 writes it anew)"
      sed -n '3,20p' "$sandbox/difference"
    fi
    mapfile -t -O "${#written[@]}" written <"$sandbox/output"
    written+=("$end")
  done
  [[ ! $update ]] || printf '%s\n' "${written[@]}" >"$1"
}

check_excerpts() {
  local i file line at
  local -a text
  for ((i = 0; i < ${#lines[@]}; ++i)); do
    [[ ${lines[i]} =~ ^'<!-- from: '(.*)' -->'$ ]] || continue
    file=${BASH_REMATCH[1]} text=() at=0
    [[ ! -e $file ]] || mapfile -t text < <(sed 's/^ *//' "$file")
    for ((i += 2; i < ${#lines[@]}; ++i)); do
      line=${lines[i]#"${lines[i]%%[! ]*}"}
      [[ $line != '```' ]] || break
      while ((at < ${#text[@]})) && [[ ${text[at]} != "$line" ]]; do ((++at)); done
      ((at++ < ${#text[@]})) && continue
      complain "$1:$((i + 1)): is not a line of $file, or not in this place: $line"
      break
    done
  done
}

# Prints the anchors that a code host gives the headings: lower case, hyphens for blanks, no other punctuation.
anchors() {
  awk '/^```/ { code = !code } !code' "$1" |
    sed -nE 's/^#+ +//p' | tr '[:upper:]' '[:lower:]' | sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}

check_links() {
  local target path anchor
  while read -r target; do
    [[ $target != *://* && $target != mailto:* ]] || continue
    path=${target%%#*} anchor=
    [[ $target != *'#'* ]] || anchor=${target#*#}
    if [[ $path ]]; then path=$(dirname "$1")/$path; else path=$1; fi
    if [[ ! -e $path ]]; then
      complain "$1: the link $target leads nowhere"
    elif [[ $anchor ]] && ! anchors "$path" | grep -qxF -- "$anchor"; then
      complain "$1: $target: there is no such heading"
    fi
  done < <(awk '/^```/ { code = !code } !code' "$1" | sed -E 's/`[^`]*`//g' |
    grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\(//; s/\)$//')
}

# Checks that names with a slash in backticks are files or folders.
check_files() {
  local name
  while read -r name; do
    compgen -G "$name" >/dev/null || complain "$1: there is no $name"
  done < <(awk '/^```/ { code = !code } !code' "$1" |
    grep -oE '`(\./)?[[:alnum:]_.-]+(/[[:alnum:]_.*-]*)+`' | tr -d '`' | grep -v '^build/' | LC_ALL=C sort -u)
}

# --- ids of facts

cited() {  # cited PATTERN: FILE:ID for every id outside docs/facts
  find . \( -name .git -o -path ./build -o -path ./docs/facts -o -name docs_test.sh -o -name picklock-out \) -prune -o \
    -type f \( -name '*.md' -o -name '*.toml' -o -name '*.h' -o -name '*.cc' \) -print0 |
    xargs -0 -r grep -oHE "$1" | sed 's@^\./@@' | LC_ALL=C sort -u
}

# Complains of the ids on standard input, FILE:ID, that are not among the KNOWN, one on each line.
complain_of_unknown() {  # complain_of_unknown KNOWN FORM: FORM is the message, with %s for the id
  local file id
  while IFS=: read -r file id; do
    # shellcheck disable=SC2059
    complain "$file: $(printf "$2" "$id")"
  done < <(awk -F: -v known="$1" 'BEGIN { for (n = split(known, ids, "\n"); n > 0; --n) is_known[ids[n]] }
    !($2 in is_known)')
}

check_ids() {
  complain_of_unknown "$(sed -nE 's/^#+ ([A-D]-[0-9]{2})( .*)?$/\1/p' docs/facts/failures.md)" \
    '%s is not in docs/facts/failures.md' < <(cited '\b[A-D]-[0-9]{2}\b')
  complain_of_unknown "$(sed -nE 's/^- ([RZM][0-9]{1,3})\..*/\1/p' docs/facts/fidelity.md)" \
    '%s is not in docs/facts/fidelity.md' < <(cited '\b[RZM][0-9]{1,3}\b')
  complain_of_unknown "$(sed -nE 's/^#+ ([0-9]+(\.[0-9]+)?)[. ].*/\1/p' docs/facts/algorithms.md)" \
    'there is no section %s in docs/facts/algorithms.md' < <(cited 'algorithms\.md [0-9]+(\.[0-9]+)?' | sed 's/:algorithms\.md /:/')
  complain_of_unknown "$(sed -nE 's/^###? (.*)/\1/p' docs/architecture.md)" \
    'there is no heading %s in docs/architecture.md' < <(cited 'architecture "[^"]*"' | sed -E 's/:architecture "(.*)"$/:\1/')
}

# Every fact about a modelled server is cited by a test or listed in docs/limitations.md.
modelled_sections='1[.]([1-9]|1[0-2])'
check_facts_are_tested() {
  local id
  while read -r id; do
    grep -qxF "$id" "$sandbox/tested" || complain "docs/facts/fidelity.md: no test and no limitation cites $id"
  done < <(awk -v wanted="^### $modelled_sections " '/^###? /{ inside = $0 ~ wanted } inside' docs/facts/fidelity.md |
    sed -nE 's/^- (R[0-9]+)\. .*/\1/p')
}

# Lists in $sandbox/tested the facts that tests and limitations cite. A situation names its facts as `R31 R32`.
list_tested() {
  {
    find . \( -name .git -o -path ./build \) -prune -o -type f \( -name '*_test.cc' -o -path './scenarios/*.toml' \) -print0 |
      xargs -0 cat
    find . \( -name .git -o -path ./build \) -prune -o -type f -name '*_situations.cc' -print0 |
      xargs -0 -r grep -ohE '"R[0-9]+( R[0-9]+)*"'
    [[ ! -e docs/limitations.md ]] || cat docs/limitations.md
  } | grep -oE '\bR[0-9]+(-R[0-9]+)?\b' | awk -F'-R|R' '{ for (i = $2; i <= ($3 ? $3 : $2); ++i) print "R" i }' |
    sort -u >"$sandbox/tested"
}

complaints_in() {  # complaints_in ROOT
  cd "$1" || exit
  complaints=0
  local document folder lines
  while read -r document; do
    open_document "$document"
    check_shown "$document"
    check_commands "$document"
    check_excerpts "$document"
    check_links "$document"
    case $document in
      README.md | CONTRIBUTING.md | docs/architecture.md | docs/facts/README.md) check_files "$document" ;;
    esac
  done < <(find README.md CONTRIBUTING.md CHANGELOG.md docs bench/README.md examples -name '*.md' -print 2>/dev/null |
    LC_ALL=C sort)
  check_ids
  list_tested
  check_facts_are_tested
  ((complaints == 0))
}

if [[ $update ]]; then
  complaints_in "$root"
  exit
fi

# Tests the checks themselves: each must find the fault planted for it, and documents without a fault must pass.
plant=$(mktemp -d -p "$sandbox")
mkdir -p "$plant/docs/facts" "$plant/scenarios"
printf '### A-01 `one`\n' >"$plant/docs/facts/failures.md"
printf -- '- R1. one\n### 1.1 Seen\n- R2. two\n- R3. three\n### 1.4 Told\n- R4. four\n- R5. five\n' >"$plant/docs/facts/fidelity.md"
printf '{.title = "One", .facts = "R1 R4"},  // R5\n' >"$plant/some_situations.cc"
printf '## 2. Two\n' >"$plant/docs/facts/algorithms.md"
printf '## Words\n\n### One\n' >"$plant/docs/architecture.md"
planted() {  # planted TEXT EXPECTED
  printf '%b\n' "$1" >"$plant/README.md"
  local found
  found=$(complaints_in "$plant")
  [[ $found == *"$2"* ]] && return
  echo "planted: $1, and not found: $2; found: $found"
  exit 1
}
planted '```sh\n./picklock run nothing\n```' 'exits with 2, not 0'
planted '```sh\n./picklock --version  # exit 1\n```' 'exits with 0, not 1'
planted '<!-- shows: echo one; echo two -->\n```text\none\n```' 'is not what this prints'
planted '<!-- shows: echo one -->\none\ntwo\n<!-- end -->' 'is not what this prints'
planted '<!-- from: a.cc -->\n```cpp\nnone\n```' 'is not a line of a.cc'
printf '%s\n' one two three >"$plant/a.cc"
planted '<!-- from: a.cc -->\n```cpp\ntwo\none\n```' 'is not a line of a.cc, or not in this place: one'
planted 'see [this](docs/none.md)' 'leads nowhere'
planted 'see [this](docs/facts/algorithms.md#3-two)' 'there is no such heading'
planted 'in `sim/none.h`' 'there is no sim/none.h'
planted 'as in B-01' 'B-01 is not in'
planted 'as in R13' 'R13 is not in'
echo R3 >"$plant/docs/limitations.md"
planted 'R2' 'no test and no limitation cites R2'
echo R2-R3 >"$plant/docs/limitations.md"
planted 'R2' 'no test and no limitation cites R5'
echo R2-R3, R5 >"$plant/docs/limitations.md"
planted 'docs/facts/algorithms.md 2.1' 'there is no section 2.1'
planted 'architecture "Two"' 'there is no heading Two'
printf '%s\n' '# A' '<!-- file: a.toml -->' '```toml' 'x = 1' '```' '<!-- shows: cat a.toml -->' '```text' 'x = 1' '```' \
  '<!-- from: a.cc -->' '```cpp' one three '```' \
  '```sh' './picklock run a.toml  # exit 2' '```' '[A](#a), A-01, R1, algorithms.md 2, architecture "One"' >"$plant/README.md"
complaints_in "$plant" || { echo "documents without a fault do not pass"; exit 1; }

complaints_in "$root"
