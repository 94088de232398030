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

from memcli.entries.text.code_terms import COMMAND, NAME, PATH, WORD, Trigger
from memcli.entries.text.identifiers import KEYWORDS, SQL
from memcli.named_tuple import NamedTuple
from memcli.search.trigger_table import SCRIPTS, is_prose

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_HASH_COMMENTS = frozenset(
    """
    bash cfg conf dockerfile ex exs gemfile justfile makefile nix pl py pyi r rb ps1 sh
    tf toml yaml yml zsh
    """.split()
)
_SLASH_COMMENTS = frozenset(
    """
    c cc cpp cs css cxx dart go gradle groovy h hpp java js jsx kt kts less mjs php
    proto rs sass scala scss swift ts tsx vue zig
    """.split()
)
_DASH_COMMENTS = frozenset("elm hs lua sql".split())
_WRAPPERS = frozenset("command env exec nice nohup sudo time xargs".split())
_RUNNERS = frozenset("bundle hatch npx pdm pipenv pnpm poetry uv uvx yarn".split())
_PACKAGERS = frozenset(
    """
    bun bundle cargo composer conda gem go npm pdm pip pip3 pipenv pnpm poetry uv yarn
    """.split()
)
_CHANGERS = frozenset(
    "cp dd install ln mv rm rmdir shred tee touch truncate unlink".split()
)
# Characters of command lines, and of one command; wrappers of one command.
_LONGEST, _LONGEST_PART, _WRAPPED = 50_000, 2_000, 8
_SHORT = {"--force": "-f", "--recursive": "-r", "--all": "-a"}


class Action(NamedTuple):
    """The action of a tool: `path` and new `text` of a file, or a command line.

    A path is relative to the session's folder where it lies below it.
    """

    path: str = ""
    text: str = ""
    command: str = ""


class Looked:
    """An action, read once for all the triggers that are tried on it."""

    def __init__(self, action: Action) -> None:
        self.path = action.path.replace("\\", "/")
        self.action = action
        name = self.path.rpartition("/")[2].lower()
        _, dot, ending = name.rpartition(".")
        self.kind = ending if dot else name.partition(".")[0]
        if name.startswith("dockerfile"):
            self.kind = "dockerfile"
        self.is_prose = is_prose(self.path)

    @cached_property
    def code(self) -> str:
        """The new text without its comments; of a command, without its messages."""
        if self.action.command:
            return _without_messages(self.action.command)
        if self.is_prose:
            return ""
        return without_comments(self.action.text, self.kind)

    @cached_property
    def lower(self) -> str:
        """The code in lower case."""
        return self.code.lower()

    @cached_property
    def commands(self) -> list[list[str]]:
        """The words of each simple command that would run."""
        if self.action.command:
            return list(simple_commands(self.action.command))
        is_pipeline = self.kind in ("yml", "yaml") and "." in self.path[:1]
        if self.kind not in SCRIPTS and not is_pipeline:
            return []
        start = r"(?m)^[ \t]*(?:- )?(?:run:|RUN)[ \t]+|^[ \t@-]+"
        lines = re.sub(start, "", self.code)
        return list(simple_commands(lines))

    @cached_property
    def changed(self) -> list[str]:
        """The paths that are about to change."""
        if self.path:
            return [self.path]
        found = []
        for words in self.commands:
            name = words[0].rpartition("/")[2]
            in_place = name in ("sed", "perl") and any(w[:2] == "-i" for w in words)
            in_git = name == "git" and words[1:2] in (["rm"], ["mv"], ["restore"])
            if name in _CHANGERS or in_place or in_git:
                found += [w for w in words[1:] if not w.startswith("-")]
        found += re.findall(r">{1,2}\s*([\w./~-]+)", self.action.command)
        return [each.removeprefix("./") for each in found]


def fires(trigger: Trigger, looked: Looked) -> bool:
    """Whether an action touches what a trigger names."""
    if trigger.form == PATH:
        return any(is_at(path, trigger.text) for path in looked.changed)
    if trigger.form == COMMAND:
        wanted = trigger.text.split()
        return any(_runs(words, wanted) for words in looked.commands)
    if trigger.form == NAME:
        return _name(trigger.text, looked)
    return trigger.form == WORD and _word(trigger.text, looked)


def fired(
    triggers: Iterable[Trigger], spared: Iterable[str], looked: Looked
) -> Trigger | None:
    """The first trigger that fires; None where the lesson does not apply."""
    if is_spared(spared, (looked,)):
        return None
    return next((each for each in triggers if fires(each, looked)), None)


def is_spared(spared: Iterable[str], looked: Iterable[Looked]) -> bool:
    """Whether an action changes a file for which a lesson does not hold."""
    return any(one.path and is_at(one.path, each) for each in spared for one in looked)


# --- names ------------------------------------------------------------------------


def _name(text: str, looked: Looked) -> bool:
    bare = text.removesuffix("()")
    called = bare != text
    parts = bare.split()
    # To compile a pattern takes .1 ms, and a large vault has thousands of names.
    last = re.split(r"::|\.", parts[-1])[-1] or parts[-1]
    if last.lower() not in looked.lower:
        return False
    joined = r"\s{1,40}".join(map(re.escape, parts))
    before = r"(?<!\w)" if bare[0].isalnum() or bare[0] == "_" else ""
    if bare[0] in ".:@" and len(bare) > 1 and looked.kind not in ("",):
        before = r"(?<![.:@])"
    # Go has `log.Fatalf` beside `log.Fatal`.
    family = "(?:f|ln)?" if "." in bare and bare[-1].isalnum() else ""
    after = r"\s?\(" if called else (r"(?!\w)" if bare[-1].isalnum() else "")
    if bare[-1] == "_":
        after = r"(?!\w)"
    sql = parts[0] in SQL
    if re.search(before + joined + family + after, looked.code, re.I if sql else 0):
        return True
    pieces = re.split(r"::|\.", bare)
    if len(pieces) < 2 or not all(pieces) or len(parts) > 1:
        return False
    return _imported(pieces, looked)


def _imported(pieces: list[str], looked: Looked) -> bool:
    """Whether code uses a long name by its last parts, after an import."""
    *above, last = pieces
    if looked.kind in ("py", "pyi"):
        module = re.escape(".".join(above))
        found = re.search(
            rf"(?m)^[ \t]*from[ \t]+{module}\s+import\s+[^\n]*\b{re.escape(last)}\b",
            looked.code,
        )
        return found is not None
    if len(pieces) < 3:
        return False
    tail = rf"(?<![\w.:]){re.escape(pieces[-2])}(?:::|\.){re.escape(last)}(?!\w)"
    return re.search(tail, looked.code) is not None


# --- plain words ------------------------------------------------------------------


def _word(word: str, looked: Looked) -> bool:
    """Whether a word stands where code has a name."""
    if looked.action.command:
        return any(_is_about(words, word) for words in looked.commands)
    code = looked.code
    if word not in code:
        return False
    keyword = word in KEYWORDS
    for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", code):
        before = code[max(0, match.start() - 80) : match.start()]
        line = before.rpartition("\n")[2]
        after = code[match.end() : match.end() + 40].partition("\n")[0]
        quoted = line[-1:] in ("'", '"') and after[:1] == line[-1:]
        if quoted:  # a package; a keyword in quotes is a text
            if not keyword:
                return True
        elif _is_name(line, after) or (keyword and _is_keyword(line, after)):
            return True
        if looked.kind == "sql" and re.match(r"\s*(?:[;,)]|NOT\b|DEFAULT\b|$)", after):
            return True
        if looked.kind == "txt" and not line.strip():  # requirements.txt
            return True
    return False


def _is_name(line: str, after: str) -> bool:
    if re.match(r"(?:\.|::|->)\w|\s?\(|!\s?[({\[]", after):
        # A sentence in a string: "after many requests (or one)".
        return after[:2] != " (" or not re.search(r"\w\s$", line)
    if re.match(r"\s*(?:import|from|use|using|require|include|#\s*include)\b", line):
        return True
    # A type: `x: float`, `-> float`, `as any`, `list[float]`.
    if re.search(r"(?:->|\bas)\s*$|\w\s?\??:\s?$|[\[<|&]\s?$|(?:, )$", line):
        return bool(re.match(r"\s*(?:[,)\]>|&;={\[:?]|$)", after)) and (
            not re.search(r"\w\s?\??:\s?$", line) or not after.startswith(":")
        )
    return False


def _is_keyword(line: str, after: str) -> bool:
    """Whether a keyword stands where a statement or an expression has one."""
    code = re.search(r"[;{}()=<>]", line + after)
    starts = re.fullmatch(
        r"\s*(?:(?:export|public|private|protected|static|async|const|return|await|"
        r"throw|default|final)\s+)*|.*[=(,;{&|?:!]\s*(?:return\s+)?",
        line,
    )
    quoted = line.count('"') % 2 or line.count("'") % 2
    return bool(code and starts and not quoted and re.match(r"\s+\w|\s*[\[(<{]", after))


def _is_about(words: list[str], word: str) -> bool:
    """Whether a command runs a program of that name, or installs a package."""
    if words[0] == word:
        return True
    if words[0] in _PACKAGERS and {"add", "get", "i", "install", "require"} & set(
        words[1:3]
    ):
        return any(re.split(r"[@=<>~!\[]", each)[0] == word for each in words[2:])
    return False


# --- commands ---------------------------------------------------------------------


def _runs(words: list[str], wanted: list[str]) -> bool:
    """Whether a simple command has the wanted words in their order."""
    if wanted[0].startswith("-"):
        return any(_is_option(each, wanted[0]) for each in words)
    if wanted[0] not in ("*", words[0]):
        return False
    rest = iter(words[1:])
    return all(any(_is_option(each, want) for each in rest) for want in wanted[1:])


def _is_option(word: str, wanted: str) -> bool:
    if wanted == "*":
        return not word.startswith("-")
    if not wanted.startswith("-"):
        # `git push origin HEAD:main` pushes to main.
        return word.rpartition(":")[2] == wanted
    return word.partition("=")[0] == wanted or word == _SHORT.get(wanted)


def simple_commands(line: str) -> Iterator[list[str]]:
    """The words of each simple command, without what wraps it; none is empty."""
    line = line.replace("\\\n", " ")
    for part in re.split(r"&&|\|\||[;|&\n]|\$\(|`", line[:_LONGEST]):
        try:
            # `shlex` adds letter by letter to a word: long ones take it too long.
            words = shlex.split(part[:_LONGEST_PART], comments=True)
        except ValueError:
            words = part.split()
        for _ in range(_WRAPPED if words else 0):
            if not words:
                break
            words[0] = words[0].rpartition("/")[2] or words[0]
            yield words
            # What a wrapper runs is a command as well.
            if re.fullmatch(r"[A-Za-z_]\w*=.*", words[0]) or words[0] in _WRAPPERS:
                words = [*words[1:]]
                while words and words[0].startswith("-"):
                    words = words[1:]
            elif words[0] in _RUNNERS and words[1:2] in (["run"], ["exec"], ["dlx"]):
                words = words[2:]
            elif words[0] == "npx":
                words = words[1:]
            elif words[0].startswith("python") and words[1:2] == ["-m"]:
                words = words[2:]
            else:
                break


def _without_messages(command: str) -> str:
    """A command line without the texts that git and gh are given to write down."""
    if not re.search(r"\b(?:git|gh|hg|jj)\b", command):
        return command
    quoted = r"(?:\"[^\"]*\"|'[^']*'|\S+)"
    options = r"-a?m|--message|--title|--body|-b|-t"
    return re.sub(rf"(?<=\s)(?:{options})(?:\s+|=){quoted}", " ", command)


# --- comments ---------------------------------------------------------------------


def without_comments(text: str, kind: str) -> str:
    """A text without its comments, as far as its kind of file has any."""
    if kind in _SLASH_COMMENTS:
        text = _without_blocks(text)
        return re.sub(r"(?m)(?:^|(?<=[\s;{}(),]))//.*$|^[ \t]*\*\s.*$", "", text)
    if kind in _HASH_COMMENTS:
        return re.sub(r"(?m)(?:^|(?<=\s))#(?![{\[!]).*$", "", text)
    if kind in _DASH_COMMENTS:
        return re.sub(r"(?m)--.*$", "", text)
    return text


def _without_blocks(text: str) -> str:
    """A text without what stands between `/*` and `*/`; one without an end goes on."""
    parts = text.split("/*")
    return " ".join((parts[0], *(part.partition("*/")[2] for part in parts[1:])))


def is_at(path: str, pattern: str) -> bool:
    """Whether a path lies at or below a pattern, which may begin at any folder.

    Capitals count for nothing: a sentence may begin with a file. A pattern has `*` for
    a part of one name and `**` for any number of names.

    >>> is_at("shop/proto/order.proto", "proto/*.proto")
    True
    """
    path, pattern = path.lower(), pattern.lower()
    wanted = [each for each in pattern.removeprefix("./").split("/") if each]
    names = _names(path)
    if not wanted or len(wanted) > 12 or len(names) > 64:
        return False
    if pattern.startswith("/"):
        return _below(names, wanted)
    if "/" not in pattern and not pattern.startswith("*test"):
        return bool(names) and _is_like(names[-1], pattern)
    if len(wanted) == 1 and not pattern.endswith("/"):
        return any(_is_like(name, wanted[0]) for name in names)
    return any(_below(names[at:], wanted) for at in range(len(names)))


def _names(path: str) -> list[str]:
    """The names of a path, without `.` and what `..` takes back."""
    names: list[str] = []
    for each in path.split("/"):
        if each == ".." and names:
            names.pop()
        elif each not in ("", ".", ".."):
            names.append(each)
    return names


def _below(names: list[str], wanted: list[str]) -> bool:
    reached = {0}
    for name in names:
        if len(wanted) in reached:
            return True
        reached = {
            step
            for at in reached
            if at < len(wanted)
            for step in _steps(name, wanted, at)
        }
    return len(wanted) in reached


def _steps(name: str, wanted: list[str], at: int) -> Iterator[int]:
    if wanted[at] == "**":
        yield at
        yield at + 1
    elif _is_like(name, wanted[at]):
        yield at + 1


def _is_like(name: str, pattern: str) -> bool:
    """Whether a name is like a pattern with `*`."""
    # No other sign means anything; what `fnmatch` makes of a `*` never goes back.
    return fnmatchcase(name, re.sub(r"[\[?]", r"[\g<0>]", pattern))
