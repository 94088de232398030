#!/usr/bin/env bash
# Install the hooks into a scratch home, at both destinations of a host (your own
# settings, a project's), and see that the hooks for the end of a turn (Stop) and for
# idle time land there, and that what they start exists. Takes `memcli` from the PATH,
# or the command in MEMCLI_UNDER_TEST.
set -euo pipefail

memcli=${MEMCLI_UNDER_TEST:-memcli}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch/home USERPROFILE=$scratch/home
export XDG_CONFIG_HOME=$HOME/.config APPDATA=$HOME/AppData/Roaming
unset CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME OPENCODE_CONFIG_DIR MEMCLI_VAULT
mkdir -p "$HOME" "$scratch/project/.git"
cd "$scratch/project"

fail() { echo "FAILED: $*" >&2; exit 1; }

# lands FILE TEXT: the file has a line with this text.
lands() {
  [ -f "$1" ] || fail "$1 is not there"
  grep -qF -- "$2" "$1" || fail "$1 has no '$2'"
}

check() { # HOST USER-FILE PROJECT-FILE EVENT...
  local host=$1 user=$2 project=$3 scope file event
  shift 3
  for scope in user project; do
    $memcli install "$host" --scope "$scope" >/dev/null 2>"$scratch/said" \
      || fail "install $host: $(cat "$scratch/said")"
    file=$HOME/$user
    [ "$scope" = user ] || file=$PWD/$project
    for event in "$@"; do
      lands "$file" "hook $event --host $host"
    done
    before=$(cksum "$file")
    $memcli install "$host" --scope "$scope" >/dev/null 2>&1
    [ "$before" = "$(cksum "$file")" ] || fail "$host $scope: twice is not once"
    $memcli uninstall "$host" --scope "$scope" >/dev/null 2>&1
    [ ! -e "$file" ] || fail "$file is still there"
    echo "ok $host $scope"
  done
}

check claude-code .claude/settings.json .claude/settings.json stop idle
check codex .codex/hooks.json .codex/hooks.json stop
check gemini .gemini/settings.json .gemini/settings.json stop
check copilot .copilot/hooks/memcli.json .github/hooks/memcli.json stop
check cursor .cursor/hooks.json .cursor/hooks.json stop
check windsurf .codeium/windsurf/hooks.json .windsurf/hooks.json stop

# What lands in the settings of Claude Code can be started by a shell.
$memcli install claude-code >/dev/null 2>&1
line=$(grep -F 'hook stop --host claude-code' "$HOME/.claude/settings.json")
line=${line#*\"command\": \"}
program=${line%% hook stop*}
case $program in *\\*) fail "needs JSON to be read: $program" ;; esac
sh -c "$program --version" | grep -q '^memcli ' || fail "cannot start $program"
echo "ok what is called can be started"
