"""Spelled numbers: a quantity in words is the number, and a word that holds a numeral is none."""

import pytest
from forms import language_of, pairs
from hypothesis import example, given
from hypothesis import strategies as st

from coworkgym.rewards.matching import states
from coworkgym.rewards.matching.spelled_numbers import in_digits

Key = tuple[str, tuple[str, ...]]

# The value, its rivals: replies.
STATED = {
    ("3", ()): [
        "There are 3 overdue tickets.",
        "3 of 20 tickets are overdue.",
        "共3张",
        "3张工单逾期",
        "Total: 3",
        "I found 3.",
        "= 3",
        "You have 3 (three) open tickets.",
        "Overdue tickets: **3**",
        "3.0",
        "结果是3",
        "3个工单",
        "Three tickets are overdue.",
        "I found three of them.",
        "three",
        "共有三张",
        "三张工单逾期",
        "三个",
        "There are three: TK-1, TK-2 and TK-9.",
        "Only three tickets are left.",
        "三封邮件已读",
    ],
    ("12", ()): [
        "twelve",
        "There are twelve tickets.",
        "Twelve tickets are overdue.",
        "a dozen tickets",
        "one dozen",
        "十二张工单",
        "共十二个",
        "一共有十二封邮件。",
        "12封",
        "a total of twelve (12)",
    ],
    ("2", ()): [
        "two",
        "两张",
        "两个工单",
        "二",
        "Both? No: two tickets.",
        "a couple of... two tickets",
        "Two were overdue.",
        "共两封",
    ],
    ("1", ()): [
        "one ticket is overdue",
        "There is one overdue ticket.",
        "exactly one",
        "1",
        "一张工单逾期",
        "只有一张",
        "一个工单逾期",
        "一",
        "One mail is unread.",
        "1 unread mail",
        "只有一封邮件未读",
        "仅一张",
        "exactly one of them is unread",
        "I found one mail.",
        "It was one ticket: TK-3.",
        "There was only one.",
        "剩一封",
    ],
    ("0", ()): ["zero tickets", "0", "零张", "Zero.", "There are zero overdue tickets."],
    ("3200", ()): [
        "3200",
        "3,200",
        "3 200",
        "three thousand two hundred",
        "三千二百",
        "three thousand, two hundred",
        "thirty-two hundred",
        "3.2 thousand",
        "3.2k",
        "三千两百",
        "3千2百",
        "3200元",
        "叁仟贰佰",
    ],
    ("105", ()): ["one hundred and five", "a hundred and five", "一百零五", "one hundred five"],
    ("150", ()): [
        "一百五",
        "一百五十",
        "one hundred fifty",
        "one-hundred-and-fifty",
        "a hundred and fifty",
    ],
    ("9999", ()): ["nine thousand nine hundred and ninety-nine", "九千九百九十九"],
    ("12000", ()): ["twelve thousand", "一万二千", "1万2千", "1.2万", "12k", "一万二"],
    ("2026", ()): ["二〇二六", "two thousand and twenty-six", "two thousand twenty-six"],
    ("1.5", ()): [
        "one and a half hours",
        "1.5 h",
        "一点五",
        "one point five",
        "1½",
        "一个半小时",
        "1,5",
    ],
    ("0.5", ()): ["0.5", "零点五", "zero point five"],
    ("75", ()): [
        "75 %",
        "75 percent",
        "seventy-five percent",
        "百分之七十五",
        "百分之75",
        "75％",
        "75 per cent",
        "Seventy five",
    ],
    ("20", ("25",)): [
        "twenty",
        "20 (not 25)",
        "二十",
        "Twenty of the mails are unread.",
        "not 25 but 20",
        "20, down from 25",
        "25 became 20 after the correction",
    ],
    ("7", ()): [
        "seven",
        "There were seven of them.",
        "7 invoices",
        "In total: seven invoices",
        "七张发票",
        "共有七笔付款",
        "I counted seven unread mails.",
        "7 out of 30",
        "Seven invoices, not eight, are unpaid.",
        "一共7个。",
        "总数：7",
        "Number of invoices = 7",
        "it's 7",
        "seven (7)",
        "Of 30 invoices, 7 are unpaid.",
    ],
    ("45", ()): [
        "forty-five",
        "forty five minutes",
        "四十五",
        "四十五分钟",
        "45 min",
        "It takes 45 minutes.",
        "四十五天",
        "45％",
        "百分之四十五",
    ],
    ("250", ()): [
        "two hundred and fifty",
        "two hundred fifty",
        "二百五十",
        "两百五十个",
        "250",
        "two-hundred-and-fifty",
        "0.25k",
        "两百五",
    ],
    ("1000", ()): ["a thousand", "one thousand", "一千", "1k", "1 000", "1,000", "1千"],
    ("1100", ()): ["eleven hundred", "one thousand one hundred", "一千一百", "1.1k", "一千一"],
    ("4567", ()): [
        "four thousand five hundred and sixty-seven",
        "四千五百六十七",
        "4'567",
        "4 567",
        "4,567.00",
    ],
    ("6040", ()): ["six thousand and forty", "六千零四十", "6,040", "six thousand forty"],
    ("2.5", ()): ["two and a half", "two point five", "二点五", "2½", "两个半小时", "2,5"],
    ("24", ()): ["two dozen", "twenty-four", "二十四小时", "24 h"],
    ("6", ()): ["half a dozen", "six", "六封"],
    ("15", ("10",)): [
        "The new limit is fifteen days, up from ten.",
        "由10改为15",
        "increased from ten to fifteen",
        "15 instead of 10",
        "原来是10，现在是15。",
        "It's no longer 10 but 15.",
    ],
    ("4", ()): [
        "four mails",
        "There were 4 mails in total, of which one was spam.",
        "I answered four of the ten mails.",
        "四封邮件",
        "共回复了四封。",
        "Answered: 4",
        "4 mails answered, 6 left.",
        "4 (four) mails",
        "Four!",
        "the count is four",
        "it took 4 days",
        "They had four.",
        "前四封邮件已回复",
    ],
    ("18", ()): ["eighteen", "十八", "18", "18 %", "18项", "eighteen items", "一十八"],
    ("300", ()): [
        "three hundred",
        "三百",
        "300",
        "3百",
        "三百块",
        "叁佰",
        "0.3k",
        "three hundred items, two hundred fewer than last year",
        "300 items",
    ],
}
NOT_STATED = {
    ("9", ()): ["four five", "ninety nine"],
    ("3", ("4",)): [
        "The 3rd ticket is overdue.",
        "第3张工单逾期",
        "33",
        "3.5",
        "3-5 tickets are overdue.",
        "3–5 tickets",
        "3 to 5 tickets",
        "between 3 and 5 tickets",
        "3至5张",
        "3~5张",
        "3到5个",
        "TK-3",
        "At 3 pm I checked.",
        "On 3 March I checked.",
        "下午3点",
        "3月",
        "13",
        "-3",
        "Are there 3 tickets?",
        "There are not 3 tickets.",
        "3或4张",
        "It was 3, now it is 4.",
        "3/4 of them",
        "1/3",
        "v3",
        "Q3",
        "3x4",
        "没有3张",
    ],
    ("12", ()): [
        "the twelfth ticket",
        "twelve hundred",
        "one hundred and twelve",
        "twelve or thirteen",
        "dozens of tickets",
        "十二月",
        "第十二",
        "十二日",
        "二十二张",
        "一百一十二",
        "十几张",
        "twelve thirty",
        "At twelve o'clock I checked.",
        "two dozen",
        "a hundred and twelve",
        "10-12",
        "十二点",
    ],
    ("3", ()): [
        "thirty-three",
        "twenty-three tickets",
        "a third of them",
        "the third one",
        "三十",
        "十三",
        "第三",
        "三月",
        "周三",
        "星期三",
        "下午三点",
        "三分之一",
        "三百",
        "not three",
        "Three or four tickets",
        "三四张",
        "三五个",
        "两三张",
        "three to five tickets",
    ],
    ("2", ()): [
        "one or two tickets",
        "the second",
        "twenty-two",
        "二十",
        "十二",
        "一二三",
        "两边都查过了",
        "twofold",
        "第二",
        "周二",
        "二月",
        "礼拜二",
        "二零二六年",
        "两者都不是",
        "two-factor",
    ],
    ("1", ()): [
        "one of them",
        "no one",
        "one or two tickets",
        "this one",
        "the other one",
        "One should check the mail.",
        "一下",
        "第一",
        "一些",
        "一起",
        "一样",
        "统一",
        "一共",
        "唯一",
        "一定",
        "everyone",
        "which one",
        "That's the one.",
        "one by one",
        "周一",
        "十一",
        "一百",
        "一直",
        "进一步",
        "the right one",
        "For one thing, it is late.",
        "one another",
        "at one point",
        "一旦",
        "任何一个",
        "每一张",
        "one of the mails is unread",
        "No one answered.",
        "one after another",
        "on the one hand",
        "a one-off",
        "One can see that.",
        "一般来说",
        "一部分",
        "一封一封地处理",
        "逐一",
        "其一",
        "一边",
        "同一个人",
        "另一张",
        "上一封",
        "一会儿",
        "one day",
        "one more",
        "the last one",
        "any one",
        "someone",
        "第一封",
        "万一",
        "one-way",
    ],
    ("0", ()): [
        "none",
        "zero point five",
        "零点五",
        "nothing",
        "zero-day",
        "10",
        "零售",
        "从零开始",
    ],
    ("3200", ()): [
        "32000",
        "三万二千",
        "three thousand two hundred and one",
        "3,200.5",
        "三千二百零一",
        "三千",
        "thirteen thousand two hundred",
    ],
    ("2026", ()): ["二〇二六年三月五日", "2026年", "March 2026", "in March of 2026"],
    ("75", ()): [
        "0.75",
        "7.5 %",
        "75.5%",
        "百分之七十六",
        "between 70 and 80 %",
        "70-80 %",
        "75 或 80",
    ],
    ("7", ()): [
        "seventeen",
        "seventy",
        "the seventh invoice",
        "seven hundred",
        "十七",
        "七十",
        "七月七日",
        "第七",
        "周七",
        "7:30",
        "7 pm",
        "July 7",
        "7-8 invoices",
        "six or seven",
        "六七张",
        "七八个",
        "INV-7",
        "7th",
        "27",
        "0.7",
        "7.7",
        "not seven",
        "seven to nine days",
        "7/9",
        "七点半",
        "twenty-seven",
        "page 7a",
    ],
    ("45", ()): [
        "forty-fifth",
        "one hundred forty-five",
        "一百四十五",
        "四十五点",
        "3:45",
        "four five",
        "四五十",
    ],
    ("15", ("10",)): [
        "The limit was cut from fifteen to ten.",
        "10 instead of fifteen",
        "由十五改为十",
        "15 → 10",
        "ten rather than fifteen",
    ],
    ("4", ()): [
        "fourth",
        "fourteen",
        "forty",
        "the top-four",
        "4.5",
        "44",
        "4:00",
        "四月",
        "星期四",
        "十四",
        "四十",
        "第四封",
        "四分之一",
        "四五封",
        "4-6",
        "4 or 5",
        "not 4",
        "a quarter",
        "Q4",
        "v4",
        "TK-4",
        "four-day week",
        "April 4",
        "four o'clock",
        "四点开会",
        "2*4",
        "4/5",
        "#4",
    ],
    ("300", ()): [
        "three hundred and one",
        "三百零一",
        "三百多",
        "三百余人",
        "几百",
        "hundreds",
        "三百来个",
        "1,300",
        "300-400",
        "三四百",
        "3000",
        "thirty hundred",
        "约三四百",
    ],
}


def said(case: Key, reply: str) -> bool:
    value, rivals = case
    return states(reply, "number", value, rivals=rivals, language=language_of(reply)).holds


@pytest.mark.parametrize(("case", "reply"), pairs(STATED))
def test_a_quantity_in_words_or_figures_is_the_number(case: Key, reply: str) -> None:
    """A-rigid-words, A-decimal-substring"""
    assert said(case, reply)


@pytest.mark.parametrize(("case", "reply"), pairs(NOT_STATED))
def test_a_part_an_ordinal_a_range_or_a_guess_is_not_the_number(case: Key, reply: str) -> None:
    """A-rigid-words, A-decimal-substring"""
    assert not said(case, reply)


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()


def english(number: int) -> str:
    """The number below ten thousand as an Englishman writes it."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    size, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    joint = " and " if number % size < 100 else " "
    rest = joint + english(number % size) if number % size else ""
    return f"{english(number // size)} {word}{rest}"


def chinese(number: int) -> str:
    """The number below ten thousand in Chinese numerals."""
    figures = f"{number:04d}"
    parts = [
        "零一二三四五六七八九"[int(figure)] + (unit if figure != "0" else "")
        for figure, unit in zip(figures, ["千", "百", "十", ""], strict=True)
    ]
    written = "".join(parts).strip("零")
    while "零零" in written:
        written = written.replace("零零", "零")
    return written.removeprefix("一") if 10 <= number < 20 else written or "零"


@given(st.integers(0, 9999), st.booleans())
@example(1, True)
@example(100, True)
@example(1010, False)
@example(2002, True)
def test_every_number_below_ten_thousand_is_itself_alone(number: int, in_chinese: bool) -> None:
    words = f"共{chinese(number)}张" if in_chinese else f"There are {english(number)} tickets."
    language = "zh" if in_chinese else "en"
    assert states(words, "number", str(number), language=language).holds
    assert not states(words, "number", str(number + 1), language=language).holds
    currency = "CNY" if in_chinese else "EUR"
    amount = f"{chinese(number)}元" if in_chinese else f"It costs {english(number)} euros."
    assert states(amount, "money", str(number), language=language, currency=currency).holds


@given(st.integers(0, 9999), st.booleans())
def test_an_id_or_a_name_keeps_its_words(number: int, in_chinese: bool) -> None:
    name = f"第{chinese(number)}" if in_chinese else f"x-{english(number)}"
    assert in_digits(name) == name


@given(
    st.text("one twenty-hundred and point.half a一二十百千万点零分之第两个张年月 12,", max_size=60)
)
def test_any_text_of_numerals_gets_an_answer(text: str) -> None:
    assert isinstance(in_digits(text), str)
