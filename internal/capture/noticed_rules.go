package capture

import (
	"strings"
	"unicode"

	"orihon/internal/terms"
)

// The scores of the rules. A change, a decision and a preference are worth
// keeping by themselves; other facts need a concrete value.
const (
	scoreChanged   = 0.95
	scoreDecided   = 0.95
	scorePreferred = 0.92
	scoreDone      = 0.80
	scoreStated    = 0.75
	scoreProposed  = 0.72
	scorePlanned   = 0.50
)

// tells reports whether the clause has a concrete value or a telling word; one
// without needs no closer look.
func (c *clause) tells() bool {
	return c.proposes() || c.concrete() || c.decides() || c.prefers()
}

// states names the rule by which the clause states something, with its score;
// 0 when it states nothing.
func (c *clause) states() (rule string, score float64) {
	if c.proposes() {
		return "proposed", scoreProposed
	}
	if c.asked || c.quoted || c.supposes() {
		return "", 0
	}
	value := c.concrete()
	switch {
	case c.undone && value && c.restored() && !c.plans():
		return "changed", scoreChanged
	case c.unowned() && !c.plans() && !c.attempts() && (value || c.decides()):
		return "proposed", scoreProposed
	case c.decides() && !c.plans() && !c.attempts():
		return "decided", scoreDecided
	case c.prefers() && !c.plans():
		return "preferred", scorePreferred
	case !value:
		return "", 0
	case c.passing() || c.coded():
		return "", 0
	case c.changes() && !c.plans() && !c.attempts():
		return "changed", scoreChanged
	case c.plans() && c.renewed() != "":
		return "changed", scoreChanged
	case c.plans():
		if c.dated() {
			return "planned", scorePlanned
		}
		return "", 0
	case c.attempts(), c.sought:
		return "", 0
	case c.done():
		return "done", scoreDone
	case c.factual():
		return "stated", scoreStated
	}
	return "", 0
}

// decides reports whether somebody says what was chosen.
func (c *clause) decides() bool {
	low := strings.ReplaceAll(c.low, "’", "'")
	if strings.ContainsAny(low, "abcdefghijklmnopqrstuvwxyz") && !isHanText(low) && !containsAny(low, " i ", " i've ", " we ", " we've ", " our ", " team ", " project ", " it was ", " decision ") {
		return false
	}
	return containsAny(c.low, " decided ", " we chose ", " i chose ", " i've chosen ", " we've chosen ", " i have chosen ", " we have chosen ", " switched to ", " switched from ", " migrated to ", " migrated from ", " moved to ", " went with ", " we picked ", " i picked ", " settled on ", " we replaced ", " i replaced ", " agreed on ", " agreed to ", " opted for ", " we dropped ", " we no longer ", " we now use ", " we stopped using ",
		"決定", "决定", "改用", "選定", "选定", "選用", "选用", "選了", "选了", "換成", "换成", "改成", "改為", "改为", "敲定", "定案", "不再用", "不再使用", "遷移到", "迁移到") &&
		!containsAny(c.low, " haven't decided", " not decided", " to decide", " undecided", "沒決定", "没决定", "還沒", "还没", "未決定", "未决定", "尚未")
}

// proposes reports whether somebody settles how a thing shall be, in words that
// may as well be a step of the work at hand: "let's have one per worktree".
func (c *clause) proposes() bool {
	low := strings.ReplaceAll(c.low, "’", "'")
	if containsAny(low, "?", " what if ", " can we ", "嗎", "吗", "如果") || containsAny(low, " it ", " this ", " that ", " them ", " these ", " those ") {
		return false
	}
	return containsAny(low, " let's have ", " let's use ", " let's keep ", " let's stick ", " let's store ", " let's go with ", " let's always ", " let's never ", " i'd prefer ", " i'd rather ", " directive is ", " rule is ", " convention is ", " principle is ", " policy is ", " i'd like to do a ", " we did a migration ", " as a rule ",
		"我們就用", "我们就用", "就用", "統一用", "统一用", "規則是", "规则是", "慣例是", "惯例是", "原則是", "原则是") && len(low) >= 20
}

// prefers reports whether somebody says what they like to have.
func (c *clause) prefers() bool {
	return containsAny(c.low, " i prefer ", " we prefer ", " i'd rather ", " my preference is ", " i always use ", " we always use ", " i never use ", " we never use ", " i like to use ", " i don't like ",
		"我偏好", "我喜歡", "我喜欢", "我比較喜歡", "我比较喜欢", "我習慣", "我习惯", "我們習慣", "我们习惯", "我不喜歡", "我不喜欢")
}

// changes reports whether the clause says that a value is another one now.
func (c *clause) changes() bool {
	if isHanText(c.low) {
		return containsAny(c.low, "現在", "现在", "目前", "增加到", "提升到", "提高到", "降到", "降低到", "減少到", "减少到", "漲到", "涨到", "升級到", "升级到", "升到", "改到", "延到", "延後到", "延后到", "延期", "提前到", "已經到", "已经到", "變成", "变成", "達到", "达到", "更新為", "更新为", "調整為", "调整为", "調到", "调到")
	}
	low := strings.ReplaceAll(c.low, "’", "'")
	if !c.owned() {
		return false
	}
	if containsAny(low, " increased ", " decreased ", " improved ", " reduced ", " dropped ", " raised ", " lowered ", " reached ", " grew ", " grown ", " gone up ", " gone down ", " went up ", " went down ", " extended ", " postponed ", " rescheduled ", " pushed back ", " moved up ", " moved to ", " changed to ", " changed from ", " upgraded ", " bumped ", " expanded ", " no longer ", " up from ", " down from ", " bring it down ", " brought it ", " got it down ",
		" climbed ", " risen ", " rose ", " fell to ", " fallen to ", " jumped to ", " shrunk ", " shrank ", " doubled ", " halved ", " went from ", " is down to ", " is up to ", " i'm down to ", " i'm up to ", " are down to ", " are up to ", " cut it to ", " cut down to ", " shortened ", " lengthened ", " got moved ", " was moved ", " been moved ", " got pushed ", " was pushed ", " been pushed ", " brought forward ") {
		return true
	}
	// Somebody moved, cut or set something to a value.
	if i := indexAny(low, " moved ", " cut ", " bumped ", " pushed ", " brought ", " set ", " changed ", " had to extend ", " had to raise ", " had to cut ", " had to move ", " had to reduce ", " had to increase "); i >= 0 && containsAny(low[i:], " to ", " from ") {
		return true
	}
	return containsAny(low, " now ", " currently ", " recently ", " so far ", " as of ", " by now ") &&
		containsAny(low, " is ", " are ", " has ", " have ", " i've ", " we've ", " it's ", " i'm ", " we're ", " takes ", " costs ", " uses ", " use ", " averages ", " runs ", " targets ", " had ", " total ", " at ", " finishes ", " lasts ", " starts ", " ends ", " earns ", " pays ", " practices ", " holds ", " gets ", " a day ", " a week ", " a month ", " per ")
}

// owned reports whether the clause speaks of somebody, or of a thing that it
// takes for known: a headline or a list of changes does not.
func (c *clause) owned() bool {
	return containsAny(strings.ReplaceAll(c.low, "’", "'"), " i ", " i'm ", " i've ", " we ", " we're ", " we've ", " my ", " our ", " which ") || startsWithAny(c.low, " the ", " it ", " it's ", " and the ", " this ") && !containsAny(c.low, " user ")
}

// passing reports whether the clause tells of the work of the moment: an error,
// a test run, what somebody sees at this minute. It will not be true tomorrow.
func (c *clause) passing() bool {
	return containsAny(c.low, " an error", " the error", " this error", " errors when", " typeerror", " bug ", " bugs ", " issue ", " issues ", " failing", " failed", " fails", " fail ", " crashed", " crashing", " crashes when", " a crash ", " happened ", " still ", " right now ", " log ", " logs ", " i see ", " i'm seeing ", " stuck ", " hang", " rewind", " rebas", " compile", " stack trace", " this time", " again ", " exception", " diff ", " branch shows ", " shows ",
		"報錯", "报错", "錯誤", "错误", "失敗", "失败", "當掉", "崩潰", "崩溃", "卡住", "看到", "出現", "出现", "剛剛", "刚刚", "這次", "这次")
}

// attempts reports whether the clause tells of something that was tried: it says
// what was done at the time, and not what holds.
func (c *clause) attempts() bool {
	low := strings.ReplaceAll(c.low, "’", "'")
	return containsAny(low, " tried ", " been trying ", " attempted ", " experimented ", " played around ", " tested it ", " ran it ", " i tested ", " i've tested ", " we tested ", " we've tested ",
		"試過", "试过", "試了", "试了", "試著", "试着", "嘗試", "尝试")
}

// renewed is what a plan says is new, with its value: "… to reflect the new limit
// of 40 a day"; empty when there is none.
func (c *clause) renewed() string {
	if len(c.low) != len(c.text)+2 {
		return ""
	}
	for _, mark := range [...]string{" the new ", " our new ", " my new ", " the updated "} {
		if i := strings.Index(c.low, mark); i >= 0 && strings.ContainsFunc(c.low[i:], unicode.IsDigit) && containsAny(c.low[i:], " of ", " is ", " to ", " at ") {
			return c.text[i:]
		}
	}
	return ""
}

// done reports whether the clause tells what somebody has done, or has.
func (c *clause) done() bool {
	low := strings.ReplaceAll(c.low, "’", "'")
	return containsAny(low, " i've ", " we've ", " i have ", " we have ", " i had ", " we had ", " i completed ", " i finished ", " we finished ", " we completed ", " i got ", " i scored ", " i met ", " i attended ", " i wrote ", " i bought ", " i spent ", " i submitted ", " i received ", " i earned ", " i set ", " we set ", " i built ", " we built ", " i use ", " we use ", " we released ", " we shipped ", " we deployed ", " has been ", " have been ", " was completed ", " were completed ", " was released ") ||
		containsAny(c.low, "已經", "已经", "完成了", "做完", "寫完", "写完", "花了", "買了", "买了", "用了", "拿到", "收到", "通過了", "通过了", "上線", "上线", "發布", "发布", "我們用", "我们用", "我用")
}

// factual reports whether the clause says of something of the user's, or of a
// thing with a name, what it is.
func (c *clause) factual() bool {
	low := strings.ReplaceAll(c.low, "’", "'")
	if containsAny(low, " is ", " are ", " was ", " were ", " has ", " have ", " runs ", " uses ", " takes ", " costs ", " lasts ", " starts ", " ends ", " contains ", " consists ", " requires ", " averages ", " ended ", " started ", " it's ", " i'm ", " we're ", " expires ", " listens ",
		" store ", " stores ", " keep ", " keeps ", " converts ", " weigh ", " weighs ", " earn ", " earns ", " pay ", " pays ", " practices ", " scored ", " finishes ", " holds ", " allows ", " serves ", " handles ", " crashes ", " sleep ", " must be ", " saved ", " booked ", " owes ", " owe ") {
		return containsAny(low, " my ", " our ", " i ", " i'm ", " we ", " we're ", " it's ", " which ") || startsWithAny(low, " the ", " and the ", " it ", " and it ") && !containsAny(low, " user ")
	}
	return containsAny(c.low, "是", "有", "為", "为", "在", "共", "需", "期限", "截止", "版本", "預算", "预算", "端口", "連接埠", "時間", "时间", "每") && terms.Width(c.low) >= 14
}

// restored reports whether the clause gives the value that holds again.
func (c *clause) restored() bool {
	if isHanText(c.low) {
		return c.factual() && !c.coded()
	}
	return startsWithAny(c.low, " the ", " our ", " my ") && c.factual() && !c.coded()
}
