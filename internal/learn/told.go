package learn

import (
	"slices"
	"strings"
)

// told reports whether a statement tells of something that happened: in the
// past, once, and over. Two of those do not contradict each other, for both may
// have happened; what a state, a habit, a rule or a decision says holds until
// another takes its place. An event that leaves a state behind, such as a move, a
// decision or an upgrade, counts as that state.
func (r *reading) told() bool {
	if r.has(change) || r.has(history) {
		return false
	}
	if strings.ContainsFunc(r.folded, isHan) {
		return r.toldInChinese()
	}
	return r.toldInEnglish()
}

func (r *reading) toldInEnglish() bool {
	past, then, was := false, false, false
	for i := range r.words {
		w := &r.words[i]
		switch {
		case w.class == axis && w.key == "status" || lists.Words("result")[w.text], lists.Words("standing")[w.text] && !r.didAt(i) && !(w.text == "may" && i > 0 && r.words[i-1].class == qualifier):
			return false
		case w.text == "took" && r.textAt(i+1) == "over":
			return false
		case lists.Words("past")[w.text] && w.class != negator: // "gave up" leaves something behind
			past = true
		case lists.Words("past-copula")[w.text]:
			was, past = true, past || r.feels(i+1)
		case named(w):
			then = true
		case w.text == "read", w.text == "put", w.text == "beat", w.text == "cut":
			was = true // perhaps: the time tells
		case strings.HasSuffix(w.text, "ed") && len(w.text) > 4 && i > 0 && !attributive(&r.words[i-1]) && w.class != negator && w.class != verdict:
			past = true
		}
	}
	return past || was && then
}

// named reports words that name a time that is over, or a day.
func named(w *word) bool {
	switch w.text {
	case "may", "yesterday", "last", "ago", "during":
		return true
	}
	return w.class == member && (w.key == "month" || w.key == "weekday")
}

// past reports whether a statement names the time at which something happened.
func (r *reading) past() bool {
	return r.index(named) >= 0 || containsOf(r.folded, "昨天", "昨晚", "前天", "上周", "上个月", "去年", "前年", "那天", "那次", "有一次")
}

// didAt reports whether the verb at i is one of the past: did not like.
func (r *reading) didAt(i int) bool {
	return slices.ContainsFunc(r.words[max(0, i-2):i], func(w word) bool { return w.text == "did" || w.text == "didnt" })
}

// feels reports whether a feeling stands soon after a copula.
func (r *reading) feels(from int) bool {
	for i := from; i < len(r.words) && i < from+3 && r.words[i].class != pause; i++ {
		if lists.Words("feeling")[r.words[i].text] {
			return true
		}
	}
	return false
}

// attributive reports whether a participle behind the word describes a thing, or
// a state, instead of telling what was done: "the cached value", "is stored".
func attributive(before *word) bool {
	return lists.Words("describing")[before.text] ||
		before.class == pause || before.class == qualifier || before.class == quantity || before.class == relative
}

func (r *reading) toldInChinese() bool {
	s := r.folded
	if containsOf(s, lists.Phrases("lasting-chinese")...) || strings.Contains(strings.ReplaceAll(s, "喜欢的", ""), "喜欢") {
		return false
	}
	if strings.HasSuffix(strings.TrimRight(s, " 。.!！"), "了") && !zhFeels(s) {
		return false // what is so from then on
	}
	clauses := strings.FieldsFunc(s, func(c rune) bool { return strings.ContainsRune(",;，；。、!！.", c) })
	for i, clause := range clauses {
		// 了 behind a verb and before its object tells what was done; at the end of
		// a clause it may tell what is so from then on.
		if at := strings.Index(clause, "了"); at > 0 && len(clause)-at > 2*len("了") {
			return true
		}
		feltAfter := func(word string) bool {
			at := strings.Index(clause, word)
			return at > 0 && zhFeels(clause[at:])
		}
		if strings.Contains(clause, "感到") || i > 0 && zhFeels(clause) || slices.ContainsFunc([]string{"之后", "后", "时", "因"}, feltAfter) {
			return true
		}
	}
	return zhOccasion(s) || zhDeed(s) && containsOf(s, "一位", "一本", "一台", "一只", "一条", "一份", "一张", "第一", "第二", "第三", "冠军", "亚军", "奖")
}

// zhFeels reports whether a text says what somebody felt at what happened.
func zhFeels(s string) bool {
	return containsOf(s, lists.Phrases("feeling-chinese")...)
}

// zhOccasion reports whether a text names a time that is over, or what there is one of
// on a day.
func zhOccasion(s string) bool {
	return containsOf(s, lists.Phrases("occasion-chinese")...) ||
		strings.Contains(s, "参加") && containsOf(s, "夏令营", "比赛", "派对", "聚会", "婚礼", "典礼", "旅行", "表演", "演出", "音乐会", "考试")
}

// zhDeed reports whether a text has a verb for what is done in a moment.
func zhDeed(s string) bool {
	return containsOf(s, "获得", "收到", "赢得", "得到", "拿到", "送", "认识", "遇到", "遇见", "看到", "发现", "买", "捡到")
}

func containsOf(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// happened reports whether two statements that look at odds may both be true
// because one of them, or both, tells of an event.
func (c *comparison) happened() bool {
	a, b := c.a.told(), c.b.told()
	denial := len(c.flipped) > 0 && len(c.values)+len(c.swapped)+len(c.opposites) == 0
	const same = 0.7 // all but an everyday word
	switch {
	case denial && max(c.restA, c.restB) < same:
		return false // one says that the other did not happen
	case a && b:
		return !sameDay(c.a, c.b)
	case a || b:
		// What was so on one day says little of what holds; other words for the
		// same are needed to make it end.
		return denial || len(c.values) > 0 && (a && c.a.past() || b && c.b.past())
	}
	return false
}

// sameDay reports whether two statements name the same day of the calendar.
func sameDay(a, b *reading) bool {
	day := func(r *reading) float64 {
		for i := range r.words {
			if w := &r.words[i]; w.class == quantity {
				if w.val.dim == "date" {
					return w.val.number
				}
				if month := monthAt(r, i); month > 0 {
					return 100*month + w.val.number
				}
			}
		}
		return 0
	}
	d := day(a)
	return d > 0 && d == day(b)
}
