Register-ArgumentCompleter -Native -CommandName memcli -ScriptBlock {
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
