"""Identifiers in a text: names of code, files, packages and paths; and the words of
plain prose that are names in code: keywords, packages, programs.

Invariant: pure, and linear in the text. A word is an identifier by its form alone, and
plain words of prose are not. `moment` and `black` are English as well, so a word of the
lists names code only where a sentence forbids it, and it is looked for only where code
has a name (`sessions.lessons`).
"""

from __future__ import annotations

# ruff: noqa: RUF001 (quotes and full-width marks are named on purpose)
import re
from functools import lru_cache

from memcli.entries.entry import FENCED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 80
_SHORTEST = 4

_CAMEL = r"(?=[A-Za-z0-9]*[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2})[A-Za-z][A-Za-z0-9]*"
_SNAKE = r"_{0,2}(?=[A-Za-z0-9_]*[A-Za-z])[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_{0,2}"
_DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
_PATH = r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?[\w.@+-]+(?:[/\\][\w.@+-]+)*[/\\]?"
_SCOPED = r"@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*"
_PINNED = r"([A-Za-z][\w.-]*)(?:\[[\w,-]*\])?(?:[=<>~!]=|[<>@])v?\d[\w.*,<>=!~-]*"
_HYPHENED = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"
_LINK = r"!?\[\[[^\[\]\n]*\]\]"
_SPAN = r"`([^`\n]+)`"
AROUND = "\"'`()[]{}<>,;:!?*|“”‘’«»…。，；：！？、（）「」"
"""Marks that stand around a word and do not belong to it."""
_SIGNS = frozenset("=<>@")
FILE_TYPES = frozenset(
    """
    c cc cfg cfn conf cpp cs css csv diff env ex go gradle h hpp html ini ipynb java js
    json jsonl jsx kt lock log lua md mdx mjs patch php pl proto ps1 py pyi r rb rs rst
    scala sh sql svg swift tf toml ts tsx txt vue xml yaml yml zig
    """.split()
)
"""Endings of files of a project."""


def identifiers(text: str) -> Iterator[str]:
    """The identifiers of a text, in their order; fenced code is passed over."""
    if "```" in text or "~~~" in text:
        text = re.sub(FENCED, " ", text, flags=re.DOTALL | re.MULTILINE)
    if "[[" in text:
        text = re.sub(_LINK, " ", text)
    spans = " ".join(re.findall(_SPAN, text)) if "`" in text else ""
    prose = re.sub(_SPAN, " ", text) if spans else text
    for part, is_code in ((spans, True), (prose, False)):
        for word in part.split():
            # With the marks around it.
            found = _of_word(word, is_code) if len(word) <= 2 * _LONGEST else None
            if found is not None:
                yield found


# A vault says the same words again and again.
@lru_cache(maxsize=1 << 14)
def _of_word(word: str, is_code: bool) -> str | None:
    """The identifier that a word is without the marks around it, or None.

    One that stands in code may be plainer.
    """
    bare = word.strip(AROUND).rstrip(".").rstrip(AROUND)
    if not is_code and bare.isalpha() and bare[1:].islower():
        return None
    return identifier(bare, code=is_code)


def identifier(word: str, *, code: bool = False) -> str | None:
    """The identifier that a word is, or None.

    `snake_case`, `CamelCase`, paths, file names, dotted modules, `@scope/package` and
    `package==1.2`, which gives the package. In code also `os.path` and `redis-cli`.
    """
    if not (_SHORTEST <= len(word) <= _LONGEST) or not word.isascii():
        return None
    if "(" in word:
        word = word.partition("(")[0]
    if "://" in word or word.startswith("-") or not any(map(str.isalpha, word)):
        return None
    if "/" in word or "\\" in word:
        return _path(word, code=code)
    signed = not _SIGNS.isdisjoint(word)
    if signed and (pinned := re.fullmatch(_PINNED, word)):
        return pinned[1] if len(pinned[1]) > 1 else None
    if "@" in word or ":" in word:
        return None
    if "." in word:
        return _dotted(word, code=code)
    if "_" in word:
        return word if re.fullmatch(_SNAKE, word) else None
    if code and "-" in word:
        return word if re.fullmatch(_HYPHENED, word) else None
    # Compiling the pattern of humps is left out where there are none.
    humps = word[1:] != word[1:].lower()
    return word if humps and len(word) >= _SHORTEST and _is_camel(word) else None


def is_code_term(name: str) -> bool:
    """Whether an identifier is a path or a command: code, and nothing to know more of.

    >>> is_code_term("./cmd/x/"), is_code_term("update-kubeconfig")
    (True, True)
    >>> is_code_term("@scope/pkg"), is_code_term("parse_args"), is_code_term("Redis")
    (False, False, False)
    """
    if "/" in name or "\\" in name:
        return name[0] != "@" or re.fullmatch(_SCOPED, name) is None
    return "-" in name and re.fullmatch(_HYPHENED, name) is not None


def _path(word: str, *, code: bool) -> str | None:
    if ":" in word:
        word = re.sub(r":\d+(?::\d+)?$", "", word)
    if re.fullmatch(_SCOPED, word):
        return word
    if not re.fullmatch(_PATH, word) or not re.search("[A-Za-z]{2}", word):
        return None
    ending = word.rpartition(".")[2].lower() in FILE_TYPES and "." in word
    # `and/or` and `read/write/execute` are words; `21/11/2026` has no letter.
    parts = [part for part in re.split(r"[/\\]", word) if part]
    rooted = word.startswith(("/", "~/", "./", "../")) and len(parts) > 1
    marked = any(re.search(r"[._]|[a-z]-[a-z]", part) for part in parts)
    if ending or rooted or (marked and len(parts) > 1) or (code and len(parts) > 1):
        return word
    return None


def _dotted(word: str, *, code: bool) -> str | None:
    stem, _, last = word.rpartition(".")
    if last.lower() in FILE_TYPES and re.fullmatch(r"[\w.-]*\w", stem):
        return word
    if not re.fullmatch(_DOTTED, word) or len(word) < _SHORTEST:
        return None
    parts = word.split(".")
    # `e.g.` and `U.S.A` have no part of two letters; two plain words may be a sentence
    # without its space.
    if max(map(len, parts)) < 2 or any(not part for part in parts):
        return None
    plain = all(part.isalpha() for part in parts) and len(parts) == 2
    if plain and not code and not any(_is_camel(part) for part in parts):
        return None
    return word


def _is_camel(word: str) -> bool:
    """Whether a word has humps like `parseArgs`, and not those of a random token."""
    if not re.fullmatch(_CAMEL, word):
        return False
    steps = len(re.findall("[a-z0-9][A-Z]", word))
    digits = sum(map(str.isdigit, word))
    return len(word) >= (5 if digits else 3) * steps and digits <= 3 and len(word) <= 50


# --- words of prose that are names in code --------------------------------------------

KEYWORDS = frozenset(
    """
    abstract alias any assert async auto await bool boolean break byte case catch
    char class continue debugger decimal declare default defer delete do double dyn
    else enum except explicit export extends extern final finally float for foreach
    friend global go goto impl implements inline int interface internal lambda let
    long loop macro match mod module mut namespace new nil none null number object
    operator optional override package private protected raise readonly record ref
    register require short signed sizeof static string struct super switch template
    throw throws trait try type typedef typeof undefined union unknown unsafe
    unsigned using var virtual void volatile where while with yield
    """.split()
)
"""Keywords and built-in types of common languages, but for those that stand in nearly
every file (`return`, `import`): they would tell a lesson at every edit."""

EVERYWHERE = frozenset(
    "const def func function if import in is public return self this".split()
)
"""Keywords that stand in nearly every file; a name of code in backticks only."""

KNOWN = frozenset(
    """
    ajv alamofire alert angular antd arrow assert asyncio atoi attrs autogen axios
    babel backbone bcrypt bloc bluebird boto boto3 bottle bower bulma bunyan calloc
    celery chai chalk cheerio cin click coffeescript commander confirm console cout
    cypress dayjs dd debugger die django docopt dotenv dump echo elasticsearch ember
    enzyme eprintln eslint eval exec execfile exit expect express factory_boy faker
    fastapi fastify fatal fetch flask fork formik fprintf free freezegun gatsby
    getattr getenv gets gin glide globals glog gorilla gorm got grunt guava gulp h2
    hapi helmet hibernate httpclient httplib2 httpx immer immutable immutablejs
    input ioredis jackson jasmine jest jinja jinja2 joda joi jquery jsdom jsoup
    junit karma keras knex koa lazy_static less localstorage lodash log4j log4js
    logback logging logrus loguru lombok luxon malloc mapstruct marked marshmallow
    memcpy mobx mocha mock mockito moment mongoose mysql2 needle nest nightwatch
    nock node-fetch nose numpy once_cell optparse pandas panic passport pickle pika
    polars pprint print printf printk println prisma prompt protractor pug puppeteer
    puts pydantic pymongo pytest pytz ramda raw_input react realloc redux reflect
    request requests restsharp rollup rxjava rxjs sass scanf scipy selenium sentry
    sequelize setattr settimeout shelve simplejson sinon six sizeof sleep sprintf
    sqlalchemy sqlite3 storybook strcat strcpy strncpy strtok structlog
    styled-components superagent svelte swr syslog system tailwind tensorflow
    testify todo todos toml torch tox trigger tslint typeorm underscore
    unimplemented unittest unwrap urllib urllib2 urllib3 uuid var_dump viper vitest
    vprintf vsprintf vue vuex webpack wget winston xlrd yup zap zerolog zod zustand
    """.split()
)
"""Packages that lessons are often about, and functions that are called by their bare
name."""

SUBCOMMANDS = frozenset(
    """
    add am annotate apply audit branch build check checkout cherry-pick ci clean clone
    commit compose config create delete deploy destroy dlx down drain ec2 edit env exec
    filter-branch fix format generate get global i iam import init install label link
    lock login merge mod mv package patch pip plan pr prune publish pull purge push
    rebase release remove replace repo require reset restart restore revert rm rmi
    rollback rollout run s3 scale set start stash state stop submodule switch sync
    system tag taint test uninstall up update upgrade upload vet x yank
    """.split()
)
"""The subcommands of programs that lessons are about."""

_WITH_SUBCOMMANDS = """
    apt apt-get aws bower brew bun bundle cargo composer conda deno docker
    docker-compose flyctl gh git go helm kubectl mvn netlify npm pip pip3 pipenv pnpm
    podman poetry pulumi ruff systemctl terraform twine uv vercel yarn
    """
_ALONE = """
    ansible-playbook autopep8 az black chmod chown curl dd easy_install eslint flake8
    gcloud gofmt gradle gulp heroku isort jest kill killall make mkfs mypy nodemon nose
    npx pkill pm2 prettier psql pylint pytest reboot rm rsync rubocop scp sed shutdown
    ssh sudo svn tox tsc tslint unittest virtualenv wget yapf
    """
PROGRAMS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_ALONE.split(), frozenset()),
    **dict.fromkeys(_WITH_SUBCOMMANDS.split(), SUBCOMMANDS),
}
"""Programs, each with the subcommands that it may have."""

SQL = frozenset(
    """
    ALTER CASCADE CASCADED COLUMN CREATE DATABASE DELETE DISTINCT DROP FROM FULL GRANT
    INDEX INSERT INTO JOIN LIKE LIMIT NATURAL OFFSET ORDER OUTER SCHEMA SELECT TABLE
    TRIGGER TRUNCATE UNION UPDATE VACUUM VARCHAR VIEW
    """.split()
)
"""Words of SQL, as lessons write them."""

AMBIGUOUS = frozenset(
    """
    add any as assert break build by case catch clean click clone commit continue
    declare default delete do echo edit else exec exit expect export fetch final
    finally fix for fork format free friend from get global go got if import in
    input install internal is kill label less link lock long loop make match merge
    mock module move new none not nothing object of on optional or out override
    package patch prompt public pull push raise record register release replace
    require reset restart return revert run self set short sleep start static stop
    string super switch tag template test this throw todo trigger try type union
    unknown update upgrade use using where while with yield
    """.split()
)
"""Words that are verbs or other plain English right after "never" or "do not"."""
