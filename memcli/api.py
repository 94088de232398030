"""The door for Python users: `from memcli import Vault, Vaults`.

Invariant: the same use cases as the command line, with Python values in and out. A
question is words with options, or a whole `Query`; both become one `Query`.
"""

from __future__ import annotations

import contextlib
import os

from memcli.recall import recall as _recall
from memcli.recall.query import EVERYTHING, made, view_of
from memcli.vault import vault as _vault
from memcli.vault import vaults as _vaults
from memcli.vault.caller import OWNER, Caller

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self, Unpack

    from memcli.curation.evolve import Evolved
    from memcli.curation.forget import Forgotten
    from memcli.curation.resolve import Target
    from memcli.curation.sync_report import Synced
    from memcli.curation.verify import Confirmed, Verified
    from memcli.entries.entry import Entry
    from memcli.recall.feedback import Noted
    from memcli.recall.query import Narrowing, Options, Query
    from memcli.recall.reflect import Reflection, Synthesis
    from memcli.recall.results import Recalled
    from memcli.vault.saved import Saved


class Vault(_vault.Vault):
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

    def save(
        self,
        draft: Entry,
        *,
        cite: Sequence[str] = (),
        research: str | None = None,
        allow_secret: bool = False,
        register: bool = False,
    ) -> Saved:
        """Save one draft of `draft` with what it cites; see `curation.citing.save`."""
        from memcli.curation import citing

        return citing.save(
            self,
            draft,
            citing.Cites(cite, research),
            allow_secret=allow_secret,
            register=register,
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
        from memcli.curation import citing
        from memcli.vault import saving

        drafts = citing.checked_all(self, drafts)
        look: saving.Look = "none" if allow_secret else "all"
        return saving.save_all(self, drafts, look=look, register=register)

    def recall(self, query: str | Query, **options: Unpack[Options]) -> Recalled:
        """Answer a question with ranked rows.

        Args:
            query: words, a question, or a whole `memcli.recall.query.Query`.
            options: limit, budget, filters, view, exact, max_chars, depth, explain;
                `Query` says what each means.

        Raises:
            InvalidValue: an option names what does not exist.
        """
        return _recall.recall(self, _asked(self, query, options))

    def reflect(
        self,
        query: str | Query,
        *,
        response_schema: Any = None,
        **options: Unpack[Narrowing],
    ) -> Reflection:
        """Gather what answers a question, and say how far to trust it.

        Args:
            query: words, a question, or a whole `memcli.recall.query.Query`.
            response_schema: ignored, with a DeprecationWarning; the caller shapes the
                answer from the facts.
            options: limit, budget, filters, view, exact.

        Raises:
            InvalidValue: an option names what does not exist.
        """
        from memcli.recall import reflect

        _ignored(response_schema)
        return reflect.reflect(self, _facts(self, query, options))

    def synthesize(
        self,
        query: str | Query,
        *,
        response_schema: Any = None,
        **options: Unpack[Narrowing],
    ) -> Synthesis:
        """Gather facts to synthesize from; runs no synthesis.

        Takes what `reflect` takes. `answer` is a digest, one line a fact; `sources`
        are the ids of the facts; `wiki_context_used` is always False. The caller
        writes the prose, from the facts that `reflect` gives in full.
        """
        from memcli.recall import reflect

        _ignored(response_schema)
        return reflect.synthesis(self.reflect(query, **options))

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
        from memcli.curation import citing, evolve

        values = fields if text is None else {"text": text, **fields}
        cites = citing.Cites(cite, research)
        how = evolve.Succession(reason, also, cites=cites)
        return evolve.evolve(self, entry_id, values, how)

    def revert(self, entry_id: str, *, reason: str | None = None) -> Evolved:
        """Go back to the version before; see `memcli.curation.evolve.revert`."""
        from memcli.curation import evolve

        return evolve.revert(self, entry_id, reason=reason)

    def resolve(
        self,
        *ids: str,
        by: str | None = None,
        note: str | None = None,
        same_key: bool = True,
        expect: int | None = None,
    ) -> list[Target]:
        """Resolve entries, and those of the same words; gives what was changed.

        Raises:
            AmbiguousQuery: they are not the number of entries that `expect` says.
        """
        from memcli.curation import resolve

        plan = resolve.plan(self, ids, same_key=same_key)
        return resolve.apply(self, plan, by=by, note=note, expect=expect)

    def resolve_query(
        self,
        query: str,
        *,
        kinds: Sequence[str] = (),
        by: str | None = None,
        note: str | None = None,
        expect: int | None = None,
    ) -> list[Target]:
        """Resolve what a question clearly means; gives what was changed.

        Raises:
            AmbiguousQuery: it may mean something else; `details` has the plan, whose
                ids `resolve` takes.
            EntryNotFound: nothing matches.
        """
        from memcli.curation import resolve
        from memcli.curation.resolve_query import plan_query

        plan = plan_query(self, query, kinds=kinds)
        return resolve.apply(self, plan, by=by, note=note, expect=expect)

    def reopen(self, *ids: str, same_key: bool = True) -> list[Target]:
        """Bring resolved entries back; without ids, those of the last resolve."""
        from memcli.curation import resolve

        if not ids:
            return resolve.apply(self, resolve.plan_last_undo(self))
        plan = resolve.plan(self, ids, same_key=same_key, undo=True)
        return resolve.apply(self, plan)

    def feedback(
        self, *, useful: Sequence[str] = (), not_useful: Sequence[str] = ()
    ) -> list[Noted]:
        """Note which rows were useful; see `memcli.recall.feedback.feedback`."""
        from memcli.recall import feedback

        return feedback.feedback((self,), useful, not_useful)

    def verify(self, project: str = "here") -> list[Verified]:
        """What became of the code that a project's entries name; see
        `memcli.curation.verify.verify`."""
        from memcli.curation import verify

        return verify.verify(self, project)

    def confirm(self, *ids: str) -> list[Confirmed]:
        """Note the code of entries as it is now, since they still hold; see
        `memcli.curation.verify.confirm`."""
        from memcli.curation import verify

        return verify.confirm(self, ids)

    def forget(self, entry_id: str, *, versions: bool = False) -> Forgotten:
        """Remove an entry for good; see `memcli.curation.forget.forget`."""
        from memcli.curation import forget

        return forget.forget(self, entry_id, versions=versions)

    def sync(self, *, dry_run: bool = False) -> Synced:
        """Bring the vault and its git remote together; see `memcli.curation.sync.sync`.

        git asks for no password: what it needs is in its own settings.
        """
        from memcli.curation import sync

        return sync.sync(self, sync.Terms(progress=self.progress), dry_run=dry_run)


class Vaults(_vaults.Vaults):
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

    def recall(self, query: str | Query, **options: Unpack[Options]) -> Recalled:
        """Answer a question with ranked rows; as `Vault.recall`."""
        from memcli.recall import federated

        return federated.recall(self, _asked(self.vaults[0], query, options))

    def reflect(
        self,
        query: str | Query,
        *,
        response_schema: Any = None,
        **options: Unpack[Narrowing],
    ) -> Reflection:
        """Gather what answers a question; as `Vault.reflect`."""
        from memcli.recall import federated

        _ignored(response_schema)
        return federated.reflect(self, _facts(self.vaults[0], query, options))

    def synthesize(
        self,
        query: str | Query,
        *,
        response_schema: Any = None,
        **options: Unpack[Narrowing],
    ) -> Synthesis:
        """Gather facts to synthesize from; as `Vault.synthesize`."""
        from memcli.recall import reflect

        _ignored(response_schema)
        return reflect.synthesis(self.reflect(query, **options))

    def feedback(
        self, *, useful: Sequence[str] = (), not_useful: Sequence[str] = ()
    ) -> list[Noted]:
        """Note which rows were useful; see `memcli.recall.feedback.feedback`."""
        from memcli.recall import feedback

        return feedback.feedback(self.vaults, useful, not_useful)


def _caller(caller: Caller | None, fields: Mapping[str, Any]) -> Caller:
    if caller is None and "cwd" not in fields:
        with contextlib.suppress(OSError):  # the folder is gone
            fields = {**fields, "cwd": os.getcwd()}
    return Caller(**{**(caller or OWNER)._asdict(), **fields})


def _asked(vault: _vault.Vault, query: str | Query, options: Options) -> Query:
    kinds = options.get("filters", EVERYTHING).kinds
    return made(query, view_of(vault.now_ms() // 1000, kinds=kinds), **options)


def _facts(vault: _vault.Vault, query: str | Query, options: Narrowing) -> Query:
    # Without the kinds: an idea that waits for a decision is no fact.
    return made(query, view_of(vault.now_ms() // 1000), **options)


def _ignored(response_schema: Any) -> None:
    if response_schema is not None:
        import warnings

        warnings.warn(
            "response_schema is ignored: shape the answer from the facts",
            DeprecationWarning,
            stacklevel=3,
        )
