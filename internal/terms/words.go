package terms

import (
	_ "embed"
)

//go:embed words.txt
var wordsText string

var words = newList(wordsText)

// isLight reports the characters that are words by themselves beside a word
// that is known, as the verbs and adjectives of everyday talk are: 写提交.
func isLight(r rune) bool {
	switch r {
	case '改', '跑', '看', '修', '写', '加', '删', '查', '调', '推', '拉', '跳', '送', '寄', '给', '印', '扫',
		'开', '关', '读', '存', '取', '换', '找', '问', '答', '选', '填', '点', '按', '传', '发', '收', '放',
		'拿', '装', '建', '做', '弄', '搞', '试', '变', '走', '停', '等', '讲', '谈', '差', '报', '连', '接', '打', '听',
		'新', '旧', '大', '小', '长', '短', '快', '慢', '高', '低', '多', '少', '早', '晚', '全', '空', '满', '坏', '错',
		'成', '掉', '完', '住', '出', '入', '回':
		return true
	}
	return isFunction(r)
}

// cuts reports the characters that part words whatever stands beside them,
// unless they belong to one that is known.
func cuts(r rune) bool {
	switch r {
	case '我', '你', '他', '她', '它', '们', '这', '那', '哪', '个', '要', '把', '被', '让', '跟', '与', '或', '也', '都', '就',
		'很', '太', '还', '又', '再', '才', '么', '谁', '请', '想', '吗', '着':
		return true
	}
	return false
}

//go:embed common.txt
var commonText string

var common = newList(commonText)

// Common reports whether a term (a stem, or a folded Chinese pair) is one of
// the everyday words of talk about programming, which say little by
// themselves; single ASCII letters and digits are among them.
func Common(term string) bool {
	if len(term) == 1 {
		return true
	}
	return common().has(term)
}

// longestStop is the length of the longest word of isStop.
const longestStop = 10

// isStop reports the English function words: they carry grammar, not content.
func isStop(w string) bool {
	switch w {
	case "a", "i",
		"am", "an", "as", "at", "be", "by", "do", "he", "if", "im", "in", "is", "it", "me",
		"my", "no", "of", "on", "or", "so", "to", "up", "us", "we",
		"all", "and", "any", "are", "but", "can", "did", "for", "had", "has", "her",
		"him", "his", "how", "its", "may", "nor", "not", "off", "our", "out", "own",
		"she", "the", "too", "via", "was", "who", "why", "yet", "you", "ive", "per",
		"also", "been", "both", "came", "cant", "does", "dont", "each", "else", "even", "ever",
		"from", "have", "here", "hers", "into", "just", "like", "many", "more", "most", "much", "must",
		"once", "only", "onto", "ours", "over", "same", "some", "such", "than",
		"that", "them", "then", "they", "this", "thus", "upon", "very", "well", "were", "what",
		"when", "whom", "will", "with", "your", "didn", "isnt", "wont",
		"about", "after", "again", "among", "being", "could", "didnt", "doing", "every",
		"might", "other", "shall", "since", "still", "their", "there", "these", "those",
		"under", "until", "where", "which", "while", "whose", "would", "youre", "yours",
		"although", "anyone", "around", "before", "cannot", "doesnt", "during", "either", "except",
		"having", "hence", "itself", "mostly", "myself", "neither", "others", "really", "rather",
		"should", "though", "toward", "unless", "within",
		"because", "besides", "between", "however", "neednt", "perhaps", "shouldnt", "someone",
		"through", "together", "towards", "whereas", "whether", "without", "yourself",
		"himself", "herself", "ourselves", "themselves", "yourselves", "therefore", "something",
		"somehow", "anything", "everything", "nothing", "already", "otherwise", "quite":
		return true
	}
	return false
}
