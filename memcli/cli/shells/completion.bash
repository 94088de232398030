_memcli_completion() {
    local line value about current="${COMP_WORDS[COMP_CWORD]}"
    local -a values=() shown=()
    while IFS= read -r line; do
        value="${line%%$'\t'*}"
        about="${line#*$'\t'}"
        values+=("$value")
        if [ -n "$about" ]; then shown+=("$value  ($about)"); else shown+=("$value"); fi
    done < <(memcli __complete bash "${COMP_LINE:0:COMP_POINT}" "$current" \
        2>/dev/null)
    # With several offers bash only shows them and inserts what they begin with.
    COMPREPLY=("${values[@]}")
    if [ "${#values[@]}" -gt 1 ] && [[ "$COMP_TYPE" != 37 && "$COMP_TYPE" != 42 ]]; then
        COMPREPLY=("${shown[@]}")
    fi
}
complete -o default -o nosort -F _memcli_completion memcli 2>/dev/null ||
    complete -o default -F _memcli_completion memcli
