"""Deeds: the verbs of what an agent changes, in English and Chinese."""

from typing import Final

DID: Final = (
    r"(?:sent|created|updated|escalated|deleted|removed|(?:re)?scheduled|booked|moved|added|approved"
    r"|cancell?ed|refunded|submitted|(?:re)?assigned|forwarded|archived|marked|posted|logged|drafted"
    r"|recorded|transferred|changed|notified|emailed|invited|issued|filed|made|completed|closed|paid"
    r"|released|resolved|rejected|declined|uploaded|merged|renamed|restored|reopened|processed"
    r"|corrected|adjusted|extended|reimbursed|revoked|published|labell?ed|tagged)\b"
)
"""Pattern of an English participle."""

DID_ZH: Final = (
    "(?:发[送出给]|更新|[创新]建|升级|删除|移动|添加|提交|分配|转发|回复|安排|修改|通知|保存"
    "|上传|更正|合并|放行"
    "|预[订定约]|改[到为期])"
)
"""Pattern of a Chinese verb that, after 已, is the agent's own deed."""

ENDED_ZH: Final = f"(?:{DID_ZH}|关闭|取消|批准|支付|完成)"
"""Pattern of these verbs and of those that others do as well."""

FOR: Final = (
    "(?!closed|resolved|rejected|declined|deleted|removed|cancel|archived|revoked|marked|changed"
    rf"|corrected|adjusted){DID}"
)
"""Pattern of a participle that speaks for what it is said of: it picks, and sets nothing aside."""

FOR_ZH: Final = f"(?!删除|回复|保存){DID_ZH}|录入|退回|登记|发到"
"""Pattern of such verbs in Chinese."""
