"""Whether a commit comes after the one that is published, told by a clone's history.

Invariant: reads git's objects alone. Jobs of a CI may end in another order than their
commits were pushed, so what does not come after the published commit is found here.
"""

from __future__ import annotations

from memcli.storage.git import tree

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.postgres.publisher import Content, Publisher, Standing
    from memcli.storage.git.repository import Repository

AFTER = "after"
"""It is the published commit or follows it; or the clone is shallow and cannot tell."""

BEFORE = "before"
"""The published commit follows it."""

BESIDE = "beside"
"""Both follow another commit: the history was rewritten, or has two branches."""

ABSENT = "absent"
"""The published commit is of the same vault, and not in this clone."""

ANOTHER = "another"
"""The published commit is of another vault, or nothing says that it is of this one."""


def is_due(
    repository: Repository,
    publisher: Publisher,
    standing: Standing,
    *,
    unrelated: bool,
    rewritten: bool,
) -> bool:
    """Whether a commit is to be published; False where the database holds a newer one.

    Args:
        repository: the clone.
        publisher: of the commit.
        standing: what is published.
        unrelated: also over a vault of another history.
        rewritten: also over a commit that it does not follow.

    Raises:
        NotAllowed: what is published is of another vault, or it cannot be said which of
            the two is newer.
    """
    order = order_of(repository, publisher.content, standing)
    if order == ANOTHER and not unrelated:
        raise publisher.another()
    if order == AFTER or unrelated or rewritten:
        return True
    if order == BEFORE:
        return False
    raise publisher.not_following(standing, absent=order == ABSENT)


def order_of(repository: Repository, content: Content, standing: Standing) -> str:
    """Where a commit stands to the published one.

    Their histories say it. A clone that does not hold the published commit is believed
    to be of the same vault when it has the same first commit or, without history, when
    it is pushed to where the published one is.

    Args:
        repository: the clone.
        content: what is to be published.
        standing: what is.
    """
    published = standing.commit
    # A name is taken by what is published under it, not by a publish that failed.
    if published is None or published == content.commit:
        return AFTER
    if tree.holds(repository, published):
        both = tree.common(repository, published, content.commit)
        if both is None:
            return ANOTHER
        return {published: AFTER, content.commit: BEFORE}.get(both, BESIDE)
    if content.origin and standing.origin:
        return ABSENT if content.origin == standing.origin else ANOTHER
    if content.remote is None or content.remote != standing.remote:
        return ANOTHER
    return ABSENT if content.origin else AFTER
