"""Whether what a tool is about to do touches what a lesson names.

Invariant: pure, and linear in what the tool does. A trigger's text is compared
literally: an entry cannot bring a regular expression, and a path only `*`. Comments,
prose files and the messages of commits are not code, so a lesson's word in them does
not count. `entries/text/code_terms` says which triggers an entry has.
"""

from __future__ import annotations

import re
import shlex
from fnmatch import fnmatchcase
from functools import cached_property
from posixpath import normpath

from memcli.entries.text.code_terms import COMMAND, KEYWORDS, NAME, PATH, SQL, Trigger
from memcli.search.trigger_table import SCRIPTS, is_prose

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_HASH_COMMENTS = frozenset(
    "bash cfg conf dockerfile ex exs gemfile justfile makefile nix pl py pyi r rb ps1 "
    "sh tf toml yaml yml zsh".split()
)
_DASH_COMMENTS = frozenset("elm hs lua sql".split())
_WRAPPERS = frozenset("command env exec nice nohup npx sudo time uvx xargs".split())
_SETS = re.compile(r"[A-Za-z_]\w*=.*")
_PACKAGERS = frozenset(
    "bun bundle cargo composer conda gem go npm pdm pip pip3 pipenv pnpm poetry uv "
    "yarn".split()
)
_CHANGERS = frozenset(
    "cp dd install ln mv rm rmdir shred tee touch truncate unlink".split()
)
# Characters of command lines, and of one command; wrappers of one command.
_LONGEST, _LONGEST_PART, _WRAPPED = 50_000, 2_000, 8
_INSTALLS = frozenset("add get i install require".split())
_BEFORE_COMMAND = r"(?m)^[ \t]*(?:- )?(?:run:|RUN)[ \t]+|^[ \t@-]+"
_SHORT = {"--force": "-f", "--recursive": "-r", "--all": "-a"}


class Action:
    """The action of a tool, read once for all the triggers that are tried on it.

    Attributes:
        path: of the file that changes, relative to the session's folder where it lies
            below it; empty for a command.
        text: the new text of the file.
        command: a command line.
        kind: of the file, by its ending.
    """

    def __init__(self, path: str = "", text: str = "", command: str = "") -> None:
        self.path, self.text, self.command = path.replace("\\", "/"), text, command
        self.kind = re.split(r"[/.]", self.path.lower())[-1]

    @cached_property
    def code(self) -> str:
        """The new text without its comments; of a command, without its messages."""
        if self.command:
            return _without_messages(self.command)
        return "" if is_prose(self.path) else without_comments(self.text, self.kind)

    @cached_property
    def lower(self) -> str:
        """The code in lower case."""
        return self.code.lower()

    @cached_property
    def commands(self) -> list[list[str]]:
        """The words of each simple command that would run."""
        lines = self.command
        is_pipeline = self.kind in ("yml", "yaml") and self.path.startswith(".")
        if self.kind in SCRIPTS or is_pipeline:
            lines = re.sub(_BEFORE_COMMAND, "", self.code)
        return list(simple_commands(lines))

    @cached_property
    def changed(self) -> list[str]:
        """The paths that are about to change."""
        if self.path:
            return [self.path]
        found = re.findall(r">{1,2}\s*([\w./~-]+)", self.command)
        for name, *words in self.commands:
            in_place = name in ("sed", "perl") and any(w[:2] == "-i" for w in words)
            in_git = name == "git" and words[:1] in (["rm"], ["mv"], ["restore"])
            if name in _CHANGERS or in_place or in_git:
                found += words
        return found


def fires(trigger: Trigger, action: Action) -> bool:
    """Whether an action touches what a trigger names."""
    form, text = trigger
    if form == PATH:
        return any(is_at(path, text) for path in action.changed)
    if form == COMMAND:
        wanted = text.split()
        return any(_runs(words, wanted) for words in action.commands)
    return _name(text, action) if form == NAME else _word(text, action)


def fired(
    triggers: Iterable[Trigger], spared: Iterable[str], action: Action
) -> Trigger | None:
    """The first trigger that fires; None where the lesson does not apply."""
    if is_spared(spared, (action,)):
        return None
    return next((each for each in triggers if fires(each, action)), None)


def is_spared(spared: Iterable[str], actions: Iterable[Action]) -> bool:
    """Whether an action changes a file for which a lesson does not hold."""
    return any(is_at(one.path, each) for each in spared for one in actions)


# --- names and plain words ------------------------------------------------------------


def _name(text: str, action: Action) -> bool:
    """Whether code has a name: whole, or by its last part after an import."""
    bare = text.removesuffix("()")
    pieces = re.split(r"::|\.", bare)
    # To compile a pattern takes .1 ms, and a large vault has thousands of names.
    if (pieces[-1] or bare).split()[-1].lower() not in action.lower:
        return False
    before = r"(?<!\w)" if re.match(r"\w", bare) else ""
    # Go has `log.Fatalf` beside `log.Fatal`.
    ends = re.search(r"\w$", bare)
    after = r"(?:f|ln)?" if len(pieces) > 1 and ends else ""
    after += r"\s?\(" if bare != text else r"(?!\w)" if ends else ""
    joined = r"\s{1,40}".join(map(re.escape, bare.split()))
    flags = re.IGNORECASE if bare.split()[0] in SQL else 0
    if re.search(before + joined + after, action.code, flags):
        return True
    *above, last = map(re.escape, pieces)
    if not all(above) or not above or " " in bare:
        return False
    module = r"\.".join(above)
    tail = rf"^[ \t]*from[ \t]+{module}\s+import\s+[^\n]*\b{last}\b"
    if action.kind not in ("py", "pyi"):
        tail = rf"(?<![\w.:]){above[-1]}(?:::|\.){last}(?!\w)"
    return re.search(tail, action.code, re.MULTILINE) is not None


# Where code has a name: a package in quotes or of an import, a call, an attribute, a
# type. `WORD` stands for the name.
_NAMED = (
    r"(['\"])WORD\1",
    r"WORD(?:(?:\.|::|->)\w|\(|!\s?[({\[])",
    r"^[ \t]*(?:import|from|use|using|require|include|#\s*include)\b[^\n]*WORD",
    r"(?:->|\bas|\w\s?\??:|[\[<|&,])\s?WORD\s*(?:[,)\]>|&;={\[?]|$)",
)
# Where a statement or an expression has a keyword.
_KEYWORD = (
    r"^[ \t]*(?:(?:export|public|private|protected|static|async|const|return|await|"
    r"throw|default|final)[ \t]+)*WORD(?:\s+\w[^\n]*[;{}()=<>]|\s*[\[(<{])",
    r"^[^\n'\"]*[=(,;{&|?:!]\s*(?:return\s+)?WORD(?:\s+\w|\s*[\[(<{])",
)


def _word(word: str, action: Action) -> bool:
    """Whether a word stands where code has a name."""
    if action.command:
        return any(_is_about(words, word) for words in action.commands)
    if word not in action.code:
        return False
    places = [*_NAMED]
    if word in KEYWORDS:  # in quotes it is a text
        places[0:1] = _KEYWORD
    if action.kind == "sql":
        places.append(r"WORD\s*(?:[;,)]|NOT\b|DEFAULT\b|$)")
    if action.kind == "txt":  # requirements.txt
        places.append(r"^[ \t]*WORD")
    bare = rf"(?<![\w-]){re.escape(word)}(?![\w-])"
    return any(
        re.search(each.replace("WORD", bare), action.code, re.MULTILINE)
        for each in places
    )


def _is_about(words: list[str], word: str) -> bool:
    """Whether a command runs a program of that name, or installs a package."""
    if words[0] in _PACKAGERS and not _INSTALLS.isdisjoint(words[1:3]):
        return any(re.split(r"[@=<>~!\[]", each)[0] == word for each in words[2:])
    return words[0] == word


# --- commands ---------------------------------------------------------------------


def _runs(words: list[str], wanted: list[str]) -> bool:
    """Whether a simple command has the wanted words in their order."""
    if wanted[0].startswith("-"):
        return any(_is_argument(each, wanted[0]) for each in words)
    if wanted[0] not in ("*", words[0]):
        return False
    rest = iter(words[1:])
    return all(any(_is_argument(each, want) for each in rest) for want in wanted[1:])


def _is_argument(word: str, wanted: str) -> bool:
    if wanted == "*":
        return not word.startswith("-")
    if wanted.startswith("-"):
        return word.partition("=")[0] == wanted or word == _SHORT.get(wanted)
    # `git push origin HEAD:main` pushes to main.
    return word.rpartition(":")[2] == wanted


def simple_commands(line: str) -> Iterator[list[str]]:
    """The words of each simple command, without what wraps it; none is empty."""
    line = line.replace("\\\n", " ")
    for part in re.split(r"&&|\|\||[;|&\n]|\$\(|`", line[:_LONGEST]):
        try:
            # `shlex` adds letter by letter to a word: long ones take it too long.
            words = shlex.split(part[:_LONGEST_PART], comments=True)
        except ValueError:
            words = part.split()
        for _ in range(_WRAPPED):
            # What a wrapper runs is a command as well.
            while words and (words[0].startswith("-") or _SETS.fullmatch(words[0])):
                del words[0]
            if not words:
                break
            words[0] = words[0].rpartition("/")[2] or words[0]
            yield [*words]
            is_run = words[1:2] in (["run"], ["exec"], ["dlx"], ["-m"])
            if words[0] not in _WRAPPERS and not is_run:
                break
            del words[: 1 + is_run]


def _without_messages(command: str) -> str:
    """A command line without the texts that git and gh are given to write down."""
    if not re.search(r"\b(?:git|gh|hg|jj)\b", command):
        return command
    quoted = r"(?:\"[^\"]*\"|'[^']*'|\S+)"
    options = r"-a?m|--message|--title|--body|-b|-t"
    return re.sub(rf"(?<=\s)(?:{options})(?:\s+|=){quoted}", " ", command)


# --- comments ---------------------------------------------------------------------


def without_comments(text: str, kind: str) -> str:
    """A text without its comments, which most kinds of files have as C has them."""
    if kind in _HASH_COMMENTS:
        return re.sub(r"(?m)(?:^|(?<=\s))#(?![{\[!]).*$", "", text)
    if kind in _DASH_COMMENTS:
        return re.sub(r"(?m)--.*$", "", text)
    if kind in ("json", "txt", "xml", "html", "csproj", "gitignore", "dockerignore"):
        return text
    # What stands between `/*` and `*/`; one without an end goes on.
    parts = text.split("/*")
    text = " ".join((parts[0], *(part.partition("*/")[2] for part in parts[1:])))
    return re.sub(r"(?m)(?:^|(?<=[\s;{}(),]))//.*$|^[ \t]*\*\s.*$", "", text)


def is_at(path: str, pattern: str) -> bool:
    """Whether a path lies at or below a pattern, which may begin at any folder.

    Capitals count for nothing: a sentence may begin with a file. A pattern has `*` for
    a part of one name and `**` for any number of names.

    >>> is_at("shop/proto/order.proto", "proto/*.proto")
    True
    """
    names = _names(path.lower())
    wanted = pattern.lower().removeprefix("./")
    blocks = [_names(each) for each in re.split(r"/\*\*(?=/|$)", f"/{wanted}")]
    if len(names) > 64 or len(blocks) > 12 or not any(blocks):
        return False
    if "/" not in wanted:
        # The name of a file; `*test*` stands for a folder of tests as well.
        return any(
            _is_like(n, wanted) for n in names[-1 if wanted[:5] != "*test" else 0 :]
        )
    # The first place of each block is as good as any.
    at, last = 0, 0 if wanted.startswith("/") else len(names)
    for block in blocks:
        places = (
            n + len(block)
            for n in range(at, min(last, len(names) - len(block)) + 1)
            if all(map(_is_like, names[n:], block))
        )
        at, last = next(places, -1), len(names)
        if at < 0:
            return False
    return True


def _names(path: str) -> list[str]:
    """The names of a path, without `.` and what `..` takes back."""
    return [*filter(None, normpath(f"/{path}").split("/"))]


def _is_like(name: str, pattern: str) -> bool:
    """Whether a name is like a pattern with `*`."""
    # No other sign means anything; what `fnmatch` makes of a `*` never goes back.
    return fnmatchcase(name, re.sub(r"[\[?]", r"[\g<0>]", pattern))
