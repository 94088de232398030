"""How each client is run: without a person, against a model on loopback.

Invariant: keys are dummies, and nothing of the machine's own settings is read: a
client's whole world is the scratch home. A prompt is one word of the command line.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

KEY = "dummy-key-of-a-test"

# (home, project, address of the model) -> environment
Settings = Callable[[Path, Path, str], dict[str, str]]


class Driver(NamedTuple):
    """One client.

    `words` stand before the prompt. `settings` writes what the client needs into a
    home, for a project, and returns variables of the environment.
    `transcripts` is a pattern below the home: where its sessions are written.
    `slow` is how many seconds a session may take. `acts` are words that let it use its
    shell unasked. `judges` makes its judge's command one that finds the model at an
    address; None where the proposed one does. `lands` is what becomes of what a prompt
    teaches: some clients write down that a program sent it.
    """

    words: tuple[str, ...]
    settings: Settings
    transcripts: str
    slow: int = 90
    acts: tuple[str, ...] = ()
    judges: Callable[[tuple[str, ...], str], tuple[str, ...]] | None = None
    lands: str = "saved"


def _claude_code(home: Path, project: Path, url: str) -> dict[str, str]:
    # What its full-screen interface asks a person at its first start.
    _write_json(
        home / ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(project): {"hasTrustDialogAccepted": True}},
        },
    )
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        # Else it makes folders of fixed names in /tmp.
        "CLAUDE_CODE_TMPDIR": str(home.parent / "tmp"),
    }


def _codex(home: Path, project: Path, url: str) -> dict[str, str]:
    del project
    _write(
        home / ".codex" / "config.toml",
        'model = "stub"\nmodel_provider = "stub"\ncheck_for_update_on_startup = false\n'
        "[analytics]\nenabled = false\n"
        '[model_providers.stub]\nname = "stub"\nwire_api = "responses"\n'
        f'base_url = "{url}/v1"\nenv_key = "STUB_KEY"\n',
    )
    return {"STUB_KEY": KEY}


def _gemini(home: Path, project: Path, url: str) -> dict[str, str]:
    del project
    _write_json(
        home / ".gemini" / "settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
        },
    )
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY}


def _copilot(home: Path, project: Path, url: str) -> dict[str, str]:
    del home, project
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "stub",
        "COPILOT_OFFLINE": "true",
    }


def _opencode(home: Path, project: Path, url: str) -> dict[str, str]:
    del project
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {"stub": {"name": "stub"}},
    }
    _write_json(
        home / ".config" / "opencode" / "opencode.json",
        {"provider": {"stub": provider}, "model": "stub/stub"},
    )
    return {
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        # With a plugin of whoever it installs a package at each start, and asks a
        # registry that is not there for two minutes.
        "npm_config_fetch_retries": "0",
    }


def _codex_judge(words: tuple[str, ...], url: str) -> tuple[str, ...]:
    # A judge does not read the config, which may name MCP servers.
    stub = (
        f'{{name="stub",wire_api="responses",base_url="{url}/v1",env_key="STUB_KEY"}}'
    )
    return (
        *words[:-1],
        *("-c", 'model="stub"', "-c", 'model_provider="stub"'),
        *("-c", f"model_providers.stub={stub}"),
        words[-1],
    )


def _copilot_judge(words: tuple[str, ...], url: str) -> tuple[str, ...]:
    # Copilot keeps the variables that name a provider from its hooks.
    provider = (
        f"COPILOT_PROVIDER_BASE_URL={url}/v1",
        f"COPILOT_PROVIDER_API_KEY={KEY}",
    )
    return ("env", *provider, "COPILOT_MODEL=stub", "COPILOT_OFFLINE=true", *words)


DRIVERS = {
    "claude-code": Driver(
        ("-p",),
        _claude_code,
        ".claude/projects/*/*.jsonl",
        acts=("--allowedTools=Bash",),
        lands="review",
    ),
    # Codex runs hooks that a person has trusted; this says that one has.
    "codex": Driver(
        ("exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"),
        _codex,
        ".codex/sessions/*/*/*/*.jsonl",
        acts=("--dangerously-bypass-approvals-and-sandbox",),
        judges=_codex_judge,
        lands="review",
    ),
    "gemini": Driver(
        ("--skip-trust", "-m", "gemini-2.5-flash", "-p"),
        _gemini,
        ".gemini/tmp/*/chats/*.jsonl",
        acts=("--yolo",),
    ),
    "copilot": Driver(
        ("--allow-all-tools", "-p"),
        _copilot,
        ".copilot/session-state/*/events.jsonl",
        acts=("--allow-all",),
        judges=_copilot_judge,
    ),
    "opencode": Driver(
        ("run",),
        _opencode,
        ".local/state/memcli/opencode/*.jsonl",
        slow=180,
        acts=("--auto",),
    ),
}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_json(path: Path, document: object) -> None:
    _write(path, json.dumps(document, indent=2))
