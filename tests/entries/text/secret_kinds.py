"""Made-up secrets of every kind, and what looks alike and is none.

Invariant: nothing here is a secret, and no line of the source looks like one: noise
is filled in at run time, and words that a scanner knows are put together from pieces.
"""

import base64
import random
import re
import re._parser as patterns  # type: ignore[import-not-found]
import string
from functools import cache
from typing import Any

from memcli.entries.text.secret_forms import PHRASES, WORDS

FORMS = WORDS + PHRASES

_PHRASE = (
    "orbit velvet canyon marble tulip anchor forest pepper silver window rocket meadow"
)
_LETTERS = {
    "": string.ascii_letters + string.digits,
    "A": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": "123456789",
    "a": string.ascii_lowercase + string.digits,
    "g": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",  # as age writes keys
    "b": string.ascii_uppercase + "234567",
}
_HOLE = re.compile(r"~(?:words12|b:([^~]+)|(\d+)([A-Za-z]?))~")


def fill(template: str, seed: int = 7) -> str:
    """A template of `secret_forms` with noise in its holes; the same for a seed."""
    source = random.Random(seed)

    def noise(hole: "re.Match[str]") -> str:
        if hole[0] == "~words12~":
            return _PHRASE
        if hole[1]:
            return base64.b64encode(hole[1].encode()).decode()
        letters = _LETTERS[hole[3]]
        while True:
            drawn = "".join(source.choice(letters) for _ in range(int(hole[2])))
            # A run of twelve has a digit and a letter, as a generator's have.
            if (
                int(hole[2]) < 12
                or hole[3] == "d"
                or re.search(r"\d[^\d]|[^\d]\d", drawn)
            ):
                return drawn

    return _HOLE.sub(noise, template)


def example(form: tuple[Any, ...], seed: int = 7) -> str:
    """A made-up secret of a form: its example, or one that its pattern describes."""
    if form[4]:
        return fill(form[4], seed)
    source = random.Random(seed)
    while True:
        drawn = _drawn(_parsed(form[3]), source)
        begun = next(part for part in form[1] if drawn.startswith(part))
        if re.search(r"\d[^\d]|[^\d]\d", drawn.removeprefix(begun)):
            return drawn


def _drawn(pattern: Any, source: random.Random) -> str:
    """The shortest text for a pattern of literals, sets, groups and counts."""
    text = ""
    for name, value in pattern:
        if str(name) == "LITERAL":
            text += chr(value)
        elif str(name) == "IN":
            text += source.choice(_signs(tuple(value)))
        elif str(name) == "MAX_REPEAT":
            text += "".join(_drawn(value[2], source) for _ in range(value[0]))
        elif str(name) == "SUBPATTERN":
            text += _drawn(value[3], source)
        elif str(name) == "BRANCH":
            text += _drawn(source.choice(value[1]), source)
    return text


@cache
def _signs(items: tuple[Any, ...]) -> str:
    """The letters and digits of a set."""
    ways = [v if str(n) == "RANGE" else (v, v) for n, v in items]
    return "".join(c for c in _LETTERS[""] if any(a <= ord(c) <= b for a, b in ways))


_parsed = cache(patterns.parse)


def _forms() -> dict[str, str]:
    """Kind -> an example; a kind of several forms has a number behind it."""
    found: dict[str, str] = {}
    for form in FORMS:
        kind = form[0]
        number = sum(name.partition(" #")[0] == kind for name in found)
        found[f"{kind} #{number + 1}" if number else kind] = example(form)
    return found


_GITHUB = fill("ghp_~36~")
_FULL_WIDTH = str.maketrans({chr(n): chr(n + 0xFEE0) for n in range(0x21, 0x7F)})

OF_A_FORM = _forms()

TOLD = {
    # names and values
    "password in capitals": "DB_PASS" "WORD=swordfish",
    "password in small letters": "db_pass" "word=swordfish",
    "password of PostgreSQL": "export PGPASS" "WORD=orchid",
    "password, short name": "SMTP_PASS" "=orchid7",
    "password in YAML": "pass" "word: tr0ub4dor&3",
    "weak password": "pass" "word: Sunflower2024",
    "password in quotes": 'pass' 'word = "swordfish"',
    "password in JSON": '{"dbPass' 'word": "swordfish"}',
    "password in JSON in JSON": r'{\"dbPass' r'word\": \"swordfish\"}',
    "password in PHP": "'pass" "word' => 'orchid7x'",
    "password in Java": "spring.datasource.pass" "word=orchid",
    "password of a connection": "Server=db;User Id=sa;Pass" "word=orchid7;",
    "password of JDBC": "jdbc:sqlserver://h;user=sa;pass" "word=orchid7x;",
    "password inside YAML": "env: pass" "word=orchid7x",
    "hex key by name": fill("SECRET" "_KEY=~64h~"),
    "hex key in YAML": fill("encryption" "_key: ~64h~"),
    "hex key in a sentence": fill("the encryption key is ~64h~"),
    "hex key of a wallet": fill("private key " "0x~64h~"),
    "hex key for something": fill("the signing key for prod is ~64h~."),
    "AWS secret key": fill("aws_secret_access" "_key = ~40~"),
    "Heroku key": fill("HEROKU_API" "_KEY=~8h~-~4h~-~4h~-~4h~-~12h~"),
    "Datadog key": fill("DD_API" "_KEY=~32h~"),
    "Algolia key": fill("ALGOLIA_ADMIN" "_KEY=~32h~"),
    "Twilio token": fill("TWILIO_AUTH" "_TOKEN=~32h~"),
    "Laravel key": fill("APP" "_KEY=base64:~43~="),
    "npm token by name": fill("//registry.acme.dev/:_auth" "Token=~36~"),
    "client secret": fill('client' 'Secret: "~32~"'),
    "key in Go": fill('api' 'Key := "~32~"'),
    "key in PowerShell": fill('$env:API' '_TOKEN = "~32~"'),
    "key in Python": fill('os.environ["API' '_TOKEN"] = "~32~"'),
    "secret of words": "JWT_SEC" "RET=hunter2hunter2",
    "password, shorter name": "pass" " = hunter2x",
    "password in a table": "| pass" "word | hunter2 |",
    "password in XML": "<pass" "word>hunter2</pass" "word>",
    "password in an attribute": '<add key="Pass' 'word" value="hunter2"/>',
    "password in bold": "**Pass" "word:** hunter2",
    "password as a phrase": 'pass' 'word = "orbit velvet canyon marble"',
    "bearer": fill("bearer" ": ~40~"),
    # sentences
    "password of something": "the pass" "word for staging is hunter2",
    "password of a thing of words": "The pass" "word for the staging database is swordfish.",
    "my password": "my pass" "word is hunter2!",
    "password in backticks": "The admin pass" "word is `swordfish`, keep it safe",
    "password of yesterday": "root's pass" "word was Sunflower2024",
    "password that is set": "set the pass" "word to `orchid77`",
    "password in German": "Pass" "wort: geheim123",
    **{
        f"password in {language}": f"{word}: orchid77"
        for language, word in (
            ("Swedish", "lösenord"), ("Danish", "adgangskode"), ("Norwegian", "passord"),
            ("Finnish", "salasana"), ("Hungarian", "jelszó"), ("Turkish", "şifre"),
            ("Italian", "parola"), ("Greek", "κωδικός"), ("Arabic", "كلمة المرور"),
            ("Hebrew", "סיסמה"), ("Hindi", "पासवर्ड"), ("Vietnamese", "mật khẩu"),
            ("Indonesian", "kata sandi"), ("Croatian", "lozinka"), ("Catalan", "contrasenya"),
        )
    },
    "password in Spanish": "la contra" "seña es orchid77",
    "password in Japanese": "パス" "ワードは hunter22 です",
    "password in Korean": "비밀" "번호는 hunter22 입니다",
    "password in Finnish": "sala" "sana on hunter22",
    "password in Swedish, definite": "lösen" "ordet är hunter22",
    "password of mongosh": "mongosh -u bob -p " + "hunter22x",
    "password of chpasswd": "echo bob:" + "hunter22x | chpasswd",
    "password before its name": "use hunter2 as the root pass" "word",
    "password in Russian": "пар" "оль: qwerty123",
    "password in Chinese": "密" "码：hunter2",
    "password with a place": "pass" "word (staging): hunter2",
    "password, short, in a sentence": "the login is eva and p" "w is Walrus2024! there",
    "secret word in a sentence": "Remember that the secret" " word is Walrus2024!",
    "seed of a second factor": "the 2FA se" "ed is JBSWY3DPEHPK3PXP",
    "password of a script": "./login.sh --user eva --p" "w WalrusTusk2024",
    "passphrase": "pass" "phrase: orbit velvet canyon marble",
    "passphrase in a sentence": "The pass" "phrase for the backup is orbit velvet canyon.",
    "passphrase in quotes": 'pass' 'phrase = "orbit velvet canyon"',
    "token in a sentence": fill("the token is ~24~"),
    "key before a full stop": fill("The api key is ~24~."),
    # places
    "password in a short URL": "https://bob:hunter22" "@git.acme.dev/x.git",
    "password without a user": "redis://:s3cr3tpw" "@localhost:6379",
    "encoded password": "amqp://guest:p%40ss77" "@rabbit",
    "token in a query": fill("https://x.dev/?access" "_token=~24~"),
    "curl with quotes": "curl -XPOST --user 'bob:orchid77' https://x",
    "mysqldump": "mysqldump -h db -u root -p" "S3cret app",
    "token before a full stop": f"The token is {_GITHUB}.",
    "token in brackets": f"({_GITHUB})",
    "bot in a URL": fill("https://api.telegram.org/bot~10d~:AA~33~/getMe"),
    "token with underscores around it": f"id_{_GITHUB}_",
    "token escaped for Markdown": _GITHUB.replace("_", "\\_"),
    "token among Chinese": f"密钥{_GITHUB}，请",
    # disguises
    "zero-width space": _GITHUB[:12] + "\u200b" + _GITHUB[12:],
    "zero-width joiner": _GITHUB[:5] + "\u200d" + _GITHUB[5:],
    "byte order mark": _GITHUB[:3] + "\ufeff" + _GITHUB[3:],
    "soft hyphen": _GITHUB[:20] + "\u00ad" + _GITHUB[20:],
    "full-width letters": _GITHUB.translate(_FULL_WIDTH),
    "full-width password": ("pass" "word=swordfish").translate(_FULL_WIDTH),
    "escaped in YAML": f'title: "{_GITHUB[:10]}\\u200b{_GITHUB[10:]}"',
}  # fmt: skip

SECRETS = {**OF_A_FORM, **TOLD}

_HARMLESS = [
    *[counter for *_, counter in FORMS if counter],
    *[f"{part}..." for form in FORMS if not form[4] for part in form[1]],
    # names that begin like a key
    *("AKIAIOSFODNN7EXAMPLE", "age1 is public, AGE-SECRET-KEY-1 is not", "SG.de"),
    *("AIzaSyExample", "v1.0-beta", "npm_config_registry", "pypi-publish", "SKU1234"),
    *("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "glpat-xxxxxxxxxxxxxxxxxxxx"),
    *("precios", "secret_access_key", "sdk-build-tools", "hf_hub_download", "gsk_key"),
    *(
        "use sk-toggleable-content-with-parts",
        "pplx-70b-online",
        "r8_unorm",
        "A3-PAPER",
    ),
    *("tvly-python-client", "jina_embeddings", "e2b_code_interpreter", "rpa_bots"),
    *("access-production-database", "xprv is secret, xpub is not", "key-value"),
    # numbers, hashes, places
    "--max-old-space-size=4096",
    "NODE_OPTIONS=--max-old-space-size=4096",
    fill("fixed by commit ~40h~"),
    fill("see ~7h~ and ~12h~"),
    "123e4567-e89b-12d3-a456-426614174000",
    fill("![shot](data:image/png;base64,~200~/~200~+~90~==)"),
    "password: ",
    "password:\nnext line",
    "Password: $",
    "PASSWORD=$DB_PASSWORD",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=$(cat pw)",
    'api_key = os.environ["X"]',
    'api_key = os.environ["API_KEY_1"]',
    "apiKey: process.env.API_KEY1",
    "v1.10.2-beta.4",
    fill("sha256:~64h~"),
    fill("~64h~  archive.tgz"),
    fill('checksum = "~64h~"'),
    fill("integrity sha512-~86~=="),
    "https://example.com/a/b?x=1",
    "git@github.com:acme/shop.git",
    "ssh://git@github.com/acme/shop.git",
    "https://alice@acme.dev/x",
    "lorem ipsum dolor sit amet consetetur sadipscing elitr",
    # code
    "password=None",
    "password: string",
    "password: str = None",
    "def login(user, password=None)",
    "login(user=u, password=pw)",
    "self.password = password",
    "password=args.password",
    "const token = await getToken()",
    "const secret = crypto.randomBytes(32)",
    "if (password === confirm)",
    "password.length >= 8",
    "password: z.string().min(8)",
    "@param password the password",
    "forgotPassword: 'Forgot'",
    'label: "Password"',
    '"password": "string"',
    '<input type="password" name="password">',
    "AUTH_TOKEN: ${{ secrets.AUTH_TOKEN }}",
    "ownerPrivateKey: Uint8Array,",
    "private_key: Ed25519PrivateKey | Ed448PrivateKey",
    "def encode(self, private_key: ed25519.Ed25519PrivateKey)",
    "username, password = proxy_auth",
    "password = auth[2]",
    "password=parts['password'],",
    'proxy_password=self._socks_options["password"],',
    'publicKeyToken="1fc8b3b9a1e18e3b"',
    "secret: my-secret-name",
    "secretName: tls-secret",
    "tokenizer=cl100k_base",
    "token_count: 12345",
    "max_tokens=4096",
    "tokens: 1,234",
    "primary_key=True",
    fill("public_key = ~64h~"),
    "cache_key: user-123-abc",
    "sk-toggleable__content",
    "pwd: /home/dev/repo2",
    # placeholders
    "POSTGRES_PASSWORD=postgres",
    "password=changeme",
    "DB_PASSWORD=your-password-here",
    "postgres://user:password@localhost/db",
    "postgres://${USER}:${PASS}@host/db",
    "password: [REDACTED]",
    "token=[REDACTED]",
    "https://bob:[REDACTED]@host",
    "curl -u bob:[REDACTED]",
    "mysql -p[REDACTED]",
    "curl -u user:$PASS",
    "mysql -u root -p",
    "mysql -P 3306",
    "Authorization: Bearer $TOKEN",
    "Authorization: Basic <credentials>",
    # sentences
    "the password is required",
    "The password is stored in 1Password",
    "the password for staging is rotated weekly",
    "passwords are hashed with bcrypt",
    "the password is bcrypt-hashed",
    "change the password to something longer",
    "the token is a JWT",
    "the secret is to keep functions short",
    "use --token instead of --password",
    "pass --password or set PGPASSWORD",
    "basic understanding of things",
    "Basic authentication, Bearer token",
    "passphrase: the user enters it at login",
    "the pw is required, and the 2FA seed is stored in the vault of the team",
    "the secret word is hidden in the puzzle",
    "deploy --pw file.txt --pass $PASS",
    "argon2id is the password hash",
    "OAuth2 as the password grant, Auth0 is the password provider",
    "tests pass: 12/12, pass = true",
    "export|pwd|readonly|set|shift|unset",
    "--- PASS: TestTruncateAtUUID/truncate_at_u2 (0.00s)",
    "| password | string | required |",
    "| token | v2 | the password is optional |",
    "<label>Password</label> <password>{{ value }}</password>",
    'password: "Please enter your password"',
    "set token budgets per request, set secrets aside",
    "seed phrase: never share it",
    "the api key is in the vault",
    "token: OPS-589106",
    "PIN: 3.11",
    "keyboard: qwerty123",
    fill('etag: "~40h~"'),
    "napi_create_function_with_context is the call we wrap.",
    # notes about work
    "rotate the token OPS-589106 before the release",
    "token: OPS-589106",
    "the secret PLATFORM-20394 is fixed",
    "the key 123e4567-e89b-12d3-a456-426614174000 names the row",
    "token: 7f9c24e8-3b12-4fef-91e0-56f2d8c5a1b3",
    "the key commit is da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "token da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "reverted the secret 9fabd2138c",
    "see https://example.com/docs/token?page=12&x=9",
    "clone ssh://git@github.com/org/repo.git",
    "http://localhost:8080/key@v2",
    "token: https://example.com/a1b2c3d4e5",
    "export API_KEY=YOUR_API_KEY",
    "API_KEY=YOUR_API_KEY_1234",
    "password: <password-123>",
    "token: ${GITHUB_TOKEN_V2}",
    "password=$DB_PASSWORD_2",
    "token=xxxxxxxx1234",
    "password: changeme123",
    "the token is read from os.environ['GITHUB_TOKEN2']",
    "passwords are hashed with argon2id and the token expires",
    "the primary key is (tenant_id, created_at)",
    "the key config/settings-2024.toml holds it",
    "token 2026-11-21T10:00:00Z expired",
    "token v1.10.2-beta.4",
    "call token refresh_token_v2() first",
    "press the key Ctrl+Shift+F12",
    "key sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f0",
    "-----BEGIN PUBLIC KEY-----",
    "risk-based authentication-with-step-up for everyone",
    "use sk-toggleable content",
]
HARMLESS = list(dict.fromkeys(_HARMLESS))
