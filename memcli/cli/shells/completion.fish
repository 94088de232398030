function __memcli_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l offers (memcli __complete fish $words[2..] 2>/dev/null)
    if test (count $offers) -gt 0
        printf '%s\n' $offers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c memcli -f -a '(__memcli_complete)'
