"""Matching: does a reply state a value, and does a text claim that something was done?

Replies are masked first: a private character stands for every mention, so that plain patterns
can read the cues around it. English and Chinese cues are both always read.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from datetime import date
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from coworkgym.errors import nearest
from coworkgym.rewards import mentions
from coworkgym.rewards.mentions import HIT, LANGUAGES, MARK, OPERAND, OR, OTHER, Kind, Mention
from coworkgym.services.money import DIGITS
from coworkgym.services.patterns import lazy_pattern

__all__ = ["Kind", "Match", "claims_completion", "states"]


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
        expected: A phrase, an id, a decimal (number, money) or an ISO date.
        rivals: Other values of the same kind.
        language: How the reply writes ambiguous numbers, one of `LANGUAGES`.
        currency: ISO code, for money; an amount without any currency counts too.
        today: A date without a year is the nearest to this one; it has the expected year if None.

    Raises:
        ValueError: For an expected value, rival, currency or language that cannot be used.
    """
    _check_language(language)
    if kind == "money" and currency not in DIGITS:
        raise ValueError(f"Unknown currency {currency!r}.{nearest(str(currency), DIGITS)}")
    wanted, others = _values(kind, expected, rivals)
    text = mentions.normalise(reply)
    found = mentions.find(text, kind, (wanted, *others), language, currency, today)
    levels = chain.from_iterable(map(_levels, _sentences(mentions.masked(text, found, wanted))))
    judged = list(zip(levels, found, strict=True))
    own = [pair for pair in judged if pair[1].value == wanted]
    if not own:
        return Match(False, f"the reply does not mention {expected!r}")
    level, best = max(own, key=itemgetter(0))
    if level == _DENIED:
        return Match(False, f"the reply denies or leaves open {expected!r}: {_quote(text, best)}")
    for firmness, mention in judged:
        if mention.value in others and firmness >= level:
            return Match(False, f"the reply also states {_quote(text, mention)}")
    return Match(True, f"the reply states {expected!r}: {_quote(text, best)}")


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise ValueError(f"Unknown language {language!r}. Allowed: {', '.join(LANGUAGES)}.")


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


def _cues(*alternatives: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(alternatives), re.IGNORECASE)


_NOT_ZH = "不(?![仅但过只久断])|未(?!来)|没|并非|而非|绝非|排除|忽略|跳过|无法"
_FIXES = r"\b(?:correct|chang|updat|revis|amend|adjust|mov|rais|reduc|fix|rose|fell|went)\w{0,4}"
_FIXED_TO = rf"{_FIXES} to\b|->|→|[改更修调变][正新整更]?[为成到]|而是|应[为是]"
_FILLERS = r"(?:(?:the|an?|any|ticket|invoice|order|customer|number|amount|of|for|to|id)s? |[#(])*"
_WITHOUT = r"\b(?:no|none of|not|without|unlike|excluding|rather than|instead of|as opposed to)\b"
_EXCLUDED = r"excluded?|ignored?|skipped|ruled out|omitted|discarded|untouched|out of scope"
_NOT_YET = r"\bha(?:s|ve|d)(?: not|n't)(?! (?:found|seen|identified|been able)\b)"
_DENIES_BEFORE = _cues(
    rf"\b(?:not|never|cannot|nor|neither|unable|fail(?:s|ed)? to|{_EXCLUDED})\b|n't\b",
    rf"{_WITHOUT} ?{_FILLERS}$|{_FIXES}\b[^,;]{{0,40}}\bfrom $|{_NOT_ZH}|除",
)
_DENIES_AFTER = _cues(
    rf"\b(?:not|never|no longer|cannot|wrong|incorrect|{_EXCLUDED})\b|n't\b|^\W*no\b",
    rf"\balready (?:closed|resolved|done)\b|\btoo (?:new|recent|young)\b|(?:{_FIXED_TO})\s*$",
    _NOT_ZH + "|已关闭|已解决|已结束|错误|有误|无关",
)
_DOUBTS_BEFORE = _cues(
    rf"{_NOT_YET}|^\W*(?:please )?(?:do not|don't)\b|^\W*(?:of|was)\b|\b(?:may|might|could) be\b",
    r"\b(?:wrong|incorrect|previous(?:ly)?|former(?:ly)?|original(?:ly)?|old|others?|rest|closed)\b",
    r"\b(?:resolved|checked|reviewed|compared|among|out of|except|besides|apart from)\b",
    r"\b(?:left|leave|leaving|keep|kept|no (?:action|need|change)s?)\b|保留|无需|不需要|未动",
    r"\b(?:maybe|perhaps|possibly)\b|错误|有误|原[为来先]?|之前|其[他它余]|查看|检查|比较|可能|也许",
)
_DOUBTS_AFTER = _cues(
    rf"{_NOT_YET}|(?:\bnot|n't)(?: yet| been| be){{0,2}} (?:includ\w+|\w+ed|paid|sent)\b",
    r"(?<!already )\b(?:closed|resolved)\b|\b(?:only \S+ (?:hour|day|week)s?|within|below)\b",
    r"\b(?:only|just) [^,;]{0,20}(?:h|hours?|days?|weeks?)\b",
    r"\b(?:created|opened) [^,;]{0,30} ago\b",
    r"\b(?:less than|under|alone|untouched|unchanged|(?:standard|business|smaller|small) ?-?"
    r"(?:tier|level|plan|customer|client|account)s?)\b|仅|只有|不足|以内|普通客户|标准|保持不变",
    "(?:未|没有?)[^;]{0,3}(?:关闭|解决|回复|答复|处理|升级|支付|付款|收到|完成)|(?<!已)关闭",
)
_LEADING = _cues(rf"(?:{_WITHOUT} ?{_FILLERS}|而不是|不是|而非|除了?)\s*$")
_FIXED = _cues(_FIXED_TO)
# Double negations; and what supersedes a value right after a comma belongs to its clause.
_NEUTRAL = _cues(
    r"\bno doubt\b|\bnot only\b|不仅|不但|没问题|无误",
    rf"\b(?:no|none|nothing|not)\b[^,;.{HIT}{OTHER}]{{0,40}}\b(?:other than|except|besides)\b",
    rf"[,(](?: which| and| but)?(?: was| is| has been| later| then| now)* ?(?={_FIXED_TO})",
)
_LIST = _cues(
    rf"(?<={MARK})\s*(?:,?\s*\b(?P<or>n?or)\b|,? ?(?P<zh>还是|或者?)|(?P<slash>/))"
    rf"\s*(?:(?:maybe|perhaps|possibly|even|it is|about|the|ticket)s?\s+)*#?(?={MARK})",
    rf"(?<={MARK})\s*(?:,?\s*\band\b|[,&、和及与])\s*#?(?={MARK}(?!\s+(?:is|was|has|had)\b))",
)
_CLAUSE = _cues(
    rf"[,;)]|\((?!\s*{MARK})| [-–—] |:(?= ?(?:it|the|this|that|there|only|i|we|这|它|应|正确))",
    r"\b(?:but|and|while|whereas|although|though|because|since|so|however|which)\b",
    "但是?|而(?!不是|非|是)|因此|所以|因为|由于|然而|不过|并且|而且",
)
_CONTINUES = _cues(
    r"\W*(?:(?:it|this|that|they|these|the ticket) )?(?:(?:is|was|are|were|has|have|been) ?)*"
    r"(?:(?:only|still|just|already|therefore|also|clearly|now) )*"
    r"(?:not(?! (?:an?|the|includ\w+|only|just|more|less)\b)|n't|no longer|never|wrong|closed"
    rf"|resolved|{_EXCLUDED})\b",
    rf"\W*(?:i|we) (?:have )?(?:{_EXCLUDED}|left|did not \w+|didn't \w+) (?:it|them|that)\b",
    rf"\W*(?:它|其)?(?:也|还|并|尚|已经?)?(?:{_NOT_ZH}|关闭)",
)
_RUN = lazy_pattern(f"{MARK}(?:{OR}?{MARK})*")
_ITEM = lazy_pattern(r"\s*(?:[-*•+]|[0-9]{1,2}[.)])\s+")
_SENTENCE_END = lazy_pattern(r"(?<=[!?。])\s*|(?<=\.)\s+")
_QUESTION = _cues(
    r"^\W*(?:is|are|was|were|do|does|did|should|shall|can|could|would|may|has|have|which)\b.*\?\W*$",
    r"[吗呢]\?\W*$",
)


def _sentences(text: str) -> Iterator[str]:
    """Yields sentences; the items of a list belong to the heading above them."""
    heading = ""
    for line in text.split("\n"):
        item = _ITEM.match(line)
        if not item:
            is_heading = re.search("^#|:$", line) and not re.search(MARK, line)
            heading = line[-80:] if is_heading else ""
        yield from _SENTENCE_END.split(f"{heading} {line[item.end() :]}" if item else line)


def _levels(sentence: str) -> list[int]:
    """Returns how firmly each mention is asserted, in order."""
    if _QUESTION.search(sentence):
        return [_DENIED] * len(re.findall(MARK, sentence))
    text = _LIST.sub(lambda match: OR if match.lastgroup else "", _NEUTRAL.sub(" ", sentence))
    clauses: list[list[str]] = []
    for clause in _CLAUSE.split(text):
        if clauses and not re.search(MARK, clause) and _CONTINUES.match(clause):
            clauses[-1].append(clause)
        elif re.search(MARK, clause):
            clauses.append([clause])
    return [level for clause in clauses for level in _clause_levels(" ".join(clause))]


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
    before, doubted_before = _DOUBTS_BEFORE.subn(" ", _FIXED.split(before)[-1])
    after, doubted_after = _DOUBTS_AFTER.subn(" ", after)
    if _DENIES_BEFORE.search(before) or _DENIES_AFTER.search(after):
        return _DENIED
    return _DOUBTED if doubted_before or doubted_after else _STATED


_ADVERBS = r"(?:(?:just|now|also|already|then|since|\w{1,20}ly) ){0,2}"
_DID = (
    r"(?:sent|created|updated|escalated|deleted|removed|(?:re)?scheduled|booked|moved|added|approved"
    r"|cancell?ed|refunded|submitted|(?:re)?assigned|forwarded|archived|marked|posted|logged|drafted"
    r"|recorded|transferred|changed|notified|emailed|invited|issued|filed|made|completed|closed|paid)\b"
)
_DID_ZH = "(?:发[送出]|更新|[创新]建|升级|删除|移动|添加|提交|分配|转发|回复|安排|修改|通知|保存)"
_ENDED_ZH = f"(?:{_DID_ZH}|关闭|取消|批准|支付|完成)"
_NO_SUBJECT = (
    r"(?:the|an?|any|each|this|that|i|you|we|he|she|they|it|who|not?|is|are|was|were|be|been|has"
    r"|have|had|will|would|can|could|should|by|and|or)\b"
)
_CLAIM = _cues(
    rf"\b(?:was|were|(?:has|have|had) {_ADVERBS}been|(?:is|are) now) {_ADVERBS}(?:saved\b|{_DID})"
    r"(?! (?:by|on|at|in|last|yesterday|before|since|(?:\S+ )?\S+ ago)\b)",
    rf"\b(?:i|we)(?:'ve| have)? {_ADVERBS}{_DID}",
    rf"^\W*(?:(?!{_NO_SUBJECT})[\w#][\w#-]* ){{1,4}}?{_DID}(?=\W*$| (?:to|for|with|and)\b)",
    rf"^\W*{_ADVERBS}{_DID} (?:(?:the|an?|your|it|all)\b|[a-z#]\S*[0-9])",
    rf"^\W*(?:all )?done\W*$|已经?(?:成功)?{_DID_ZH}|我们?已经?{_ENDED_ZH}",
    f"已经?[将把为帮给向][^;]{{1,20}}?{_ENDED_ZH}|{_ENDED_ZH}(?:了|成功|完毕)",
)
_NO_CLAIM = _cues(
    r"\b(?:not|never|cannot|no|none|nothing|nobody|nor|neither|unable|failed|without|whether)\b",
    r"\b(?:will|would|can|could|should|shall|may|might|must|if|once|when|until|after|before)\b",
    r"n't\b|'ll\b|\b(?:going to|want|needs?)\b|\b(?:pdf|file|document|csv|copy)\b.{0,40}\bsaved$",
    f"不|未|没|无法|将会|将要|即将|将{_ENDED_ZH}|会(?!议|员|计)|可以|能够|是否|请|如果|若|准备|打算|计划"
    "|需要|等待|(?:附件|文件|文档).{0,20}保存$",
)

_NO_OBJECT = _cues(r"^ (?:nothing|nobody|none|no)\b")


def claims_completion(text: str, language: str = "en") -> bool:
    """Returns whether `text` says that a change was made: "the bill was created", "已发送".

    What stands before a statement cancels it (a negation, a modal or future verb, a condition), and
    so does an empty object ("I changed nothing").
    Questions are no claims, nor are records described with their author or date ("was created by
    Bo"), states that nobody claims to have brought about ("已关闭"), and files that were saved.

    Raises:
        ValueError: For a language that is not in `LANGUAGES`.
    """
    _check_language(language)
    lines = mentions.normalise(text).split("\n")
    return any(_claims(sentence) for line in lines for sentence in _SENTENCE_END.split(line))


def _claims(sentence: str) -> bool:
    clauses = re.split(r"[,;:()]|\bbut\b|但", sentence)
    return any(
        not _NO_CLAIM.search(clause[max(0, match.start() - 200) : match.end()])
        and not _NO_OBJECT.match(clause[match.end() : match.end() + 10])
        for clause in (clauses[:-1] if sentence.endswith("?") else clauses)
        for match in _CLAIM.finditer(clause)
    )
