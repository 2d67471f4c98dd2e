"""Whole replies in English and Chinese, each judged by hand before it was read by rule."""

from collections.abc import Mapping, Sequence

import pytest
from forms import language_of, pairs

from coworkgym.rewards.matching import Kind, states

Key = tuple[str, tuple[str, ...]]

# The value, its rivals: replies.
ID_STATED = {
    (
        "TK-104",
        (
            "TK-102",
            "TK-103",
        ),
    ): [
        "The only ticket past its deadline is TK-104.",
        "Escalated: `TK-104`",
        "Result: [TK-104](https://desk.orga.test/TK-104)",
        "> TK-104\n\nThat is the one.",
        "```\nTK-104\n```",
        "```\nTK-104 escalated\nTK-102 not overdue\n```",
        "Hi Kim,\n\nTK-104 was the oldest. TK-102 is fine.\n\nBest",
        "After checking everything, TK-104 is the one, whereas TK-102 isn't due until Friday.",
        "I considered TK-102, but the overdue ticket is TK-104.",
        "At first TK-102 looked overdue; in fact it is TK-104.",
        "TK-104 (and not TK-103) has passed its deadline.",
        "| Ticket | Overdue |\n|---|---|\n| TK-102 | no |\n| TK-103 | no |\n| TK-104 | yes |",
        "1. TK-104 - escalated\n2. TK-102 - not overdue\n3. TK-103 - not overdue",
        "- [x] TK-104 escalated\n- TK-102: no action needed",
        "“TK-104” is overdue.",
        "TK-104's deadline has passed.",
        "TK‑104 is overdue.",
        "ticket tk-104 was overdue",
        "TK-104 was the overdue one",
        "None of the others is overdue, only TK-104.",
        "It's TK-104. TK-102 doesn't qualify.",
        "TK-102 does not count because its clock was paused; TK-104 does.",
        "I left TK-102 and TK-103 as they are and escalated TK-104.",
        "TK-104: 60 h without an answer. TK-102: 10 h, within the limit.",
        "Nothing else needs attention: TK-104 is escalated.",
        "You asked whether TK-102 is overdue. It is not. TK-104 is.",
        "Not TK-102 or TK-103 but TK-104.",
        "逾期的工单是TK-104。",
        "只有TK-104逾期，TK-102和TK-103都没有逾期。",
        "TK-102还在时限内，TK-104已经超时。",
        "我升级了TK-104；TK-102不需要处理。",
        "TK-104（而不是TK-103）已逾期",
        "「TK-104」超时未回复。",
        "经核实，TK-104超过48小时没有回复，因此已升级。",
        "除TK-102外，TK-104也查过了，最终升级的是TK-104。",
        "请注意：TK-104需要升级。",
        "工单编号：TK-104\n状态：已升级",
        "| 工单 | 是否逾期 |\n|---|---|\n| TK-102 | 否 |\n| TK-104 | 是 |",
    ],
    ("INV-2026-031", ()): [
        "Invoice INV-2026-031 is the duplicate.",
        "重复的发票是INV-2026-031。",
        "inv-2026-031",
    ],
    ("170", ()): [
        "Order 170 is late.",
        "订单170",
        "order no. 170",
        "(170)",
        "170: late",
        "Order #170, placed in May.",
    ],
    (
        "REQ-10",
        (
            "REQ-11",
            "REQ-12",
        ),
    ): [
        "The request you are looking for is REQ-10 (submitted by Ana on Monday).",
        "Found it: **REQ-10**.",
        "REQ-10 it is.",
        "Per your question, the answer is REQ-10. I checked REQ-11 and REQ-12 as well.",
        "I initially picked REQ-12, but after reading the policy it's REQ-10.",
        "## Result\n\n* REQ-10 – matches\n* REQ-11 – does not match\n",
        "Not REQ-11: REQ-10.",
        "No, it's not REQ-12. It's REQ-10.",
        "Contrary to what Bo wrote, the duplicate isn't REQ-11 but REQ-10.",
        "You were right that REQ-11 isn't it. The correct one: REQ-10",
        "符合条件的申请是REQ-10，其余的都不符合。",
        "REQ-11不符合政策，REQ-10符合。",
        "答案：REQ-10",
        "我检查了REQ-11和REQ-12，最终确认是REQ-10。",
        "应该是REQ-10，而非REQ-12。",
        "REQ-10（Ana提交）符合要求。",
    ],
    ("cy@orga.test", ()): [
        "From: cy@orga.test",
        "Sender <cy@orga.test>",
        "mailto:cy@orga.test",
        "cy@orga.test wrote it.",
        "写信人是cy@orga.test。",
        "It came from Cy (cy@orga.test).",
    ],
    ("EX-7", ()): [
        "I held EX-7 and approved the others.",
        "EX-7 lacks a receipt.",
        "Held back: EX-7",
        "EX-7 exceeds the limit of 100 EUR.",
        "Please note that EX-7 needs a receipt.",
        "EX-7已退回，缺少发票。",
        "需要补充材料的报销单：EX-7",
        "EX-7 was left pending.",
        "The one without a receipt is EX-7.",
        "I approved everything but EX-7.",
        "EX-7!",
        "(EX-7)",
        "EX-7;",
        "see EX-7…",
    ],
}
ID_NOT_STATED = {
    (
        "TK-104",
        (
            "TK-102",
            "TK-103",
        ),
    ): [
        "I don't think it is TK-104.",
        "TK-104 doesn't exist.",
        "There is no ticket TK-104.",
        "TK-104 isn't the overdue one, TK-102 is.",
        "It's TK-102, not TK-104.",
        "Could it be TK-104?",
        "Do you mean TK-104 or TK-102?",
        "I am not sure whether it is TK-104 or TK-103.",
        "Either TK-104 or TK-103 is overdue.",
        "One of TK-104, TK-102 and TK-103 is overdue.",
        "TK-104, TK-102 and TK-103 are all overdue.",
        "Both TK-104 and TK-102 need escalation.",
        "- TK-102: overdue\n- TK-104: overdue",
        "| Ticket | Overdue |\n|---|---|\n| TK-102 | yes |\n| TK-104 | no |",
        "It is TK-102 rather than TK-104.",
        "I ruled out TK-104.",
        "TK-104 can be ruled out.",
        "Instead of TK-104 I escalated TK-102.",
        "TK-104 is no longer open, so I escalated TK-102.",
        "I was unable to open TK-104.",
        "Which one do you want: TK-104, TK-102?",
        "TK-104尚未逾期。",
        "TK-104并不逾期，逾期的是TK-102。",
        "不是TK-104",
        "TK-104还是TK-102？",
        "是TK-104或者TK-103。",
        "TK-104和TK-102都已逾期",
        "TK-104不存在。",
        "无法找到TK-104。",
        "你是指TK-104吗？",
        "可以排除TK-104。",
        "逾期的是TK-102，不是TK-104。",
    ],
    ("INV-2026-031", ()): ["INV-2026-0311", "INV-2026-031/2", "INV-2026-03", "XINV-2026-031"],
    ("170", ()): ["170 %… no, 1,700", "17 0", "1.170", "170-3", "Order 1170"],
    (
        "REQ-10",
        (
            "REQ-11",
            "REQ-12",
        ),
    ): [
        "It is neither REQ-10 nor REQ-11.",
        "REQ-10? No, REQ-11.",
        "Approve REQ-11 and REQ-12, not REQ-10.",
        "Candidates: REQ-10, REQ-11, REQ-12",
        "REQ-10 through REQ-12 all match.",
        "All of them match: REQ-10, REQ-11 and REQ-12.",
        "REQ-11 is the one; REQ-10 was withdrawn and does not count.",
        "Should I take REQ-10 or REQ-11?",
        "REQ-10 is not in the system.",
        "I never saw REQ-10.",
        "可能是REQ-10，也可能是REQ-11。",
        "REQ-10、REQ-11和REQ-12都符合。",
        "没有REQ-10这个申请。",
        "REQ-10不符合，REQ-11符合。",
        "请确认是REQ-10还是REQ-12？",
    ],
    ("cy@orga.test", ()): [
        "xcy@orga.test",
        "cy@orga.test.example",
        "cy+hr@orga.test",
        "cy@orga",
        "not cy@orga.test",
        "Was it cy@orga.test?",
        "cy at orga.test",
    ],
    ("EX-7", ()): [
        "EX-70",
        "EX-17",
        "EX 7",
        "EX-7a",
        "EX-7-2",
        "I did not find EX-7.",
        "EX-7 is not affected.",
        "Neither EX-7 nor EX-8.",
        "there's no EX-7",
        "不包括EX-7",
        "EX-7不受影响",
    ],
}
TEXT_STATED = {
    ("Ana Roe", ("Bo Lind",)): [
        "I'd suggest asking Ana Roe.",
        "负责人：Ana Roe（销售部）",
        "ANA ROE",
        "Contact: Ana Roe <ana@orga.test>",
        "The owner is *Ana Roe*, not Bo Lind.",
        "Bo Lind has left; Ana Roe is his successor.",
        "Ana Roe took over from Bo Lind.",
    ],
    ("Initech GmbH", ("Hooli AG",)): [
        "The supplier is Initech GmbH.",
        "initech gmbh",
        "**Initech GmbH** sent it",
        "供应商是Initech GmbH。",
        "It was not Hooli AG but Initech GmbH.",
        "Initech GmbH, formerly Hooli AG",
    ],
    ("Straße 5", ()): ["Die Straße 5", "straße 5"],
}
TEXT_NOT_STATED = {
    ("Ana Roe", ("Bo Lind",)): [
        "Ana Roeder",
        "It is Bo Lind, not Ana Roe.",
        "Ana or Bo",
        "Ana Roe and Bo Lind both own it.",
        "Ana Roe is not responsible, Bo Lind is.",
    ],
    ("Initech GmbH", ("Hooli AG",)): [
        "Initech",
        "Hooli AG, formerly Initech GmbH",
        "Initech GmbH or Hooli AG",
        "Is it Initech GmbH?",
        "It is not Initech GmbH.",
        "Maybe Initech GmbH, maybe Hooli AG.",
    ],
}
# The value, its currency: replies.
MONEY_STATED = {
    ("3200", "CNY"): [
        "三千二百元",
        "3200元",
        "¥3,200",
        "人民币三千二百元整",
        "3200 CNY",
        "RMB 3,200.00",
        "3.2千元",
        "three thousand two hundred yuan",
        "3200块钱",
        "叁仟贰佰元整",
        "¥ 3 200",
        "CN¥3200",
    ],
    ("1250", "EUR"): [
        "€1,250",
        "EUR 1250",
        "1250 euros",
        "1,250.00€",
        "twelve hundred and fifty euros",
        "one thousand two hundred and fifty euros",
        "The sum is EUR 1,250 (incl. VAT).",
        "1250,00 EUR",
        "1.250,00 EUR",
        "1 250 €",
        "€1.25k",
        "The balance is €1,250; it was $1,300 before.",
    ],
    ("5", "EUR"): ["five euros", "€5", "5 EUR", "EUR 5.00", "五欧元", "5 Euro"],
    ("-40", "EUR"): ["-€40", "€-40", "-40 EUR", "(−40 EUR)"],
    ("1200000", "USD"): [
        "$1.2 million",
        "$1.2M",
        "1.2m USD",
        "USD 1,200,000",
        "120万美元",
        "one point two million dollars",
        "$1,200,000.00",
    ],
    ("19.99", "USD"): ["$19.99", "19.99 US dollars", "USD19.99", "19.99美元"],
    ("480", "EUR"): [
        "four hundred and eighty euros",
        "€480",
        "480.00 EUR",
        "四百八十欧元",
        "480€",
        "EUR480",
        "A total of €480 was charged.",
        "480,00 €",
        "the amount of 480 euro",
        "合计480欧元",
    ],
    ("12500", "CNY"): [
        "一万二千五百元",
        "1.25万元",
        "12,500元",
        "人民币12500元",
        "12.5k CNY",
        "¥12,500.00",
        "壹万贰仟伍佰元",
    ],
    ("99.5", "EUR"): [
        "€99.50",
        "99,50 €",
        "EUR 99.5",
        "99.50 euros",
        "It costs 99.50 EUR per month.",
        "99.5欧元",
        "The fee (EUR 99.50) was paid.",
        "€99.50/month",
    ],
    ("2000000", "CNY"): [
        "两百万元",
        "200万元",
        "二百万元",
        "2 million yuan",
        "¥2,000,000",
        "2百万元",
    ],
}
MONEY_NOT_STATED = {
    ("3200", "CNY"): ["三千二百美元", "$3,200", "3200日元", "32000元", "三千二百欧元", "3200%"],
    ("1250", "EUR"): [
        "€12,50",
        "€1,250.50",
        "$1,250",
        "1250 dollars",
        "1250 pounds",
        "GBP 1250",
        "£1,250",
        "EUR 1,2500",
    ],
    ("5", "EUR"): ["five dollars", "5%", "five percent", "fifty euros"],
    ("480", "EUR"): [
        "$480",
        "480 GBP",
        "€4.80",
        "€480.01",
        "€48",
        "four hundred eighty dollars",
        "480美元",
        "EUR 1480",
    ],
    ("12500", "CNY"): ["一万二千五百美元", "12.500,5元", "一万二千元", "125万元", "1250元"],
    ("99.5", "EUR"): [
        "€99.05",
        "€995.0",
        "$99.50",
        "99.50 CHF",
        "€99",
        "€199.50",
        "99.5%",
        "about nothing",
        "not €99.50",
        "€99.50?",
        "€99.50 or €99.95",
        "between €99.50 and €120",
        "€99.50-€120",
        "99.50美元",
    ],
}


def cases(kind: Kind, table: Mapping[Key, Sequence[str]]) -> list[tuple[Kind, Key, str]]:
    return [(kind, *pair) for pair in pairs(table)]


def money_pairs(table: Mapping[tuple[str, str], Sequence[str]]) -> list[tuple[str, str, str]]:
    return [(*key, reply) for key, reply in pairs(table)]


def said(kind: Kind, case: Key, reply: str) -> bool:
    value, rivals = case
    return states(reply, kind, value, rivals=rivals, language=language_of(reply)).holds


@pytest.mark.parametrize(
    ("kind", "case", "reply"), [*cases("id", ID_STATED), *cases("text", TEXT_STATED)]
)
def test_a_reply_that_picks_the_value_states_it(kind: Kind, case: Key, reply: str) -> None:
    """A-deny-and-both, A-rigid-words"""
    assert said(kind, case, reply)


@pytest.mark.parametrize(
    ("kind", "case", "reply"), [*cases("id", ID_NOT_STATED), *cases("text", TEXT_NOT_STATED)]
)
def test_a_reply_that_denies_guesses_or_lists_does_not(kind: Kind, case: Key, reply: str) -> None:
    """A-deny-and-both, A-all-ids"""
    assert not said(kind, case, reply)


@pytest.mark.parametrize(("value", "currency", "reply"), money_pairs(MONEY_STATED))
def test_an_amount_is_known_in_figures_and_words(value: str, currency: str, reply: str) -> None:
    """A-locale-amount"""
    language = language_of(reply)
    assert states(reply, "money", value, currency=currency, language=language).holds


@pytest.mark.parametrize(("value", "currency", "reply"), money_pairs(MONEY_NOT_STATED))
def test_another_amount_or_currency_is_not_it(value: str, currency: str, reply: str) -> None:
    """A-minor-units, A-locale-amount"""
    language = language_of(reply)
    assert not states(reply, "money", value, currency=currency, language=language).holds


@pytest.mark.parametrize(
    ("kind", "value", "reply"),
    [
        ("id", "LU03X", "新账户 LU03X 已录入，未做其他操作"),
        ("id", "LU03X", "新账户 LU03X 已录入，未进行任何付款"),
        ("date", "2027-01-05", "会议已改到2027-01-05 13:00，没有改动其他日程"),
        ("time", "13:00", "会议已改到2027-01-05 13:00，未影响其他日程"),
        ("time", "13:00", "会议已改到2027-01-05 13:00，不早于您要求的时间"),
        ("id", "TK-6682", "已升级 TK-6682，没有改动其他工单"),
        ("id", "TK-6682", "已升级 TK-6682，没有改动日程"),
        ("id", "TK-6682", "针对 TK-6682 已拟好草稿，尚未发出"),
        ("id", "a@b.test", "已发到 a@b.test，没有附其他内容"),
        ("id", "a@b.test", "收件地址 a@b.test，已关闭"),
        ("id", "TK-6682", "| TK-6682 | 已关闭 |"),
        ("date", "2027-01-05", "会议由 12:00 改到 13:00，日期不变（2027-01-05）"),
        ("id", "TK-6682", "TK-6682 未在48小时内关闭，已升级"),
        ("id", "TK-6682", "TK-6682：无法登录，已升级"),
        ("id", "TK-6682", "TK-6682（“无法登录系统”）"),
        ("id", "TK-9924", '- TK-9924: "Cannot log in", escalated'),
        ("id", "TK-9924", "TK-9924: “Cannot log in?”"),
        ("id", "TK-9924", "TK-9924 - Cannot log in - escalated."),
        ("id", "TK-9924", "TK-9924: no response for more than 48 h, escalated"),
        ("id", "TK-9924", "TK-9924: no response for more than 48 h"),
        ("id", "TK-9924", "Escalated TK-9924 (no response for three days; never answered)"),
    ],
)
def test_what_is_said_of_something_else_denies_no_value(kind: Kind, value: str, reply: str) -> None:
    """A-rigid-words, A-negation"""
    assert states(reply, kind, value, language=language_of(reply)).holds


@pytest.mark.parametrize(
    "reply",
    [
        "TK-1，没有逾期",
        "TK-1 已查看，未逾期",
        "已检查 TK-1，不符合条件",
        "TK-1：没有超过48小时",
        "TK-1 已看过，也不需要处理",
        "TK-1: not overdue, left alone",
        "I checked TK-1, never overdue",
        "I sent nothing about TK-1, not overdue",
        "TK-1 is “excluded”",
        "TK-1 的情况是“未逾期”",
        "I could not find TK-1 (“Cannot log in”)",
        "| Ticket | Escalated |\n|---|---|\n| TK-1 | no |",
        "| Ticket | Tier | Escalated |\n|---|---|---|\n| TK-1 | gold | no |",
        "| Ticket | Answered | Escalated |\n|---|---|---|\n| TK-1 | yes | no |",
        "| 工单 | 客户 | 已升级 |\n|---|---|---|\n| TK-1 | 企业 | 否 |",
    ],
)
def test_a_bare_predicate_and_a_cell_that_says_no_deny_the_value(reply: str) -> None:
    """A-negation"""
    assert not states(reply, "id", "TK-1", language=language_of(reply)).holds


@pytest.mark.parametrize(
    "reply",
    [
        "I escalated TK-1. I left the others alone: TK-2 (standard customer, 60 h); TK-3 (60 h)",
        "Escalated TK-1.\nLeft alone:\n- TK-2 (standard customer); TK-3 (60 h)",
        "TK-1 is the only one. Left alone:\n- TK-2 (60 h)\n- TK-3",
        "TK-1 is escalated; TK-2 will become overdue in 3 hours",
        "TK-1 – “Nothing works” – escalated\nTK-2 – “It hangs” – standard customer, left alone",
        "| Ticket | Answered | Escalated |\n|---|---|---|\n| TK-1 | no | yes |\n| TK-2 | no | no |",
        "已升级 TK-1。其余未动：TK-2（标准客户，60小时）；TK-3（60小时）",
        "TK-1：无法登录，已升级\nTK-2：无法打印，标准客户，未升级",
        "我升级了 TK-1。TK-2 不变，TK-3 即将逾期。",
        "旧工单 TK-2 已停用，TK-1 已升级，没有改动其他工单。",
        "TK-1 已升级。TK-2 等了60小时，已关闭。",
        "TK-1 已升级。TK-2：未逾期，已回复。",
        "Bo wrote “TK-1 is down”. “TK-2” is not overdue, “TK-3” is closed.",
    ],
)
def test_rivals_under_a_heading_or_due_later_are_left_out(reply: str) -> None:
    """A-deny-and-both"""
    rivals = ["TK-2", "TK-3"]
    assert states(reply, "id", "TK-1", rivals=rivals, language=language_of(reply)).holds
    swapped = states(reply, "id", "TK-2", rivals=["TK-1", "TK-3"], language=language_of(reply))
    assert not swapped.holds


@pytest.mark.parametrize(
    "reply",
    [
        "Left alone: TK-2; escalated: TK-1",
        "Not escalated: TK-2; TK-1 was escalated",
        "Left alone: TK-2; TK-3 is not due; TK-1 (escalated)",
    ],
)
def test_a_heading_ends_where_another_statement_begins(reply: str) -> None:
    assert states(reply, "id", "TK-1", rivals=["TK-2", "TK-3"]).holds
