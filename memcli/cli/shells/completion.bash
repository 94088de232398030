_memcli_completion() {
    local line value about cut current="${COMP_WORDS[COMP_CWORD]}"
    local typed="${COMP_LINE:0:COMP_POINT}"
    local -a words=() values=() shown=()
    read -ra words <<< "$typed"
    if [[ "$typed" == *[[:space:]] ]]; then words+=(""); fi
    # bash breaks words at : and =, and puts only the last part in the place.
    case "$current" in :|=) current="" ;; esac
    value="${words[${#words[@]} - 1]}"
    cut=$((${#value} - ${#current}))
    while IFS= read -r line; do
        value="${line%%$'\t'*}"
        value="${value:cut}"
        about="${line#*$'\t'}"
        values+=("$value")
        if [ -n "$about" ]; then shown+=("$value  ($about)"); else shown+=("$value"); fi
    done < <(memcli __complete bash "${words[@]:1}" 2>/dev/null)
    # With several offers bash only shows them and inserts what they begin with.
    COMPREPLY=("${values[@]}")
    if [ "${#values[@]}" -gt 1 ] && [[ "$COMP_TYPE" != 37 && "$COMP_TYPE" != 42 ]]; then
        COMPREPLY=("${shown[@]}")
    fi
}
complete -o default -o nosort -F _memcli_completion memcli 2>/dev/null ||
    complete -o default -F _memcli_completion memcli
