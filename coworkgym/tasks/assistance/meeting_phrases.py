"""Phrases of arranging meetings: the request, what the organiser knows, the house rules."""

TOPICS = {
    "en": ("the budget", "the new contract", "the move", "the roadmap", "the audit"),
    "zh": ("预算", "新合同", "搬迁", "路线图", "审计"),
}
OTHER_TITLES = {
    "en": ("Stand-up", "Interview", "Customer call", "Training", "Review", "Focus time"),
    "zh": ("站会", "面试", "客户电话", "培训", "评审", "专注时间"),
}
WORKS_IN = {"en": "Works in {zone}.", "zh": "工作地时区：{zone}。"}

REQUEST = {
    "en": "Please set up a meeting about {topic} and tell me day and time. Ask me what you need.",
    "zh": "请安排一次关于{topic}的会议，并告诉我日期和时间。需要了解什么就问我。",
}
RULES = {
    "en": [
        "Do not guess who takes part, on which day and how long it takes: ask.",
        "A meeting lies between 09:00 and 17:00 local time of everybody in it, the organiser "
        "included. Where somebody works stands in the directory.",
        "Take the earliest start on the full or half hour at which everybody is free.",
        "Move or cancel no other event.",
    ],
    "zh": [
        "与会者、日期、时长不得猜测，请询问。",
        "会议须在所有人（包括组织者）当地时间 09:00 至 17:00 之间。工作地见通讯录。",
        "取所有人都有空的最早的整点或半点开始。",
        "不得改动或取消其他日程。",
    ],
}

WHO = {
    "en": ("With {names} and me.", ("who", "whom", "participants", "attendees", "people")),
    "zh": ("{names}和我。", ("谁", "哪些人", "与会者", "参加", "人员")),
}
HOW_LONG = {
    "en": ("Half an hour.", ("how long", "duration", "minutes", "length")),
    "zh": ("半小时。", ("多长", "多久", "时长")),
}
WHICH_DAY = {
    "en": ("On {day}.", ("which day", "what day", "when", "date", "day")),
    "zh": ("{day}。", ("哪天", "哪一天", "日期", "什么时候", "何时")),
}
CHANGE_OF_MIND = {
    "en": "Sorry, I need a full hour after all, and not before {time}. Please move it.",
    "zh": "抱歉，还是需要一个小时，而且不早于 {time}。请改一下。",
}
QUESTION = {
    "en": "Who takes part, on which day, and how long does it take?",
    "zh": "请问谁参加、哪天、时长多久？",
}
BOOKED = {"en": "It is on {day} at {time}.", "zh": "会议定在{day} {time}。"}
