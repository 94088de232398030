"""The only module that prints.

Invariant: stdout is data, stderr is talk. With `--json` stdout holds exactly one
JSON document (or one a line for batches), on success and on failure. Text from a
memory is data: what a terminal would obey in it is shown as what it is, and JSON by
`as_json` means the same as any other JSON of the value. No word is broken, and no
command or path that a person may copy.
"""

from __future__ import annotations

import os
import re
import sys

from memcli.cli.commands import COMMANDS
from memcli.errors import MemcliError
from memcli.named_tuple import encoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.cli.context import Result

OUTPUT_VERSION = 1


class Bug(MemcliError):
    """A failure that is memcli's own."""

    code = "bug"
    exit_code = 70

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"a bug in memcli: {type(error).__name__}: {error}",
            hint="Set MEMCLI_DEBUG=1 for the traceback, and report it, please.",
        )


class Screen:
    """Where one command's answer goes.

    Where the command line named one vault (`asked`), so do the commands that warnings
    and hints say.
    """

    def __init__(
        self,
        command: str,
        *,
        as_json: bool,
        header: bool = False,
        asked: Sequence[str] = (),
    ) -> None:
        self._command = command
        self._asked = asked[0] if len(asked) == 1 else ""
        self._json = as_json
        self._header = header
        self._bar = _Bar()

    def success(self, result: Result) -> int:
        """Print a result; returns the exit code."""
        self._bar.erase()
        for number, part in enumerate(result.lines or (result,)):
            warnings = [self._typed(each) for each in part.warnings]
            if self._json:
                self._document(part.data, warnings, None, ok=part.ok)
                continue
            named = f"{part.label}: " if part.label else ""
            for warning in warnings:  # of one line; a file's name may have several
                self.tell(f"warning: {named}{' '.join(warning.splitlines())}")
            canvas = _Canvas(header=self._header, typed=self._typed)
            if part.label:
                if number:
                    canvas.line()
                canvas.line(part.label, style="title")
                canvas.line()
            part.text(canvas)
        sys.stdout.flush()
        if result.printed:
            result.printed()
        return 0 if result.ok and result.found else 1

    def failure(self, error: MemcliError) -> int:
        """Print a failure; returns its exit code."""
        hint = error.hint
        if hint is None and self._command and error.exit_code == 2:
            hint = f"See: memcli {self._command} --help"
        elif hint and error.code not in _NO_VAULT:
            hint = self._typed(hint)
        if self._json:
            problem: dict[str, Any] = {
                "code": error.code,
                "message": error.message,
                "hint": hint,
            }
            if error.details is not None:
                problem["details"] = error.details
            self._document(None, [], problem, ok=False)
            sys.stdout.flush()
        else:
            self.tell(f"memcli: {error.message}")
            if hint:
                self.tell(f"  {hint}")
        return error.exit_code

    def _typed(self, text: str) -> str:
        """A sentence whose commands go to the vault that was asked."""
        if not self._asked or "--vault" in text or "memcli " not in text:
            return text
        from shlex import quote

        named = "|".join(sorted(set(COMMANDS) - _OF_NO_VAULT))
        vault = f"memcli --vault {quote(self._asked)} "
        return re.sub(rf"\bmemcli (?=(?:{named})\b)", lambda _: vault, text)

    def tell(self, text: str) -> None:
        """Say something to the person who waits, on stderr."""
        self._bar.erase()
        if sys.stderr is not None:
            _write(sys.stderr, safe(text) + "\n")

    def ask(self, question: str) -> str | None:
        """Put a question to the person; the line that was typed, None at the end."""
        self._bar.erase()
        sys.stdout.flush()
        if sys.stderr is not None:
            _write(sys.stderr, safe(question.rstrip()) + " ")
            sys.stderr.flush()
        try:
            line = sys.stdin.readline() if sys.stdin is not None else ""
        except KeyboardInterrupt:
            self.tell("")  # what follows does not stand behind the question
            raise KeyboardInterrupt("at a question") from None
        if not line:
            self.tell("")
        return line.rstrip("\r\n") if line else None

    def progress(self, what: str) -> Callable[[int, int], None] | None:
        """A progress bar for long work; None where no terminal shows it."""
        if self._json or sys.stderr is None or not _is_terminal(sys.stderr):
            return None
        self._bar.erase()
        self._bar.what = what
        return self._bar

    def _document(
        self,
        data: dict[str, Any] | None,
        warnings: list[str],
        problem: dict[str, Any] | None,
        *,
        ok: bool,
    ) -> None:
        envelope = {
            "memcli": OUTPUT_VERSION,
            "command": self._command,
            "ok": ok,
            "data": data,
            "warnings": warnings,
            "error": problem,
        }
        try:
            line = as_json(envelope).encode() + b"\n"
        except UnicodeEncodeError:
            import json

            # A file name that is not UTF-8 holds half a surrogate pair.
            line = json.dumps(envelope).encode() + b"\n"
        sys.stdout.flush()
        sys.stdout.buffer.write(line)


# Commands that are about the machine, and errors after which no vault can be asked.
_OF_NO_VAULT = {"init", "install", "uninstall", "mcp", "hook", "completion", "allow"}
_NO_VAULT = ("vault_not_found", "not_a_vault", "invalid_config", "read_only")
_STYLES = {"title": "1", "dim": "2", "bad": "31", "good": "32"}
_STYLES["nothing"] = _STYLES["hint"] = _STYLES["dim"]
# Sentences, whose commands go to the vault that was asked.
_SAID = ("nothing", "hint")
# Terminals without colour, by TERM.
_PLAIN = ("dumb", "unknown")


class _Canvas:
    """Plain text on a pipe; colour and aligned columns on a terminal.

    What a person may copy is never broken: the terminal itself wraps long lines, so
    a path or a command that is copied from there is still one line. On a pipe `header`
    names the columns of a table in its first line.
    """

    def __init__(
        self, *, header: bool = False, typed: Callable[[str], str] = str
    ) -> None:
        self.terminal = _is_terminal(sys.stdout)
        self._header = header
        self._typed = typed
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in _PLAIN
        # Of the terminals of Windows the new one alone obeys escape sequences.
        old = os.name == "nt" and "WT_SESSION" not in os.environ
        self._has_colours = self.terminal and not (plain or old)

    def line(self, text: str = "", *, style: str = "") -> None:
        # On a pipe a sentence is no row: `memcli list | cut -f 1` gives ids or nothing.
        aside = style == "nothing" and not self.terminal
        stream = sys.stderr if aside else sys.stdout
        text = safe(self._typed(text) if style in _SAID else text)
        code = _STYLES.get(style) if self._has_colours and text else None
        if stream is not None:
            _write(stream, f"\x1b[{code}m{text}\x1b[0m\n" if code else f"{text}\n")

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        """Rows with tabs on a pipe. On a terminal columns beside each other while they
        fit; the widest stand below their rows.

        The first column stays; one that is empty tells nothing here.
        """
        if not self.terminal:
            for each in [header, *rows] if self._header else rows:
                self.line("\t".join(" ".join(cell.split()) for cell in each))
            return
        from shutil import get_terminal_size

        width = get_terminal_size().columns
        full = [n for n in range(len(header)) if any(row[n] for row in rows)]
        cells = [[" ".join(safe(row[n]).split()) for n in full] for row in rows]
        headed = any(header[n] for n in full)
        if headed:
            cells.insert(0, [header[n] for n in full])
        beside = {
            n: max(_columns(row[n]) for row in cells) + len(_GAP)
            for n in range(len(full))
        }
        while len(beside) > 1 and sum(beside.values()) > width:
            del beside[max([*beside][1:], key=lambda n: beside[n])]
        for number, row in enumerate(cells):
            is_head = headed and not number
            padded = (row[n] + " " * (beside[n] - _columns(row[n])) for n in beside)
            self.line("".join(padded).rstrip(), style="dim" if is_head else "")
            for n, cell in enumerate(row):
                if cell and n not in beside and not is_head:
                    self.line(_GAP + cell, style="dim")


_GAP = "  "


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    letters = [letter for letter in text if not combining(letter)]
    return len(letters) + sum(east_asian_width(letter) in "WF" for letter in letters)


class _Bar:
    """One line on stderr that counts; erased when done."""

    _WIDTH = 30

    def __init__(self) -> None:
        self.what = ""
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        if done >= total:
            self.erase()
        elif total >= 200 or self._shown:  # a bar that flashes by is noise
            self._shown = True
            full = self._WIDTH * done // total
            bar = "#" * full + "-" * (self._WIDTH - full)
            _write(sys.stderr, f"\r{self.what} [{bar}] {done:,}/{total:,}")
            sys.stderr.flush()

    def erase(self) -> None:
        """Take the bar from its line, if it is shown."""
        if self._shown:
            _write(sys.stderr, "\r\x1b[K")
            sys.stderr.flush()
        self._shown = False


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


def _write(stream: Any, text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def prepare_streams() -> None:
    """Pipes carry UTF-8 in every locale; terminals keep theirs, and show what
    they have no letter for by its number.

    Python has None for a stream that was closed before it started (`>&-`).
    """
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 for good
    if os.name == "nt" or not (sys.stdout.encoding or "").lower().startswith("utf"):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.isatty():
                stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


# --- text as a terminal may have it ---------------------------------------------------

# C0 and C1 controls save newline and tab, and what turns text around: a memory must
# not move a cursor, set a title or show one thing while saying another.
_CONTROLS = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if code not in (0x09, 0x0A)
} | {
    code: f"\\u{code:04x}"
    for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
# What JSON may hold as it is, and writes by its number all the same.
_BY_NUMBER = {code: f"\\u{code:04x}" for code in _CONTROLS if code >= 0x7F}
# Tags, letters that nobody sees.
_CONTROLS |= {code: f"\\U{code:08x}" for code in range(0xE0020, 0xE0080)}


def safe(text: str) -> str:
    """The text with everything a terminal would obey made visible."""
    return text.translate(_CONTROLS)


def as_json(value: Any) -> str:
    """JSON in one line, which means the same and holds nothing a terminal would obey.

    So `safe` changes nothing in it: its `\\x9b` is no escape of JSON.
    """
    import json

    text = json.dumps(encoded(value), ensure_ascii=False)
    if text.isascii() and "\x7f" not in text:
        return text
    # Looking for them first spares most of the time, 40 ms for a million letters.
    found = re.search(f"[{''.join(map(chr, _BY_NUMBER))}]", text)
    return text.translate(_BY_NUMBER) if found else text
