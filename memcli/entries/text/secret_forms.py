"""The forms of keys and tokens that services document, and values that are secrets.

Invariant: data, and pure. Most keys begin with a word of their own (`BEGUN`). A row of
the others holds the kind as a refusal names it; parts, one of which stands in every
text that holds such a secret; what else its value must be; and the pattern, whose first
group, if there is one, is the secret. tests/entries/text/secret_kinds.toml has examples
of each, and texts that look alike and are no secrets.

Looking for the parts spares a save the compiling of patterns, which costs more than
the search, so most saves compile none. A part with a capital letter is looked for as it
is written, others in any case; `LONG` stands in each text with a word of 40 characters.

No pattern may take the square of the text's length: what can be followed by something
that fails has a bound. What a value stands in (a form, a name, a sentence) is for
`secrets` to read; here a value is judged by itself: noise, a word that a person may have
chosen, a placeholder, a variable.
"""

from __future__ import annotations

import math
import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final


LONG: Final = "\1"
LONG_WORD: Final = 40
"""A word of so many characters may be of a form that has `LONG`."""
SHORTEST: Final = 15

# What a value must be, beside the pattern; `secrets` knows how to tell.
ANY: Final = ""  # no placeholder
NOISE: Final = "noise"  # letters and digits without a pattern
WORD: Final = "word"  # anything that a person may have chosen, but no variable
PAIR: Final = "pair"  # base64 of USER:PASSWORD
MIXED: Final = "mixed"  # letters with digits or signs, as in a password
DIGITS: Final = "digits"  # begins with the base64 of a number

Form = tuple[str, tuple[str, ...], str, str]
"""Kind, parts, what its value must be, pattern."""

# fmt: off
# How a key begins that has a word of its own, what it must be, and what follows.
BEGUN: Final = (
    ("GOCSPX- ya29. HRKU- hvb. hvr. hvs. pscale_oauth_ pscale_pw_ pscale_tkn_ sb_secret_ dckr_oat_ dckr_pat_ "
     "glagent- glcbt- gldt- glffct- glft- glimt- glpat- glptt- glrt- glsoat- GR1348941 ATATT3 ATBB ATCTT3 "
     "NRAK- NRII- NRJS- sq0atp- sq0csp- whsec_", ANY, r"[A-Za-z0-9_+/=.-]{19,}"),
    ("sk-ant- sk- tvly- xapp-", NOISE, r"[A-Za-z0-9_-]{20,}"),
    ("hf_ api_org_ ntn_ rpa_ secret_ cio oy2", NOISE, r"[A-Za-z0-9]{30,}"),
    ("pypi- figd_ nvapi- jina_ sntrys_ sntryu_ fm1_ fm1a_ fm1r_ fm2_ fm2a_ fm2r_ fo1_ tskey- lsv2_ CCIPAT_ sgp_ "
     "PMAK- xkeysib- xsmtpsib-", NOISE, r"[A-Za-z0-9_+/=-]{30,}"),
    ("gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ npm_ nfp_ cmVmdGtuOj phx_ gsk_ pplx- AKCp xai- r8_ pcsk_ glc_ glsa_ "
     "lin_api_ lin_oauth_", ANY, r"[A-Za-z0-9_+/=]{32,}"),
    ("AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 ABSK xprv nsec1 mfa. ops_eyJ", ANY, r"[A-Za-z0-9_+/=-]{50,}"),
    ("dapi fc- key- SK pul- sqa_ sqp_ squ_ bkpt_ bkua_ e2b_ rubygems_ sk_ doo_v1_ dop_v1_ dor_v1_ sbp_ "
     "shpat_ shpca_ shppa_ shpss_", ANY, r"[0-9a-fA-F]{32,}\b"),
    ("sdk- access-production- access-sandbox- xaat- xapt- pat-na1- pat-eu1-", ANY, r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"),
    ("ABIA ACCA AKIA ASIA", ANY, r"[0-9A-Z]{16}\b"),
    ("AIza", ANY, r"[A-Za-z0-9_-]{35}"),
    ("AAAA", ANY, r"[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}"),
    ("EAA", ANY, r"(?:[A-Za-z0-9]{80,}|A[A-Za-z0-9_-]{60}\b)"),
    ("LTAI", ANY, r"[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
    ("v1.0-", ANY, r"[0-9a-f]{24}-[0-9a-f]{100,}"),
    ("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", ANY, r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b"),
    ("dt0", ANY, r"[a-z]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    ("A3-", ANY, r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    ("xox", ANY, r"[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    ("SG. sk.eyJ", ANY, r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("access_token$production$ access_token$sandbox$", ANY, r"[0-9a-z]{16}\$[0-9a-f]{32}\b"),
)


def _begun(beginnings: str, must: str, rest: str) -> Form:
    parts = tuple(beginnings.split())
    either = "|".join(map(re.escape, parts))
    return "key of a service", parts, must, f"(?<![A-Za-z0-9])(?:{either}){rest}"


WORDS: Final[tuple[Form, ...]] = (
    *(_begun(*row) for row in BEGUN),
    ("one-time password seed", ("otpauth://",), ANY, r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=([A-Z2-7]{16,})"),
    ("Google refresh token", ("1//0",), ANY, r"\b1//0[A-Za-z0-9_-]{30,}"),
    ("Azure key", ("accountkey=", "sharedaccesskey="), ANY, r"(?i)\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    ("Azure key", ("JQQJ99",), ANY, r"\b[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}\b"),
    ("Azure client secret", ("Q~",), ANY, r"(?<![\w~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![\w~-])"),
    ("Azure signature", ("sig=",), ANY, r"[?&]sig=([A-Za-z0-9%/+]{30,}=?)"),
    ("Terraform token", ("atlasv1",), ANY, r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}"),
    ("Airtable token", (LONG,), ANY, r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    ("service token", ("vcp_", "vck_", "rnd_", "napi_", "csk-", "tgp_v1_", "cfut_", "cfat_", "hcaik_", "pylf_v1_", "wandb_v1_", "KGAT_", "pnu_", "tfp_", "cal_live_", "retool_", "bb_live_", "rzp_live_", "CLOJARS_", "CFPAT-", "snyk_", "sgp_", "pa-", "md-", "key_live_", "live_"), NOISE,
     r"(?<![A-Za-z0-9_-])(?:vc[pk]_|rnd_|napi_|csk-|tgp_v1_|cf[ua]t_|hcaik_|pylf_v1_(?:us_|eu_)?|wandb_v1_|KGAT_|pnu_|tfp_|cal_live_|retool_|bb_live_|rzp_live_|CLOJARS_|CFPAT-|pa-|md-|(?:key_)?live_|snyk_\w{3}\.[0-9a-f]{8}\.|sgp_)[A-Za-z0-9_-]{14,}"),
    ("Azure DevOps token", (LONG,), ANY, r"\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b"),
    ("key of a wallet", (LONG,), NOISE, r"(?<![\w+/=-])(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?![\w+/=-])"),
    ("PASETO token", ("v1.", "v2.", "v3.", "v4."), ANY, r"(?<![\w.])v[1-4]\.(?:local|public)\.[A-Za-z0-9_-]{60,}"),
    ("Slack webhook", ("hooks.slack.com",), ANY, r"hooks\.slack\.com/(?:services|workflows|triggers)/[TE]\w{1,20}/\w{1,20}/\w{20,}"),
    ("Discord token", (LONG,), DIGITS, r"(?<![\w.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![\w-])"),
    ("Discord webhook", ("/webhooks/",), ANY, r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{10,25}/[A-Za-z0-9_-]{40,}"),
    ("Telegram token", (LONG,), NOISE, r"(?:(?<![0-9A-Za-z])|(?<=bot))[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("Mailgun key", (LONG,), ANY, r"(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"),
    ("Resend key", ("re_",), NOISE, r"(?<![A-Za-z0-9_])re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}\b"),
    ("Mailchimp key", ("-us",), ANY, r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    ("Stripe key", ("k_live_", "k_test_"), ANY, r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Dropbox token", (LONG,), ANY, r"(?<![\w.-])sl\.(?:u\.)?[A-Za-z0-9_-]{100,}"),
    ("JSON web token", ("eyJ",), ANY, r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)
"""Secrets of one word, of at least `SHORTEST` characters."""

PHRASES: Final[tuple[Form, ...]] = (
    ("private key", ("begin ",), ANY, r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"),
    ("PuTTY private key", ("private-lines",), ANY, r"Private-Lines: [0-9]{1,3}\s{1,2}(?:[A-Za-z0-9+/=]{20,80}\s{0,2}){1,60}"),
    ("WireGuard key", ("privatekey", "presharedkey"), ANY, r"\b(?:PrivateKey|PresharedKey)[ \t]{0,9}=[ \t]{0,9}([A-Za-z0-9+/]{42}[A-Za-z0-9]=)"),
    ("seed phrase", ("seed", "recovery", "mnemonic"), ANY, r"(?i)\b(?:seed|recovery|mnemonic)(?: phrase| words)?[\"'`]?[ \t]{0,3}(?:[:=]|\bis\b)\s{0,3}[\"'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"),
    ("password in .netrc", ("machine ",), WORD, r"(?i)\bmachine\s{1,9}\S{1,200}\s{1,9}(?:(?:login|account|port)\s{1,9}\S{1,100}\s{1,9}){1,3}password\s{1,9}[\"']?([^\s\"']{3,200})"),
    ("docker login", ('auth"',), PAIR, r"\\?\"auth\\?\"\s{0,9}:\s{0,9}\\?\"([A-Za-z0-9+/]{8,400}={0,2})\\?\""),
    ("npm login", ("_auth",), PAIR, r"\b_auth[ \t]{0,9}=[ \t]{0,9}\"?([A-Za-z0-9+/]{8,400}={0,2})"),
    ("login in a header", ("basic ",), PAIR, r"(?i)\bbasic[ \t]{1,9}([A-Za-z0-9+/_-]{8,400}={0,2})"),
    ("token in a header", ("bearer ", ": token "), NOISE, r"(?i)\b(?:bearer|authorization[\"']?:[ \t]{0,9}[\"']?token)[ \t]{1,9}([A-Za-z0-9._~+/=-]{16,})"),
    ("password in a URL", ("://",), WORD, r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'`<>]{0,80}:([^\s/@\"'`<>]{3,200})@"),
    ("token in a URL", ("://",), NOISE, r"(?i)\bhttps?://([A-Za-z0-9_-]{20,200})@"),
    ("token in a URL", ("token=", "key=", "secret=", "passw", "pwd=", "sig=", "signature="), NOISE,
     r"(?i)[?&](?:[a-z]{1,20}[_-])?(?:token|api_?key|key|secret|password|passwd|pwd|sig|signature|x-amz-signature|x-goog-signature)=([^\s&#\"'`<>)]{8,500})"),
    ("password on a command line", ("curl", "wget"), WORD,
     r"\b(?:curl|wget)\b[^\n|;&]{0,200}?\s(?:-u|-U|--user|--proxy-user)[ =]{0,3}[\"']?[^\s:\"']{1,80}:([^\s\"']{3,200})"),
    ("password on a command line", ("mysql", "mariadb"), WORD, r"\b(?:mysql|mariadb)[a-z-]{0,12}\b[^\n|;&]{0,200}?\s-p[\"']?([^\s\"']{3,200})"),
    ("password on a command line", ("sshpass", "redis-cli", "docker", "helm", "mongo", "az login"), WORD,
     r"\b(?:sshpass|redis-cli|mongo(?:sh|dump|restore)?|az[ \t]login|(?:docker|helm)[ \t](?:registry[ \t])?login)\b[^\n|;&]{0,200}?\s(?:-[pa][ =]{0,3}|--pass(?:word)?[ =]{1,3})[\"']?([^\s\"']{3,200})"),
    ("password on a command line", ("--pass", "--pw", "--token", "--api-key", "--secret"), MIXED,
     r"(?<![\w-])--(?:[a-z]{1,20}-){0,3}(?:password|passwd|pass|pwd?|passphrase|token|api-key|secret)(?:=|[ \t]{1,9})[\"']?([^\s\"'`,;]{6,200})"),
    ("password of a variable", ("env ", "set ", "setx ", "setenv "), MIXED,
     r"(?i)(?<![\w-])(?:env|setx?|setenv)[ \t]{1,9}\w{0,60}?(?:password|passwd|secret|token|api_key)[ \t]{1,9}(\S{6,200})"),
    ("cookie", ("cookie:", "phpsessid=", "jsessionid=", "connect.sid="), NOISE, r"(?i)\b(?:cookie:[ \t]{0,9}[\w.-]{1,60}|phpsessid|jsessionid|connect\.sid)=([A-Za-z0-9%._~+/=-]{16,})"),
    ("key of a kubeconfig", ("client-key-data",), ANY, r"client-key-data[\"']?:[ \t]{0,9}[\"']?([A-Za-z0-9+/]{40,}={0,2})"),
    ("password in SQL", ("identified ",), WORD, r"\b(?:IDENTIFIED[ \t](?:WITH[ \t]\S{1,40}[ \t])?(?:BY|AS)[ \t](?:PASSWORD[ \t])?[\"']?|(?i:identified[ \t](?:with[ \t]\S{1,40}[ \t])?(?:by|as)[ \t](?:password[ \t])?)')([^\s\"';]{3,200})"),
    ("password in a script", ("convertto-securestring",), WORD, r"(?i)\bconvertto-securestring\b[^\n|;]{0,60}?[ \t][\"']([^\"'\n]{3,200})[\"']"),
    ("password in a config", ("requirepass", "masterauth", "bindpw", "rootpw", "wpa_passphrase", "snmp-server"), WORD, r"(?i)\b(?:requirepass|masterauth|bindpw|rootpw|wpa_passphrase[ \t]{1,9}\S{1,40}|snmp-server[ \t]community)[ \t]{1,9}[\"']?([^\s\"']{4,200})"),
    ("password on a command line", ("sqlplus", "sqlldr", "rman", "expdp", "impdp"), WORD,
     r"\b(?:sqlplus|sqlldr|rman|expdp|impdp)\b[^\n|;&]{0,80}?[ \t=][\w.$#-]{1,60}/([^\s@\"'/]{3,100})@"),
    ("password on a command line", ("-passphrase", "-storepass", "-keypass", "-srcstorepass", "-deststorepass", "-passin", "-passout"), WORD,
     r"(?<!\w)--?(?:passphrase|(?:src|dest)?storepass|keypass|passin|passout)(?:=|[ \t]{1,9})(?!(?:env|file|fd):)(?:pass:)?[\"']?([^\s\"'`,;]{3,200})"),
    ("password on a command line", ("zip -", "zip --", "7z ", "7za "), WORD,
     r"\b(?:(?:un)?zip[ \t](?:[^\n|;&]{0,80}?[ \t])?(?:-P|--password)[ =]?|7za?[ \t](?:[^\n|;&]{0,80}?[ \t])?-p)[\"']?([^\s\"']{3,200})"),
    ("password on a command line", ("smbclient", "ldap", "htpasswd", "chpasswd"), MIXED,
     r"\b(?:smbclient\b[^\n|;&]{0,200}?[ \t]-U[ =]{0,3}[^\s%]{1,60}%|ldap\w{2,10}\b[^\n|;&]{0,200}?[ \t]-w[ \t]{0,3}|htpasswd[ \t]+-\w{0,5}b\w{0,5}[ \t]+\S{1,100}[ \t]+\S{1,60}[ \t]+|echo[ \t]{1,3}[\"']?[\w.-]{1,60}:(?=[^\n]{3,100}chpasswd))[\"']?([^\s\"'|]{3,200})"),
    ("password on a command line", ("sqlcmd", "bcp ", "rdesktop", "influx", "xfreerdp", "net use", "rabbitmqctl", "http -a", "https -a", "sudo -s", "--password-stdin"), MIXED,
     r"\b(?:(?:sqlcmd|bcp|rdesktop|influx)\b[^\n|;&]{0,200}?[ \t]-(?:P|p|password)[ \t]{1,3}|xfreerdp\b[^\n|;&]{0,200}?[ \t]/p:|net[ \t](?:use[ \t][^\n|;&]{0,100}?/user:|user[ \t])\S{1,60}[ \t]{1,3}|rabbitmqctl[ \t](?:add_user|change_password)[ \t]\S{1,60}[ \t]{1,3}|https?[ \t]-a[ \t]\S{1,60}?:|echo[ \t]{1,3}(?=[^\n|]{4,100}\|[ \t]{0,3}(?:sudo[ \t]-S|[^\n]{0,60}--password-stdin)))[\"']?([^\s\"'|]{4,200})"),
    ("password in code", ("setpassword(", "set_password(", "define(", "auth=(", "auth = (", "pscredential("), MIXED,
     r"(?i)\b(?:set_?password\([\"']|(?:define\([ \t]?[\"']\w{0,60}(?:password|secret|key|token|salt|pass)|(?:auth[ \t]?=[ \t]?|pscredential)\([\"'][^\"'\n]{1,80})[\"'],[ \t]?[\"'])([^\"'\s]{4,200})[\"']"),
    ("recovery code", ("recovery code", "backup code"), MIXED, r"(?i)\b(?:recovery|backup) codes?\b[^\n]{0,20}?\b([a-z0-9]{4,10}-[a-z0-9]{4,10})\b"),
    ("webhook", ("maker.ifttt.com",), NOISE, r"maker\.ifttt\.com/trigger/[^\s/]{1,60}/(?:json/)?with/key/([\w-]{16,60})"),
    ("webhook", ("webhookb2", "hooks.zapier.com"), ANY, r"(?:webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}|hooks\.zapier\.com/hooks/catch/[0-9]{4,12}/[a-z0-9]{6,12})"),
    ("password file of PostgreSQL", (":543", ":6432:", ":*:"), WORD, r"(?m)^[ \t]{0,9}[\w.*-]{1,100}:(?:543\d|6432|\*):[\w*-]{1,64}:[\w.*-]{1,64}:([^\s:]{3,200})[ \t]{0,9}$"),
    ("login with its password", ("credential", "creds", "login:", "log in with ", "login with "), MIXED, r"(?i)\b(?:(?:credentials?|creds)\b[^\n:=]{0,40}(?:[:=]|[ ]are)|login:|log ?in with)[ \t]{0,9}[\"'`]?[\w.@+-]{1,60}[ \t]{0,3}[/|:][ \t]{0,3}([^\s\"'`/|]{4,200})"),
    ("login with its password", ("account ", "log in as ", "login as "), MIXED, r"(?i)\b(?:account|log ?in as)[ \t]{1,3}[\w.@+-]{1,60}[ \t]{0,3}(?:[/|:]|with)[ \t]{0,3}((?=\S{0,60}\d)(?=\S{0,60}[!#$%&*?+=^])[^\s\"'`/|]{6,200})"),
    ("key of a login", ("login ",), NOISE, r"\blogin[ \t]{1,9}(?:--?[\w-]{1,20}[ \t=]{1,3}){0,2}([A-Za-z0-9_-]{32,200})(?![\w-])"),
    ("password beside its name", ("password ", "passwd ", "pwd ", "pw "), MIXED, r"(?i)(?<![\w-])(?:\w{1,30}_)?(?:password|passwd|pwd|pw)[ \t]{1,3}[\"'`]((?=[^\s\"'`]{0,60}\d)[^\s\"'`]{6,200})[\"'`]"),
    ("password of a login", ("login ",), MIXED, r"\blogin[ \t]{1,9}\S{1,100}\s{1,9}password[ \t]{1,9}(\S{3,200})"),
)
"""Secrets that are known by the words around them."""
# fmt: on

# --- values ---------------------------------------------------------------------------

# What stands for a value that another person fills in.
_SAMPLES: Final = ("example", "xxxx", "your", "placeholder", "redacted", "changeme", "change-me", "change_me", "dummy", "****", "....", "____")  # fmt: skip
# What follows "the password is" or `password:` and is none.
_NO_PASSWORDS: Final = frozenset(
    "expired invalid wrong required missing stored empty null none nil undefined the this that these those not being read from with "
    "correct incorrect hashed encrypted reset changed generated needed optional valid used sent shown hidden string text true false "
    "given taken checked never always only refreshed rotated revoked passed loaded saved fetched available unknown mandatory also "
    "still already please must should will can has have there here what which when where who why how and for but prompt prompted stdin "
    "default secret token value field input type label name user username login email auth basic test tests testing todo "
    "object number integer boolean bool varchar char bytes byte array list dict ident hash salt plain plaintext cleartext "
    "admin enter entered typed visible weak strong long short too very your their same different unset inline "
    "mail code link form page screen flow policy manager file vault keychain based free less protected authentication "
    "word words argument option flag parameter variable setting config database server client state data error "
    "kennwort passwort password passwd passphrase passcode motdepasse contraseña senha wachtwoord".split()
)  # fmt: skip
_TECHNIQUES: Final = r"(?i)(?:base(?:32|58|64)|sha-?\d+|md5|\w*crypt\w*|argon2\w*|pbkdf2|aes-?\d*|utf-?8|oauth2?|1password|keepass\w*|x509|ed25519|rsa-?\d*|hs256|rs256|totp|2fa|mfa|s3|k8s|http2?|ipv[46])\b"  # fmt: skip
_STOP: Final = frozenset("a an the of to in on at is are be and or for with not no by as it that which when you your we our user users from must should will can never".split())  # fmt: skip


# What follows "token" in notes about work: words and numbers in parts (a ticket such
# as OPS-589106, v1.10.2, refresh_token_v2), a UUID, a git hash, the name of a variable.
# A part begins with a letter or a digit, never either way: a choice for each part would
# take a refusal 2^100 steps.
_PART = r"(?:(?:[a-z]{1,16}|[A-Z][a-z]{1,15}|[A-Z]{1,16})[0-9]{0,4}|[0-9]{0,10})"
_NAME = rf"{_PART}(?:[-_./+]{_PART})+"
_WORD = r"[A-Za-z]{1,16}[0-9]{0,4}"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_GIT_HASH = r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}"
_VARIABLE = r"\$[A-Za-z_]\w*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
_KEY_LETTERS = r"[A-Za-z0-9+/=_.~!@#$%^&*:-]{8,300}"
_DOTTED = r"[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+"
_CAMEL = r"(?:\w{1,40}\.){0,3}[A-Za-z][A-Z]{0,4}[a-z]{0,12}[0-9]{0,5}(?:[A-Z][a-z]{2,12}[0-9]{0,4})+"
_INDEXED = r"[A-Za-z_]\w*(?:\.\w+)*\["
_HEX_KEY = r"(?:0x)?(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{48}|[0-9a-fA-F]{64})"

# Not randomness, though it looks so: ids of hosts' records, addresses, words in parts.
_IDS = (
    r"(?:toolu|call|req|msg|evt|prt|ses|resp|run)_\w+"
    r"|(?:0x)?[0-9a-fA-F]{40}|[a-z0-9]+(?:[-_][a-z0-9]+){2,}"
)


def fits(must: str, value: str) -> bool:
    """Whether a value is what its form asks for."""
    if must == NOISE:
        return looks_random(value, prose=False)
    if must in (WORD, MIXED):
        return is_password(value, "", free=must == WORD)
    if must in (PAIR, DIGITS):
        text = _from_base64(value.partition(".")[0])
        if must == DIGITS:
            return text.isdigit()
        user, colon, password = text.partition(":")
        return bool(user and colon) and is_password(password, "", free=True)
    return not is_sample(value)


def looks_random(value: str, *, prose: bool, bits: float = 3.0) -> bool:
    """Whether a value is noise rather than a word, a path or a placeholder.

    Letters and digits together, and at least so many bits a character (Shannon): an
    English word of eight letters has about 2.7.
    """
    value = value.strip(".-=")
    if len(value) < 8 or value.lower().startswith(("http", "xxx")):
        return False
    if is_sample(value):
        return False
    if not (re.search("[0-9]", value) and re.search("[A-Za-z]", value)):
        return False
    names: tuple[str, ...] = (_NAME, _UUID, _VARIABLE, _DOTTED, _CAMEL)
    names += (_GIT_HASH, _WORD) if prose else ()
    if any(re.fullmatch(name, value) for name in names):
        return False
    return _bits(value) >= bits


def _bits(value: str) -> float:
    """Shannon's entropy of a character."""
    counts = [value.count(c) for c in set(value)]
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


def is_sample(value: str) -> bool:
    """Whether a value only shows where a secret would stand."""
    low = value.lower()
    return any(word in low for word in _SAMPLES) or len(set(low)) < 4


def is_key(value: str, name: str) -> bool:
    """Whether a value is a key or token, given to a name such as `API_KEY`.

    A UUID is one only for a variable of the environment.
    """
    if not has_key_letters(value):
        return False
    if name.isupper() and re.fullmatch(_UUID, value):
        return True
    return looks_random(value, prose=False, bits=2.5 if name.isupper() else 3.0)


def is_password(value: str, name: str, *, free: bool) -> bool:
    """Whether a value is a password, and not a variable, a path, a type or a sentence.

    Args:
        value: without its quotes.
        name: what it is given to; a password is no part of its name.
        free: whether a plain word counts, too.
    """
    low = value.lower().strip(".,!?;:")
    if len(low) < 3 or is_sample(value) or low in _NO_PASSWORDS:
        return False
    if value[0] in "$<{%[(/~*&@#-.\\" or re.search(r"[()\s]|://|\$\{|\{\{|=>", value):
        return False
    if name and squashed(low) in squashed(name):
        return False  # POSTGRES_PASSWORD=postgres
    if re.fullmatch(f"{_DOTTED}|{_VARIABLE}", value):
        return False
    if re.match(f"{_TECHNIQUES}|{_INDEXED}", value):
        return False
    if is_mixed(value):
        return len(value) >= (4 if free else 6)
    if not free or len(value) < 4 or not re.search("[^\\W_]", value):
        return False
    return not re.search("pass|pwd|secret|token|credential|_", low)


def is_mixed(value: str) -> bool:
    """Whether it has letters, and digits or signs among them."""
    value = value.strip(".,!?;:")
    return bool(
        re.search("[A-Za-z]", value) and re.search(r"[0-9!@#$%^&*+?=|]", value)
    ) or bool(re.fullmatch("[0-9]{6,}", value))


def is_said(value: str, *, last: bool, wide: bool) -> bool:
    """Whether what follows "the password is" is one, and not the rest of a sentence.

    Args:
        value: the next word, without its quotes and full stop.
        last: whether the sentence ends with it; then it may be a plain word.
        wide: as for `secrets.spans`.
    """
    if not is_password(value, "", free=last or wide):
        return False
    if is_mixed(value):
        return not re.fullmatch(_NAME, value)
    return bool(re.fullmatch(r"[A-Za-z_-]+", value)) and not re.search(
        "(?:ed|ing|able|ly|ment|tion)$", value
    )


def is_beside(value: str, *, last: bool) -> bool:
    """Whether what follows "the password" at once is one ("the password hunter2"), and
    not a thing of passwords: it has digits, or ends the sentence and is no English."""
    low = value.lower()
    if re.search("[0-9]", value):
        stem = low.rstrip("0123456789")
        plain = re.fullmatch(r"[A-Za-z0-9][\w!@#$%^&*+?=|.-]{5,}", value)
        known = stem in _NO_PASSWORDS
        return bool(plain) and not known and is_said(value, last=False, wide=False)
    letters = re.fullmatch("[a-z]{6,40}", value)
    if not last or not letters or not is_said(value, last=True, wide=False):
        return False
    from memcli.entries.shipped import ordinary_words

    return low not in ordinary_words()


def squashed(name: str) -> str:
    """A name in small letters, without what joins its words."""
    return name.lower().replace("_", "").replace("-", "").replace(".", "")


def _from_base64(value: str) -> str:
    """The text that a value holds in base64; empty when it holds none, or not ASCII."""
    from binascii import Error, a2b_base64

    value = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = a2b_base64(value + "=" * (-len(value) % 4)).decode("ascii")
    except (Error, ValueError):
        return ""
    return text if text.isprintable() else ""


def is_passphrase(text: str) -> bool:
    """Whether it is a password of three words or more, and no sentence."""
    words = re.split("[ -]", text.lower())
    return re.fullmatch(
        "[A-Za-z]{2,12}(?:[ -][A-Za-z]{2,12}){2,9}", text
    ) is not None and (
        not _STOP.intersection(words) and not _NO_PASSWORDS.intersection(words)
    )


def is_hex_key(value: str) -> bool:
    """Whether it is a key in hexadecimal digits, longer than a git hash."""
    return len(value) > 40 and re.fullmatch(_HEX_KEY, value) is not None


def is_id(value: str) -> bool:
    """Whether it is an id of a host's record, a hash, a UUID, or words in parts."""
    return re.fullmatch(f"{_GIT_HASH}|{_UUID}|{_IDS}", value) is not None


def has_key_letters(value: str) -> bool:
    """Whether it has the length and the letters of a key."""
    return re.fullmatch(_KEY_LETTERS, value) is not None
