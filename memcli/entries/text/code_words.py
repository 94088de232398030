"""Words of plain prose that are names in code: keywords, packages, programs.

Invariant: data only. `moment` and `black` are English as well, so a word of this list
names code only where a sentence forbids it, and it is looked for only where code has
a name (`sessions.lessons`).
"""

from __future__ import annotations

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

PACKAGES = frozenset(
    """
    ajv alamofire angular antd arrow asyncio attrs autogen axios babel backbone
    bcrypt bloc bluebird boto boto3 bottle bower bulma bunyan celery chai chalk cheerio
    click coffeescript commander cypress dayjs django docopt dotenv echo elasticsearch
    ember enzyme eslint express factory_boy faker fastapi fastify fetch flask formik
    freezegun gatsby gin glog glide gorilla got gorm grunt guava gulp h2 hapi helmet
    hibernate httpclient httplib2 httpx immer immutable immutablejs ioredis jackson
    jasmine jest jinja jinja2 joda joi jquery jsdom jsoup junit karma keras knex koa
    lazy_static less lodash log4j log4js logback logging logrus lombok loguru luxon
    mapstruct marked marshmallow mocha mobx mock mockito moment mongoose mysql2 needle
    nest nightwatch nock node-fetch nose numpy once_cell optparse pandas passport
    pickle pika polars prisma protractor puppeteer pug pydantic pymongo pytest pytz
    ramda react redux requests request restsharp rollup rxjava rxjs sass scipy selenium
    sentry sequelize shelve simplejson sinon six sqlalchemy sqlite3 storybook structlog
    styled-components superagent svelte swr tailwind tensorflow testify toml torch tox
    tslint typeorm underscore unittest urllib urllib2 urllib3 uuid viper vitest vue
    vuex webpack winston xlrd yup zap zerolog zod zustand
    """.split()
)
"""Packages and modules that lessons are often about."""

BUILTINS = frozenset(
    """
    alert assert atoi calloc cin cout confirm console dd debugger die dump echo eprintln
    eval exec execfile exit expect fatal fetch fork fprintf free getattr getenv gets
    globals input localstorage malloc memcpy panic pprint print printf printk println
    prompt puts raw_input realloc reflect scanf setattr settimeout sizeof sleep sprintf
    strcat strcpy strncpy strtok syslog system todo todos trigger unimplemented unwrap
    var_dump vprintf vsprintf wget
    """.split()
)
"""Functions that are called by their bare name."""

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
    add assert break build case catch clean click clone commit continue declare default
    delete do edit echo else exec exit expect export fetch final finally fix fork for
    format free friend get global go got if import in input install internal is kill
    label less link lock long loop make match merge mock module move new none object
    optional override package patch prompt public pull push raise record register
    release replace require reset restart return revert run self set short sleep start
    static stop string switch tag test this throw todo trigger try type union unknown
    update upgrade use using where while with yield
    """.split()
)
"""Words that are verbs or other plain English right after "never" or "do not"."""
