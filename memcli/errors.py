"""Every refusal of memcli, as one tree of exceptions.

Invariant: a failure that a user can meet is a `MemcliError`. Its class carries the
stable `code` that programs match and the exit code of the process, its message says
what failed and where, its `hint` what to do next. An exception outside this tree is a
bug in memcli (exit code 70).

Exit codes: 2 the words of the command line are wrong for every vault; 1 the
words make sense, and the vault, a file or the system cannot do it; 70 a bug, 75 try
again later (EX_USAGE and friends of BSD sysexits.h, except that usage is 2 as in every
shell). tests/cli/test_mistakes.py has a table of mistakes.
"""

from __future__ import annotations

# Not from `typing`, which costs more than a bare Python: a hook asks before each edit.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, ClassVar


class MemcliError(Exception):
    """A failure that a person or a program can act on.

    Args:
        message: one sentence: what failed, and where.
        hint: what to do next; None where there is no advice.
        code: replaces the class's code where one class serves several fields.
        details: what a program needs besides, as JSON; most refusals have none.
        entry_id: what was given as an id, where no entry has it.
    """

    code: str = "failed"
    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        code: str | None = None,
        details: dict[str, Any] | None = None,
        entry_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.details = details
        self.entry_id = entry_id
        self.message = message
        self.hint = hint
        if code:
            self.code = code


class VaultNotFound(MemcliError):
    """No vault was named, or the named one does not exist."""

    code = "vault_not_found"


class NotAVault(MemcliError):
    """The folder exists but is not a vault, or is not under git."""

    code = "not_a_vault"


class InvalidEntry(MemcliError):
    """A file that cannot be read as an entry."""

    code = "invalid_entry"

    def __init__(self, path: str, line: int, reason: str, *, hint: str | None = None):
        super().__init__(f"{path}:{line}: {reason}", hint=hint)
        self.path = path
        self.line = line
        self.reason = reason


class InvalidValue(MemcliError):
    """A value that a field does not accept; pass `code` to name the field."""

    code = "invalid_value"
    exit_code = 2


class InvalidContent(InvalidValue):
    """A line of a file, a text, or a change that cannot be used as the vault is now."""

    exit_code = 1


class EntryNotFound(MemcliError):
    """No entry has this id."""

    code = "entry_not_found"


class AmbiguousId(MemcliError):
    """An id prefix that more than one entry shares."""

    code = "ambiguous_id"


class UnsafePath(MemcliError):
    """A path that would leave the vault."""

    code = "unsafe_path"


class Unreadable(MemcliError):
    """A file that is missing, forbidden or not text."""

    code = "unreadable"


class TooLarge(MemcliError):
    """Input above the vault's limit."""

    code = "too_large"


class SecretFound(MemcliError):
    """Text that looks as if it held a secret."""

    code = "secret_found"


class WriteFailed(MemcliError):
    """The disk refused; nothing was changed."""

    code = "write_failed"


class AmbiguousQuery(MemcliError):
    """It is not clear which entries a question means; nothing was changed."""

    code = "ambiguous_query"


class Conflict(MemcliError):
    """A file changed between the decision and the write; nothing was changed."""

    code = "conflict"


class NotAllowed(MemcliError):
    """The entry's state does not allow it; pass `code` to say which state."""

    code = "not_allowed"


class LockBusy(MemcliError):
    """Another process is writing; the same call may succeed later."""

    code = "lock_busy"
    exit_code = 75


class Unavailable(MemcliError):
    """A database that is gone, or that does not answer in time."""

    code = "unavailable"
    exit_code = 75


class HistoryError(MemcliError):
    """git refused; the files are as they were before."""

    code = "history_failed"


class RemoteUnreachable(MemcliError):
    """A vault's remote does not answer; the same call may succeed later."""

    code = "remote_unreachable"
    exit_code = 75


class RemoteRefused(MemcliError):
    """A vault's remote answers, and refuses; pass `code` to say what."""

    code = "remote_refused"


class InvalidConfig(MemcliError):
    """A configuration file that cannot be used."""

    code = "invalid_config"


class UsageError(MemcliError):
    """A command line, or a request, that makes no sense as a whole."""

    code = "usage"
    exit_code = 2
