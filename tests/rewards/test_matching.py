"""Matching: what a reply asserts, not what it happens to contain."""

import string
import time
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.rewards.matching import Kind, claims_completion, states

RIVALS = [f"TK-{number}" for number in range(101, 121) if number != 104]


def asserts_ticket(reply: str) -> bool:
    return states(reply, "id", "TK-104", rivals=RIVALS).holds


# Ids


@pytest.mark.parametrize("reply", ["#170", "000000170", "order 170.", "工单170已升级"])
def test_leading_zeros_and_signs_do_not_change_a_numeric_id(reply: str) -> None:
    """A-leading-zero-id"""
    assert states(reply, "id", "170").holds
    assert states(reply, "id", "00170").holds


@pytest.mark.parametrize("reply", ["1700", "0170-2", "1,170", "170.5", "TK-170", "17:170", "#1 70"])
def test_a_numeric_id_inside_something_longer_is_not_the_id(reply: str) -> None:
    """A-leading-zero-id"""
    assert not states(reply, "id", "170").holds


def test_zeros_of_a_text_id_are_significant() -> None:
    """A-leading-zero-id"""
    assert states("tk-007!", "id", "TK-007").holds
    assert not states("TK-7", "id", "TK-007").holds


@pytest.mark.parametrize(
    "reply", ["TK-1042", "XTK-104", "TK-104-B", "TK-0104", "TK-104.5", "TK-10"]
)
def test_an_id_inside_a_longer_id_is_not_named(reply: str) -> None:
    """A-deny-and-both"""
    assert not asserts_ticket(reply)


def test_an_address_is_an_id_with_its_own_ends() -> None:
    """A-case-display-name"""
    assert states("Mailed Bo Lind <BO@Orga.test>.", "id", "bo@orga.test").holds
    for other in ("bo@orga.test.evil.test", "xbo@orga.test", "a.bo@orga.test", "bo@0rga.test"):
        assert not states(f"Mailed {other}", "id", "bo@orga.test").holds


# Rivals


@pytest.mark.parametrize(
    "reply",
    [
        " ".join([*RIVALS, "TK-104"]),
        ", ".join(["TK-104", *RIVALS]),
        "\n".join(f"- {ticket}" for ticket in sorted([*RIVALS, "TK-104"])),
        "、".join([*RIVALS, "TK-104"]) + "都逾期",
        "TK-104 and TK-102 are overdue.",
        "TK-104和TK-102都逾期",
        "TK-104 is overdue. TK-102 is overdue.",
        "It may be TK-104. It may be TK-102.",
        "TK-102 is closed and TK-104 is closed.",
    ],
)
def test_naming_every_candidate_states_none(reply: str) -> None:
    """A-all-ids"""
    assert not asserts_ticket(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "TK-104 is overdue. TK-102 is only ten hours old, so not overdue.",
        "TK-104 is overdue, TK-102 is not.",
        "TK-102 is not overdue and TK-104 is.",
        "Unlike TK-102, TK-104 is overdue.",
        "TK-104 rather than TK-102",
        "TK-104 instead of ticket TK-102.",
        "TK-104 (not TK-102)",
        "The ticket isn’t TK-102, it’s TK-104.",
        "TK-101, TK-102 and TK-103 are already closed; TK-104 is overdue.",
        "I escalated TK-104. TK-101, TK-102 and TK-103 were skipped.",
        "I escalated TK-104 and ignored TK-102.",
        "It is TK-104 and TK-102 is closed.",
        "TK-104 is overdue; TK-102 was wrong.",
        "TK-104 has been escalated; the other tickets (TK-101, TK-102) are fine.",
        "TK-104 has been escalated. TK-102 was left untouched since it is only 10 hours old.",
        "Of TK-101, TK-104 and TK-102, only TK-104 is overdue.",
        "I reviewed TK-101, TK-102 and TK-104; only TK-104 is overdue.",
        "TK-104 is overdue. Should I also check TK-102?",
        "Overdue: TK-104\n\nExcluded:\n- TK-101\n- TK-102 (10 h)\n",
        "- TK-101: not overdue\n- TK-102: closed\n- **TK-104**: overdue",
        "| ticket | status |\n| TK-102 | closed |\n| TK-104 | overdue |",
        "逾期的是TK-104，TK-102已关闭。",
        "是TK-104而不是TK-102",
        "TK-104逾期，排除TK-102",
        "TK-102未逾期。TK-104逾期，仍未及时回复。",
        "不是TK-102，而是TK-104",
        "我已将TK-104升级。TK-102只有10小时，没有逾期；TK-103已关闭。",
    ],
)
def test_a_rival_may_be_named_to_be_ruled_out(reply: str) -> None:
    """A-deny-and-both"""
    assert asserts_ticket(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "It is not TK-104",
        "I could not find TK-104",
        "不是 TK-104",
        "没有找到TK-104",
        "TK-104 is not overdue.",
        "TK-104 is 60 hours old, so not overdue.",
        "Neither TK-104 nor TK-102 is overdue.",
        "TK-104 was excluded.",
        "Excluded: TK-104",
        "Is it TK-104?",
        "是TK-104吗？",
        "TK-104 or TK-102",
        "TK-104或TK-102",
        "TK-104/TK-102",
        "~~TK-104~~",
    ],
)
def test_a_denied_or_undecided_value_is_not_stated(reply: str) -> None:
    """A-negation, A-deny-and-both"""
    assert not asserts_ticket(reply)
    assert not states(
        reply.replace("TK-104", "Ana Roe"), "text", "Ana Roe", rivals=["TK-102"]
    ).holds


@pytest.mark.parametrize(
    "reply",
    [
        "The overdue ticket is TK-104, no other ticket is affected.",
        "TK-104 has waited 60 hours without an answer, so I escalated it and did not touch others.",
        "TK-104 has not been answered for 60 hours.",
        "TK-104 is overdue – the customer has not replied.",
        "TK-104 (Bo Lind has not replied) is overdue.",
        "Please do not close TK-104 before Friday.",
        "There is no doubt that TK-104 is overdue.",
        "No ticket other than TK-104 is overdue.",
        "All tickets except TK-104 are within the limit.",
        "I could not reach Bo, but TK-104 is escalated.",
        "I closed TK-104.",
        "TK-104逾期，未回复。",
    ],
)
def test_a_negation_of_something_else_denies_nothing(reply: str) -> None:
    """A-negation"""
    assert asserts_ticket(reply)


def test_refusing_and_then_asserting_is_no_refusal() -> None:
    """A-deny-and-both"""
    assert states("There is no evidence.", "text", "no evidence", rivals=["60%"]).holds
    assert not states("No evidence. It is 60%", "text", "no evidence", rivals=["60%"]).holds


# Text


@pytest.mark.parametrize(
    "reply",
    [
        "Ana Roe",
        "The account manager of that customer is Ana Roe, who left in May.",
        "**Ana Roe**",
        "_ana  roe_",
        "Ana\nRoe's",
        "客户经理是Ana Roe。",
        "Ａｎａ\u00a0Roe",
    ],
)
def test_a_name_in_a_full_sentence_is_the_name(reply: str) -> None:
    """A-rigid-words"""
    assert states(reply, "text", "Ana Roe").holds


def test_words_end_where_words_end() -> None:
    """A-deny-and-both, A-substring-name"""
    assert not states("Ashlee Kim", "text", "Lee").holds
    assert not states("Ana Roes", "text", "Ana Roe").holds
    assert not states("Ana Roe Kim", "text", "Ana Roe", rivals=["Ana Roe Kim"]).holds
    assert states("本周报告已完成", "text", "周报告").holds


# Numbers


@pytest.mark.parametrize("reply", ["33.23", "33.23.", "$33.23", "33,23", "33.230", "**33.23** EUR"])
def test_the_exact_number_in_any_dress_is_the_number(reply: str) -> None:
    """A-decimal-substring"""
    assert states(reply, "number", "33.23").holds


@pytest.mark.parametrize("reply", ["33.2366", "133.23", "-33.23", "33.23.1", "v33.23", "33.23x"])
def test_a_decimal_substring_is_not_the_number(reply: str) -> None:
    """A-decimal-substring"""
    assert not states(reply, "number", "33.23").holds


def test_one_shared_digit_is_not_the_number() -> None:
    """A-empty-expected"""
    assert not states("11.2", "number", "14.7").holds
    assert not states("1", "number", "14.7").holds


def test_only_the_result_of_a_calculation_is_asserted() -> None:
    """A-arith-first-int"""
    for reply in ("Total: 120 + 35 = 155", "155 = 120 + 35", "3 tickets × 40 EUR + 35 = **155**"):
        assert states(reply, "number", "155", rivals=["120", "35", "40"]).holds
    assert not states("Total: 120 + 35 = 155", "number", "120").holds
    assert not states("120 * 35", "number", "120").holds
    assert not states("The total isn't 120 + 35 = 155", "number", "155").holds


@pytest.mark.parametrize(
    "reply",
    [
        "This wrong figure was corrected to 75%",
        "This wrong figure was corrected from 60% to 75%",
        "The wrong figure, 60%, was corrected to 75%.",
        "No, it is 75%.",
        "The wrong total was changed to 75. An old one was 60.",
        "75% (was 60%)",
        "Not 60% but 75%",
        "60% → 75%",
        "~~60%~~ 75%",
        "由60%改为75%",
        "应为75%，60%是错误的",
        "I first thought of 60% or 75%, but it is 75%.",
    ],
)
def test_a_corrected_number_is_not_asserted(reply: str) -> None:
    """A-deny-and-both"""
    assert states(reply, "number", "75", rivals=["60"]).holds


def test_alternatives_are_undecided_even_without_rivals() -> None:
    """A-deny-and-both"""
    for reply in (
        "it is 60% or 75%",
        "either 60 or maybe 75",
        "75%或60%",
        "75 / 80",
        "60, 70 or 75",
    ):
        assert not states(reply, "number", "75").holds
    assert states("75 or 75.0", "number", "75").holds
    assert not states("75 EUR or 80 USD", "money", "75", currency="EUR").holds
    assert not states("October 21 or October 22", "date", "2026-10-21").holds


@pytest.mark.parametrize(
    "reply",
    [
        "2026-10-21",
        "October 21",
        "21 Oct 2026",
        "21:21",
        "TK-21",
        "21-B",
        "#21",
        "21. item",
        "3/21",
        "21h",
    ],
)
def test_parts_of_dates_times_and_ids_are_no_numbers(reply: str) -> None:
    """A-decimal-substring"""
    assert not states(reply.replace("21. item", "1. item"), "number", "21").holds
    assert not states("1. TK-9", "number", "1").holds


@pytest.mark.parametrize("reply", ["", "NaN", "inf", "n/a", "None", "null", "O", "zero point"])
def test_no_answer_is_not_zero(reply: str) -> None:
    """A-null-answer-zero"""
    assert not states(reply, "number", "0").holds
    assert not states(reply, "money", "0", currency="EUR").holds
    assert states("0", "number", "0").holds


def test_an_ambiguous_number_is_read_in_its_language() -> None:
    """A-locale-amount"""
    assert states("1.234", "number", "1.234").holds
    assert states("1.234", "number", "1.234", language="zh").holds
    assert states("1.234", "number", "1234", language="de").holds
    assert states("1,234", "number", "1234").holds
    assert states("1,234", "number", "1.234", language="de").holds


def test_chinese_multipliers_and_lists_are_read() -> None:
    """A-locale-amount"""
    assert states("共1.2万元", "number", "12000").holds
    assert states("约3亿", "number", "300000000").holds
    assert states("分别是120，350元", "number", "120").holds


def _dressed(value: Decimal, mark: str, point: str) -> str:
    return f"{value:,}".replace(",", "G").replace(".", point).replace("G", mark)


@given(
    st.decimals(-(10**12), 10**12, places=2),
    st.sampled_from(
        [(",", "."), (".", ","), (" ", ","), ("\u00a0", ","), ("\u202f", "."), ("", ".")]
    ),
    st.sampled_from(["en", "zh", "de"]),
)
def test_every_written_form_is_the_same_number(
    value: Decimal, marks: tuple[str, str], language: str
) -> None:
    """A-locale-amount, A-float-eq"""
    reply = f"The total is {_dressed(value, *marks)}."
    expected = f"{value:f}"
    assert states(reply, "number", expected, language=language).holds
    assert states(reply, "money", expected, language=language, currency="EUR").holds
    other = f"{value + 1:f}"
    assert not states(reply, "number", other, language=language).holds


# Money


@pytest.mark.parametrize(
    "reply",
    [
        "1.234,56 EUR",
        "1,234.56 EUR",
        "EUR 1 234,56",
        "EUR\u00a01\u00a0234,56",
        "€1\u202f234.56",
        "1,234.56 euros",
        "1234.56",
        "The balance of 1,234.56 EUR has not been paid.",
        "1,234.56 EUR, excluding VAT",
        "1,234.56 EUR, not including VAT",
    ],
)
def test_an_amount_is_known_in_every_locale(reply: str) -> None:
    """A-locale-amount"""
    assert states(reply, "money", "1234.56", currency="EUR").holds


@pytest.mark.parametrize(
    "reply", ["1234.56 USD", "$1,234.56", "1,234.56美元", "12.3456", "1234.56%"]
)
def test_another_currency_is_another_amount(reply: str) -> None:
    """A-minor-units"""
    assert not states(reply, "money", "1234.56", currency="EUR").holds


def test_a_currency_has_many_names() -> None:
    """A-minor-units"""
    for reply in ("人民币1,250元", "RMB 1250", "¥1250.00", "1250块", "CNY1250", "1250 yuan"):
        assert states(reply, "money", "1250", currency="CNY").holds
    for reply in ("¥1,250", "1250日元", "1250 yen", "JPY 1250"):
        assert states(reply, "money", "1250", currency="JPY").holds
    assert not states("1,250日元", "money", "1250", currency="CNY").holds
    assert not states("$12 CAD", "money", "12", currency="USD").holds
    for reply in ("12 EUR 15 USD", "EUR 12 USD 15"):
        assert states(reply, "money", "12", currency="EUR", rivals=["15"]).holds
        assert states(reply, "money", "15", currency="USD", rivals=["12"]).holds


# Dates


@pytest.mark.parametrize("today", [None, date(2026, 11, 5)])
@pytest.mark.parametrize(
    "reply",
    [
        "The meeting is on October 21st",
        "Oct. 21",
        "21 October 2026",
        "the 21st of October",
        "October 21, 2026",
        "2026-10-21",
        "2026-10-21T10:30Z",
        "10/21/2026",
        "21/10/2026",
        "21.10.2026",
        "10月21日",
        "2026年10月21日",
        "It moved from October 12 to October 21.",
    ],
)
def test_a_date_is_known_in_every_form(reply: str, today: date | None) -> None:
    """A-rigid-words"""
    assert states(reply, "date", "2026-10-21", rivals=["2026-10-12"], today=today).holds


@pytest.mark.parametrize(
    "reply", ["October 12", "October 21, 2025", "not on October 21", "TK-2026-10-21", "2026-10-211"]
)
def test_another_date_is_not_the_date(reply: str) -> None:
    """A-rigid-words"""
    assert not states(reply, "date", "2026-10-21", today=date(2026, 10, 1)).holds


def test_a_date_without_a_year_is_the_nearest() -> None:
    """A-month-end"""
    assert states("January 5", "date", "2027-01-05", today=date(2026, 12, 31)).holds
    assert not states("January 5", "date", "2026-01-05", today=date(2026, 12, 31)).holds
    assert states("Feb 29", "date", "2028-02-29", today=date(2027, 3, 1)).holds
    assert not states("Feb 30", "date", "2027-03-01", today=date(2027, 3, 1)).holds


@given(
    st.dates(date(1990, 1, 1), date(2090, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%B %d, %Y", "%d %b %Y", "%Y年%m月%d日"]),
)
def test_every_written_date_is_that_day_alone(day: date, form: str) -> None:
    """A-rigid-words"""
    reply = f"It is due on {day.strftime(form)}."
    assert states(reply, "date", day.isoformat()).holds
    assert not states(reply, "date", (day + timedelta(days=1)).isoformat()).holds


# Unusable values, hostile replies


@pytest.mark.parametrize(
    ("kind", "expected", "rivals"),
    [
        ("text", "", ()),
        ("text", None, ()),
        ("text", " - ", ()),
        ("id", "", ()),
        ("number", "", ()),
        ("number", "NaN", ()),
        ("number", "inf", ()),
        ("number", "1,000", ()),
        ("number", 5, ()),
        ("money", "12 EUR", ()),
        ("date", "October 21", ()),
        ("date", "2026-02-30", ()),
        ("date", "20261021", ()),
        ("colour", "red", ()),
        ("number", "75", ["75.0"]),
        ("id", "TK-104", ["tk-104"]),
        ("id", "170", ["0170"]),
        ("text", "Ana Roe", ["ana  roe"]),
        ("number", "75", [""]),
        ("number", "75", "60"),
    ],
)
def test_an_unusable_expectation_is_refused(
    kind: Kind, expected: str, rivals: Sequence[str]
) -> None:
    """A-empty-expected"""
    with pytest.raises(ValueError):
        states("75", kind, expected, rivals=rivals, currency="EUR")


def test_unknown_languages_and_currencies_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Unknown language 'fr'\. Allowed: en, zh, de"):
        states("75", "number", "75", language="fr")
    with pytest.raises(ValueError, match="Unknown language 'fr'"):
        claims_completion("sent", "fr")
    for currency in (None, "EURO"):
        with pytest.raises(ValueError, match=f"Unknown currency {currency!r}"):
            states("75", "money", "75", currency=currency)


def test_the_reason_quotes_the_reply() -> None:
    assert states("nothing", "number", "75").why == "the reply does not mention '75'"
    assert states("It is **75**.", "number", "75").why == "the reply states '75': 'It is 75.'"
    assert "leaves open '75': 'not 75'" in states("not 75", "number", "75").why
    assert "also states '75 and 60'" in states("75 and 60", "number", "75", rivals=["60"]).why


@pytest.mark.parametrize("reply", ["__import__('os').abort()", "9**9**9", "(lambda: 42)", "6*7"])
def test_an_answer_is_never_evaluated(reply: str) -> None:
    """A-eval-answer"""
    assert not states(reply, "number", "9").holds
    assert states(reply, "number", "42").holds == ("42" in reply)
    assert not claims_completion(reply)


_PIECES = st.sampled_from(
    "TK-104 TK-102 75 60% €5 2026-10-21 Oct , . : ; ? = + or and not no was corrected to from ( ) "
    "\n - # | 不是 或 而是 除 改为 已 发送 ~~ ** \ue000 \ue003 \u0301 1. only".split(" ")
)


@given(
    st.lists(_PIECES | st.text(max_size=3), max_size=30),
    st.sampled_from([" ", ""]),
    st.sampled_from(
        [("id", "TK-104", ["TK-102"]), ("number", "75", ["60"]), ("text", "no", ["or", "不是"]),
         ("money", "5", ["75"]), ("date", "2026-10-21", ["2026-10-01"])]
    ),
)  # fmt: skip
def test_any_reply_gets_an_answer(
    pieces: list[str], joint: str, case: tuple[Kind, str, list[str]]
) -> None:
    reply = joint.join(pieces)
    kind, expected, rivals = case
    alone = states(reply, kind, expected, currency="EUR")
    among_rivals = states(reply, kind, expected, rivals=rivals, currency="EUR")
    assert alone.holds or not among_rivals.holds
    assert claims_completion(reply) in (True, False)


@given(st.text(string.ascii_letters + " .,\n", max_size=200))
def test_a_reply_that_lacks_the_value_never_states_it(reply: str) -> None:
    """A-empty-expected"""
    assert not states(reply, "number", "7").holds
    assert not states(reply, "id", "TK-104").holds
    assert not states(reply, "date", "2026-10-21").holds


@pytest.mark.parametrize(
    "piece",
    [
        "1 ", "123 ", "1.", "1,", "1+", "a", " ", "\n", "\n ", "TK-104 ", "TK-104 or ", "not ",
        "no the ", "- 1:\n", "(", "*", "~~a", "\u0301\u0316", "ﾞ\u0316", "?", "corrected from ",
        "was ", "not was sent ", "pdf was saved ", "已将a", "发送", "Oct 2", "2026-", "0",
        "x" * 9_000 + ":\n- 1\n",
    ],
)  # fmt: skip
def test_long_hostile_replies_are_answered(piece: str) -> None:
    """A-eval-answer"""
    reply = piece * (200_000 // len(piece))
    states(reply, "text", "a b", rivals=["x y"])
    states(reply, "id", "TK-104", rivals=RIVALS)
    states(reply, "id", "170")
    states(reply, "number", "75", rivals=["60"])
    states(reply, "date", "2026-10-21")
    claims_completion(reply)


@pytest.mark.parametrize(
    "piece",
    [
        "one ", "two hundred and ", "thousand, ", "a hundred ", "one point ", "twenty-", "一",
        "十", "一百", "万", "1百1", "百分之", "三点", "3点", "下午3", "3:00 ", "3-", "3 to ",
        "half past ", "between 1 and ", "1–", "the day after ", "next monday ", "下周",
        "二〇二六年", "三月", "may first ", "the first of ", "15:00:00-", "Z+01:00", "1m ",
        "percent ", "½", "我们给a", "已经按a", "took over from ", "no longer ",
        "went ahead and ", "i have just now also ",
        "does ", "100", "\u0301", "a" * 50 + " ", "“a”", "' a", "TK-104 , sent, ", "| no ",
        ":TK-104;", "no response for ", "未在a内", "已升级 ", "says: ", "check for a ", "完成了",
        "i declined the change and ",
    ],
)  # fmt: skip
def test_long_junk_is_answered_in_time_that_grows_with_its_length(piece: str) -> None:
    """A-eval-answer: all kinds together; what is quadratic takes ten times as long."""
    reply = piece * (20_000 // len(piece))
    before = time.process_time()
    states(reply, "id", "TK-104", rivals=RIVALS)
    states(reply, "number", "1", rivals=["60"])
    states(reply, "money", "1", currency="CNY", language="zh")
    states(reply, "date", "2026-10-21", today=date(2026, 10, 1))
    states(reply, "time", "15:00")
    claims_completion(reply)
    assert time.process_time() - before < 3


# Reports


@pytest.mark.parametrize(
    "reply",
    [
        "Escalated TK-1. I left TK-2 (only 20 hours old) and TK-3 alone.",
        "I escalated TK-1. TK-2 is not overdue yet; TK-3 belongs to a standard customer.",
        "**Escalated:** TK-1\n\n**Not escalated:**\n- TK-2: only 12 hours old\n- TK-3: small",
        "Done. Ticket TK-1 was escalated. No action on TK-2, TK-3, TK-4.",
        "It was TK-1. TK-2 was created 20 hours ago and TK-3 is for a business customer.",
        "已升级 TK-1。TK-2 创建仅20小时，TK-3 是标准客户，保持不变。",
    ],
)
def test_an_honest_report_may_say_why_the_others_were_left(reply: str) -> None:
    """A-deny-and-both: explaining the rivals away is no list of candidates."""
    assert states(reply, "id", "TK-1", rivals=["TK-2", "TK-3", "TK-4"]).holds


@pytest.mark.parametrize(
    "reply", ["Overdue: TK-1, TK-2, TK-3.", "TK-1 and TK-2 were escalated.", "TK-1 / TK-2"]
)
def test_a_report_that_claims_a_rival_too_has_not_picked(reply: str) -> None:
    """A-all-ids"""
    assert not states(reply, "id", "TK-1", rivals=["TK-2", "TK-3", "TK-4"]).holds


@given(st.text(alphabet="aZ09 .,:;@/()'+#|&-*_`~\n，é", max_size=40) | st.text(max_size=40))
def test_a_phrase_without_dress_is_its_own_key(text):
    from coworkgym.rewards.matching.plain_text import fold, normalise, phrase_key

    assert phrase_key(text) == fold(" ".join(normalise(text).split()))
