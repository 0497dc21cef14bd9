# What zsh's completion offers for the last of the words of a command line, a line each:
#   zsh -f complete.zsh FOLDER DUMP WORD...    FOLDER has the completion _picklock; DUMP is a file in which zsh keeps its
#                                              list of completions, which takes a second to make
# A completion runs only where lines are edited: at a prompt, here of a second zsh on a pseudo-terminal.
zmodload zsh/zpty
folder=$1 dump=$2
shift 2
line="picklock ${(j: :)@}"

zpty -b shell zsh -f -i
zpty -w shell "PROMPT= PS2= ; stty -echo; unsetopt zle_bracketed_paste prompt_cr; unset zle_bracketed_paste
fpath=($folder \$fpath)
autoload -Uz compinit && compinit -u -C -d $dump
# Print what would be offered in place of offering it: compadd -A collects, and nothing is added.
compadd() {
  [[ \${@[1,(i)(-|--)]} == *-(O|A|D)* ]] && { builtin compadd \"\$@\"; return }
  local -a found
  builtin compadd -A found \"\$@\"
  (( \$#found )) && print -rl -- \${found//#/offer:}
  builtin compadd \"\$@\"
}
finish() { print -r end:; exit }
compprefuncs+=(start) ; start() { print -r start: }
compprefuncs=() ; comppostfuncs=(finish)
bindkey '^I' complete-word
zle -C complete-word complete-word _main_complete
print ready:"
zpty -r shell output '*ready:*'
zpty -w -n shell "$line"$'\t'
zpty -r shell output '*end:*'
zpty -d shell
print -r -- "$output" | tr -d '\r' | sed -n 's/^.*offer://p'
