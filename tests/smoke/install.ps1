# As install.sh, for PowerShell: the hooks for the end of a turn (Stop) and for idle
# time land at both destinations of a host, in a scratch home. Takes `memcli` from the
# PATH.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

function Fail($what) { Write-Error "FAILED: $what"; exit 1 }

$scratch = Join-Path ([IO.Path]::GetTempPath()) ("memcli-" + [Guid]::NewGuid().ToString('N'))
$user = Join-Path $scratch 'home'
$project = Join-Path $scratch 'project'
New-Item -ItemType Directory -Force $user, (Join-Path $project '.git') | Out-Null
$env:HOME = $user
$env:USERPROFILE = $user
$env:APPDATA = Join-Path $user 'AppData/Roaming'
$env:XDG_CONFIG_HOME = Join-Path $user '.config'
foreach ($name in 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'OPENCODE_CONFIG_DIR', 'MEMCLI_VAULT') {
    Remove-Item -ErrorAction SilentlyContinue "env:$name"
}
Push-Location $project

# The lines that a host would run, whatever their place in its settings.
function Get-Lines($node) {
    if ($node -is [string]) { return $node }
    if ($node -is [array]) { return $node | ForEach-Object { Get-Lines $_ } }
    if ($node -is [psobject]) {
        return $node.PSObject.Properties | ForEach-Object { Get-Lines $_.Value }
    }
}

function Test-Landing($name, $own, $theirs, $natives) {
    foreach ($scope in 'user', 'project') {
        $file = if ($scope -eq 'user') { Join-Path $user $own } else { Join-Path $project $theirs }
        memcli install $name --scope $scope --json | Out-Null
        if ($LASTEXITCODE -ne 0) { Fail "install $name at scope $scope" }
        if (-not (Test-Path $file)) { Fail "$file is not there" }
        $settings = Get-Content -Raw $file | ConvertFrom-Json
        foreach ($native in $natives.Keys) {
            $lines = @(Get-Lines $settings.hooks.$native)
            $call = "hook $($natives[$native]) --host $name"
            if (-not ($lines | Where-Object { $_.Contains($call) })) { Fail "$file has no '$call' at $native" }
        }
        $before = (Get-FileHash $file).Hash
        memcli install $name --scope $scope --json | Out-Null
        if ($before -ne (Get-FileHash $file).Hash) { Fail "$name $scope`: twice is not once" }
        memcli uninstall $name --scope $scope --json | Out-Null
        if (Test-Path $file) { Fail "$file is still there" }
        Write-Output "ok $name $scope"
    }
}

try {
    Test-Landing 'claude-code' '.claude/settings.json' '.claude/settings.json' @{ Stop = 'stop'; Notification = 'idle' }
    Test-Landing 'codex' '.codex/hooks.json' '.codex/hooks.json' @{ Stop = 'stop' }
    Test-Landing 'gemini' '.gemini/settings.json' '.gemini/settings.json' @{ AfterAgent = 'stop' }
    Test-Landing 'copilot' '.copilot/hooks/memcli.json' '.github/hooks/memcli.json' @{ agentStop = 'stop' }
    Test-Landing 'cursor' '.cursor/hooks.json' '.cursor/hooks.json' @{ stop = 'stop' }
    Test-Landing 'windsurf' '.codeium/windsurf/hooks.json' '.windsurf/hooks.json' @{ post_cascade_response_with_transcript = 'stop' }

    # What lands for PowerShell can be started by it.
    memcli install copilot --json | Out-Null
    $settings = Get-Content -Raw (Join-Path $user '.copilot/hooks/memcli.json') | ConvertFrom-Json
    $line = $settings.hooks.agentStop[0].powershell -replace ' hook stop .*', ' --version'
    $said = Invoke-Expression $line
    if ($said -notlike 'memcli *') { Fail "cannot start $line" }
    Write-Output 'ok what is called can be started'
}
finally {
    Pop-Location
    Remove-Item -Recurse -Force $scratch
}
