# fish completion of mqtriage
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
