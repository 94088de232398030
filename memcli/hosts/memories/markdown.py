"""A page of markdown as the parts that can be read by themselves.

Invariant: pure. A heading inside a fence is text, and so is a bullet.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN = "<!-- memcli:begin"
END = "<!-- memcli:end"
"""What `export --format agents-md` puts around its block: it is the vault's own."""


class Section(NamedTuple):
    """What stands below one heading.

    Attributes:
        line: of the heading, from 1.
        headings: from the page's title down to its own; none above the first.
        text: what stands below it, up to the next heading; never empty.
    """

    line: int
    headings: tuple[str, ...]
    text: str

    @property
    def title(self) -> str:
        """Its headings in one line, without the page's own title where it has one."""
        return " / ".join(self.headings[1:] or self.headings)


def sections(body: str, first: int = 1) -> Iterator[Section]:
    """The sections of a page that say something.

    Args:
        body: the page without its frontmatter.
        first: the line at which it begins in its file.
    """
    path: list[tuple[int, str]] = []
    start, lines = first, list[str]()
    for number, line, level in _lines(body):
        if not level:
            lines.append(line)
            continue
        yield from _section(start, path, lines)
        title = " ".join(line.strip().strip("#").split())
        path = [*(part for part in path if part[0] < level), (level, title)]
        start, lines = first + number, []
    yield from _section(start, path, lines)


def _section(
    start: int, path: list[tuple[int, str]], lines: list[str]
) -> Iterator[Section]:
    text = "\n".join(lines).strip("\n")
    # A line `@docs/style.md` brings in another file, and says nothing itself.
    said = (line for line in text.split("\n") if not line.startswith("@"))
    if any(letter.isalnum() for line in said for letter in line):
        headings = tuple(title for _, title in path if title)
        yield Section(start, headings, text)


def bullets(text: str, first: int) -> Iterator[tuple[int, str]]:
    """(line, text) of each bullet at the margin, with the lines that belong to it."""
    start, lines = first, list[str]()
    for number, line in enumerate(text.split("\n"), first):
        if line.startswith(("- ", "* ")):
            if lines:
                yield start, "\n".join(lines)
            start, lines = number, [line[2:].strip()]
        elif lines and line.startswith("  "):
            lines.append(line.strip())
        elif line.strip() and lines:
            yield start, "\n".join(lines)
            lines = []
    if lines:
        yield start, "\n".join(lines)


def _lines(body: str) -> Iterator[tuple[int, str, int]]:
    """(number from 0, line, level of its heading or 0), without comments."""
    fence, comment = "", ""
    for number, line in enumerate(body.split("\n")):
        text = line.strip()
        if comment:
            comment = "" if comment in text else comment
            continue
        if fence:
            fence = "" if text.strip(fence[0]) == "" and text >= fence else fence
            yield number, line, 0
            continue
        if text.startswith(BEGIN):
            comment = END
            continue
        if text.startswith("<!--"):
            comment = "" if "-->" in text else "-->"
            continue
        if text.startswith(("```", "~~~")):
            fence = text[:3]
        hashes = len(line) - len(line.lstrip("#"))
        heading = 0 < hashes <= 6 and line[hashes : hashes + 1] in (" ", "\t")
        yield number, line, hashes if heading else 0
