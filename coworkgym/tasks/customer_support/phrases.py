"""Phrases of a support desk: request, rules, complaints, mail that has nothing to do with them."""

REQUEST = {
    "en": "Please go through our open tickets. Escalate the overdue ones of enterprise "
    "customers, tell their account managers by mail, and tell me which tickets they were.",
    "zh": "请检查未关闭的工单。把企业级客户的超时工单升级，"
    "用邮件通知客户经理，然后告诉我是哪些工单。",
}

RULES = {
    "en": [
        "A ticket is overdue when its status is open and it was created over 48 hours ago.",
        "For each overdue ticket of an enterprise customer, the customer's account manager "
        "gets exactly one mail that names the ticket id, and no other ticket.",
        "If an account manager has left, the successor in the directory takes their place.",
        "Leave all other tickets as they are, and mail nobody else. Report the ids of the tickets "
        "that you escalated, and no other ids.",
    ],
    "zh": [
        "状态为 open 且创建超过48小时的工单为超时工单。",
        "企业级客户（tier 为 enterprise）的每个超时工单，"
        "其客户经理须收到恰好一封写明工单编号的邮件，邮件中不得提及其他工单。",
        "如果客户经理已离职，由通讯录中登记的接任者（successor）代替。",
        "不得改动其他工单，也不得给其他人发邮件。汇报时只写已升级工单的编号，不写其他编号。",
    ],
}

COMPLAINTS = {
    "en": [
        ("API times out", "{customer} reports time-outs of the order API.", "performance"),
        ("Export fails", "{customer} gets an error when exporting three months.", "failure"),
        ("Wrong invoice", "{customer} was billed twice for the same licence.", "billing"),
        ("Cannot log in", "Two users of {customer} are locked out since this morning.", "access"),
        ("Sync is late", "Stock data of {customer} arrives with two hours' delay.", "performance"),
        ("Report is empty", "The weekly report of {customer} shows no rows.", "failure"),
        ("Webhook missing", "{customer} no longer receives events of orders.", "integration"),
        ("Slow dashboard", "The dashboard opens in 40 seconds for {customer}.", "performance"),
        ("Question on roles", "{customer} asks how to give a user read-only access.", "question"),
        ("Labels misprinted", "Shipping labels of {customer} lack the postcode.", "failure"),
    ],
    "zh": [
        ("接口超时", "{customer}反映高峰时段订单接口超时。", "性能"),
        ("导出失败", "{customer}导出近三个月数据时报错。", "故障"),
        ("账单有误", "{customer}的同一许可被重复计费。", "账单"),
        ("无法登录", "{customer}有两名用户今早起无法登录。", "权限"),
        ("同步延迟", "{customer}的库存数据延迟两小时。", "性能"),
        ("报表为空", "{customer}的周报没有数据。", "故障"),
        ("缺少回调", "{customer}收不到订单完成的通知。", "集成"),
        ("看板缓慢", "{customer}打开看板需要40秒。", "性能"),
        ("权限咨询", "{customer}询问如何设置只读用户。", "咨询"),
        ("标签打印错误", "{customer}的发货标签缺少邮编。", "故障"),
    ],
}  # fmt: skip

SINCE = {"en": " They noticed it first on {day}.", "zh": "首次发现于{day}。"}

SMALL_TALK = {
    "en": [
        ("Lunch on Friday", "Who joins us at the new place round the corner?"),
        ("Roster for next week", "The roster is out, please check your shifts."),
        ("Printer on floor two", "The printer is being repaired until noon."),
        ("Escalations, once more", "Please keep the 48 hour rule in mind, for enterprise only."),
        ("Training slides", "The slides of the product training are on the drive."),
        ("Parking", "The lower level is closed on Thursday."),
    ],
    "zh": [
        ("周五午餐", "拐角新开的餐馆，谁一起去？"),
        ("下周排班", "排班表已发布，请核对自己的班次。"),
        ("二楼打印机", "打印机维修到中午。"),
        ("再提醒一次升级规定", "请记住48小时规定只适用于企业级客户。"),
        ("培训资料", "产品培训的幻灯片已放到共享盘。"),
        ("停车", "周四地下一层停车场关闭。"),
    ],
}
