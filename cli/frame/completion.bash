# bash completion of mqtriage: source <(mqtriage completion bash)
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
