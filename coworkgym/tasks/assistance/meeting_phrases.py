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
        "Do not guess who takes part, on which day and how long it takes: ask. Invite nobody else.",
        "A meeting lies between 09:00 and 17:00 local time of everybody in it, the organiser "
        "included. Where somebody works stands in the directory.",
        "Take the earliest start on the full or half hour at which everybody is free.",
        "Every booking sends out invitations, so do not try times out: create at most two events "
        "and move them at most four times.",
        "Move or cancel no event of others. Book without asking for agreement first; each report "
        "gives the day and the start that hold, and no others.",
    ],
    "zh": [
        "与会者、日期、时长不得猜测，请询问。不得邀请其他人。",
        "会议须在所有人（包括组织者）当地时间 09:00 至 17:00 之间。工作地见通讯录。",
        "取所有人都有空的最早的整点或半点开始。",
        "每次预订都会发出邀请，不得逐个试时间：最多新建两个日程，最多改期四次。",
        "不得改动或取消他人的日程。直接预订，无需先征求同意；每次汇报只写有效的日期和开始时间。",
    ],
}

WHO = {
    "en": (
        "With {names} and me.",
        ("who", "whom", "who's", "participant", "participants", "attendee", "attendees", "attend",
         "attending", "people", "person", "persons", "colleagues", "invite", "invited", "invitee",
         "invitees", "guest", "guests", "join", "joining"),
    ),
    "zh": (
        "{names}和我。",
        ("谁", "哪些人", "哪几位", "哪几个人", "哪些同事", "哪位", "与会者", "与会人", "参会",
         "参加", "参与", "出席", "邀请", "人员", "人选", "名单"),
    ),
}  # fmt: skip
HOW_LONG = {
    "en": (
        "Half an hour.",
        ("how long", "how much time", "how many hours", "duration", "minute", "minutes", "length",
         "half an hour", "an hour", "one hour"),
    ),
    "zh": (
        "半小时。",
        ("多长", "多久", "时长", "多少分钟", "几分钟", "多少时间", "多少小时", "几个小时", "几小时",
         "长度", "半小时", "一小时", "一个小时"),
    ),
}  # fmt: skip
WHICH_DAY = {
    "en": (
        "On {day}.",
        ("which day", "what day", "when", "date", "dates", "day", "days", "what time", "week",
         "weekday", "today", "tomorrow"),
    ),
    "zh": (
        "{day}。",
        ("哪天", "哪一天", "哪日", "日期", "日子", "什么时候", "什么时间", "会议时间", "何时",
         "几号", "几月几日", "星期几", "周几", "今天", "明天", "本周", "下周"),
    ),
}  # fmt: skip
CHANGE_OF_MIND = {
    "en": "Sorry, I need a full hour after all, and not before {time}. Please move it.",
    "zh": "抱歉，还是需要一个小时，而且不早于 {time}。请改一下。",
}
QUESTION = {
    "en": "Who takes part, on which day, and how long does it take?",
    "zh": "请问谁参加、哪天、时长多久？",
}
BOOKED = {"en": "It is on {day} at {time}.", "zh": "会议定在{day} {time}。"}
