"""A name links the entries that share it more once it is registered."""

from memcli import Vault
from memcli.curation.entities import decide
from tests.saving import save, write

CALL = "On weekends call Grace Hopper at 555"


def gateway(vault: Vault) -> None:
    save(vault, "The payment gateway of Grace Hopper times out at night")
    texts = (f"note {n} speaks of subject{n} alone" for n in range(9))
    vault.save_all([vault.draft({"text": text}) for text in texts])


def rows(vault: Vault) -> dict[str, float]:
    found = vault.recall("why does the payment gateway time out?").rows
    return {row.text: row.score for row in found}


def test_a_registered_name_links_notes_that_memcli_did_not_write(vault: Vault) -> None:
    gateway(vault)
    path = write(vault, "people/on call.md", f"{CALL}\n")
    loose = rows(vault)[CALL]
    decide.apply(vault, decide.EntityRequest("register", "Grace Hopper", type="person"))
    assert "entities" not in path.read_text(encoding="utf-8")
    assert rows(vault)[CALL] > loose
