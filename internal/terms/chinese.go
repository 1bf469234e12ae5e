package terms

import (
	"strings"
	"unicode/utf8"
)

// longestFunction is the length of the longest word of isFunctionWord, in
// characters.
const longestFunction = 4

// functionWord returns the length in bytes of the function word of folded
// Chinese that begins at i, 0 for none. Words beat single particles, longer
// words shorter ones.
func functionWord(run string, i int) int {
	var ends [longestFunction]int
	n := 0
	for j := i; n < longestFunction && j < len(run); n++ {
		_, size := utf8.DecodeRuneInString(run[j:])
		j += size
		ends[n] = j - i
	}
	for k := n - 1; k > 0; k-- {
		if isFunctionWord(run[i : i+ends[k]]) {
			return ends[k]
		}
	}
	if n == 0 || !isParticle(run, i, ends[0]) {
		return 0
	}
	return ends[0]
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

// isFunctionWord reports function words, polite phrases and assent of two to
// four characters.
func isFunctionWord(w string) bool {
	switch w {
	case "我们", "你们", "他们", "她们", "它们", "咱们", "自己", "大家", "别人",
		"这个", "那个", "哪个", "这些", "那些", "哪些", "这里", "那里", "哪里", "这边", "那边", "这样", "那样",
		"这么", "那么", "这种", "那种", "这次", "那次", "这是", "那是", "此处", "每个", "各个", "某个", "另外",
		"什么", "怎么", "怎样", "如何", "为何", "为什么", "怎么样", "是什么", "什么样", "多少", "几个", "是否", "是不是",
		"有没有", "能不能", "可不可以", "要不要", "会不会", "对不对", "好不好", "行不行", "什么时候",
		"一下", "一些", "一个", "一种", "一样", "一起", "一直", "一定", "一般", "一点", "一遍", "一次", "两个", "三个",
		"可以", "可能", "能够", "应该", "应当", "必须", "需要", "想要", "不要", "不能", "不会", "不是", "不用", "不想",
		"没有", "没法", "无法", "或者", "还是", "以及", "并且", "而且", "然后", "接着", "之后", "之前", "以后", "以前",
		"因为", "所以", "因此", "由于", "如果", "要是", "假如", "只要", "只有", "除非", "虽然", "但是", "不过",
		"然而", "可是", "否则", "即使", "尽管", "关于", "对于", "至于", "用于", "为了", "除了", "根据", "按照", "随着", "比如", "例如",
		"已经", "正在", "曾经", "刚才", "刚刚", "现在", "目前", "当前", "马上", "立刻", "赶紧", "首先", "其次", "最后",
		"非常", "比较", "特别", "十分", "有点", "有些", "有的", "其他", "其它", "其中", "其实", "当然", "确实", "真的",
		"只是", "就是", "都是", "也是", "而是", "还有", "也有", "所有", "全部", "任何", "本来", "原来", "到底", "究竟",
		"请问", "请你", "请帮", "帮我", "帮忙", "帮助", "麻烦", "麻烦你", "让我", "给我", "告诉我", "我想", "我要", "我的",
		"你的", "他的", "它的", "看看", "看一下", "看下", "试试", "试一下", "说说", "讲讲", "想想", "觉得", "认为", "知道",
		"谢谢", "多谢", "感谢", "辛苦", "辛苦了", "抱歉", "对不起", "不好意思", "没关系", "你好", "您好", "大家好", "再见",
		"继续", "继续吧", "请继续", "好的", "好吧", "好了", "很好", "太好了", "不错", "没错", "没问题", "可以了", "是的",
		"对的", "行吧", "明白", "明白了", "收到", "懂了", "知道了", "同意", "当然可以", "就这样", "就这么办", "按你说的",
		"下一步", "接下来", "往下", "开始吧", "去吧", "做吧", "再来", "再试", "再试一次", "再来一次", "加油", "完美",
		"不到", "不了", "不出", "不起", "不动", "不下", "不上", "起来", "出来", "上来", "下来", "回来", "过来", "进来",
		"出去", "上去", "下去", "回去", "过去", "进去", "不起来", "不出来",
		"的话", "时候", "的时候", "来说", "之类", "等等", "似乎", "好像", "大概", "左右", "而已", "罢了":
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
	switch length += size; s[length-size : length] {
	case "一":
		day = "周一"
	case "二":
		day = "周二"
	case "三":
		day = "周三"
	case "四":
		day = "周四"
	case "五":
		day = "周五"
	case "六":
		day = "周六"
	case "日", "天":
		day = "周日"
	default:
		return "", 0
	}
	return day, length
}
