"""Ordinary prompts bring nothing; a prompt about something that is known brings it.

161 memories as two people and their agents leave them in half a year: rules, decisions,
fixes and facts about ten services.
"""

import shutil
from pathlib import Path

import pytest

from memcli import Vault
from memcli.vault.caller import Caller
from tests.conftest import NOW
from tests.sessions.briefing.test_prompt import brought

SERVICES = {
    "billing": ("Go", "invoices", "Stripe webhooks"),
    "search": ("Rust", "the catalogue index", "typo tolerance"),
    "gateway": ("Go", "rate limits", "JWT validation"),
    "notifications": ("Python", "email digests", "SES bounces"),
    "scheduler": ("Python", "nightly jobs", "cron drift"),
    "media": ("Node", "thumbnails", "ffmpeg transcodes"),
    "identity": ("Kotlin", "SSO logins", "refresh tokens"),
    "reports": ("Python", "CSV exports", "slow aggregates"),
    "storefront": ("TypeScript", "the checkout page", "hydration mismatches"),
    "warehouse": ("SQL", "dbt models", "late partitions"),
}
OF_A_SERVICE = (
    "The {name} service is written in {tongue} and owns {owns}",
    "We decided to keep {owns} in {name} instead of splitting it out",
    "{name}: the usual cause of trouble with {risk} is a stale connection pool",
    "Fixed {risk} in {name} by retrying with jitter, at most five times",
    "Integration tests of {name} need docker compose up redis before they run",
    "{name} deploys from its release branch, never from main",
    "Dashboards for {owns} live in Grafana under the folder {name}",
    "{name} must answer health checks within 200 ms or the mesh evicts it",
    "The on-call runbook for {risk} is docs/runbooks/{name}.md",
    "Feature flags of {name} are read once at start, so a change needs a restart",
    "Migrations in {name} have to be backwards compatible for one release",
    "The owner of {name} asked for small pull requests with one commit each",
    "{name} logs are JSON; grep them with jq, not with awk",
    "Load tests showed that {name} saturates at 900 requests per second",
    "Secrets of {name} come from Vault, never from environment files",
)
GENERAL = """
The user prefers uv over pip for installing Python packages
Never amend commits that are pushed
Timestamps are stored as UTC and shown in the user's time zone
The staging cluster is wiped every Sunday at 03:00
All public APIs are versioned in the path
The CSS uses logical properties and design tokens, no hex colours
The monorepo is built with Bazel; do not call go build directly
Prices are integers in cents
Kafka topics are named domain.event.version
Memory leaks in workers were caused by an unbounded LRU cache
The port 9077 is taken by the metrics sidecar
"""

ORDINARY = """
fix the css
why does this fail?
continue
please explain this function
can you clean up the code a bit
add a test for that
write a docstring for this class
please remove the debug output
refactor this into smaller functions
which files did you change?
that did not work, try again
"""

FITTING = {
    "install the python packages for the new tool": "uv over pip",
    "are prices integers in cents, or floats?": "integers in cents",
    "wipe the staging cluster on sunday?": "The staging cluster is wiped",
    "the media ffmpeg transcodes time out again": "media",
    "where do the grafana dashboards for invoices live?": "Dashboards for invoices",
    "add a kafka topic for a domain event": "Kafka topics are named",
    "may the gateway deploy from main, or its release branch?": "gateway deploys from",
    "port 9077 of the metrics sidecar is already in use": "The port 9077 is taken",
}


@pytest.fixture(scope="module")
def known(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Vault:
    root = tmp_path_factory.mktemp("silence") / "vault"
    shutil.copytree(ready_vault, root)
    vault = Vault(str(root), Caller(now_ms=lambda: NOW * 1000))
    texts = [line for line in GENERAL.split("\n") if line]
    for name, (tongue, owns, risk) in SERVICES.items():
        texts += [
            text.format(name=name, tongue=tongue, owns=owns, risk=risk)
            for text in OF_A_SERVICE
        ]
    assert len(texts) == 161
    vault.save_all([vault.draft({"text": text}) for text in texts])
    return vault


@pytest.mark.parametrize("prompt", [line for line in ORDINARY.split("\n") if line])
def test_an_ordinary_prompt_brings_nothing(known: Vault, prompt: str) -> None:
    assert brought(known, prompt) == []


@pytest.mark.parametrize("prompt", list(FITTING))
def test_a_prompt_about_what_is_known_brings_it(known: Vault, prompt: str) -> None:
    found = brought(known, prompt)
    assert any(FITTING[prompt] in text for text in found)
    assert len(found) <= 3
