"""A mistake has its exit code, its error code and a hint, and changes nothing.

2: the words are wrong for every vault; 1: the vault cannot do it.
"""

import shlex
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import app
from memcli.errors import EntryNotFound
from tests.cli.conftest import Run

TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
KEYS = ["memcli", "command", "ok", "data", "warnings", "error"]
# Exit code, error code (or any: -), command line, and behind # how the hint begins.
# ID is an entry in use that has no version before, TOKEN a secret.
MISTAKES = """
2 usage nosuch
2 - serach x # Did you mean: memcli recall?
2 - recal x # Did you mean: memcli recall?
2 - remember x # Did you mean: memcli save?
2 - lint # Did you mean: memcli inspect lint?
2 - agnts # Did you mean: memcli inspect agents?
2 usage --vault '' list
2 usage recall
2 usage recall x --nosuch
2 usage recall x --limit many
2 invalid_limit recall x --limit 0
2 usage recall x --budget huge
2 invalid_kind recall x --kind decison # Did you mean 'decision'?
2 invalid_type recall x --set type=animal
2 - recall x --after someday
2 usage recall x --after ''
2 usage recall --batch - --research x
1 vault_not_found recall x --vault /nowhere/at/all
1 vault_not_found list --vault nix # The path of a vault's folder will do as well.
1 unreadable recall --batch /nowhere/at/all
1 entry_not_found recall --useful 1zzz
2 usage reflect
2 usage reflect ' '
2 usage reflect x --tags-match some
2 - reflect --all-sessions --host nosuch
2 usage reflect what --session x # Drop one of them.
2 usage reflect what --all-sessions # Drop one of them.
2 usage reflect what --since 7d # Drop --since, or add --all-sessions.
2 usage reflect what --host codex # Drop one of them.
2 usage reflect what --dry-run # Drop one of them.
2 usage reflect --exit-code # Drop --exit-code, or add QUERY.
2 usage reflect --session x --all-sessions # Drop one of them.
2 usage reflect --session x --since 7d # Drop --since, or add
2 usage reflect --session x --budget low # Ask one: memcli reflect
2 usage recall x --useful y # Drop one of them.
2 usage recall --useful y --kind fix # Give them alone
2 usage list --all --limit 3
2 usage save x --file y
1 unreadable reflect --session /nowhere/at/all
2 invalid_kind save x --kind convntion # Did you mean 'convention'?
2 invalid_type save x --type animal
2 invalid_layer save x --layer roof
2 invalid_subtype save x --set subtype=pinned
2 invalid_item save x --set item=thing
2 invalid_confidence save x --set confidence=SOME
2 usage save x --set source=nobody
2 invalid_occurred_at save x --occurred-at 2025-13-01
2 invalid_expires_at save x --expires-at never
2 invalid_tag save x --tag 'two words'
2 invalid_entity save x --entity ..
2 usage save x --visibility public
2 usage save x --visibility private --group g
2 usage save x --visibility group # Name it: --group NAME.
2 usage sync --setup x --auto
2 usage sync --setup x --dry-run
2 usage sync --all
2 empty_text save ' '
2 usage save x --agent ''
2 usage recall x --agent ' '
2 usage save x --tag a --tag=
2 - save two words # A text of several words needs quotes.
2 - save '-s is a flag' # A text that begins with - stands behind --:
1 unreadable save --file /nowhere/at/all
1 unreadable save --file /
1 secret_found save 'key AKIAABCDEFGHIJKLMNOP'
2 usage evolve
2 usage evolve ID x --file y
2 empty_text evolve ID ''
2 invalid_kind evolve ID x --kind nonsense
2 invalid_tag evolve ID x --tag 'two words'
1 nothing_to_change evolve ID 'We deploy on Tuesdays'
1 no_version_before undo ID # To hide it: memcli resolve
1 entry_not_found evolve 1zzz x
1 entry_not_found evolve ../../etc/passwd x
2 usage resolve
2 usage resolve x --query y
2 usage resolve --query y --undo
2 usage resolve x --undo --note n
2 usage resolve x --kind fix
2 usage resolve --query the
1 entry_not_found resolve 1zzz
1 entry_not_found resolve --query kubernetes
1 secret_found resolve ID --note 'the token is TOKEN' --dry-run
1 entry_not_found forget 1zzz --yes
2 usage forget ID # Add --yes to remove it for good
2 usage review --approve
2 usage review x --approve --reject
2 usage review x
2 usage review x --list --approve
2 usage review x --approve --all
2 usage review --supersede y --all
2 usage review x --reject --title t
1 entry_not_found review --approve 1zzz
1 secret_found review --approve ID --title 'the token is TOKEN' --dry-run
2 usage entities nosuch
2 usage entities list Redis
2 usage entities register a b
2 usage entities register a --yes
2 invalid_entity entities register ..
2 usage entities merge a
2 usage entities merge a b --type tool
1 entity_not_found entities merge nosuch other --yes
1 secret_found entities merge Redis TOKEN --dry-run
1 secret_found entities register TOKEN --dry-run
2 usage recall x --set nosuch=1
2 usage recall x --set history=x
2 usage inspect models x
2 usage inspect entity
2 usage inspect lint --stale
1 - inspect lnt # Did you mean: memcli inspect lint?
1 entry_not_found inspect 1zzz
1 research_not_found inspect research nosuch
1 owner_only inspect --agent ada
1 owner_only inspect lint --agent ada
1 owner_only inspect mining --agent ada
1 owner_only config --agent ada
1 owner_only config set limits.body 5 --agent ada
1 owner_only doctor --fix --agent ada
1 owner_only log --agent ada
1 owner_only signals --agent ada
1 owner_only undo --agent ada
1 owner_only forget ID --yes --agent ada
1 owner_only forget 1zzz --yes --agent ada
1 owner_only entities register Etcd --agent ada
2 usage install nosuch --skills
2 usage install windsurf --skills
2 usage uninstall --skills
2 usage install codex --force
2 usage install codex --skills --mcp # Drop one of them.
2 usage install codex --judge --no-judge # Drop one of them.
2 usage install codex gemini
2 usage install # What there is on this machine: memcli doctor
2 invalid_host install claud # Did you mean 'claude-code'?
2 usage install codex --scope world
2 usage import
2 usage import x.jsonl --yes
1 unreadable import /nowhere/at/all
1 not_a_vault init /
"""


def by_command() -> dict[str, list[str]]:
    found = defaultdict(list)
    for row in MISTAKES.strip().splitlines():
        found[row.split()[2]].append(row)
    return found


@pytest.mark.parametrize(
    "rows", [pytest.param(rows, id=name) for name, rows in by_command().items()]
)
def test_a_mistake_has_its_codes_and_changes_nothing(
    memcli: Run,
    vault: Vault,
    home: Path,
    snapshot: Callable[[str], Any],
    rows: list[str],
) -> None:
    draft = {"text": "We deploy on Tuesdays", "entities": ["Redis"], "type": "system"}
    name = vault.save(vault.draft(draft)).id
    vault.read(lambda reader: reader.size)
    before = snapshot(vault.root), sorted(path.name for path in home.iterdir())
    for row in rows:
        line, _, hint = row.replace("TOKEN", TOKEN).partition(" # ")
        code, error, *words = shlex.split(line)
        words = [name if word == "ID" else word for word in words]
        done = memcli(*words, "--json")
        assert (done.code, list(done.json)) == (int(code), KEYS), (row, done.out)
        assert (done.json["ok"], done.json["data"]) == (False, None), row
        told = done.json["error"]
        assert error in (told["code"], "-"), (row, told)
        assert (told["hint"] or "").startswith(hint), (row, told)
        assert TOKEN not in done.out, row
        assert TOKEN not in line or "commit" not in told["message"], row
        # A person reads the same on stderr.
        plain = memcli(*words)
        assert (plain.code, plain.out) == (int(code), ""), row
        assert told["message"], row
        assert told["message"] in plain.err, (row, plain.err)
    after = snapshot(vault.root), sorted(path.name for path in home.iterdir())
    assert after == before


# --- guesses at what was meant ------------------------------------------------------


def test_a_command_line_without_a_command_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert app.main(["--vault", "list"]) == 2
    assert capsys.readouterr().err.startswith("memcli: no command is named\n")
    assert app.main(["completion"]) == 2
    said = capsys.readouterr().err.splitlines()[0]
    assert said == "memcli: Missing argument 'shell'. Choose from: bash, zsh, fish"


def test_a_mistyped_id_is_answered_with_the_entry_that_is_near(vault: Vault) -> None:
    saved = vault.save("red apples")
    wrong = saved.id[:-1] + ("a" if saved.id[-1] != "a" else "b")
    with pytest.raises(EntryNotFound) as refusal:
        vault.get(wrong)
    assert refusal.value.hint == f"Did you mean {saved.id} (red apples)?"
    with pytest.raises(EntryNotFound) as refusal:
        vault.acting_as("eve").get(wrong)
    assert saved.id not in str(refusal.value.hint)


def test_an_agent_of_which_nothing_is_known_is_told_so(memcli: Run) -> None:
    memcli("save", "red apples")
    for words in (["recall", "apples"], ["reflect", "apples"], ["inspect", "models"]):
        done = memcli(*words, "--agent", "adda", "--json")
        assert any("agent 'adda' is not in" in text for text in done.json["warnings"])
    memcli("save", "green apples", "--agent", "adda")
    assert (
        memcli("recall", "apples", "--agent", "adda", "--json").json["warnings"] == []
    )
