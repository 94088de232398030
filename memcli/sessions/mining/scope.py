"""Where a sentence says that it holds.

Invariant: pure. What a person says in a project holds there, unless their words say
everywhere: all projects, or a manner in general. "Everywhere in this repository" says
the contrary, and so does a sentence that names the project as well.
"""

import re
from typing import Final

_ALL: Final = r"(?:all|every|each|any)(?: one)?(?: of)?(?: (?:my|our|the|your|other))*"
_WORK: Final = (
    r"(?:\w+ )?"
    r"(?:projects?|repos?|repositor(?:y|ies)|code ?bases?)"
)
_EVERYWHERE: Final = re.compile(
    rf"\b(?:in|across|for|on|to|with|over) {_ALL} {_WORK}\b"
    rf"|\bacross (?:my |our )?(?:projects|repos|repositories|code ?bases)\b"
    rf"|\b(?:whatever|whichever|no matter (?:what|which)|regardless of(?: the)?) {_WORK}\b"
    r"|(?:^|[.,;:!] ?)(?:(?:and|but|so|also|please) )?"
    r"(?:generally|in general|as a general rule)\b"
    r"|\beverywhere\b(?!\?|,? (?:in|on|inside|within|across|else|we|you|i|it|that|this|the|where))"
    # German, French, Spanish, Portuguese
    r"|\bin (?:allen|jedem)(?: (?:meinen|meiner|unseren|anderen))? (?:projekt(?:en)?|repos?|repositor(?:y|ies))\b"
    r"|\b(?:überall|generell)\b(?! (?:in|im|wo|dort|auf (?:de[rmn]|alle[rmn]?))\b)"
    r"|\bdans (?:tous (?:mes|nos|les) (?:projets|dépôts)|chaque (?:projet|dépôt))\b"
    r"|\ben général\b|\bpartout\b(?! (?:dans|où|sur)\b)"
    r"|\ben (?:todos (?:mis|nuestros|los) (?:proyectos|repositorios)|cada (?:proyecto|repositorio))\b"
    r"|\ben general\b|\ben todas partes\b(?! (?:de|del|en|donde)\b)"
    r"|\bem (?:todos os (?:meus |nossos )?(?:projetos|repositórios)|cada (?:projeto|repositório))\b"
    r"|\bem geral\b|\bem todo lugar\b(?! (?:de|do|em|onde)\b)",
    re.IGNORECASE,
)
_HERE: Final = re.compile(
    r"\b(?:in|for|across|throughout|of|on) (?:this|the|our) (?:\w+ )?"
    r"(?:project|repo|repository|code ?base)\b"
    r"|\b(?:in|für) diese[msr]? (?:projekt|repo)|\bdans ce (?:projet|dépôt)"
    r"|\ben este (?:proyecto|repositorio)|\bneste (?:projeto|repositório)",
    re.IGNORECASE,
)


def says_everywhere(text: str, around: str = "") -> bool:
    """Whether the words of a sentence say that it holds in all projects.

    Args:
        text: the words that were mined.
        around: where they stand; the whole sentence counts, and no other one.

    >>> says_everywhere("In all my projects, use pnpm.")
    True
    >>> says_everywhere("Use US English everywhere in the docs.")
    False
    """
    text, around = (" ".join(each.split()) for each in (text, around))
    place = around.find(text)
    if place >= 0:
        begin = max(around.rfind(f"{mark} ", 0, place) for mark in ".!?;") + 1
        text = around[begin : place + len(text)]
    plain = text.replace("\u2019", "'")
    return bool(_EVERYWHERE.search(plain)) and not _HERE.search(plain)
