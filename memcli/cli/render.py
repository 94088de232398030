"""The only module that prints.

Invariant: stdout is data, stderr is talk. With `--json` stdout holds exactly one
JSON document (or one a line for batches), on success and on failure. Text from a
memory is data: what a terminal would obey in it is shown as what it is.
"""

from __future__ import annotations

import os
import sys

from memcli.cli.safe_text import as_json, safe
from memcli.errors import MemcliError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.cli.context import Result

OUTPUT_VERSION = 1

_BUG_HINT = "Set MEMCLI_DEBUG=1 for the traceback, and report it, please."


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
        self._bar: _Bar | None = None

    def success(self, result: Result) -> int:
        """Print a result; returns the exit code."""
        self._erase()
        for number, part in enumerate(result.lines or (result,)):
            warnings = [self._typed(each) for each in part.warnings]
            if self._json:
                self._document(part.data, warnings, None, ok=part.ok)
                continue
            named = f"{part.label}: " if part.label else ""
            for warning in warnings:  # of one line; a file's name may have several
                self.tell(f"warning: {named}{' '.join(warning.splitlines())}")
            canvas = self._canvas()
            if part.label:
                if number:
                    canvas.line()
                canvas.line(part.label, style="title")
                canvas.line()
            part.text(canvas)
        sys.stdout.flush()
        return 0 if result.ok and result.found else 1

    def _canvas(self) -> _Terminal | _Pipe:
        if _is_terminal(sys.stdout):
            return _Terminal(typed=self._typed)
        return _Pipe(header=self._header, typed=self._typed)

    def failure(self, error: MemcliError) -> int:
        """Print a failure; returns its exit code."""
        hint = error.hint
        if hint is None and self._command and error.exit_code == 2:
            hint = f"See: memcli {self._command} --help"
        elif hint and error.error_code not in _NO_VAULT:
            hint = self._typed(hint)
        if self._json:
            problem: dict[str, Any] = {
                "code": error.error_code,
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
        import re
        from shlex import quote

        from memcli.cli.commands import COMMANDS

        named = "|".join(sorted(COMMANDS.keys() - _OF_NO_VAULT))
        vault = f"memcli --vault {quote(self._asked)} "
        return re.sub(rf"\bmemcli (?=(?:{named})\b)", lambda _: vault, text)

    def bug(self, error: Exception, *, debug: bool) -> int:
        """Print a failure that is memcli's own; returns its exit code."""
        if debug:
            import traceback

            traceback.print_exception(error)

        class Bug(MemcliError):
            code = "bug"
            exit_code = 70

        message = f"a bug in memcli: {type(error).__name__}: {error}"
        return self.failure(Bug(message, hint=_BUG_HINT))

    def tell(self, text: str) -> None:
        """Say something to the person who waits, on stderr."""
        self._erase()
        if sys.stderr is not None:
            _write(sys.stderr, _fitted(text) + "\n")

    def ask(self, question: str) -> str | None:
        """Put a question to the person; the line that was typed, None at the end."""
        self._erase()
        sys.stdout.flush()
        if sys.stderr is not None:
            _write(sys.stderr, _fitted(question.rstrip()) + " ")
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
        self._erase()
        self._bar = _Bar(what)
        return self._bar

    def _erase(self) -> None:
        """Take away a bar that stopped before its end."""
        if self._bar is not None:
            self._bar.erase()

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
_NO_VAULT = ("vault_not_found", "not_a_vault", "invalid_config")
_STYLES = {"title": "bold", "dim": "dim", "bad": "red", "good": "green"}
_STYLES["nothing"] = _STYLES["hint"] = _STYLES["dim"]
# Sentences, whose commands go to the vault that was asked.
_SAID = ("nothing", "hint")


class _Pipe:
    """Plain text; `header` names the columns of a table in its first line."""

    terminal = False

    def __init__(
        self, *, header: bool = False, typed: Callable[[str], str] = str
    ) -> None:
        self._header = header
        self._typed = typed

    def line(self, text: str = "", *, style: str = "") -> None:
        # On a pipe a sentence is no row: `memcli list | cut -f 1` gives ids or nothing.
        stream = sys.stderr if style == "nothing" else sys.stdout
        text = self._typed(text) if style in _SAID else text
        if stream is not None:
            _write(stream, safe(text) + "\n")

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        for row in [header, *rows] if self._header else rows:
            cells = (" ".join(cell.split()) for cell in row)
            self.line("\t".join(cells))


class _Terminal:
    """Colour and aligned columns, by rich.

    What a person may copy is never broken: the terminal itself wraps long lines, so
    a path or a command that is copied from there is still one line.
    """

    terminal = True

    def __init__(self, *, typed: Callable[[str], str] = str) -> None:
        from rich.console import Console

        self._typed = typed
        # rich obeys NO_COLOR and TERM=dumb.
        self._console = Console(highlight=False)

    def line(self, text: str = "", *, style: str = "") -> None:
        from rich.segment import Segment, Segments

        text = self._typed(text) if style in _SAID else text
        # Not as rich's Text, which breaks lines and makes spaces of tabs.
        style = _STYLES.get(style, "none")
        segment = Segment(safe(text), self._console.get_style(style))
        self._console.print(Segments([segment, Segment.line()]), soft_wrap=True)

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        from rich.cells import cell_len

        from memcli.cli.safe_text import broken

        # On a pipe the columns stay where they are; here an empty one tells nothing.
        full = [n for n in range(len(header)) if any(row[n] for row in rows)]
        header = tuple(header[n] for n in full)
        cells = [[safe(row[n]).split("\n") for n in full] for row in rows]
        whole = [name in _WHOLE for name in header]
        if any(header):
            cells.insert(0, [[name] for name in header])
        beside, below = _divided(cells, whole, self._console.width)
        kept = [[row[n] for n in beside] for row in cells]
        widths = _widths(kept, [whole[n] for n in beside], self._console.width)
        for number, row in enumerate(kept):
            style = "dim" if not number and any(header) else ""
            parts_of = [
                [part for line in cell for part in broken(line, width, cell_len)]
                for cell, width in zip(row, widths, strict=True)
            ]
            for place in range(max(map(len, parts_of))):
                parts = [cell[place] if place < len(cell) else "" for cell in parts_of]
                padded = (
                    part + " " * (width - cell_len(part))
                    for part, width in zip(parts, widths, strict=True)
                )
                self.line(_GAP.join(padded).rstrip(), style=style)
            if number or not any(header):
                for text in (line for n in below for line in cells[number][n] if line):
                    self.line(_GAP + text, style="dim")


_GAP = "  "
# Columns whose cells are not broken at spaces either.
_WHOLE = ("path",)
# Terminals that are narrower, or say 0, break lines as they do.
_READABLE = 20
# A table of fewer columns keeps them, even where its rows are wider than the screen.
_COLUMNS = 5
# Below this a column of prose is unreadable.
_NARROWEST = 16


def _divided(
    cells: list[list[list[str]]], whole: list[bool], most: int
) -> tuple[list[int], list[int]]:
    """The columns that fit beside each other, and those that have lines of their own.

    What a person may copy is not broken, so a path that is too wide stands below its
    row, and so does one that takes a third of the screen where prose is broken for it.
    Where nothing else helps the last column does. The first column stays.
    """
    widths = [_wanted(cells, n, stays) for n, stays in enumerate(whole)]
    beside, below = list(range(len(whole))), []
    while len(beside) > 1 and _together([widths[n][0] for n in beside]) > most:
        widest = max(beside[1:], key=lambda n: widths[n][1])
        fits = _together([widths[n][1] for n in beside]) <= most
        if widths[widest][1] <= (most // 3 if fits else _NARROWEST):
            if fits or len(beside) < _COLUMNS:
                break
            widest = beside[-1]
        beside.remove(widest)
        below.append(widest)
    return beside, sorted(below)


def _together(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _widths(cells: list[list[list[str]]], whole: list[bool], most: int) -> list[int]:
    """The widths of a table's columns, together at most `most` if words allow that."""
    pairs = [_wanted(cells, n, stays) for n, stays in enumerate(whole)]
    wanted, least = ([pair[place] for pair in pairs] for place in (0, 1))
    excess = _together(wanted) - most
    while excess > 0 and wanted != least:
        # The widest column gives, until it is as wide as the next that can give.
        able = [n for n, width in enumerate(wanted) if width > least[n]]
        wanted[max(able, key=lambda n: wanted[n])] -= 1
        excess -= 1
    return wanted


def _wanted(cells: list[list[list[str]]], number: int, stays: bool) -> tuple[int, int]:
    """The width of a column's widest line, and the least that breaks no word."""
    from rich.cells import cell_len

    from memcli.cli.safe_text import words as words_of

    lines = [line for row in cells for line in row[number]]
    words = (
        lines
        if stays
        else [word for line in lines for word, _ in words_of(line, cell_len)]
    )
    widest = max(map(cell_len, lines), default=0)
    word = max(map(cell_len, words), default=0)
    return widest, max(word, min(widest, _NARROWEST))


class _Bar:
    """One line on stderr that counts; erased when done."""

    _WIDTH = 30

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        # A bar that flashes by is noise.
        if total < 200 and not self._shown:
            return
        if done >= total:
            self.erase()
            return
        self._shown = True
        full = self._WIDTH * done // total
        bar = "#" * full + "-" * (self._WIDTH - full)
        _write(sys.stderr, f"\r{self._what} [{bar}] {done:,}/{total:,}")
        sys.stderr.flush()

    def erase(self) -> None:
        """Take the bar from its line, if it is shown."""
        if self._shown:
            _write(sys.stderr, "\r\x1b[K")
            sys.stderr.flush()
        self._shown = False


def _fitted(text: str) -> str:
    """Safe talk, in lines that fit the terminal where stderr is one."""
    text = safe(text)
    if not _is_terminal(sys.stderr):
        return text
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):  # a stream of a test, or no terminal after all
        return text
    longest = max(map(len, text.split("\n")))
    # Twice as wide as ASCII at most: what is surely short loads nothing.
    if width < _READABLE or longest * (1 if text.isascii() else 2) <= width:
        return text
    from rich.cells import cell_len

    from memcli.cli.safe_text import talk

    return talk(text, width, cell_len)


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
            elif stream is not None:  # rich writes to it without asking
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
