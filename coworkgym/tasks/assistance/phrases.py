"""Phrases of an inbox: questions, newsletters, invoices and notes, the house rules, the answers."""

QUESTIONS = {
    "en": [
        ("Trade fair", "Can you approve the budget of the trade fair by {day}?"),
        ("Offer for the new site", "Could you send me your remarks on the offer by {day}?"),
        ("Your part of the report", "When do I get your part? I need it by {day}."),
        ("Rooms for the workshop", "Shall I book the large room? The hotel waits until {day}."),
        ("Draft contract", "May we sign it as it is? The draft is open until {day}."),
        ("Interview", "Will you see the candidate? Please tell me by {day}."),
        ("Invoice process", "Do you agree with the new process? The vote closes on {day}."),
        ("Delivery window", "Which day suits you? The carrier wants to know by {day}."),
    ],
    "zh": [
        ("展会预算", "请问展会预算能批准吗？请于 {day} 前答复。"),
        ("新址报价", "您对报价有什么意见？请于 {day} 前告诉我。"),
        ("报告中您的部分", "您的部分什么时候能给我？我 {day} 前要用。"),
        ("研讨会场地", "要订大会议室吗？酒店只保留到 {day}。"),
        ("合同草案", "可以照此签署吗？草案 {day} 前有效。"),
        ("面试", "您要见这位候选人吗？请于 {day} 前告知。"),
        ("发票流程", "您同意新流程吗？请于 {day} 前表态。"),
        ("送货时间", "哪天方便收货？承运商要在 {day} 前确认。"),
    ],
}

UNDATED = {
    "en": [
        ("Coffee", "Shall we have a coffee one of these days?"),
        ("Slides", "Where do I find the slides of the kick-off?"),
        ("Lost umbrella", "Is the umbrella at the reception yours?"),
    ],
    "zh": [
        ("咖啡", "改天一起喝杯咖啡？"),
        ("启动会资料", "启动会的幻灯片在哪里？"),
        ("雨伞", "前台的那把伞是您的吗？"),
    ],
}

NOTES = {
    "en": [
        ("Minutes", "The minutes are on the drive. We meet again on {day}."),
        ("Urgent works in the garage", "The lower level is closed on {day}."),
        ("New price list", "The new list holds from {day}. Nothing to do for you."),
        ("Thank you", "Thanks for your help, all is settled since {day}."),
    ],
    "zh": [
        ("会议纪要", "纪要已放到共享盘，下次会议在 {day}。"),
        ("车库紧急施工", "{day} 地下一层关闭。"),
        ("新价目表", "新价目表自 {day} 起生效，您无需处理。"),
        ("感谢", "多谢帮忙，事情已于 {day} 办妥。"),
    ],
}

NEWSLETTERS = {
    "en": [
        ("URGENT: last seats for {name}", "Will you join us? Sign up by {day}."),
        ("Your answer is needed, {name}", "What do you think of us? The poll ends on {day}."),
        ("News of the week", "Five ideas for your team. The next issue comes on {day}."),
    ],
    "zh": [
        ("紧急：{name}，名额即将截止", "您参加吗？请于 {day} 前报名。"),
        ("{name}，请您答复", "您怎么看我们的服务？调查 {day} 截止。"),
        ("每周资讯", "给团队的五个建议。下一期 {day} 发布。"),
    ],
}

INVOICE = {
    "en": ("Invoice {number}", "Please find our invoice enclosed. Can you pay it by {day}?"),
    "zh": ("发票 {number}", "现附上我司发票。能在 {day} 前付款吗？"),
}

REQUEST = {
    "en": "Please go through today's unread mail by our house rules, save the drafts, and tell me "
    "how many mails you handled and which are urgent.",
    "zh": "请按规定处理我收件箱里今天的未读邮件，拟好回复草稿，"
    "然后告诉我处理了多少封、哪些是紧急的。",
}

SCOPE = {
    "en": "Handle mail that came today, is unread in the inbox and has none of the labels below; "
    "leave all other mail alone.",
    "zh": "只处理收件箱中今天收到、未读、且没有下列标签的邮件，其他邮件保持原样。",
}

LABEL_RULES = {
    "en": {
        "newsletter": "newsletter: from an address that begins with news@; archive it, too",
        "suspicious": "suspicious: it bears the name of somebody in the directory, but not the "
        "address there",
        "invoice": "invoice: from outside our domain, with Invoice in the subject",
        "urgent": "urgent: asks me something with a deadline from today to the second working day "
        "(Monday to Friday) after today",
        "reply": "reply: asks me anything else",
        "fyi": "fyi: all the rest",
    },
    "zh": {
        "newsletter": "newsletter：发件地址以 news@ 开头，并且要归档",
        "suspicious": "suspicious：署名是通讯录中的人，但地址与通讯录不符",
        "invoice": "invoice：来自本公司域名之外，主题含“发票”",
        "urgent": "urgent：向我提问，期限在今天至其后第二个工作日（周一至周五）之间",
        "reply": "reply：其他向我提出的问题",
        "fyi": "fyi：其余邮件",
    },
}

LABELLING = {
    "en": "Each gets one label, the first that fits. {labels}.",
    "zh": "每封邮件加一个标签，取第一个符合的。{labels}。",
}

RULES = {
    "en": [
        "It asks me if my address is in To, not only in copy, and the text has a question mark.",
        "For each urgent mail save one draft to its sender with the deadline as YYYY-MM-DD and no "
        "other date; no other drafts. Send and delete nothing.",
        "Report the number handled and the ids of the urgent mails, no other ids.",
    ],
    "zh": [
        "“向我提问”指：收件人（to）中有我本人的地址，仅抄送不算，且正文有问号。",
        "只为每封 urgent 邮件存一份给发件人的草稿，写明期限（YYYY-MM-DD），"
        "不写其他日期。不得发送或删除邮件。",
        "汇报处理的数量和 urgent 邮件的编号，不要列出其他编号。",
    ],
}

DRAFT = {
    "en": "You will have my answer by {day}.",
    "zh": "收到，将在 {day} 前答复。",
}

ANSWER = {
    "en": "Handled {number} mails. Urgent: {ids}.",
    "zh": "共处理 {number} 封邮件。紧急：{ids}。",
}
