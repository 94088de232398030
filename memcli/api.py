"""The door for Python users: `from memcli import Vault, Vaults`.

Invariant: the same use cases as the command line, with Python values in and out; most
methods are the functions of `curation` themselves. What narrows a question and what a
memory may say are keywords, declared once for all doors in `memcli.parameters`; a wrong
one is refused by its name.
"""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import cast

from memcli import parameters
from memcli.curation import changing, citing, resolve, review
from memcli.curation import evolve as _evolve
from memcli.curation import forget as _forget
from memcli.curation import inbox as _inbox
from memcli.curation import research as _research
from memcli.curation import sync as _sync
from memcli.curation import sync_rules as _sync_rules
from memcli.curation import undo as _undo
from memcli.curation import verify as _verify
from memcli.curation.resolve_query import plan_query
from memcli.declared import takes
from memcli.entries.entry import Entry
from memcli.errors import InvalidValue
from memcli.recall import listing
from memcli.recall import recall as _recall
from memcli.recall import reflect as _reflect
from memcli.recall.query import Query, from_words
from memcli.vault import saving
from memcli.vault import vault as _vault
from memcli.vault import vaults as _vaults
from memcli.vault.caller import OWNER, Caller
from memcli.vault.health import inspect as _inspect
from memcli.vault.health import log as _log

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self, Unpack

    from memcli.curation.evolve import Evolved
    from memcli.curation.research import _Answer
    from memcli.curation.resolve import Target
    from memcli.curation.sync_report import Synced
    from memcli.recall.listing import Noted, Shown
    from memcli.recall.reflect import Reflection, Synthesis
    from memcli.recall.results import Recalled, Row
    from memcli.sessions.bringing import Reflected
    from memcli.vault.saved import Saved


class _Asked:
    """The questions that one vault and several are asked alike."""

    @takes(parameters.Query)
    def recall(
        self,
        query: str | Query,
        *,
        research: str | None = None,
        **options: Unpack[parameters.Query],
    ) -> Recalled:
        """Answer a question with ranked rows.

        Args:
            query: words, a question, or a whole `memcli.recall.query.Query`.
            research: count it in the research run of this name, and record its rows.
            options: what narrows it, as `kinds` or `after`: `memcli.parameters.Query`.
        """
        return _answer(self, query, options, (research, "recall"), _recall.recall)

    @takes(parameters.Question)
    def reflect(
        self,
        query: str | Query,
        *,
        research: str | None = None,
        response_schema: Any = None,
        **options: Unpack[parameters.Question],
    ) -> Reflection:
        """Gather what answers a question, and say how far to trust it.

        As `recall`; `response_schema` is ignored, with a DeprecationWarning: the
        caller shapes the answer from the facts.
        """
        _ignored(response_schema)
        return _answer(self, query, options, (research, "reflect"), _reflect.reflect)

    @takes(parameters.Question)
    def synthesize(
        self,
        query: str | Query,
        *,
        response_schema: Any = None,
        **options: Unpack[parameters.Question],
    ) -> Synthesis:
        """As `reflect`, in an older envelope; runs no synthesis."""
        _ignored(response_schema)
        return _reflect.synthesis(self.reflect(query, **options))

    def feedback(
        self, *, useful: Sequence[str] = (), not_useful: Sequence[str] = ()
    ) -> list[Noted]:
        """Note which rows were useful; see `memcli.recall.listing.feedback`."""
        vaults = cast("Vault | Vaults", self).vaults
        return listing.feedback(vaults, useful, not_useful)


class Vault(_Asked, _vault.Vault):
    """A vault with the use cases as methods.

    >>> Vault.open("~/memory").recall("how do we deploy?").rows  # doctest: +SKIP
    """

    @classmethod
    def open(
        cls,
        root: str | None = None,
        caller: Caller | None = None,
        *,
        writes: bool = False,
        **fields: Any,
    ) -> Self:
        """Open a vault; see `memcli.vault.vault.Vault.open`.

        Args:
            root: a path, or the name of a vault of the user's config.
            caller: who asks and writes; None is the vault's owner, who stands in the
                folder of this process.
            writes: refuse a vault that may only be read, before any other error.
            fields: those of `Caller` that differ, by name, as `agent="reviewer"`.
                `cwd` is the folder whose project is `here`; None is no project.
        """
        return super().open(root, _caller(caller, fields), writes=writes)

    @takes(parameters.Draft)
    def save(
        self,
        draft: Entry | str,
        *,
        cite: Sequence[str] = (),
        research: str | None = None,
        allow_secret: bool = False,
        register: bool | None = None,
        **options: Unpack[parameters.Draft],
    ) -> Saved:
        """Save a memory with what it cites; see `curation.citing.save`.

        Args:
            draft: its text, or what `draft` has made of it.
            cite: ids that it rests on.
            research: cite only what this research run retrieved.
            allow_secret: save text that looks like a secret.
            register: register its new entities; None does where it names any.
            options: its fields, as `kind` or `tags`; `memcli.parameters.Draft`.
        """
        entry = draft
        if not isinstance(entry, Entry):
            fields = parameters.entry_fields(options, self.now_ms())
            entry = self.draft({"text": entry, **fields})
        elif options:
            raise InvalidValue("fields go with a text, not with a draft", code="twice")
        return citing.save(
            self,
            entry,
            citing.Cites(cite, research),
            allow_secret=allow_secret,
            register=bool(entry.entities) if register is None else register,
        )

    def save_all(
        self,
        drafts: Sequence[Entry],
        *,
        allow_secret: bool = False,
        register: bool = False,
    ) -> list[Saved]:
        """Save drafts in one commit; see `memcli.vault.saving.save_all`.

        Raises:
            EntryNotFound, AmbiguousId, InvalidValue: as `save`, of a draft's evidence.
        """
        for draft in drafts:
            citing.refuse_unsearched(self, draft.layer)
        drafts = citing.checked(self, *drafts)
        return saving.save_all(
            self, drafts, allow_secret=allow_secret, register=register
        )

    @takes(parameters.StatusFilters)
    def entries(self, **options: Unpack[parameters.StatusFilters]) -> list[Row]:
        """The newest entries that pass; 20 where no limit is given."""
        return list(listing.listed(self, _asked((self,), "", options)).rows)

    def evolve(
        self,
        entry_id: str,
        text: str | None = None,
        *,
        reason: str | None = None,
        also: Sequence[str] = (),
        cite: Sequence[str] = (),
        research: str | None = None,
        **fields: Any,
    ) -> Evolved:
        """Replace an entry by its next version; see `memcli.curation.evolve.evolve`."""
        values = fields if text is None else {"text": text, **fields}
        cites = citing.Cites(cite, research)
        how = _evolve.Succession(reason, also, cites=cites)
        return _evolve.evolve(self, entry_id, values, how)

    revert = _evolve.revert
    forget = _forget.forget
    inspect = _inspect.inspect

    log = _log.log
    pending = _inbox.pending
    verify = _verify.verify

    def resolve(
        self,
        *ids: str,
        by: str | None = None,
        note: str | None = None,
        same_key: bool = True,
    ) -> list[Target]:
        """Resolve entries, and those of the same words; gives what was changed."""
        plan = resolve.plan(self, ids, same_key=same_key)
        return resolve.apply(self, plan, by=by, note=note)

    def resolve_query(
        self,
        query: str,
        *,
        kinds: Sequence[str] = (),
        by: str | None = None,
        note: str | None = None,
    ) -> list[Target]:
        """Resolve what a question clearly means; gives what was changed.

        Raises:
            AmbiguousQuery: it may mean something else; `details` has the plan.
            EntryNotFound: nothing matches.
        """
        plan = plan_query(self, query, kinds=kinds)
        return resolve.apply(self, plan, by=by, note=note)

    def reopen(self, *ids: str, same_key: bool = True) -> list[Target]:
        """Bring resolved entries back; without ids, those of the last resolve."""
        if not ids:
            return resolve.apply(self, resolve.plan_last_undo(self))
        plan = resolve.plan(self, ids, same_key=same_key, undo=True)
        return resolve.apply(self, plan)

    confirm = _verify.confirm

    def show(self, *ids: str) -> list[Shown]:
        """Entries in full, also those that recall does not show."""
        return listing.show((self,), ids)

    tag = changing.tag
    pin = changing.pin
    undo = _undo.undo

    approve = review.approve
    reject = review.reject

    def mine(
        self, transcript: str, host: str | None = None, *, dry_run: bool = False
    ) -> Reflected:
        """Learn from a session's transcript, as `memcli reflect --session` does."""
        from memcli.sessions import reflect_session

        opened = reflect_session.opened(self, transcript, host)
        return reflect_session.reflect(self, opened, dry_run=dry_run)

    def sync(self, *, dry_run: bool = False) -> Synced:
        """Bring the vault and its git remote together; git asks for no password."""
        done = _sync.sync(self, _sync.Terms(), dry_run=dry_run)
        if not dry_run:
            _sync_rules.told(self)
        return done


class Vaults(_Asked, _vaults.Vaults):
    """Several vaults asked as one; each row says in `source` where it is from.

    >>> Vaults.open("personal", "platform").recall("who is on call?")  # doctest: +SKIP
    """

    @classmethod
    def open(
        cls,
        *words: str,
        caller: Caller | None = None,
        personal_only: bool = False,
        **fields: Any,
    ) -> Self:
        """Open vaults; see `memcli.vault.vaults.Vaults.open`, and `Vault.open`."""
        return super().open(
            *words, caller=_caller(caller, fields), personal_only=personal_only
        )


def _caller(caller: Caller | None, fields: Mapping[str, Any]) -> Caller:
    if caller is None and "cwd" not in fields:
        with contextlib.suppress(OSError):  # the folder is gone
            fields = {**fields, "cwd": os.getcwd()}
    return Caller(**{**(caller or OWNER)._asdict(), **fields})


def _asked(vaults: Sequence[_vault.Vault], query: str | Query, options: Any) -> Query:
    """The query that a text with options asks for; a whole one as it is."""
    if isinstance(query, Query):
        if options:
            raise InvalidValue("options go with a text, not with a query", code="twice")
        return query
    if options.get("project"):
        from memcli.recall.filters import named_project

        options = {**options, "project": named_project(vaults, options["project"])}
    return from_words(query, vaults[0].now_ms() // 1000, **options)


def _answer(
    asked: _Asked,
    query: str | Query,
    options: Any,
    run: tuple[str | None, str],
    look: Callable[[Vault | Vaults, Query], _Answer],
) -> _Answer:
    """The answer to a question, which a research run counts where one is named."""
    vaults = cast("Vault | Vaults", asked)
    question = _asked(vaults.vaults, query, options)
    name, command = run
    if not name:
        return look(vaults, question)
    named = name, command, options.get("budget")
    return _research.search(vaults.vaults, named, question, partial(look, vaults))[0]


def _ignored(response_schema: Any) -> None:
    if response_schema is not None:
        import warnings

        warnings.warn(
            "response_schema is ignored: shape the answer from the facts",
            DeprecationWarning,
            stacklevel=4,
        )
