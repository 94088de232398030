"""The forms of keys and tokens that services document: one row for each.

Invariant: data, and pure. A row holds the kind as a refusal names it; parts, one of
which stands in every text that holds such a secret; what else its value must be; the
pattern, whose first group, if there is one, is the secret; an example; and a text that
looks alike and is no secret. Every row is tried by tests/entries/text/test_secrets.py.

Looking for the parts spares a save the compiling of patterns, which costs more than
the search, so most saves compile none. A part with a capital letter is looked for as it
is written, others in any case; `LONG` stands in each text with a word of 40 characters.

No pattern may take the square of the text's length: what can be followed by something
that fails has a bound.

Examples are templates, so that no scanner takes this file for a leak: `~36~` stands for
36 letters and digits, `~16A~` for capitals and digits, `~64h~` for hexadecimal digits,
`~10d~` for digits, `~52a~` for small letters and digits, `~b:TEXT~` for TEXT in base64;
`~58g~` and `~32b~` are letters of base 32.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final


LONG: Final = "\1"
SHORTEST: Final = 15

# What a value must be, beside the pattern; `secrets` knows how to tell.
ANY: Final = ""  # no placeholder
NOISE: Final = "noise"  # letters and digits without a pattern
WORD: Final = "word"  # anything that a person may have chosen, but no variable
PAIR: Final = "pair"  # base64 of USER:PASSWORD
MIXED: Final = "mixed"  # letters with digits or signs, as in a password
DIGITS: Final = "digits"  # begins with the base64 of a number

Form = tuple[str, tuple[str, ...], str, str, str, str]
"""Kind, parts, what its value must be, pattern, example, counter-example."""

_BOT = "~b:824601375926481037~."

# fmt: off
WORDS: Final[tuple[Form, ...]] = (
    ("age key", ("AGE-SECRET-KEY",), ANY, r"(?<![A-Za-z0-9])AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{50,}",
     "AGE-SECRET-" "KEY-1~58g~", "age1 is public, AGE-SECRET-KEY-1 is not"),
    ("one-time password seed", ("otpauth://",), ANY, r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=([A-Z2-7]{16,})",
     "otpauth://totp/acme:bob?secret=~32b~", "otpauth://totp/LABEL?secret=SECRET"),
    # clouds
    ("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), ANY, r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b",
     "AKI" "A~16A~", "AKIAIOSFODNN7EXAMPLE"),
    ("AWS Bedrock key", ("ABSK",), ANY, r"(?<![A-Za-z0-9])ABSK[A-Za-z0-9+/]{80,}={0,2}",
     "ABS" "K~110~", "ABSK is a prefix"),
    ("Google API key", ("AIza",), ANY, r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}",
     "AIz" "a~35~", "AIzaSyExample"),
    ("Google OAuth secret", ("GOCSPX-",), ANY, r"(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{20,}",
     "GOCSPX" "-~28~", "GOCSPX-..."),
    ("Google access token", ("ya29.",), ANY, r"(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20,}",
     "ya29" ".~80~", "ya29.<token>"),
    ("Google refresh token", ("1//0",), ANY, r"\b1//0[A-Za-z0-9_-]{30,}",
     "1//" "0~60~", "http://1//0"),
    ("Firebase server key", ("AAAA",), ANY, r"(?<![A-Za-z0-9])AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}",
     "AAA" "A~7~:~140~", "AAAA:BBBB"),
    ("Azure key", ("accountkey=", "sharedaccesskey="), ANY, r"(?i)\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})",
     "AccountName=acme;Account" "Key=~86~==", "AccountKey=<key>;EndpointSuffix=core.windows.net"),
    ("Azure key", ("JQQJ99",), ANY, r"\b[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}\b",
     "~52~JQQ" "J99~26~", "JQQJ99"),
    ("Azure client secret", ("Q~",), ANY, r"(?<![\w~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![\w~-])",
     "~3~8" "Q~~34~", "in Q~4 we ship"),
    ("Azure signature", ("sig=",), ANY, r"[?&]sig=([A-Za-z0-9%/+]{30,}=?)",
     "https://acme.blob.core.windows.net/a?sp=r&si" "g=~43~%3D", "https://acme.blob.core.windows.net/a?sp=r&sig=..."),
    ("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), ANY, r"(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}",
     "dop_" "v1_~64h~", "dop_v1_..."),
    ("Heroku token", ("HRKU-",), ANY, r"(?<![A-Za-z0-9])HRKU-[A-Za-z0-9_-]{30,}",
     "HRK" "U-~58~", "HRKU-xxxx"),
    ("Databricks token", ("dapi",), ANY, r"(?<![A-Za-z0-9])dapi[0-9a-f]{32}\b",
     "dap" "i~32h~", "dapi is old"),
    ("Cloudflare origin key", ("v1.0-",), ANY, r"(?<![A-Za-z0-9])v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}",
     "v1.0" "-~24h~-~146h~", "v1.0-beta"),
    ("Fly token", ("fm1", "fm2", "fo1_"), ANY, r"(?<![A-Za-z0-9])f(?:m[12][ar]?|o1)_[A-Za-z0-9+/_-]{40,}",
     "fm2" "_~90~", "fm2_lJ"),
    ("Tailscale key", ("tskey-",), ANY, r"(?<![A-Za-z0-9])tskey-[a-z]{2,12}-[A-Za-z0-9]{6,20}-[A-Za-z0-9]{20,}",
     "tskey" "-auth-~12~-~32~", "tskey-auth-..."),
    ("Terraform token", ("atlasv1",), ANY, r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}",
     "~14~.atlas" "v1.~67~", ".atlasv1."),
    ("Vault token", ("hvs.", "hvb.", "hvr."), ANY, r"(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{20,}",
     "hvs" ".~90~", "hvs.<token>"),
    ("Pulumi token", ("pul-",), ANY, r"(?<![A-Za-z0-9])pul-[0-9a-f]{40}\b",
     "pu" "l-~40h~", "pul-request"),
    ("Doppler token", ("dp.",), ANY, r"(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b",
     "dp.p" "t.~43~", "dp.st.prd"),
    ("PlanetScale secret", ("pscale_",), ANY, r"(?<![A-Za-z0-9])pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=_.-]{32,}",
     "pscale_" "tkn_~43~", "pscale_tkn_"),
    ("Supabase key", ("sbp_", "sb_secret_"), ANY, r"(?<![A-Za-z0-9])(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})",
     "sb" "p_~40h~", "sbp_token"),
    ("Netlify token", ("nfp_",), ANY, r"(?<![A-Za-z0-9])nfp_[A-Za-z0-9]{36,}",
     "nf" "p_~36~", "nfp_..."),
    # code and packages
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), ANY, r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,}",
     "gh" "p_~36~", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    ("GitHub token", ("github_pat_",), ANY, r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{50,}",
     "github_" "pat_~22~_~59~", "github_pat_..."),
    ("GitLab token", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "glffct-"), ANY,
     r"(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{20,}",
     "glp" "at-~20~", "glpat-xxxxxxxxxxxxxxxxxxxx"),
    ("GitLab token", ("GR1348941",), ANY, r"(?<![A-Za-z0-9])GR1348941[A-Za-z0-9_-]{20}",
     "GR134" "8941~20~", "GR1348941"),
    ("Atlassian token", ("ATATT", "ATCTT", "ATBB"), ANY, r"(?<![A-Za-z0-9])AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{24,}",
     "ATAT" "T3~180~", "ATBB is a prefix"),
    ("npm token", ("npm_",), ANY, r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}\b",
     "np" "m_~36~", "npm_config_registry"),
    ("PyPI token", ("pypi-",), ANY, r"(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{40,}",
     "pyp" "i-AgEIcHlwaS5vcmc~60~", "pypi-publish"),
    ("RubyGems key", ("rubygems_",), ANY, r"(?<![A-Za-z0-9])rubygems_[0-9a-f]{48}\b",
     "ruby" "gems_~48h~", "rubygems_version"),
    ("crates.io token", ("cio",), NOISE, r"(?<![A-Za-z0-9])cio[A-Za-z0-9]{32}\b",
     "ci" "o~32~", "precios"),
    ("NuGet key", ("oy2",), ANY, r"(?<![A-Za-z0-9])oy2[a-z0-9]{43}\b",
     "oy" "2~43a~", "oy2"),
    ("Docker token", ("dckr_pat_", "dckr_oat_"), ANY, r"(?<![A-Za-z0-9])dckr_[po]at_[A-Za-z0-9_-]{20,}",
     "dckr_" "pat_~27~", "dckr_pat_"),
    ("Artifactory key", ("AKCp", "cmVmdGtuOj"), ANY, r"(?<![A-Za-z0-9])(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtuOj[A-Za-z0-9]{40,})",
     "AKC" "p~69~", "AKCp8"),
    ("SonarQube token", ("sqp_", "squ_", "sqa_"), ANY, r"(?<![A-Za-z0-9])sq[pua]_[0-9a-f]{40}\b",
     "sq" "p_~40h~", "squ_token"),
    ("CircleCI token", ("CCIPAT_",), ANY, r"(?<![A-Za-z0-9])CCIPAT_[A-Za-z0-9]{16,40}_[0-9a-f]{40}",
     "CCIP" "AT_~22~_~40h~", "CCIPAT_"),
    ("Buildkite token", ("bkua_", "bkpt_"), ANY, r"(?<![A-Za-z0-9])bk(?:ua|pt)_[0-9a-f]{40}\b",
     "bku" "a_~40h~", "bkua_"),
    ("Sentry token", ("sntrys_", "sntryu_"), ANY, r"(?<![A-Za-z0-9])sntry[su]_[A-Za-z0-9+/=_-]{40,}",
     "sntry" "u_~64h~", "sntrys_"),
    ("New Relic key", ("NRAK-", "NRII-", "NRJS-"), ANY, r"(?<![A-Za-z0-9])NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,}",
     "NRA" "K-~27A~", "NRAK-..."),
    ("Grafana token", ("glsa_", "glc_"), ANY, r"(?<![A-Za-z0-9])gl(?:sa|c)_[A-Za-z0-9_+/=]{32,}",
     "gls" "a_~32~_~8h~", "glsa_"),
    ("Dynatrace token", ("dt0",), ANY, r"(?<![A-Za-z0-9])dt0[a-z]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b",
     "dt0" "c01.~24A~.~64A~", "dt0c01"),
    ("Postman key", ("PMAK-",), ANY, r"(?<![A-Za-z0-9])PMAK-[0-9a-f]{24}-[0-9a-f]{34}\b",
     "PMA" "K-~24h~-~34h~", "PMAK-"),
    ("Linear key", ("lin_api_", "lin_oauth_"), ANY, r"(?<![A-Za-z0-9])lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
     "lin_" "api_~40~", "lin_api_key"),
    ("Notion token", ("ntn_", "secret_"), NOISE, r"(?<![A-Za-z0-9])(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b)",
     "nt" "n_~46~", "secret_access_key"),
    ("Airtable token", (LONG,), ANY, r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b",
     "pa" "t~14~.~64h~", "path/to/" + "a/" * 30),
    ("Figma token", ("figd_",), ANY, r"(?<![A-Za-z0-9])figd_[A-Za-z0-9_-]{40,}",
     "fig" "d_~43~", "figd_"),
    ("1Password token", ("ops_eyJ",), ANY, r"(?<![A-Za-z0-9])ops_eyJ[A-Za-z0-9+/=_-]{80,}",
     "ops_e" "yJ~250~", "ops_eyJ"),
    ("LaunchDarkly key", ("sdk-",), ANY, r"(?<![A-Za-z0-9])sdk-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b",
     "sd" "k-~8h~-~4h~-~4h~-~4h~-~12h~", "sdk-build-tools"),
    # models
    ("Anthropic key", ("sk-ant-",), NOISE, r"(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{20,}",
     "sk-" "ant-api03-~95~", "sk-ant-..."),
    ("API key", ("sk-",), NOISE, r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}",
     "sk" "-proj-~48~", "use sk-toggleable-content-with-parts"),
    ("Hugging Face token", ("hf_", "api_org_"), NOISE, r"(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{30,}",
     "h" "f_~34~", "hf_hub_download"),
    ("Groq key", ("gsk_",), ANY, r"(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,}",
     "gs" "k_~52~", "gsk_key"),
    ("Perplexity key", ("pplx-",), ANY, r"(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{40,}",
     "ppl" "x-~48~", "pplx-70b-online"),
    ("Replicate token", ("r8_",), ANY, r"(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37,}",
     "r" "8_~37~", "r8_unorm"),
    ("xAI key", ("xai-",), ANY, r"(?<![A-Za-z0-9])xai-[A-Za-z0-9]{60,}",
     "xa" "i-~80~", "xai-grok"),
    # messages and mail
    ("Slack token", ("xox",), ANY, r"(?<![A-Za-z0-9])xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}",
     "xox" "b-~12d~-~12d~-~24~", "xoxb-..."),
    ("Slack token", ("xapp-",), NOISE, r"(?<![A-Za-z0-9])xapp-[0-9]-[A-Za-z0-9-]{20,}",
     "xap" "p-1-A~10A~-~13d~-~64h~", "xapp-1-..."),
    ("Slack webhook", ("hooks.slack.com",), ANY, r"hooks\.slack\.com/(?:services|workflows|triggers)/[TE]\w{1,20}/\w{1,20}/\w{20,}",
     "https://hooks.slack.com/serv" "ices/T~8A~/B~10A~/~24~", "https://hooks.slack.com/services/T000/B000/XXXX"),
    ("Discord token", (LONG,), DIGITS, r"(?<![\w.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![\w-])",
     _BOT + "G~5~.~38~", "Nested.module.names.are.dotted.too"),
    ("Discord token", ("mfa.",), ANY, r"(?<![A-Za-z0-9])mfa\.[A-Za-z0-9_-]{80,}",
     "mf" "a.~84~", "mfa.enabled"),
    ("Discord webhook", ("/webhooks/",), ANY, r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{10,25}/[A-Za-z0-9_-]{40,}",
     "https://discord.com/api/web" "hooks/~19d~/~68~", "https://discord.com/api/webhooks/ID/TOKEN"),
    ("Telegram token", (LONG,), NOISE, r"(?:(?<![0-9A-Za-z])|(?<=bot))[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
     "~10d~:AA~33~", "1795262400:2026-11-21"),
    ("SendGrid key", ("SG.",), ANY, r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}",
     "S" "G.~22~.~43~", "SG.de"),
    ("Mailgun key", ("key-",), ANY, r"(?<![A-Za-z0-9])key-[0-9a-f]{32}\b",
     "ke" "y-~32h~", "key-value"),
    ("Mailgun key", (LONG,), ANY, r"(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])",
     "~32h~-~8h~-~8h~", "123e4567-e89b-12d3-a456-426614174000"),
    ("Mailchimp key", ("-us",), ANY, r"\b[0-9a-f]{32}-us[0-9]{1,2}\b",
     "~32h~-u" "s12", "en-us"),
    ("Twilio key", ("SK",), ANY, r"(?<![A-Za-z0-9])SK[0-9a-f]{32}\b",
     "S" "K~32h~", "SKU1234"),
    # shops and payment
    ("Stripe key", ("k_live_", "k_test_"), ANY, r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
     "sk_" "live_~24~", "sk_test_..."),
    ("Stripe key", ("whsec_",), ANY, r"(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{20,}",
     "whse" "c_~32~", "whsec_..."),
    ("Shopify token", ("shpat_", "shpss_", "shpca_", "shppa_"), ANY, r"(?<![A-Za-z0-9])shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}",
     "shpa" "t_~32h~", "shpat_"),
    ("Square token", ("sq0",), ANY, r"(?<![A-Za-z0-9])sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}",
     "sq0" "csp-~43~", "sq0idp"),
    ("Square token", ("EAAA",), ANY, r"(?<![A-Za-z0-9])EAAA[A-Za-z0-9_-]{60}\b",
     "EAA" "A~60~", "EAAA"),
    ("Facebook token", ("EAA",), ANY, r"(?<![A-Za-z0-9])EAA[A-Za-z0-9]{80,}",
     "EA" "AB~150~", "EAA"),
    ("Braintree token", ("access_token$",), ANY, r"(?<![A-Za-z0-9])access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}\b",
     "access_" "token$production$~16a~$~32h~", "access_token$"),
    ("Dropbox token", (LONG,), ANY, r"(?<![\w.-])sl\.(?:u\.)?[A-Za-z0-9_-]{100,}",
     "s" "l.~136~", "sl." + "a." * 30),
    ("Mapbox token", ("sk.eyJ",), ANY, r"(?<![A-Za-z0-9])sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}",
     "sk" ".eyJ~70~.~22~", "sk.eyJ"),
    ("JSON web token", ("eyJ",), ANY, r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
     "ey" "J~20~.eyJ~40~.~43~", "eyJhbGciOiJIUzI1NiJ9 is a header"),
)
"""Secrets of one word, of at least `SHORTEST` characters."""

PHRASES: Final[tuple[Form, ...]] = (
    ("private key", ("begin ",), ANY, r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----",
     "-----BEGIN RSA PRIV" "ATE KEY-----\n~64~\n~64~", "-----BEGIN PUBLIC KEY-----"),
    ("PuTTY private key", ("private-lines",), ANY, r"Private-Lines: [0-9]{1,3}\s{1,2}(?:[A-Za-z0-9+/=]{20,80}\s{0,2}){1,60}",
     "Private-Lines: 2\n~64~\n~32~", "Private-Lines: none"),
    ("WireGuard key", ("privatekey", "presharedkey"), ANY, r"\b(?:PrivateKey|PresharedKey)[ \t]{0,9}=[ \t]{0,9}([A-Za-z0-9+/]{42}[A-Za-z0-9]=)",
     "PrivateKey = ~43~=", "PrivateKey = $WG_KEY"),
    ("seed phrase", ("seed", "recovery", "mnemonic"), ANY, r"(?i)\b(?:seed|recovery|mnemonic)(?: phrase| words)?[\"'`]?[ \t]{0,3}(?:[:=]|\bis\b)\s{0,3}[\"'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})",
     "seed phrase: ~words12~", "the seed phrase is shown once and never stored"),
    ("docker login", ('auth"',), PAIR, r"\\?\"auth\\?\"\s{0,9}:\s{0,9}\\?\"([A-Za-z0-9+/]{8,400}={0,2})\\?\"",
     '{"auths": {"ghcr.io": {"auth": "~b:bob:hunter2222~"}}}', '{"auth": "required"}'),
    ("npm login", ("_auth",), PAIR, r"\b_auth[ \t]{0,9}=[ \t]{0,9}\"?([A-Za-z0-9+/]{8,400}={0,2})",
     "//registry.acme.dev/:_auth=~b:bob:hunter2222~", "//registry.acme.dev/:_auth=${NPM_AUTH}"),
    ("login in a header", ("basic ",), PAIR, r"(?i)\bbasic[ \t]{1,9}([A-Za-z0-9+/_-]{8,400}={0,2})",
     "Authorization: Basic ~b:bob:hunter2222~", "Authorization: Basic dXNlcjpwYXNzd29yZA=="),
    ("token in a header", ("bearer ", ": token "), NOISE, r"(?i)\b(?:bearer|authorization[\"']?:[ \t]{0,9}[\"']?token)[ \t]{1,9}([A-Za-z0-9._~+/=-]{16,})",
     "Authorization: Bearer ~40~", "Authorization: Bearer <access-token-1>"),
    ("password in a URL", ("://",), WORD, r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'`<>]{0,80}:([^\s/@\"'`<>]{3,200})@",
     "postgres://app:~12~@db.acme.dev/app", "ssh://git@github.com:22/acme/shop.git"),
    ("token in a URL", ("://",), NOISE, r"(?i)\bhttps?://([A-Za-z0-9_-]{20,200})@",
     "https://~32~@git.acme.dev/shop.git", "https://alice@git.acme.dev/shop.git"),
    ("token in a URL", ("token=", "key=", "secret=", "passw", "pwd=", "sig=", "signature="), NOISE,
     r"(?i)[?&](?:[a-z]{1,20}[_-])?(?:token|api_?key|key|secret|password|passwd|pwd|sig|signature|x-amz-signature|x-goog-signature)=([^\s&#\"'`<>)]{8,500})",
     "https://api.acme.dev/v1?api_key=~32~", "https://acme.dev/docs?key=installation-on-linux"),
    ("password on a command line", ("curl", "wget"), WORD,
     r"\b(?:curl|wget)\b[^\n|;&]{0,200}?\s(?:-u|-U|--user|--proxy-user)[ =]{0,3}[\"']?[^\s:\"']{1,80}:([^\s\"']{3,200})",
     "curl -sS -u bob:~10~ https://acme.dev/", "curl -u bob:$TOKEN https://acme.dev/"),
    ("password on a command line", ("mysql", "mariadb"), WORD, r"\b(?:mysql|mariadb)[a-z-]{0,12}\b[^\n|;&]{0,200}?\s-p[\"']?([^\s\"']{3,200})",
     "mysql -u root -p~10~ shop", "mysql -u root -p shop"),
    ("password on a command line", ("sshpass", "redis-cli", "docker", "helm"), WORD,
     r"\b(?:sshpass|redis-cli|(?:docker|helm)[ \t](?:registry[ \t])?login)\b[^\n|;&]{0,200}?\s(?:-[pa][ =]{0,3}|--pass(?:word)?[ =]{1,3})[\"']?([^\s\"']{3,200})",
     "sshpass -p ~10~ ssh bob@acme.dev", "docker login -u bob --password-stdin"),
    ("password on a command line", ("--passw", "--pwd", "--token", "--api-key", "--secret"), MIXED,
     r"(?<![\w-])--(?:[a-z]{1,20}-){0,3}(?:password|passwd|pwd|passphrase|token|api-key|secret)(?:=|[ \t]{1,9})[\"']?([^\s\"'`,;]{6,200})",
     "deploy --password ~12~", "deploy --password-file pw.txt --token $TOKEN"),
    ("password of a variable", ("env ", "set ", "setx ", "setenv "), MIXED,
     r"(?i)(?<![\w-])(?:env|setx?|setenv)[ \t]{1,9}\w{0,60}?(?:password|passwd|secret|token|api_key)[ \t]{1,9}(\S{6,200})",
     "ENV DB_PASSWORD ~12~", "set token budgets"),
    ("cookie", ("cookie:",), NOISE, r"(?i)\bcookie:[ \t]{0,9}[\w.-]{1,60}=([A-Za-z0-9%._~+/=-]{16,})",
     "Cookie: sid=~40~", "Cookie: lang=en"),
    ("password of a login", ("login ",), MIXED, r"\blogin[ \t]{1,9}\S{1,100}\s{1,9}password[ \t]{1,9}(\S{3,200})",
     "machine acme.dev login bob password ~12~", "enter your login and your password twice"),
)
"""Secrets that are known by the words around them."""
# fmt: on
