"""The door for Python users: `from memcli import Vault, Vaults`.

Invariant: the same use cases as the command line, with Python values in and out.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from memcli.entries.eligibility import View
from memcli.recall import recall as _recall
from memcli.vault import vault as _vault

if TYPE_CHECKING:
    from memcli.curation.evolve import Evolved
    from memcli.curation.forget import Forgotten
    from memcli.curation.resolve import Target
    from memcli.entries.entry import Entry
    from memcli.recall.federated import Several
    from memcli.recall.feedback import Noted
    from memcli.recall.reflect import Reflection, Synthesis
    from memcli.vault.saving import Saved


class Vault(_vault.Vault):
    """A vault with the use cases as methods.

    >>> Vault.open("~/memory").recall("how do we deploy?").rows  # doctest: +SKIP
    """

    def save(
        self, draft: "Entry", *, allow_secret: bool = False, register: bool = False
    ) -> "Saved":
        """Save one draft of `draft`; see `memcli.vault.saving.save`."""
        from memcli.vault import saving

        return saving.save(self, draft, allow_secret=allow_secret, register=register)

    def save_all(
        self,
        drafts: "Sequence[Entry]",
        *,
        allow_secret: bool = False,
        register: bool = False,
    ) -> "list[Saved]":
        """Save drafts in one commit; see `memcli.vault.saving.save_all`."""
        from memcli.vault import saving

        return saving.save_all(
            self, drafts, allow_secret=allow_secret, register=register
        )

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        budget: str = "mid",
        filters: _recall.Filters = _recall.EVERYTHING,
        view: View | None = None,
        max_chars: int | None = None,
        explain: bool = False,
        depth: int = 1,
    ) -> _recall.Recalled:
        """Answer a question with ranked rows; see `memcli.recall.recall.recall`."""
        return _recall.recall(
            self,
            query,
            view=view or _recall.view(self.now_ms() // 1000, kinds=filters.kinds),
            filters=filters,
            limit=limit,
            budget=budget,
            max_chars=max_chars,
            explain=explain,
            depth=depth,
        )

    def reflect(
        self,
        query: str,
        *,
        limit: int | None = None,
        budget: str = "mid",
        filters: _recall.Filters = _recall.EVERYTHING,
        view: View | None = None,
        response_schema: Any = None,
    ) -> "Reflection":
        """Gather what answers a question; see `memcli.recall.reflect.reflect`.

        `response_schema` is accepted and ignored, with a DeprecationWarning: whoever
        reads the facts shapes the answer.
        """
        from memcli.recall import reflect

        _ignored(response_schema)
        return reflect.reflect(
            self,
            query,
            view=view or _recall.view(self.now_ms() // 1000),
            filters=filters,
            limit=limit,
            budget=budget,
        )

    def synthesize(
        self,
        query: str,
        *,
        limit: int | None = None,
        budget: str = "mid",
        filters: _recall.Filters = _recall.EVERYTHING,
        view: View | None = None,
        response_schema: Any = None,
    ) -> "Synthesis":
        """Gather facts to synthesize from; runs no synthesis.

        `answer` is a digest, one line a fact; `sources` are the ids of the facts, and
        `wiki_context_used` is always False. Whoever asks writes the prose, from the
        facts that `reflect` gives in full. `response_schema` is accepted and ignored,
        with a DeprecationWarning.
        """
        from memcli.recall import reflect

        _ignored(response_schema)
        found = self.reflect(
            query, limit=limit, budget=budget, filters=filters, view=view
        )
        return reflect.synthesis(found)

    def evolve(
        self,
        entry_id: str,
        text: str | None = None,
        *,
        reason: str | None = None,
        also: Sequence[str] = (),
        cite: Sequence[str] = (),
        **fields: Any,
    ) -> "Evolved":
        """Replace an entry by its next version; see `memcli.curation.evolve.evolve`."""
        from memcli.curation import evolve

        values = fields if text is None else {"text": text, **fields}
        return evolve.evolve(
            self, entry_id, values, reason=reason, also=also, cite=cite
        )

    def revert(self, entry_id: str, *, reason: str | None = None) -> "Evolved":
        """Go back to the version before; see `memcli.curation.evolve.revert`."""
        from memcli.curation import evolve

        return evolve.revert(self, entry_id, reason=reason)

    def resolve(
        self,
        *ids: str,
        by: str | None = None,
        note: str | None = None,
        same_key: bool = True,
    ) -> "list[Target]":
        """Resolve entries, and those of the same words; gives what was changed."""
        from memcli.curation import resolve

        plan = resolve.plan(self, ids, same_key=same_key)
        return resolve.apply(self, plan, by=by, note=note)

    def reopen(self, *ids: str, same_key: bool = True) -> "list[Target]":
        """Bring resolved entries back; gives what was changed."""
        from memcli.curation import resolve

        plan = resolve.plan(self, ids, same_key=same_key, undo=True)
        return resolve.apply(self, plan)

    def feedback(
        self, *, useful: Sequence[str] = (), not_useful: Sequence[str] = ()
    ) -> "list[Noted]":
        """Note which rows were of use; see `memcli.recall.feedback.feedback`."""
        from memcli.recall import feedback

        return feedback.feedback((self,), useful, not_useful)

    def forget(self, entry_id: str, *, versions: bool = False) -> "Forgotten":
        """Remove an entry for good; see `memcli.curation.forget.forget`."""
        from memcli.curation import forget

        return forget.forget(self, entry_id, versions=versions)


class Vaults:
    """Several vaults asked as one; each row says in `source` where it is from.

    >>> Vaults.open("personal", "platform").recall("who is on call?")  # doctest: +SKIP
    """

    def __init__(self, several: "Several") -> None:
        self._several = several

    @classmethod
    def open(cls, *words: str, personal_only: bool = False, **options: Any) -> Self:
        """Open vaults by names of the user's config or paths.

        Without words the personal vault, and those whose `recall` is on; what cannot
        be opened of these is a warning of each answer. `options` are those of `Vault`.

        Raises:
            VaultNotFound, NotAVault: a named one, or every one, cannot be opened.
            InvalidConfig: the user's config cannot be understood.
        """
        from memcli.recall import federated as several

        return cls(several.opened(words, personal_only=personal_only, **options))

    @property
    def vaults(self) -> "tuple[_vault.Vault, ...]":
        """The vaults that are asked."""
        return self._several.vaults

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        budget: str = "mid",
        filters: _recall.Filters = _recall.EVERYTHING,
        view: View | None = None,
        max_chars: int | None = None,
        explain: bool = False,
        depth: int = 1,
    ) -> _recall.Recalled:
        """Answer a question with ranked rows; see `memcli.recall.federated.recall`."""
        from memcli.recall import federated as several

        return several.recall(
            self._several,
            query,
            view=view or _recall.view(self._now(), kinds=filters.kinds),
            filters=filters,
            limit=limit,
            budget=budget,
            max_chars=max_chars,
            explain=explain,
            depth=depth,
        )

    def reflect(
        self,
        query: str,
        *,
        limit: int | None = None,
        budget: str = "mid",
        filters: _recall.Filters = _recall.EVERYTHING,
        view: View | None = None,
    ) -> "Reflection":
        """Gather what answers a question; see `memcli.recall.federated.reflect`."""
        from memcli.recall import federated as several

        return several.reflect(
            self._several,
            query,
            view=view or _recall.view(self._now()),
            filters=filters,
            limit=limit,
            budget=budget,
        )

    def feedback(
        self, *, useful: Sequence[str] = (), not_useful: Sequence[str] = ()
    ) -> "list[Noted]":
        """Note which rows were of use; see `memcli.recall.feedback.feedback`."""
        from memcli.recall import feedback

        return feedback.feedback(self.vaults, useful, not_useful)

    def _now(self) -> int:
        return self.vaults[0].now_ms() // 1000


def _ignored(response_schema: Any) -> None:
    if response_schema is not None:
        import warnings

        warnings.warn(
            "response_schema is ignored: shape the answer from the facts",
            DeprecationWarning,
            stacklevel=3,
        )
