"""Directives in other languages than English.

Invariant: pure. Only what is explicit is found: an imperative, a prohibition or an
infinitive of command, together with a word of scope, at the start of a sentence.
Narration ("das war immer so") does not start like that.
"""

import re
from typing import Final

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Reading

_GERMAN_VERBS: Final = (
    "verwende[nt]?|benutz(?:e|en|t)?|nutz(?:e|en|t)?|nimm|nehmt|schreib(?:e|en|t)?|mach(?:e|en|t)?|test(?:e|en)?|prüf(?:e|en)?|committe?n?|push(?:e|en)?|füg(?:e|en)?|"
    "lass(?:e|en)?|führ(?:e|en)?|start(?:e|en)?|lösch(?:e|en)?|änder(?:e|n)?|frag(?:e|en)?|antworte[nt]?|erklär(?:e|en)?|halt(?:e|en)?|vermeide[nt]?|"
    "achte[nt]?|denk(?:e|en)?|merk(?:e|en)?|gib|setz(?:e|en)?|leg(?:e|en)?|bau(?:e|en)?|arbeite[nt]?|installier(?:e|en)?|importier(?:e|en)?|dokumentier(?:e|en)?|nenn(?:e|en)?|formatier(?:e|en)?"
)
_TONGUES: Final[tuple[tuple[str, str, str, str], ...]] = (
    (
        "German",
        rf"(?:(?:ok(?:ay)?|ja|nein|gut|also|und|aber|bitte|hinweis|wichtig|claude)[,:!]?\s+)*(?:"
        rf"(?:immer|nie(?:mals)?|grundsätzlich|stets|ab (?:jetzt|sofort)|von nun an|künftig|zukünftig|in zukunft)\b[,:]?\s+(?!(?:war|ist|hat|habe|wird|wurde|wenn|noch|wieder|ein problem)\b).+"
        rf"|(?:{_GERMAN_VERBS})\b.*\b(?:immer|nie(?:mals)?|nicht|kein(?:e|en)?|stets|überall|grundsätzlich|ab (?:jetzt|sofort)|in zukunft|statt|anstatt|anstelle|künftig)\b.*"
        rf"|keine? .{{3,80}}\b(?:nie(?:mals)?|immer|künftig|in zukunft|mehr)\b.*"
        rf"|(?:du sollst|du musst|wir sollten|du solltest)\b.*\b(?:immer|nie(?:mals)?|überall|stets)\b.*"
        rf"|(?:merk|merke) dir\b.+)",
        r"\b(?:immer|nie(?:mals)?|grundsätzlich|stets|überall|jetzt|sofort|zukunft|künftig|zukünftig|statt|anstatt|anstelle|kein(?:e|en)?|merke?)\b",
        r"\b(?:noch nicht|erst ?mal|vorerst|diesmal|(?<!ab )jetzt|hier|heute|nicht mehr nötig|diese[rsnm]?)\b",
    ),
    (
        "French",
        r"(?:(?:ok|oui|non|bon|alors|et|mais|donc|note|attention|merci de|s'il (?:te|vous) pla[iî]t|stp|claude)[,:!]?\s+)*(?:"
        r"(?:toujours|jamais|désormais|dorénavant|à partir de maintenant|à l'avenir)\b[,:]?\s+(?!(?:été|eu|vu|le même|la même)\b).+"
        r"|(?:utilise[zr]?|n'utilise[zr]?|emploie|évite[zr]?|préfère|préférez|écris|écrivez|fais|faites|ajoute[zr]?|lance[zr]?|teste[zr]?|vérifie[zr]?|demande[zr]?|réponds|répondez|garde[zr]?|assure-toi|assurez-vous|mets|mettez|supprime[zr]?|n'ajoute[zr]?|ne (?:fais|faites|pousse[zr]?|committe?[zr]?|modifie[zr]?|touche[zr]?|supprime[zr]?|mets|mettez|jamais|pas|lance[zr]?))\b.*\b(?:toujours|jamais|partout|systématiquement|désormais|au lieu de|plutôt que|à chaque fois|chaque|sans)\b.*"
        r"|(?:tu dois|il faut|on doit|vous devez)\s+(?:toujours|systématiquement|ne jamais)\b.+"
        r"|(?:ne|n')\s?\S+ jamais\b.+|souviens-toi\b.+|retiens\b.+)",
        r"\b(?:toujours|jamais|désormais|dorénavant|partir de maintenant|l'avenir|partout|systématiquement|au lieu de|plutôt que|chaque|sans|souviens|retiens)\b",
        r"\b(?:pas encore|pour l'instant|pour le moment|cette fois|aujourd'hui|ici)\b",
    ),
    (
        "Spanish",
        r"(?:(?:ok|sí|si|no|vale|bueno|y|pero|nota|por favor|claude|importante)[,:!]?\s+)*¡?(?:"
        r"(?:siempre|nunca|jamás|a partir de ahora|de ahora en adelante|en el futuro|en adelante)\b[,:]?\s+(?!(?:ha|he|han|había|hay|fue|era|es|está|estaba|vi|pasa|foi|tive|tinha|acontece|é)\b).+"
        r"|(?:usa|utiliza|use|utilice|escribe|haz|ejecuta|prueba|pregunta|responde|evita|mantén|prefiere|añade|agrega|pon|asegúrate|no (?:uses|utilices|hagas|pongas|escribas|agregues|añadas|modifiques|toques|borres|subas|ejecutes|commitees))\b.*\b(?:siempre|nunca|en todas partes|en vez de|en lugar de|cada vez|sin|jamás|en ningún)\b.*"
        r"|(?:debes|hay que|tienes que|deberías)\s+(?:siempre|nunca)\b.+|recuerda (?:que |siempre )?.+)",
        r"\b(?:siempre|nunca|jamás|partir de ahora|ahora en adelante|en el futuro|en adelante|en todas partes|en vez de|en lugar de|cada vez|sin|ningún|recuerda)\b",
        r"\b(?:todavía|aún|por ahora|de momento|esta vez|hoy|aquí)\b",
    ),
    (
        "Portuguese",
        r"(?:(?:ok|sim|não|bom|e|mas|nota|por favor|claude|importante)[,:!]?\s+)*(?:"
        r"(?:sempre|nunca|jamais|a partir de agora|de agora em diante|daqui (?:para|pra) frente|no futuro)\b[,:]?\s+(?!(?:ha|he|han|había|hay|fue|era|es|está|estaba|vi|pasa|foi|tive|tinha|acontece|é)\b).+"
        r"|(?:use|usa|utilize|escreva|escreve|faça|faz|execute|rode|teste|pergunte|responda|evite|mantenha|prefira|adicione|coloque|certifique-se|não (?:use|utilize|faça|coloque|escreva|adicione|modifique|mexa|apague|suba|rode|execute))\b.*\b(?:sempre|nunca|em todo lugar|em vez de|ao invés de|no lugar de|cada vez|sem|jamais)\b.*"
        r"|(?:você deve|devemos|tem que)\s+(?:sempre|nunca)\b.+|lembre-se (?:de|que)\b.+)",
        r"\b(?:sempre|nunca|jamais|partir de agora|agora em diante|frente|futuro|em todo lugar|em vez de|ao invés de|no lugar de|cada vez|sem|lembre-se)\b",
        r"\b(?:ainda não|por enquanto|desta vez|dessa vez|hoje|aqui)\b",
    ),
    (
        "Chinese",
        r"[，。、\s]*(?:(?:好的?|对|嗯|那|另外|还有|注意|麻烦|请)[，,:：！\s]*)*(?:"
        r"(?:总是|始终|一律|永远(?:不要|别|要)?|绝对?(?:不要|不能|不可以)|千万(?:不要|别)|务必|一定(?:要|不要)|禁止|严禁|以后|今后|从现在(?:开始|起)|每次|所有.{0,12}都(?:要|必须|应该))[^了过]{3,}"
        r"|(?:不要|别|不能)(?:再|直接|随便|擅自|自动)[^了过]{3,}"
        r"|(?:用|使用|改用).{1,20}(?:而不是|不要用|代替).{1,}"
        r"|请?(?:记住|牢记).{3,})",
        r".",
        r"暂时|先不|这次|今天|目前",
    ),
    (
        "Japanese",
        r"(?=.*(?:常に|必ず|いつも|絶対に?|決して|今後は?|これからは?|以後|毎回|すべて|全て|禁止|の代わりに|ではなく|覚えて)).*"
        r"(?:てください|でください|て下さい|で下さい|ないで|ないこと|すること|使うこと|こと|ように|しないで|使って|書いて|して|禁止|しろ|するな|使え|覚えておいて|お願いします|べき(?:です)?)(?:、?絶対に?)?[。！!.]*",
        r".",
        r"まだ|とりあえず|今回|今日|今は|ここでは",
    ),
)


def foreign(plain: str, text: str) -> Reading | None:
    """The directive in a sentence of another language than English."""
    rest = plain.strip(" ,-*")
    for name, shape, scope, once in _TONGUES:
        if not re.match(shape + r"\Z", rest, re.IGNORECASE):
            continue
        if not re.search(scope, rest, re.IGNORECASE) or re.search(once, rest, re.I):
            continue
        if rest.endswith(("?", "？")):
            continue
        return Reading(Confidence.HIGH, "directive", f"a directive in {name}", text)
    return None
