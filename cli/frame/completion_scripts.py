"""What `mqtriage completion` prints: the scripts of the shells."""

from __future__ import annotations

from typing import Final

_BASH: Final = r"""# bash completion of mqtriage: source <(mqtriage completion bash)
_mqtriage() {
    local line value cur="${COMP_WORDS[COMP_CWORD]}" before words=() files=
    # bash splits words at = and : too; put the words together again, without their quotes
    local i word joined=
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]//[\"\'\\]/}"
        if [[ $i -gt 1 && ( $word == [=:]* || ${COMP_WORDS[i-1]} == [=:] ) ]]; then
            words[${#words[@]}-1]+="$word"
        else
            words+=("$word")
        fi
    done
    cur="${cur//[\"\'\\]/}"
    [[ $cur == [=:] ]] && cur=
    joined="${words[${#words[@]}-1]}"
    before="${joined%"$cur"}"
    COMPREPLY=()
    while IFS=$'	' read -r value line; do
        if [[ $value == :files ]]; then files=1; else COMPREPLY+=("${value#"$before"}"); fi
    done < <(mqtriage __complete "${words[@]}" 2>/dev/null)
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$cur")
    elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _mqtriage mqtriage
"""

_ZSH: Final = r"""#compdef mqtriage
# zsh completion of mqtriage: save it as _mqtriage in a folder of $fpath
_mqtriage() {
    local value line files
    local -a described
    while IFS=$'	' read -r value line; do
        if [[ $value == :files ]]; then
            files=1
        else
            described+=("${value//:/\:}${line:+:$line}")
        fi
    done < <(mqtriage __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
    (( ${#described} )) && _describe -V mqtriage described
    [[ -n $files ]] && _files
}
if [ "$funcstack[1]" = "_mqtriage" ]; then _mqtriage "$@"; else compdef _mqtriage mqtriage; fi
"""

_FISH: Final = r"""# fish completion of mqtriage
function __mqtriage_complete
    set -l last (commandline -ct | string replace -ra '[\'"\\\\]' '')
    set -l words (commandline -opc) "$last"
    set -l found (mqtriage __complete $words[2..-1] 2>/dev/null)
    if contains -- :files $found
        __fish_complete_path "$last"
    end
    string match -v -- :files $found
end
complete -c mqtriage -f -a '(__mqtriage_complete)'
"""

SCRIPTS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
