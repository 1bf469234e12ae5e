package capture

import (
	"strings"
	"unicode"
)

// concrete reports whether the clause has a value: a number with what it counts,
// a date, a time, a version, a share.
func (c *clause) concrete() bool {
	return strings.ContainsFunc(c.low, unicode.IsDigit) && !c.onlyNames() || c.dated() || countedZh(c.low)
}

// onlyNames reports whether every digit stands within a word, as in OAuth2 or
// utf8: such a digit is no value.
func (c *clause) onlyNames() bool {
	before := ""
	for w := range strings.FieldsSeq(c.low) {
		label := labels(before) || strings.HasPrefix(w, "#")
		before = w
		w = strings.TrimLeft(w, "(\"'$€£¥~≈#v")
		if w == "" || label || hexName(w) {
			continue
		}
		for i, r := range w {
			if unicode.IsDigit(r) && (i == 0 || unicode.Is(unicode.Han, []rune(w)[0])) {
				return false
			}
		}
	}
	return true
}

// labels reports words whose number only says which one it is.
func labels(w string) bool {
	return lists.Words("labels")[strings.Trim(w, "(\"'`*:")]
}

// hexName reports whether a word is the hash of something.
func hexName(w string) bool {
	w = strings.Trim(w, ".,:;()[]`")
	return len(w) >= 7 && strings.Trim(w, "0123456789abcdef-") == "" && strings.ContainsAny(w, "abcdef")
}

// coded reports whether the clause is about names of code rather than things.
func (c *clause) coded() bool {
	return strings.Contains(c.low, "()") || strings.Count(c.low, "`") > 4 || strings.Contains(c.low, "://")
}

// dated reports whether the clause names a day.
func (c *clause) dated() bool {
	for _, month := range lists.Phrases("month") {
		if i := strings.Index(c.low, " "+month+" "); i >= 0 && strings.ContainsFunc(c.low[i:min(len(c.low), i+len(month)+5)], unicode.IsDigit) {
			return true
		}
	}
	if i := strings.Index(c.low, "月"); i > 0 && strings.ContainsAny(c.low[i:], "日號号") {
		return true
	}
	return containsAny(c.low, " monday", " tuesday", " wednesday", " thursday", " friday", " saturday", " sunday", "星期", "禮拜", "礼拜", "週一", "週二", "週三", "週四", "週五", "周一", "周二", "周三", "周四", "周五") && containsAny(c.low, "deadline", " due ", "meeting", "every ", "release", "deploy", "期限", "截止", "會議", "会议", "開會", "开会", "每", "上線", "上线", "發布", "发布", "改到", "延到")
}

// countedZh reports whether a Chinese numeral counts something: 三個, 十二次.
func countedZh(low string) bool {
	runes := []rune(low)
	for i := 0; i+1 < len(runes); i++ {
		if strings.ContainsRune("兩两三四五六七八九十百千萬万", runes[i]) && strings.ContainsRune("道題题篇門门場场個个次台臺份頁页章條条項项筆笔小天週周月年人位塊块元版字分秒", runes[i+1]) {
			return true
		}
	}
	return false
}
