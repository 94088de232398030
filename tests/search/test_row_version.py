"""What the index holds of a file changes together with the version of the index.

Invariant: `SAMPLES` say everything that a file can say. What the index holds of them is
known by its digest, beside the versions under which it was made; a forgotten version
would leave indexes in use that a new memcli reads as its own.
"""

import hashlib
import re
from pathlib import Path

from memcli.entries import fields
from memcli.entries.entry import Source
from memcli.entries.text.tokens import ANALYSIS_VERSION
from memcli.search.index import ROW_VERSION
from memcli.search.store import FORMAT
from memcli.search.stored_row import StoredRow
from memcli.search.updating import Files

KNOWN = (38, 5, 40), "0c94c07797ae8b4e"

FACT = """\
---
id: 01aaaa0000000001
kind: constraint
layer: fact
type: task
status: resolved
title: Deploy with --force-with-lease
created: "2026-01-02T03:04:05Z"
updated: "2026-01-03T03:04:05Z"
occurred_at: "2026-01"
occurred_until: "2026-02-03"
tags: [git, team:core]
asked: [overwritten history, lost commits after git push]
entities: [Ada Lovelace, Redis]
project: github.com/acme/shop
code: ["src/app.py:10-20#11-1a2b3c4d9f8e7d6c@a1b2c3d4e5f6"]
agent: reviewer
visibility: group
groups: [core]
source:
  writer: hook
  host: codex
  session: s1
  transcript: t1
  record: r1
  seq: 3
  excerpt: never force
  proposed: Never force
confidence: HIGH
rationale: said twice
supersedes: 01aaaa0000000002
superseded_by: 01aaaa0000000003
reason: it was too short
resolved_at: "2026-01-04T03:04:05Z"
resolved_by: Ada
resolution_note: done in the pipeline
resolution_scope: entry
resolved_text: 0123456789abcdef
pinned: true
enforce: ask
expires_at: "2027-01-01"
review_after: "2026-06-01"
aliases: [force rule]
unknown_key: stays
---
Never run `git push --force`; ask Grace Hopper about [[branches]] and
[the page](../pages/branches.md). Where does CI_TOKEN live? In Paris, 2026-03-04.

We met in Lyon and Paris. Callers of http.Get and NewClient wait 30 seconds.
"""

ITEM = """\
---
id: 01aaaa0000000004
kind: lesson
item: derived
seen: ["2026-01-02T03:04:05Z", "2026-02-02"]
created: "2026-01-01T00:00:00Z"
---
- Checkouts are tested before they're merged.
"""

MODEL = """\
---
id: 01aaaa0000000005
kind: note
layer: model
subtype: structural
evidence: [01aaaa0000000001, 01aaaa0000000004]
fingerprints: ["01aaaa0000000001:1a2b3c4d5e6f7081"]
refreshed_at: "2026-02-02T00:00:00Z"
research: r-2026
created: "2026-02-02T00:00:00Z"
---
# How checkouts go

Straße, Ελλάδα and 部署服务 are words, too.
"""

NOTE = "# Plans\n\nAn adopted note of [[nobody]], with a tab\there and token = x.\n"

TWO_SIDES = """\
---
id: 01aaaa0000000006
created: "2026-02-02T00:00:00Z"
---
We deploy on
Fridays.
"""

SAMPLES = {
    "memories/constraint/2026/01/force.md": FACT,
    "reflections/lesson.md": ITEM,
    "memories/model.md": MODEL,
    "notes/plans.md": NOTE,
    "memories/two.md": TWO_SIDES,
    "memories/broken.md": "---\nid: [\n---\nx\n",
}


def held(root: str) -> str:
    """The digest of everything that an index holds of the samples."""
    files = Files(root)
    parts = [repr(StoredRow._fields)]
    for path, text in SAMPLES.items():
        found = files.held(path, text.encode())
        parts.append(repr((path, found.broken is None)))
        if found.document is not None:
            terms, exact, row, numbers = found.document
            parts += map(repr, (sorted(terms.items()), sorted(exact.items())))
            parts += map(repr, (row.as_json(), tuple(numbers)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def test_the_samples_use_every_field() -> None:
    text = "\n".join(SAMPLES.values())
    used = set(re.findall(r"^ *(\w+):", text, re.MULTILINE))
    assert set(fields.CHECKS) - used == set()
    assert set(Source._fields) - used == set()


def test_what_the_index_holds_changes_with_its_version(tmp_path: Path) -> None:
    now = (FORMAT, ANALYSIS_VERSION, ROW_VERSION), held(str(tmp_path))
    assert now == KNOWN, (
        "an index holds other things of the same files now: raise ROW_VERSION "
        "(search/index.py) if no version was raised, and put what stands here "
        f"into KNOWN: {now}"
    )
