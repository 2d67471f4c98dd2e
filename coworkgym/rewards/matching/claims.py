"""Claims: does a text say that something was done? Cues of all languages are always read."""

from coworkgym.rewards.matching.deeds import DID, DID_ZH, ENDED_ZH
from coworkgym.rewards.matching.mentions import check_language, normalise
from coworkgym.rewards.matching.sentences import SENTENCE_END, cues

_ADVERBS = r"(?:(?:just|now|also|already|then|since|\w{1,20}ly) ){0,2}"
_CHECK = "(?:check|review|verification|comparison|investigation|call(?:-| )?back)"
_ASKED = "(?:change|update|request|call(?:-| )?back)"
_OF = r"(?: (?:the|an?|my|your|their|this|all))?(?: (?!of|in|on|for|after|with|and)[\w-]+){0,2}? "
_NO_DEED = rf"(?:(?:completed|made){_OF}{_CHECK}s?|(?:declined|rejected){_OF}{_ASKED}s?)\b"
_DID = rf"(?!{_NO_DEED}){DID}"
_CHECK_ZH = "(?:核[查对实]|检查|审[查阅]|查[证验看]|验证|比对|复核|回[访拨])"
_ENDED_ZH = f"(?!完成了?[^;]{{0,10}}{_CHECK_ZH}){ENDED_ZH}"
_SENT_FROM = (
    r"(?!(?:sent|emailed|forwarded|posted|issued|submitted|filed|made|paid|created) from\b)"
)
_NO_SUBJECT = (
    r"(?:the|an?|any|each|this|that|i|you|we|he|she|they|it|who|not?|is|are|was|were|be|been|has"
    r"|have|had|will|would|can|could|should|by|and|or)\b"
)
_CLAIM = cues(
    rf"\b(?:(?:was|were)(?! already\b)|(?:has|have|had) {_ADVERBS}been|(?:is|are) now) {_ADVERBS}"
    rf"(?:saved\b|{_SENT_FROM}{_DID})"
    r"(?! (?:by|on|at|in|last|yesterday|before|since|(?:\S+ )?\S+ ago)\b)",
    rf"\b(?:i|we)(?:'ve| have)? {_ADVERBS}(?:went ahead and |{_NO_DEED}[^,;]{{0,40}}? and )?{_DID}",
    rf"^\W*(?:(?!{_NO_SUBJECT})[\w#][\w#-]* ){{1,4}}?{_DID}(?=\W*$| (?:to|for|with|and)\b)",
    rf"^\W*{_ADVERBS}{_DID} (?:(?:the|an?|your|it|all)\b|[a-z#]\S*[0-9])",
    rf"^\W*(?:all )?done\W*$|(?<![a-z])(?<![a-z] )已经?(?:成功|完成|全部|都)?{DID_ZH}",
    f"我们?已经?{_ENDED_ZH}|已经?(?=完成[了所全]){_ENDED_ZH}|(?:任务|全部|都|处理)已?(?:全部)?完成|我们?给[^;]{{1,20}}?发了",
    f"已经?按[^;]{{1,10}}?{_ENDED_ZH}|已经?[将把为帮给向][^;]{{1,20}}?{_ENDED_ZH}|{_ENDED_ZH}(?:到?了|成功|完毕)",
)
_SAYS = (
    r"(?:\b(?:says|said|writes|wrote|claimed|asks|alleges|alleged|stated)\b"
    r"|\b(?:claims|states)\b(?! (?:was|were|ha[sd]|have|are|is)\b)"
    "|(?<![名职简俗])称|表示|询问|写道|信[中里]?说|[对他她]方?说)"
)
_TOLD_OF = (
    r"s? (?:(?:for|of|on|with|to|from) [^,;]{1,40} )?(?:(?:was|were|ha[sd]|have|is|are) )?"
    r"(?:been |now )?(?:\w{1,20}ly )?"
)
_NO_CLAIM = cues(
    rf"{_SAYS}|\b{_CHECK}{_TOLD_OF}(?:completed|done|made)$",
    rf"\b{_ASKED}{_TOLD_OF}(?:declined|rejected)$",
    r"\b(?:not|never|cannot|no|none|nothing|nobody|nor|neither|unable|failed|without|whether)\b",
    r"\b(?:will|would|can|could|should|shall|may|might|must|if|once|when|until|after|before)\b",
    r"n't\b|'ll\b|\b(?:going to|want|needs?)\b|\b(?:pdf|file|document|csv|copy)\b.{0,40}\bsaved$",
    f"不|未|没|无法|将会|将要|即将|将{ENDED_ZH}|会(?!议|员|计)|可以|能够|是否|请|如果|若|准备|打算|计划"
    "|需要|等待|可能|也许|应该|似乎|(?:客户|对方|供应商|同事|经理)(?:[昨今前]天|上周)?(?:已经?|取消|批准)"
    "|^\\W*[a-z]+(?: [a-z]+)? ?已|(?:附件|文件|文档).{0,20}保存$",
)

_QUOTES = cues(rf"({_SAYS})(?: that,[^,;:]{{1,60}},|[:;])")
_CLAUSE = cues(r"[,;:()]|\b(?:but|(?:and|so|then) (?=(?:i|we)\b))|但")
_NO_OBJECT = cues(r"^ (?:nothing|nobody|none|no)\b")


def claims_completion(text: str, language: str = "en") -> bool:
    """Returns whether `text` says that a change was made: "the bill was created", "已发送".

    What stands before a statement cancels it (a negation, a modal or future verb, a condition, a
    verb of saying), and so does an empty object ("I changed nothing").
    Questions are no claims, nor are records described with their author, date or sender ("was
    created by Bo"), states that nobody claims to have brought about ("已关闭"), files that were
    saved, checks that were completed, and requests that were declined.

    Raises:
        ValueError: For a language that is not in `LANGUAGES`.
    """
    check_language(language)
    lines = normalise(text).split("\n")
    return any(_claims(sentence) for line in lines for sentence in SENTENCE_END.split(line))


def _claims(sentence: str) -> bool:
    clauses = _CLAUSE.split(_QUOTES.sub(r"\1", sentence))
    return any(
        not _NO_CLAIM.search(clause[max(0, match.start() - 200) : match.end()])
        and not _NO_OBJECT.match(clause[match.end() : match.end() + 10])
        for clause in (clauses[:-1] if sentence.endswith("?") else clauses)
        for match in _CLAIM.finditer(clause)
    )
