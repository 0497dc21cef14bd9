#!/usr/bin/env bash
# Holds the man page and the completions against the help of the program, and has bash and zsh complete with them.
#   cli/help_files_test.sh PROGRAM FOLDER    FOLDER has picklock.1, picklock.bash and _picklock
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$(readlink -f -- "$1")
folder=$(readlink -f -- "$2")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failed=0

fail() {
  printf 'FAILED: %s\n' "$1"
  failed=1
}

# --- the man page

page() { MANWIDTH=500 LC_ALL=C.UTF-8 man --nj --nh -l "$folder/picklock.1" | col -bx; }

mapfile -t commands < <("$program" help | sed -n '/^Commands:/,/^$/p' | sed -nE 's/^  ([a-z]+) .*/\1/p')
[[ ${#commands[@]} -ge 5 ]] || fail "the help names no commands"

# The options of a command as its help has them: at the beginning of a line, a short name perhaps before.
declare -A options
for command in "${commands[@]}"; do
  options[$command]=$("$program" help "$command" | grep -oE '^ +(-[a-z],? ?)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)
done

# The paragraphs of COMMANDS that are about a command.
section_of() { sed -nE "/^COMMANDS/,/^EXIT/p" "$place/page" | sed -nE "/^   $1\$/,/^   [a-z]+\$|^EXIT/p"; }

if command -v man >/dev/null; then
  warnings=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$folder/picklock.1" 2>&1 >/dev/null)
  [[ -z $warnings ]] || fail "man warns: $warnings"
  page >"$place/page"
  for heading in NAME SYNOPSIS DESCRIPTION COMMANDS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES 'SEE ALSO'; do
    grep -qx "$heading" "$place/page" || fail "the man page has no section $heading"
  done
  for command in "${commands[@]}"; do
    section=" $(section_of "$command" | tr ',\n' ' ') "
    for option in ${options[$command]}; do
      [[ $section == *" $option "* ]] || fail "the man page lacks $command $option"
    done
  done
  grep -qE '@[A-Za-z_]+@' "$place/page" && fail "a placeholder was left in the man page"
else
  echo "man is not installed: the man page was not read"
fi
if command -v mandoc >/dev/null; then
  lint=$(mandoc -T lint -W warning "$folder/picklock.1")
  [[ -z $lint ]] || fail "mandoc: $lint"
fi
[[ $("$program" help --as pdf 2>&1) == 'picklock: help: --as: must be man, bash or zsh' ]] ||
  fail "another form of the help is not refused"

# --- bash

# bash_offers WORD...: what is offered for the last word, of which `=` is one where readline makes it one.
bash_offers() {
  bash --norc -c '
    compopt() { :; }  # of no use outside of a completion
    source "$1"
    shift
    COMP_WORDS=(picklock "$@") COMP_CWORD=$#
    _picklock
    printf "%s\n" "${COMPREPLY[@]}"' bash "$folder/picklock.bash" "$@" 2>&1 | sed '/^$/d' | LC_ALL=C sort -u
}

# zsh_offers WORD...: the same in zsh, at a prompt on a pseudo-terminal of its own.
zsh_offers() {
  zsh -f "$here/complete.zsh" "$folder" "$place/zcompdump" "$@" 2>&1 | sed '/^$/d' | LC_ALL=C sort -u
}

# try SHELL: everything of the help, then a value of each form
try() {
  local shell=$1 command option offers
  offers() { LC_ALL=C.UTF-8 "${shell}_offers" "$@"; }
  same() {  # same EXPECTED WORD...: these are offered, each behind a space, and nothing else
    local expected=$1
    shift
    offers=$(offers "$@" | tr '\n' ' ')
    [[ $offers == "$expected${expected:+ }" ]] || fail "$shell offers for 'picklock $*': ${offers:0:300}"
  }
  complaint() {  # complaint ARGUMENT...: the words that the program itself names when it refuses one
    "$program" "$@" 2>&1 | grep -oE '(it is|one of) [a-z_, -]+( or [a-z]+)?' | sed -E 's/^(it is )?(one of )?//; s/ or /, /; s/, /\n/g' |
      LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'
  }
  offers=$(offers '')
  for command in help "${commands[@]}"; do
    [[ $'\n'$offers$'\n' == *$'\n'"$command"$'\n'* ]] || fail "$shell does not offer the command $command"
  done
  for command in "${commands[@]}"; do
    offers=$(offers "$command" --)
    for option in ${options[$command]}; do
      [[ $'\n'$offers$'\n' == *$'\n'"$option"$'\n'* ]] || fail "$shell does not offer $option for picklock $command"
    done
  done
  same '--help --version' --
  same compare comp
  same conform help conf
  same 'ttl-expiry-blind-delete ttl-expiry-blind-delete-observed' run ttl-expiry-blind-delete
  same plain/redlock run plain/redlo
  same plain/redlock run ttl-expiry-blind-delete plain/redlo
  same redlock explore --algorithm redlo
  same redsync compare --algorithms redsy
  same mutual-exclusion explore --property mut
  same "$(complaint explore --algorithm redlock --strategy nothing)" explore --strategy ''
  same scenarios list sc
  same "$(complaint conform nothing)" conform ''
  same "$(complaint run ttl-expiry-blind-delete --format nothing)" run --format ''
  same "$(complaint run ttl-expiry-blind-delete --color nothing)" run --color ''
  same 'fail-over failover' list scenarios --fault fail
  same "$(complaint list scenarios --server nothing)" list scenarios --server ''
  same '' run --seed ''
  mkdir -p "$place/folder/zstories" && touch "$place/folder/zmine.toml" "$place/folder/zmine.txt"
  cd "$place/folder" || exit
  same zmine.toml run zmi
  same zstories explore --out zst
  same 'zmine.toml zmine.txt' run --html zmi
  cd "$OLDPWD" || exit
}

try bash
[[ $(bash_offers explore --faults pause,cr) == pause,crash ]] || fail "bash does not complete the second word of a list"
[[ $(bash_offers run --format = mer) == mermaid ]] || fail "bash does not complete behind ="
[[ $(bash_offers run --format = | wc -l) -ge 5 ]] || fail "bash does not offer values behind ="
if ! command -v zsh >/dev/null; then
  echo "zsh is not installed: its completion was not tried"
elif ! zsh -fc 'zmodload zsh/zpty && zpty shell true' 2>/dev/null; then
  echo "no pseudo-terminal can be opened here: the completion of zsh was not tried"
else
  try zsh
  [[ $(zsh_offers explore --faults pause,cr) == crash ]] || fail "zsh does not complete the second word of a list"
  [[ $(zsh_offers run --format=mer) == mermaid ]] || fail "zsh does not complete behind ="
fi

exit "$failed"
