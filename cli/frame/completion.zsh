#compdef mqtriage
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
