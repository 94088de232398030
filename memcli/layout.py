"""Every path name of a vault, and nothing else that knows one.

Invariant: paths here are vault-relative, in POSIX form. A rename in this module
renames everywhere; a path literal anywhere else is a bug.
"""

CONFIG = ".memcli/config.toml"
INDEX = ".memcli/index"
RUN = ".memcli/run"
LOCK = ".memcli/run/lock"
INDEX_LOCK = ".memcli/run/index.lock"

MEMORIES = "memories"
MODELS = "models"
REFLECTIONS = "reflections"
INBOX = "inbox"
ENTITIES = "entities"
IDEAS = "ideas"
ARCHIVE = "archive"

README = "README.md"
IDEA_LEDGER = "ideas/Ideas.md"
INCUBATOR = "ideas/incubator/"

# Types of the registry: only these folders below entities/ are memcli's own, so
# that an adopted folder may have an `entities/` of notes.
_REGISTRY = tuple(
    f"{ENTITIES}/{kind}/"
    for kind in (
        "person", "project", "system", "tool", "concept", "skill", "task", "unknown",
    )
)  # fmt: skip


def is_entry(path: str) -> bool:
    """Whether a markdown file at this path is an entry.

    Every `*.md` file is one, wherever a person puts it, save the pages that
    memcli writes for people (the vault's README, the idea ledger, the registry).
    """
    if not path.endswith(".md") or path in (README, IDEA_LEDGER):
        return False
    return not path.startswith((INCUBATOR, *_REGISTRY))


def folder_for(kind: str, layer: str) -> str:
    """The folder where a new entry of this kind and layer is written."""
    return MODELS if layer == "model" else f"{MEMORIES}/{kind}"
