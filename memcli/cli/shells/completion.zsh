#compdef memcli
_memcli() {
    local line value about
    local -a typed values shown
    typed=("${(@Q)words[2,CURRENT]}")
    for line in "${(@f)$(memcli __complete zsh "${typed[@]}" 2>/dev/null)}"; do
        [[ -z "$line" ]] && continue
        value="${line%%$'\t'*}"
        about="${line#*$'\t'}"
        values+=("$value")
        shown+=("$value${about:+  -- $about}")
    done
    if (( ${#values} )); then
        compadd -l -V memcli -d shown -a values
    else
        _files
    fi
}
if [[ "${zsh_eval_context[-1]}" == loadautofunc ]]; then
    _memcli "$@"
else
    (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
    compdef _memcli memcli
fi
