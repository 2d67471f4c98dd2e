"""Questions: what a reply asks, and which of its questions are politeness or wait for a yes."""

from coworkgym.rewards.matching.sentences import cues
from coworkgym.services.patterns import lazy_pattern

_SENTENCE_END = cues(
    r"(?<=[!?。！？])\s*|(?<=\.)\s+(?-i:(?=[A-Z\u2e80-\uffff]|\W))",
    r"[,，;；] ?(?=(?:is|are|does|do|would|will) (?:that|this|it|you)\b[^,，;；]*[?？]\W*$)",
    r"[,，;；] ?(?=(?:你看|您看)?(?:这样)?(?:可以|好|行|合适|方便)[吗么])",
)
_ITEM = lazy_pattern(r"(?:^|(?<=\s)|(?<=[^0-9][:：;；]))(?:[-*•+] |[0-9]{1,2}[.)、](?![0-9]))\s*")
_HEADING = lazy_pattern(r"(?:[:：]|\bfollowing\W?)[\s*_]*$")

_ASKED_ZH = "(?:哪[些几位天个]|哪一[天个位]|什么时[间候]|何时|多少|多久|多长|谁)"
_QUESTION = cues(
    r"[?？]\W*$|\blet (?:me|us) know\b",
    r"\b(?:please|could you|can you|kindly) (?:tell|let|give|confirm|clarify|share|provide|send)\b",
    r"\b(?:i|we)(?: (?:still|also|first|just|only|would|will))* (?:need|require|lack)"
    r" (?:to (?:know|ask|confirm|clarify|have)|the|your|some|more|a few|(?:a )?few|following)\b",
    r"\b(?:i|we)(?:'d| would) (?:like|need|have) to (?:know|ask|confirm)\b",
    r"\b(?:i|we) (?:do not|don't) (?:yet )?know\b",
    "请问|请(?:您|先|再)*(?:告[诉知]|确认|提供|说明|回答|回复)",
    "(?<![无不])(?<![无不]需)(?:需要|想|要)(?:先|再)?(?:知道|了解|确认|您?提供|您?告[诉知]|以下)"
    f"|{_ASKED_ZH}[^。;；,，]{{0,4}}[。\\s]*$",
)
_ACT = cues(
    r"\b(?:shall|should|may|can) (?:i|we)\b|\b(?:do|would) you (?:want|like) (?:me|us) to\b",
    r"\b(?:okay|ok|fine|all right|alright) (?:(?:with|for) you )?(?:if (?:i|we)|to|for me to)\b",
    r"\bif (?:i|we) (?:should|may|shall)\b|\byou(?:'d| would)? (?:want|like) (?:me|us) to\b",
    r"\b(?:go ahead|proceed)\b|\b(?:approval|permission)\b|要不要我|是否要我|需要我",
)
_AGREEMENT = cues(
    r"^(?!.*\b(?:who|whom|when|what|which|where|how)\b).*\b(?:is|are|does|do|will|would)"
    r" (?:that|this|it|these|everything|you)\b.{0,30}\b(?:ok|okay|fine|all right|alright|good"
    r"|right|correct|acceptable|convenient|works?|suits?|happy|agree)\b",
    r"^\W*(?:ok|okay|all right|alright|agreed|correct|sounds? good|works? for you)\W*$",
    r"\b(?:please|kindly|could you|can you) confirm\b|\bto confirm\b",
    "(?:可以|好|行|对|合适|方便|同意|满意|没问题|妥当?)[吗么]|请(?:您)?确认"
    "|(?:是否|可否)(?:可以|合适|方便|同意|满意|妥当)",
)
_ANY = cues(
    r"\banything else\b|\bany(?:thing)?\b.{0,20}\b(?:other|more|further|changes?|changed"
    r"|adjust\w*|questions?|different\w*|help|assist\w*)\b|\bfeel free\b"
    r"|\b(?:change|adjust|correct) anything\b",
    "还有(?:什么|其他)|(?:其[他它]|别的|任何).{0,12}[吗么？?]",
    "(?<![无不])(?:需要|要)(?:再|做|进行|什么)*(?:调整|改动|修改|更改|帮助?)",
)
_TELL_ME = r"\b(?:let me know|tell me|say so|reach out|contact me)"
_IF_SO = cues(rf"{_TELL_ME},? (?:if|in case|should you)\b")
_IF = cues(r"\b(?:if|should|in case)\b|[如若]|有任何")
_SAY_SO = cues(
    rf"{_TELL_ME}\W*$|(?:告[诉知]|联系|通知|提出|吩咐|找|说)(?:我|一声|即可|就好|就行|吧){{0,3}}\W*$"
)
_PLAN = cues(
    r"\b(?:i|we)(?:'ll| will| can| could| would| propose| suggest)\b|\b(?:once|before|so that) i\b",
    "我(?:可以|将|会|建议|打算|再|就|现在|马上|来)|建议",
)


def questions(text: str) -> list[str]:
    """Returns the sentences that ask; the lines under "please tell me:" belong to it."""
    return list(dict.fromkeys(filter(_asks, _sentences(text))))


def asks_leave(question: str) -> bool:
    """Returns whether a question can be answered with a yes, to a deed or to a result."""
    return bool(_ACT.search(question) or _AGREEMENT.search(question))


def reports(text: str) -> bool:
    """Returns whether a reply tells a result and, if anything, asks for agreement with it.

    Whoever asks for leave to act, or tells of a plan, has not acted yet.
    """
    told = [sentence for sentence in _sentences(text) if not _is_courtesy(sentence)]
    asked = list(filter(_asks, told))
    return not asked or (
        len(asked) < len(told)
        and all(_AGREEMENT.search(question) and not _ACT.search(question) for question in asked)
        and not any(map(_PLAN.search, told))
    )


def _asks(sentence: str) -> bool:
    return bool(_QUESTION.search(sentence)) and not _is_courtesy(sentence)


def _is_courtesy(sentence: str) -> bool:
    if _ANY.search(sentence):
        return True
    says_so = _SAY_SO.search(sentence) and _IF.search(sentence)
    return bool(_IF_SO.search(sentence) or says_so) and not _ACT.search(sentence)


def _sentences(text: str) -> list[str]:
    """Returns the sentences of a reply, one of them a heading that asks with what it asks for."""
    found: list[str] = []
    is_open = follows_gap = False
    for line in map(str.strip, text.split("\n")):
        plain = _ITEM.sub(" ", line).strip()
        if is_open and plain and (_ITEM.match(line) or not follows_gap):
            found[-1] += f" {plain.rstrip('.?。？')},"
        elif plain:
            found += [part for part in map(str.strip, _SENTENCE_END.split(plain)) if part]
            is_open = bool(_HEADING.search(plain) and _QUESTION.search(found[-1]))
        follows_gap = not plain
    return found
