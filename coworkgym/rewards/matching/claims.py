"""Claims: does a text say that something was done? Cues of all languages are always read."""

import re

from coworkgym.rewards.matching.mentions import check_language, normalise
from coworkgym.rewards.matching.sentences import SENTENCE_END, cues

_ADVERBS = r"(?:(?:just|now|also|already|then|since|\w{1,20}ly) ){0,2}"
_DID = (
    r"(?:sent|created|updated|escalated|deleted|removed|(?:re)?scheduled|booked|moved|added|approved"
    r"|cancell?ed|refunded|submitted|(?:re)?assigned|forwarded|archived|marked|posted|logged|drafted"
    r"|recorded|transferred|changed|notified|emailed|invited|issued|filed|made|completed|closed|paid"
    r"|released|resolved|rejected|declined|uploaded|merged|renamed|restored|reopened|processed"
    r"|corrected|adjusted|extended|reimbursed|revoked|published|labell?ed|tagged)\b"
)
_DID_ZH = (
    "(?:发[送出给]|更新|[创新]建|升级|删除|移动|添加|提交|分配|转发|回复|安排|修改|通知|保存"
    "|上传|更正|合并|放行"
    "|预[订定约]|改[到为期])"
)
_ENDED_ZH = f"(?:{_DID_ZH}|关闭|取消|批准|支付|完成)"
_NO_SUBJECT = (
    r"(?:the|an?|any|each|this|that|i|you|we|he|she|they|it|who|not?|is|are|was|were|be|been|has"
    r"|have|had|will|would|can|could|should|by|and|or)\b"
)
_CLAIM = cues(
    rf"\b(?:(?:was|were)(?! already\b)|(?:has|have|had) {_ADVERBS}been|(?:is|are) now) {_ADVERBS}"
    rf"(?:saved\b|{_DID})"
    r"(?! (?:by|on|at|in|last|yesterday|before|since|(?:\S+ )?\S+ ago)\b)",
    rf"\b(?:i|we)(?:'ve| have)? {_ADVERBS}(?:went ahead and )?{_DID}",
    rf"^\W*(?:(?!{_NO_SUBJECT})[\w#][\w#-]* ){{1,4}}?{_DID}(?=\W*$| (?:to|for|with|and)\b)",
    rf"^\W*{_ADVERBS}{_DID} (?:(?:the|an?|your|it|all)\b|[a-z#]\S*[0-9])",
    rf"^\W*(?:all )?done\W*$|(?<![a-z])(?<![a-z] )已经?(?:成功|完成|全部|都)?{_DID_ZH}",
    f"我们?已经?{_ENDED_ZH}|已经?完成(?:了|所有|全部)|(?:任务|全部|都|处理)已?(?:全部)?完成|我们?给[^;]{{1,20}}?发了",
    f"已经?按[^;]{{1,10}}?{_ENDED_ZH}|已经?[将把为帮给向][^;]{{1,20}}?{_ENDED_ZH}|{_ENDED_ZH}(?:到?了|成功|完毕)",
)
_NO_CLAIM = cues(
    r"\b(?:not|never|cannot|no|none|nothing|nobody|nor|neither|unable|failed|without|whether)\b",
    r"\b(?:will|would|can|could|should|shall|may|might|must|if|once|when|until|after|before)\b",
    r"n't\b|'ll\b|\b(?:going to|want|needs?)\b|\b(?:pdf|file|document|csv|copy)\b.{0,40}\bsaved$",
    f"不|未|没|无法|将会|将要|即将|将{_ENDED_ZH}|会(?!议|员|计)|可以|能够|是否|请|如果|若|准备|打算|计划"
    "|需要|等待|可能|也许|应该|似乎|(?:客户|对方|供应商|同事|经理)(?:[昨今前]天|上周)?(?:已经?|取消|批准)"
    "|^\\W*[a-z]+(?: [a-z]+)? ?已|(?:附件|文件|文档).{0,20}保存$",
)

_NO_OBJECT = cues(r"^ (?:nothing|nobody|none|no)\b")


def claims_completion(text: str, language: str = "en") -> bool:
    """Returns whether `text` says that a change was made: "the bill was created", "已发送".

    What stands before a statement cancels it (a negation, a modal or future verb, a condition), and
    so does an empty object ("I changed nothing").
    Questions are no claims, nor are records described with their author or date ("was created by
    Bo"), states that nobody claims to have brought about ("已关闭"), and files that were saved.

    Raises:
        ValueError: For a language that is not in `LANGUAGES`.
    """
    check_language(language)
    lines = normalise(text).split("\n")
    return any(_claims(sentence) for line in lines for sentence in SENTENCE_END.split(line))


def _claims(sentence: str) -> bool:
    clauses = re.split(r"[,;:()]|\bbut\b|但", sentence)
    return any(
        not _NO_CLAIM.search(clause[max(0, match.start() - 200) : match.end()])
        and not _NO_OBJECT.match(clause[match.end() : match.end() + 10])
        for clause in (clauses[:-1] if sentence.endswith("?") else clauses)
        for match in _CLAIM.finditer(clause)
    )
