package terms

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

//go:embed function.txt
var functionText string

var functionWords = newList(functionText)

// functionWord returns the length in bytes of the function word of folded
// Chinese that begins at i, 0 for none. Words beat single particles, longer
// words shorter ones.
func functionWord(run string, i int) int {
	if n := known(functionWords(), run, i); n > 0 {
		return n
	}
	_, size := utf8.DecodeRuneInString(run[i:])
	if size == 0 || !isParticle(run, i, size) {
		return 0
	}
	return size
}

// isParticle reports whether the character at i is one that hardly ever
// belongs to a content word; the known exceptions are seen by their neighbour.
func isParticle(run string, i, size int) bool {
	r, _ := utf8.DecodeRuneInString(run[i:])
	switch r {
	case '吗', '呢', '吧', '嘛', '啊', '呀', '哦', '喔', '啦', '哈', '嗯', '哎', '唉', '喂', '咯', '呗', '您':
		return true
	case '的':
		before, _ := utf8.DecodeLastRuneInString(run[:i])
		after, _ := utf8.DecodeRuneInString(run[i+size:])
		return before != '目' && before != '标' && after != '确'
	case '了':
		after, _ := utf8.DecodeRuneInString(run[i+size:])
		return after != '解'
	}
	return false
}

// isFunction reports the characters that carry grammar when they stand alone
// or side by side, though they also occur in content words (能 in 功能).
func isFunction(r rune) bool {
	switch r {
	case '的', '了', '是', '我', '你', '他', '她', '它', '们', '这', '那', '哪', '在', '有', '和', '与',
		'或', '就', '都', '也', '还', '很', '太', '要', '会', '能', '可', '以', '把', '被', '给', '让',
		'对', '从', '到', '向', '于', '而', '且', '但', '若', '如', '因', '为', '所', '之', '其', '此',
		'每', '各', '个', '些', '么', '什', '怎', '样', '吗', '呢', '吧', '啊', '呀', '嘛', '哦', '好',
		'不', '没', '无', '非', '别', '再', '又', '才', '只', '更', '最', '请', '帮', '想', '用', '看',
		'说', '去', '来', '做', '得', '着', '过', '地', '一', '两', '几', '下', '上', '里', '中', '时',
		'候', '跟', '及', '等', '该', '需', '并', '则', '即', '将', '已', '经', '曾', '正', '刚',
		'谁', '何', '嗯', '啦', '哈', '您', '咱', '俺', '某', '另', '由', '使', '叫', '同',
		'先', '后', '算', '够', '嘿', '噢', '喔', '往', '既', '虽', '然', '却':
		return true
	}
	return false
}

// isContentPair reports the words of two function characters that are content
// all the same.
func isContentPair(pair string) bool {
	switch pair {
	case "可用", "无用", "过时", "上下", "使能":
		return true
	}
	return false
}

// weekday returns the day of the week with which folded Chinese begins in the
// form in which days are asked for, 周三, when it is written in another one, and
// how long it is written.
func weekday(s string) (day string, length int) {
	const character = len("周")
	switch {
	case strings.HasPrefix(s, "星期"), strings.HasPrefix(s, "礼拜"):
		length = 2 * character
	case strings.HasPrefix(s, "周天"):
		return "周日", 2 * character
	default:
		return "", 0
	}
	_, size := utf8.DecodeRuneInString(s[length:])
	switch number := s[length : length+size]; number {
	case "一", "二", "三", "四", "五", "六":
		return "周" + number, length + size
	case "日", "天":
		return "周日", length + size
	}
	return "", 0
}
