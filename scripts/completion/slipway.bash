# Completion of slipway and the bandwidth tests for bash. Each program knows its candidates: PROGRAM __complete.
# shellcheck shell=bash

_slipway() {
  local current=${COMP_WORDS[COMP_CWORD]} word line before
  local -a words=()
  # bash splits words at `=` and `:`; join them again.
  local text=${COMP_LINE:0:COMP_POINT}
  read -ra words <<<"$text"
  [[ $text == *[[:space:]] ]] && words+=("")
  word=${words[-1]}
  before=${word%"$current"} # what bash takes for a word of its own, as --format=
  [[ $current == = || $current == : ]] && before=$word
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${word##*=}") && compopt -o filenames ;;
      :folder) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${word##*=}") && compopt -o filenames ;;
      :command) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$word") ;;
      :user) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -u -- "${word##*=}") ;;
      *)
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$before"}")
        ;;
    esac
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
} 2>/dev/null
complete -F _slipway slipway bandwidth_{perf,scan,compare,plot} \
  {all_gather,all_reduce,alltoall,alltoallv,broadcast,gather,hypercube,reduce,reduce_scatter,scatter,sendrecv}_perf
