package capture

import "strings"

// orders reports whether the clause tells the assistant to do something: "change
// the login timeout to 12 h", 把登入頁的逾時改成 12 小時. That is a task; what
// was done of it stands in the episode of the session.
func (c *clause) orders() bool {
	if isHanText(c.low) {
		return c.ordersInChinese()
	}
	words := strings.Fields(strings.ReplaceAll(c.low, "’", "'"))
	for len(words) > 0 && lists.Words("order-opening")[strings.TrimRight(words[0], ",:")] {
		words = words[1:]
	}
	// A verb alone may be a noun: "test coverage is now 78%".
	return len(words) > 2 && lists.Words("command-verb")[words[0]] && lists.Words("determines")[words[1]]
}

// ordersInChinese knows an order by 把 or a verb at its beginning, where nothing
// says that it is done.
func (c *clause) ordersInChinese() bool {
	s := withoutLeads(strings.TrimSpace(c.low), lists.Phrases("order-lead"), " ,，")
	if containsAny(s, "了", "決定", "决定") || startsWithAny(s, "將來", "将来", "將於", "将于", "將在", "将在", "將會", "将会") {
		return false
	}
	return startsWithAny(s, "把", "將", "将", "改成", "改為", "改为", "改用", "換成", "换成", "改到",
		"調到", "调到", "調成", "调成", "調整到", "调整到", "調整為", "调整为", "升級到", "升级到", "更新為", "更新为", "更新到", "更新成", "設成", "设成", "設為", "设为", "設定為", "设定为", "設定成", "设置为", "设置成", "刪掉", "删掉", "移除", "遷移到", "迁移到")
}

// reports reports whether a Chinese clause says who did something, or that it is
// done or decided.
func (c *clause) reports() bool {
	return containsAny(c.low, "我", "團隊", "团队", "公司", "客戶", "客户", "主管", "老闆", "老板", "決定", "决定", "已", "了", "現在", "现在", "目前", "從今", "从今", "以後", "以后", "一律")
}

// unowned reports whether a Chinese clause says that something becomes another
// one, and neither who did it nor that it is done: an order as well as a report.
func (c *clause) unowned() bool {
	return isHanText(c.low) && !c.reports() &&
		containsAny(c.low, "改成", "改為", "改为", "換成", "换成", "改用", "調整為", "调整为", "調到", "调到", "更新為", "更新为", "遷移到", "迁移到", "升級到", "升级到")
}
