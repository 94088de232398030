"""The steps of an agent's session, in the words of no host.

Invariant: a step says who spoke or acted and where in the file it stands. The text of
a user step is text that a person typed and nothing else: additions of a host, a hook or
memcli itself are gone before a step is made.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    Role = Literal["user", "assistant", "call", "result"]
    Action = Literal["run", "edit", "other"]
else:
    Role = Action = str

# The tag around memcli's own text in a session, which is never read back.
FRAME = "memcli-memory"

ROLES: tuple[Role, ...] = ("user", "assistant", "call", "result")
ACTIONS: tuple[Action, ...] = ("run", "edit", "other")


class Step(NamedTuple):
    """One thing in a session.

    Attributes:
        role: `user` typed it, `assistant` said it, `call` is a tool that the agent
            used, `result` what that tool gave back.
        text: the words; of a call the command line or the path of the file (500
            characters at most); of a result the output (its first 1,500 and last 500
            characters at most).
        line: where it stands in the file, from 1; of a file that is one object, the
            number of its message.
        record: the host's id of the record; `line-N` where it has none. The same
            record keeps its id when the file grows.
        at: when, ISO 8601 in UTC with seconds; None when the host does not say.
        call: of a call and its result: the id that joins them.
        action: of a call: what kind of tool it is.
        failed: of a result: whether the tool failed; None when the host does not say.
        program: of a user step: whether a program sent it, and no person typed it.
    """

    role: Role
    text: str
    line: int
    record: str
    at: str | None = None
    call: str | None = None
    action: Action | None = None
    failed: bool | None = None
    program: bool = False


class Session(NamedTuple):
    """The session that a transcript is of.

    Attributes:
        id: the host's id of the session; the file's name where it has none.
        host: its name in `hosts.table`.
        cwd: the folder the session ran in, when the host says so.
        forked_from: the first of the sessions that it is a fork of, and repeats.
    """

    id: str
    host: str
    cwd: str | None = None
    forked_from: str | None = None

    @property
    def taught_by(self) -> str:
        """The id of the session that counts as the source of what is said in it: who
        says a thing in a session and in a fork of it says it once."""
        return self.forked_from or self.id


# The tags that hosts and hooks put around typed text, most of them families of names.
_HOST = (
    rf"{FRAME}|ide_[a-z_]+"
    r"|[a-z]+(?:[-_][a-z]+)*[-_](?:context|diagnostics|hook|reminder)"
)


def _tagged(names: str) -> str:
    # The opening tag needs no `>`: an attribute may hold any character. The last tag of
    # the name closes it, for the text within may hold others; without one it reaches to
    # the end.
    return rf"(?si)<({names})(?=[\s/>]|\Z)(?:.*</\1\s*>|.*)"


_INJECTED = _tagged(_HOST)
_FRAMED = _tagged(FRAME)


def typed(text: str) -> str:
    """The part of a text that a person typed, without injected tags.

    >>> typed("<hook_context>We use ruff.</hook_context> Run it, please.")
    'Run it, please.'
    """
    return _without(_INJECTED, text)


def typed_parts(texts: Sequence[str]) -> list[str]:
    """As `typed`, of the parts of one message: a host's own part goes whole.

    >>> typed_parts(["<ide_selection>a</ide_selection> b", "Run it."])
    ['Run it.']
    """
    if len(texts) > 1:
        texts = [text for text in texts if not re.match(_INJECTED, text.lstrip())]
    return [typed(text) for text in texts]


def unframed(text: str) -> str:
    """A text without memcli's own; for every role but the user's.

    >>> unframed("I read: <memcli-memory>We use ruff.</memcli-memory> Done.")
    'I read:  Done.'
    """
    return _without(_FRAMED, text)


def _without(tagged: str, text: str) -> str:
    # Most texts have no tag, and a prompt's hook need not compile the pattern for them.
    return (re.sub(tagged, "", text) if "<" in text else text).strip()
