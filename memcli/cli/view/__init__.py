"""`memcli view`: what a vault knows, as one page for a browser.

Invariant: the page loads nothing and runs no word of an entry. Text is data in it:
JSON that holds no `<`, titles set as text, bodies by a markdown renderer that knows no
HTML, and links that lead only to the web. Its content security policy names the one
script and the one style by their hashes.

It holds what the caller may see: for an agent neither another's entries nor a word of
what others recalled.

Door: `view`.
Not in here: whether an entry may be shown (`entries/eligibility`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections import Counter

from memcli.cli.context import Context, Result, said
from memcli.cli.exchange import check_out
from memcli.entries import dates
from memcli.entries.anchors import STALE
from memcli.entries.eligibility import View, standing, verdict
from memcli.entries.entry import is_unconfirmed
from memcli.recall.filters import of_project
from memcli.search.ranking.graph import outgoing
from memcli.storage import files, projects
from memcli.vault import code_state, signals, staleness
from memcli.vault.signals import is_hit

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

_NAME = "memcli.html"
_BEGINS = b"<!doctype html><!-- memcli view -->"


def view(
    context: Context,
    *,
    out: str | None = None,
    open_: bool = False,
    project: str | None = None,
) -> Result:
    """Write what the vault knows as one page, to be opened in a browser

    The page needs no network and loads nothing: a timeline, a search as you type,
    every entry with its history, links and reasons, entities as a graph, the inbox,
    and what was used. It holds the text of every entry that you may see.

    \b
    Example:
      memcli view --open
      memcli view --project here --out shop.html

    Options:
        out: `--out FILE` The page; memcli.html here if not given
        open_: `--open` Show it in the browser
    """
    from memcli.entries.text.counted import counted

    path = os.path.abspath(out or _NAME)
    vault = context.open_vault("drawing")
    check_out(path, vault.root, _BEGINS)
    seen = picture(vault, project or "")
    data = html(seen).encode("utf-8", "replace")
    files.write_atomic(path, data)
    warnings = []
    around = None if out else projects.top_of(os.path.dirname(path))
    if around:
        warnings.append(
            f"the page holds all of these memories, and lies in the repository "
            f"{around}: do not commit it; elsewhere: --out FILE"
        )
    if open_:
        import webbrowser
        from pathlib import Path

        if not webbrowser.open(Path(path).as_uri()):
            warnings.append("no browser was found: open the page in one yourself")
    many = len(seen["entries"])
    return said(
        {"path": path, "entries": many, "bytes": len(data)},
        f"wrote {path}",
        f"{counted(many, 'entry')}, {len(data):,} bytes",
        warnings=warnings,
    )


# --- the page -------------------------------------------------------------------------

# A browser shows some 40 MB of text at once; a page above it takes seconds to open.
_BODY, _ALL_BODIES, _SHORT = 20_000, 24_000_000, 400
_LINKS = ("http://", "https://", "mailto:")


def html(seen: dict[str, Any]) -> str:
    """The page for a browser, as HTML, of what `picture` gives."""
    from html import escape

    style, script = _asset("page.css"), _asset("page.js")
    values = {
        "title": escape(f"{seen['about']['vault']}: memcli"),
        "made": dates.iso(seen["about"]["now"])[:16].replace("T", " "),
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "data": _json({**seen, "entries": _drawn(seen["entries"])}),
    }
    # In one pass: what a value holds is not looked at again.
    return re.sub(r"\{\{ (\w+) \}\}", lambda name: values[name[1]], _asset("page.html"))


def _asset(name: str) -> str:
    folder = os.path.dirname(os.path.abspath(__file__))
    return files.read(os.path.join(folder, name)).decode()


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def _json(value: Any) -> str:
    """JSON that can end no script: a `<` is written by its number."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _drawn(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries with HTML instead of their texts."""
    render, left, drawn = renderer(), _ALL_BODIES, []
    for entry in entries:
        text, most = entry.get("text", ""), _BODY if left > 0 else _SHORT
        # A renderer reads a line of a megabyte for seconds.
        body = render("\n".join(line[:4_000] for line in text[:most].split("\n")))
        left -= len(body)
        drawn.append({**entry, "html": body, "cut": len(text) > most})
        drawn[-1].pop("text", None)
    return drawn


def renderer() -> Callable[[str], str]:
    """The renderer of markdown, to which HTML, images and odd links are text."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "linkify": False})
    markdown.enable("table").enable("strikethrough").disable("image")
    # An image would be loaded from its server; a file's address says who reads it.
    markdown.validateLink = lambda url: (  # type: ignore[method-assign]
        url.lower().startswith(_LINKS)
    )

    def outside(self: Any, tokens: Any, at: int, options: Any, _env: Any) -> str:
        tokens[at].attrSet("rel", "noreferrer noopener")
        tokens[at].attrSet("target", "_blank")
        return str(self.renderToken(tokens, at, options, {}))

    def cell(self: Any, tokens: Any, at: int, options: Any, _env: Any) -> str:
        # The policy of the page takes no style of an element.
        tokens[at].attrs.pop("style", None)
        return str(self.renderToken(tokens, at, options, {}))

    markdown.add_render_rule("link_open", outside)
    markdown.add_render_rule("th_open", cell)
    markdown.add_render_rule("td_open", cell)

    render: Callable[[str], str] = markdown.render
    return render


# --- what the vault knows, as one value -----------------------------------------------

# A graph of more names cannot be read, and one of more lines is a ball of wool.
_MOST_NAMES, _MOST_TIES = 300, 900


# Names of the page, each with the field behind it where that has another name.
_OF_ROW = """
id title kind created occurred=occurred_at tags entities project path agent confidence
rationale before=supersedes after=superseded_by reason note=resolution_note evidence
pinned text
"""
_OF_SOURCE = "by=writer host session record excerpt"


def _named(value: object, names: str) -> dict[str, Any]:
    pairs = (word.partition("=") for word in names.split())
    return {name: getattr(value, field or name) for name, _, field in pairs}


def picture(vault: Vault, project: str = "") -> dict[str, Any]:
    """The content of a vault at one moment: its entries, the newest first; the most
    frequent entities, each with its count; and how many entries hold two of them, by
    the places of their names.

    Args:
        vault: whose.
        project: only of this project, as `--project` names it.
    """
    view = View(vault.now_ms() // 1000, agent=vault.agent)
    events = signals.read(vault.root).events if vault.agent is None else []
    recalled: Counter[str] = Counter()
    useful: Counter[str] = Counter()
    for event in events:
        if event["event"] == "recall" and event["question"] is not None:
            rows = (row for row in event["rows"] if is_hit([row]))
            recalled.update({row["id"] for row in rows})
        elif event["event"] == "feedback" and event["useful"]:
            useful[event["id"]] += 1

    code = code_state.Watch(vault.project)

    def look(reader: Reader) -> list[dict[str, Any]]:
        chosen = of_project(reader, project, vault.here) if project else None
        docs = list(reader.everything() if chosen is None else chosen)
        rows = {doc: reader.row(doc) for doc in docs}
        order = sorted(docs, key=lambda doc: rows[doc].created or "", reverse=True)
        places = {doc: place for place, doc in enumerate(order)}
        seen = []
        for doc in order:
            row, facts = rows[doc], reader.facts(doc)
            links = {places[d] for d in outgoing(reader, row) if d in places}
            states = code.states(row, "personal")
            stale = [
                *map(staleness.sentence, staleness.reasons(reader, row, view)),
                *(each.why for each in states if each.state in STALE),
            ]
            fields = {
                **_named(row, _OF_ROW),
                **_named(row.source, _OF_SOURCE),
                "layer": row.layer if row.layer != "fact" else None,
                "status": str(standing(facts, view)),
                "hidden": verdict(facts, view),
                "links": sorted(links - {places[doc]}),
                "stale": stale,
                "unconfirmed": is_unconfirmed(row),
                "code": [one.why or f"{one.place}: {one.state}" for one in states],
                "recalled": recalled[row.id],
                "useful": useful[row.id],
            }
            seen.append({name: value for name, value in fields.items() if value})
        return seen

    entries = vault.read(look)
    names, ties = _graph(entries)
    about = {
        "vault": os.path.basename(vault.root.rstrip(os.sep)),
        "project": project,
        "now": view.now,
    }
    return {"about": about, "entries": entries, "names": names, "ties": ties}


def _graph(
    entries: list[dict[str, Any]],
) -> tuple[list[tuple[str, int]], list[tuple[int, int, int]]]:
    """The most frequent entities, and how many entries hold two of them."""
    shown = [seen.get("entities", ()) for seen in entries if "hidden" not in seen]
    counts = Counter(name for held in shown for name in set(held))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    names = ranked[:_MOST_NAMES]
    places = {name: place for place, (name, _) in enumerate(names)}
    ties: Counter[tuple[int, int]] = Counter()
    for held in shown:
        known = sorted({places[name] for name in held if name in places})
        ties.update(
            (one, other) for at, one in enumerate(known) for other in known[at + 1 :]
        )
    strongest = sorted(ties.items(), key=lambda pair: (-pair[1], pair[0]))
    return names, [(*pair, count) for pair, count in strongest[:_MOST_TIES]]
