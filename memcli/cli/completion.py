"""`memcli completion`: what teaches a shell to complete memcli's words."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Literal


# In all of them the answer is one offer a line, a tab, and what it is. Nothing of it is
# evaluated: the titles of a vault are words of strangers.
_BASH = r"""_memcli_completion() {
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
"""
_ZSH = r"""#compdef memcli
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
"""
_FISH = r"""function __memcli_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l offers (memcli __complete fish $words[2..] 2>/dev/null)
    if test (count $offers) -gt 0
        printf '%s\n' $offers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c memcli -f -a '(__memcli_complete)'
"""
# An older PowerShell drops an argument that is empty: the word at the cursor comes
# first, behind a sign.
_POWERSHELL = r"""Register-ArgumentCompleter -Native -CommandName memcli -ScriptBlock {
    param($current, $line, $cursor)
    $before = @($line.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursor } |
        ForEach-Object { if ($null -ne $_.Value) { $_.Value } else { "$_" } })
    $encoding = [Console]::OutputEncoding
    try { [Console]::OutputEncoding = [Text.Encoding]::UTF8 } catch { }
    $offers = @(memcli __complete powershell "=$current" @before 2>$null)
    try { [Console]::OutputEncoding = $encoding } catch { }
    foreach ($offer in $offers) {
        $value, $about = $offer -split "`t", 2
        $word = if ($value -match '^[\w./:=+~-]+$') { $value } else { "'$value'" }
        $about = if ($about) { $about } else { $value }
        [System.Management.Automation.CompletionResult]::new(
            $word, $value, 'ParameterValue', $about)
    }
}
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}


def completion(
    context: Context,
    shell: Literal["bash", "zsh", "fish", "powershell"],
) -> Result:
    """Print the script that completes memcli's words in your shell

    Commands and flags, and from the vault ids with their titles, kinds, tags and
    projects. In ~/.bashrc write: eval "$(memcli completion bash)". In ~/.zshrc the same
    with zsh. For fish, write the script to ~/.config/fish/completions/memcli.fish; for
    PowerShell, write in $PROFILE: memcli completion powershell | Out-String | iex

    \b
    Example:
      memcli completion bash

    Options:
        shell: `` Which shell
    """
    del context
    script = _SCRIPTS[shell]
    return Result(
        data={"shell": shell, "script": script},
        text=lambda canvas: canvas.line(script.removesuffix("\n")),
    )
