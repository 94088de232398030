"""The door for Python users: `from memcli import Vault`.

Invariant: the same use cases as the command line, with Python values in and out.
"""

from memcli import recall as _recall
from memcli import vault as _vault
from memcli.eligibility import View


class Vault(_vault.Vault):
    """A vault with the use cases as methods.

    >>> Vault.open("~/memory").recall("how do we deploy?").rows  # doctest: +SKIP
    """

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
    ) -> _recall.Recalled:
        """Answer a question with ranked rows; see `memcli.recall.recall`."""
        return _recall.recall(
            self,
            query,
            view=view or _recall.view(self.now_ms() // 1000),
            filters=filters,
            limit=limit,
            budget=budget,
            max_chars=max_chars,
            explain=explain,
        )
