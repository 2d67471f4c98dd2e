"""States: does a reply state a value?

Replies are masked first: a private character stands for every mention, so that plain patterns
can read the cues around it. English and Chinese cues are both always read.
"""

import re
from collections.abc import Hashable, Sequence
from datetime import date
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from coworkgym.errors import nearest
from coworkgym.rewards.matching import mentions
from coworkgym.rewards.matching.deeds import FOR, FOR_ZH
from coworkgym.rewards.matching.mentions import (
    HIT,
    MARK,
    MARKS,
    OPERAND,
    OR,
    OTHER,
    Kind,
    Mention,
    check_language,
)
from coworkgym.rewards.matching.sentences import QUESTION, cues, sentences
from coworkgym.services.money import DIGITS
from coworkgym.services.patterns import lazy_pattern


class Match(NamedTuple):
    """Whether a reply states a value, and a clause about the reply that says why."""

    holds: bool
    why: str


def states(  # noqa: PLR0913
    reply: str,
    kind: Kind,
    expected: str,
    *,
    rivals: Sequence[str] = (),
    language: str = "en",
    currency: str | None = None,
    today: date | None = None,
) -> Match:
    """Returns whether `reply` asserts the expected value, and no rival as firmly.

    A mention is denied in a clause that negates, excludes or supersedes it, as an operand before
    the last `=`, in a question, and as one of several values joined by "or"; doubted beside a
    milder cue ("wrong", "closed", "maybe", "among"); else stated. The firmest mention of the
    expected value has to be firmer than a denial, and than every mention of a rival.

    Args:
        reply: Any text.
        kind: How to read the values.
        expected: A phrase, an id, a decimal (number, money), an ISO date, or a time of day: `15:00`
            on the clocks of the office, or `14:00Z`, which only a reply that says UTC names.
        rivals: Other values of the same kind.
        language: How the reply writes ambiguous numbers, one of `LANGUAGES`.
        currency: ISO code, for money; an amount without any currency counts too.
        today: A date without a year is the nearest to this one; it has the expected year if None.

    Raises:
        ValueError: For an expected value, rival, currency or language that cannot be used.
    """
    check_language(language)
    if kind == "money" and currency not in DIGITS:
        raise ValueError(f"Unknown currency {currency!r}.{nearest(str(currency), DIGITS)}")
    wanted, others = _values(kind, expected, rivals)
    text = mentions.readable(reply, kind)
    found = mentions.find(text, kind, (wanted, *others), language, currency, today)
    if not any(mention.value == wanted for mention in found):
        return Match(False, f"the reply does not mention {expected!r}")
    masked = _QUOTED.sub(_quoted, mentions.masked(text, found, wanted))
    levels = chain.from_iterable(map(_levels, sentences(masked)))
    judged = list(zip(levels, found, strict=True))
    level, best = max((pair for pair in judged if pair[1].value == wanted), key=itemgetter(0))
    if level == _DENIED:
        return Match(False, f"the reply denies or leaves open {expected!r}: {_quote(text, best)}")
    for firmness, mention in judged:
        if mention.value in others and firmness >= level:
            return Match(False, f"the reply also states {_quote(text, mention)}")
    return Match(True, f"the reply states {expected!r}: {_quote(text, best)}")


def _values(kind: Kind, expected: str, rivals: Sequence[str]) -> tuple[Hashable, set[Hashable]]:
    if isinstance(rivals, str):
        raise ValueError(f"rivals are a list of values, got the text {rivals!r}")
    wanted = mentions.value_of(kind, expected)
    others = {mentions.value_of(kind, rival) for rival in rivals}
    if wanted in others:
        raise ValueError(f"the expected value {expected!r} is among its rivals {list(rivals)!r}")
    return wanted, others


def _quote(text: str, mention: Mention) -> str:
    return repr(" ".join(text[max(0, mention.start - 40) : mention.end + 40].split()))


_DENIED, _DOUBTED, _STATED = range(3)  # how firmly a mention is asserted


_NOT_ZH = "不(?![仅但过只久断变]|[早晚]于)|未(?!来)|没|并非|而非|绝非|排除|忽略|跳过|无法"
_FIXES = (
    r"\b(?:correct|chang|updat|revis|amend|adjust|mov|rais|reduc|fix|rose|fell|went|increas|decreas"
    r"|lower|extend|shorten|cut|grew|dropp)\w{0,4}"
)
_FIXED_TO = rf"{_FIXES} to\b|->|→|[改更修调变][正新整更]?[为成到]|而是|应[为是]"
_FILLERS = r"(?:(?:the|an?|any|ticket|invoice|order|customer|number|amount|of|for|to|id)s? |[#(])*"
_WITHOUT = r"\b(?:no|none of|not|without|unlike|excluding|rather than|instead of|as opposed to)\b"
_EXCLUDED = r"excluded?|ignored?|skipped|ruled out|omitted|discarded|untouched|out of scope"
_NOT_YET = r"\bha(?:s|ve|d)(?: not|n't)(?! (?:found|seen|identified|been able)\b)"
_DENIES_BEFORE = cues(
    rf"\b(?:not|never|cannot|nor|neither|unable|fail(?:s|ed)? to|{_EXCLUDED})\b|n't\b",
    rf"(?:{_WITHOUT}|\bno longer) ?{_FILLERS}$|{_FIXES}\b[^,;]{{0,40}}\bfrom $|{_NOT_ZH}|除",
)
_DENIES_AFTER = cues(
    rf"\b(?:not|never|no longer|cannot|wrong|incorrect|{_EXCLUDED})\b|n't\b|^\W*(?:no\b|否)"
    r"|\|\s?(?:no|否)\s?(?:\||$)",
    rf"\balready (?:closed|resolved|done)\b|\btoo (?:new|recent|young)\b|(?:{_FIXED_TO})\s*$",
    _NOT_ZH + "|错误|有误|无关",
)
_DOUBTS_BEFORE = cues(
    rf"{_NOT_YET}|^\W*(?:please )?(?:do not|don't)\b|^\W*(?:of|was)\b|\b(?:may|might|could) be\b",
    r"\b(?:considered|looked at|suspected|asked|whether|at first|initially|(?:down|up|over) from"
    r"|replace[sd](?! by)|succeed(?:s|ed))\b",
    r"\b(?:wrong|incorrect|previous(?:ly)?|former(?:ly)?|original(?:ly)?|old|others?|rest|closed)\b",
    r"\b(?:resolved|checked|reviewed|compared|among|out of|except|besides|apart from)\b",
    r"\b(?:left|leave|leaving|keep|kept|no (?:action|need|change)s?)\b|保留|无需|不需要|未动",
    r"\b(?:maybe|perhaps|possibly)\b|错误|有误|旧|原[为来先]?|之前|其[他它余]|查看|检查|比较|可能|也许",
)
_DOUBTS_AFTER = cues(
    rf"{_NOT_YET}|(?:\bnot|n't)(?: yet| been| be){{0,2}} (?:includ\w+|paid|sent"
    r"|(?!affect|need|requir|concern)\w+ed)\b",
    r"(?<!already )\b(?:closed|resolved)\b|\b(?:only \S+ (?:hour|day|week)s?|within|below)\b",
    r"\b(?:only|just) [^,;]{0,20}(?:h|hours?|days?|weeks?)\b",
    r"\b(?:created|opened) [^,;]{0,30} ago\b|\b(?:became|has left|was replaced by)\b",
    r"\b(?:is|are|was|were|looks?) (?:all )?(?:fine|ok(?:ay)?|in order|on time)\b",
    r"\b(?:is|was) the (?:old|original|previous|former|wrong) \w+",
    r"\b(?:less than|under|alone|untouched|unchanged|(?:standard|business|smaller|small) ?-?"
    r"(?:tier|level|plan|customer|client|account)s?)\b|仅|只有|不足|以内|[时期]限内|普通客户|标准|不变",
    "(?:未|没有?)[^;]{0,3}(?:关闭|解决|回复|答复|处理|升级|支付|付款|收到|完成|读|批准|发[送出]|归档)"
    "|关闭|已解决|已结束|已停用|即将|才会",
    r"\bwill (?:only |soon )?(?:become|turn|go|fall|get|be (?:over)?due)\b",
)
_LEADING = cues(
    rf"(?:{_WITHOUT} ?{_FILLERS}|\b(?:(?:took over|down|up) from|replace[sd]|succeed(?:s|ed))"
    r"|而不是|不是|而非|除了?)\s*$"
)
_FIXED = cues(_FIXED_TO)
# Double negations, and how long an answer is missing; what supersedes a value right after a comma
# belongs to its clause, and of the cells of a table's row the last yes or no speaks.
_NEUTRAL = cues(
    r"\bno doubt\b|\bnot only\b|不仅|不但|没问题|无误",
    rf"\b(?:no|none|nothing|not)\b[^,;.{HIT}{OTHER}]{{0,40}}\b(?:other than|except|besides)\b",
    r"\b(?:no|without(?: an?| any)?) (?:response|reply|answer|reaction|contact)s?"
    r"(?= (?:for|since|in|within|after) )|\b(?:never|not(?: been)?) (?:answered|replied to)\b",
    rf"(?:未|没有?|无)(?:能)?在[^;{MARKS}]{{1,12}}内[^;{MARKS}]{{0,4}}",
    r"\|\s?(?:no|否)\s?(?=\|(?:.{0,60}\|)?\s?(?:yes|no|是|否)\s?\|?\s*$)",
    rf"[,(](?: which| and| but)?(?: was| is| has been| later| then| now)* ?(?={_FIXED_TO})",
)
_LIST = cues(
    rf"(?<={MARK})\s*(?:,?\s*\b(?P<or>n?or)\b|,? ?(?P<zh>还是|或者?)|(?P<slash>/))"
    rf"\s*(?:(?:maybe|perhaps|possibly|even|it is|about|the|ticket)s?\s+)*#?(?={MARK})",
    rf"(?<={MARK})\s*(?:,?\s*\band\b|[,&、和及与])\s*#?(?={MARK}(?!\s+(?:is|was|has|had)\b))",
)
_CLAUSE = cues(
    rf"[,;)]|\((?!\s*{MARK})| [-–—] |:(?= ?(?:it|the|this|that|there|only|i|we|这|它|应|正确))",
    r"\b(?:but|and|while|whereas|although|though|because|since|so|however|which)\b",
    "但是?|而(?!不是|非|是)|因此|所以|因为|由于|然而|不过|并且|而且",
)
_OWN_ZH = "[^;]{0,8}(?:其[他它余]|别的|任何|另外|[您你我])"
_CONTINUES = cues(
    r"\W*(?:(?:it|this|that|they|these|the ticket) )?(?:(?:is|was|are|were|has|have|been|does) ?)*"
    r"(?:(?:only|still|just|already|therefore|also|clearly|now) )*"
    r"(?:not(?! (?:an?|the|includ\w+|only|just|more|less)\b)|n't|no longer|never|wrong|closed"
    rf"|resolved|left alone|{_EXCLUDED})\b",
    r"\W*(?:within|below|under|less than|(?:it |that )?(?:is |was )?(?:fine|on time|in order))\b",
    rf"\W*(?:i|we) (?:have )?(?:{_EXCLUDED}|left|did not \w+|didn't \w+) (?:it|them|that)\b",
    rf"\W*(?:它|其)?(?:也|还|并|尚|已经?)?(?:(?:{_NOT_ZH})(?!{_OWN_ZH})[^;]{{0,8}}\W*$|关闭\W*$)",
)
# What is told of a deed done to a value, before or after it, describes the value.
_DEED_BEFORE = cues(
    rf"\b{FOR}(?! no(?:thing|t|ne)?\b)[^,;]{{0,20}}$|已(?:经|成功)*(?:{FOR_ZH})[^;]{{0,6}}$"
)
_DEED_AFTER = cues(
    rf"({MARK})[^{MARKS}]*(?:[,;|]| [-–—]) ?(?:(?:and|so|therefore|was|has been|now|i|it) ){{0,3}}"
    rf"(?:{FOR}(?: it)?|已(?:经|成功)*(?:{FOR_ZH}))(?:了|处理|完成|完毕)?[^\w{MARKS}]*$"
)
_ITEM = cues(rf"[\s,;(、#]*(?:(?:and|or) )?{MARK}(?! (?:is|was|has|had)\b|[是才])")
_QUOTED = cues(r'"[^"\n]*"|“[^“”\n]*”|「[^「」\n]*」|(?<!\w)\'[^\'\n]+\'(?!\w)')
_TERM = lazy_pattern(r".[0-9A-Za-z-]+.|.[\u2e80-\uffff]{1,3}.")
_RUN = lazy_pattern(f"{MARK}(?:{OR}?{MARK})*")


def _quoted(match: re.Match[str]) -> str:
    """Returns what counts of a quotation: a mention or a single word, but not what others wrote."""
    quoted = match[0]
    return quoted if re.search(MARK, quoted) or _TERM.fullmatch(quoted) else " "


def _levels(sentence: str) -> list[int]:
    """Returns how firmly each mention is asserted, in order."""
    if QUESTION.search(sentence):
        return [_DENIED] * len(re.findall(MARK, sentence))
    text = _LIST.sub(lambda match: OR if match.lastgroup else "", _NEUTRAL.sub(" ", sentence))
    clauses: list[list[str]] = []
    heading = ""
    for clause in _CLAUSE.split(_DEED_AFTER.sub(r"\1", text)):
        if re.search(MARK, clause):
            heading = _heading(clause, heading)
            clauses.append([heading + clause if _ITEM.match(clause) else clause])
        elif clauses and _CONTINUES.match(clause) and not _tells_of_deed(clauses[-1][0]):
            clauses[-1].append(clause)
    return [level for clause in clauses for level in _clause_levels(" ".join(clause))]


def _heading(clause: str, heading: str) -> str:
    """Returns the heading that a clause gives, or else the one above it if it is an item."""
    before = _RUN.split(clause)[0]
    if before.rstrip().endswith(":"):
        return before[-80:]
    return heading if _ITEM.match(clause) else ""


def _tells_of_deed(clause: str) -> bool:
    return bool(_DEED_BEFORE.search(_RUN.split(clause)[-2]))


def _clause_levels(clause: str) -> list[int]:
    """Reads each run of mentions by the words before and after it, up to its neighbours."""
    before, *texts = _RUN.split(clause)
    levels: list[int] = []
    for index, (run, text) in enumerate(zip(_RUN.findall(clause), texts, strict=True), start=1):
        leading = _LEADING.search(text) if index < len(texts) else None
        cut = leading.start() if leading else len(text)
        levels += _run_levels(run, _firmness(before, text[:cut]))
        before = text[cut:]
    return levels


def _run_levels(run: str, firmness: int) -> list[int]:
    undecided = {HIT, OTHER, OR} <= set(run)
    most = {OPERAND: _DENIED} | ({HIT: _DENIED, OTHER: _DOUBTED} if undecided else {})
    return [min(firmness, most.get(mark, _STATED)) for mark in run if mark != OR]


def _firmness(before: str, after: str) -> int:
    before = _FIXED.split(before)[-1]
    plain_before, plain_after = _DOUBTS_BEFORE.sub(" ", before), _DOUBTS_AFTER.sub(" ", after)
    if _DENIES_BEFORE.search(plain_before) or _DENIES_AFTER.search(plain_after):
        return _DENIED
    return _STATED if (plain_before, plain_after) == (before, after) else _DOUBTED
