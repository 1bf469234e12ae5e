package recall

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"orihon/internal/dates"
	"orihon/internal/terms"
)

// Unknown returns what a prompt asks about by name, in its own words: proper
// names, identifiers, what stands in quotes, rare words that speak of the
// project. It is empty for orders and small talk, for questions about the code
// at hand or the world at large, and for those that name nothing: there it
// helps nobody to hear that memory holds nothing.
func Unknown(prompt string) []string {
	const longest, most = 300, 6 // characters, words
	if utf8.RuneCountInString(prompt) > longest {
		return nil
	}
	var out []string
	for _, s := range sentences(prompt) {
		if !asksToKnow(s) {
			continue
		}
		for _, w := range namesIn(s) {
			if !slices.Contains(out, w) && len(out) < most {
				out = append(out, w)
			}
		}
	}
	return out
}

// sentences cuts a prompt where a sentence ends; a stop inside a word ends none.
func sentences(prompt string) []string {
	var out []string
	from := 0
	for i, r := range prompt {
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '？', '！', '；', '\n':
		case '.', '?', '!', ';':
			if end < len(prompt) && !strings.ContainsRune(" \n\t", rune(prompt[end])) && prompt[end] < utf8.RuneSelf {
				continue
			}
		default:
			continue
		}
		out = append(out, prompt[from:end])
		from = end
	}
	return append(out, prompt[from:])
}

// asksToKnow reports whether a sentence asks for something that memory might
// know.
func asksToKnow(sentence string) bool {
	folded := terms.Fold(strings.TrimSpace(sentence))
	if contains(folded, notKnowledge()) {
		return false
	}
	why := strings.Contains(folded, "why ") || strings.Contains(folded, "为什么")
	if why && !contains(folded, choices()) {
		return false
	}
	if intent := Classify(folded); intent == Debugging && !why {
		return false
	}
	if strings.ContainsFunc(folded, han) {
		return contains(folded, chineseAsking())
	}
	words := terms.Words(folded)
	for len(words) > 0 && openers()[words[0]] {
		words = words[1:]
	}
	for _, lead := range [...]string{"do you know", "can you tell me", "could you tell me", "tell me", "remind me", "do you remember"} {
		if rest, ok := after(words, lead); ok {
			words = rest
			break
		}
	}
	return len(words) > 1 && asksFirst()[words[0]] && words[1] != "you" && words[1] != "it"
}

// after returns the words behind those of a phrase that they begin with.
func after(words []string, phrase string) ([]string, bool) {
	lead := strings.Fields(phrase)
	if len(words) < len(lead) || !slices.Equal(words[:len(lead)], lead) {
		return words, false
	}
	return words[len(lead):], true
}

func contains(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// openers come before what an English sentence begins with.
var openers = lazySet(`so and but ok okay hey hi hello well also then actually btw please`)

// asksFirst are the words that English questions begin with. "Should we" asks
// for an opinion.
var asksFirst = lazySet(`what whats which who whos whose whom where wheres when how why is are was were do does did has have had can`)

// notKnowledge are the phrases, folded, of requests in the form of questions, of
// questions for an opinion or a permission, and of those about the world.
var notKnowledge = lazyLines(`
can you 
could you 
would you 
should we 
should i 
difference between
 mean?
best way
right way
what is a 
what is an 
what's a 
what's an 
whats a 
how are you
 in go?
 in python
 in javascript
 in typescript
 in rust
 in java
 in sql
 in bash
 in css
 of this
可以吗
好吗
行吗
对吗
可以帮
能帮
帮我
请你
区别
意思
原因
怎么回事`)

// choices are what a question for a reason asks about, folded, when it is the
// reason of a decision and not of a failure.
var choices = lazyLines(`
did we 
do we use
are we using
choose
chose
pick
选
采用
改用
决定
不用`)

// chineseAsking are what Chinese questions are known by, folded.
var chineseAsking = lazyLines(`
什么
怎么
如何
哪
谁
多少
几号
几点
何时
吗
呢
是不是
有没有
为什么`)

func lazyLines(text string) func() []string {
	return sync.OnceValue(func() []string {
		return slices.DeleteFunc(strings.Split(text, "\n"), func(s string) bool { return s == "" })
	})
}

var quotes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`]{2,40})`|\"([^\"]{2,40})\"|“([^”]{2,40})”|「([^」]{2,40})」|『([^』]{2,40})』|《([^》]{2,40})》")
})

// namesIn returns the words of a sentence that name something specific.
func namesIn(sentence string) []string {
	var out []string
	for _, m := range quotes().FindAllStringSubmatch(sentence, -1) {
		for _, inner := range m[1:] {
			if inner != "" {
				out = append(out, strings.TrimSpace(inner))
			}
		}
	}
	rest := quotes().ReplaceAllString(sentence, " ")
	for _, d := range dates.Find(rest, time.Unix(0, 0)) { // whichever day it is, it names no thing
		rest = strings.Replace(rest, d.Text, " ", 1)
	}
	out = append(out, englishNames(rest)...)
	return append(out, chineseNames(rest)...)
}

// word is what an English name may look like, a path or an identifier included.
var word = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9](?:[A-Za-z0-9_]|[-./:@#']+[A-Za-z0-9_])*`)
})

// englishNames returns names and identifiers, and up to three rare words behind
// a word that makes them the project's own ("the", "our").
func englishNames(sentence string) []string {
	var out []string
	own, first := 0, !strings.ContainsFunc(sentence, han) // in Chinese a capital is a name anywhere
	for _, at := range word().FindAllStringIndex(sentence, -1) {
		w := sentence[at[0]:at[1]]
		begins := first && strings.TrimSpace(sentence[:at[0]]) == ""
		first = false
		low := strings.ToLower(w)
		switch {
		case owners()[low]:
			own = 3
			continue
		case everyday()[low]:
		case identifier(w), unicode.IsUpper(rune(w[0])) && !begins && len(w) > 1:
			out = append(out, w)
			own--
			continue
		case own > 0 && rare(low):
			out = append(out, w)
			own--
			continue
		}
		if own > 0 && !stop(low) {
			own--
		} else {
			own = 0
		}
	}
	return out
}

var owners = lazySet(`the our my these those`)

// everyday are words that name nothing of the project although they look like
// names: languages, formats, the words for programming at large.
var everyday = lazySet(`
	i i'm i've i'd i'll claude go golang python rust java javascript typescript sql css html json yaml toml xml csv http https rest api apis cli ui ux ci cd url db git github linux macos windows bash shell pr prs ok
	monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
	today tomorrow yesterday e.g i.e`)

// identifier reports whether a word has the looks of one: case, digits or signs
// inside. A word with an apostrophe is none.
func identifier(w string) bool {
	if strings.Contains(w, "'") {
		return false
	}
	if strings.ContainsAny(w, "_/.:@#") {
		return true
	}
	letters, digits, inner := 0, 0, false
	for i, r := range w {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
			inner = inner || i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(w[i-1]))
		}
	}
	if inner || letters > 1 && digits > 0 || letters > 1 && strings.ToUpper(w) == w {
		return true
	}
	parts := strings.Split(w, "-")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return len(p) < 4 })
}

// rare reports whether an English word is none of the everyday ones.
func rare(w string) bool {
	const least = 5
	stems := terms.Query(w)
	return len(w) >= least && len(stems) == 1 && !terms.Common(stems[0])
}

func stop(w string) bool { return len(terms.Query(w)) == 0 }

// chineseNames returns the runs of Chinese, as written, that are left between
// the words of asking and grammar and are long enough to name something. What
// follows a word like 可以 begins with a verb and is none.
func chineseNames(sentence string) []string {
	const least, most = 4, 8 // characters
	var out []string
	var run []rune
	verb := false // the run begins with one
	flush := func() {
		if len(run) >= least && len(run) <= most && !verb && !ordinary(run) {
			out = append(out, string(run))
		}
		run, verb = nil, false
	}
	text := []rune(sentence)
	for i := 0; i < len(text); {
		if !han(text[i]) {
			flush()
			i++
			continue
		}
		if n := grammar(text[i:]); n > 0 {
			flush()
			verb = modals()[terms.Fold(string(text[i:i+n]))]
			i += n
			continue
		}
		run = append(run, text[i])
		i++
	}
	flush()
	return out
}

// grammar returns how many characters of a word of asking or grammar a text
// begins with.
func grammar(text []rune) int {
	for n := min(3, len(text)); n > 0; n-- {
		if grammarWords()[terms.Fold(string(text[:n]))] {
			return n
		}
	}
	return 0
}

// ordinary reports whether a run is made of everyday words alone.
func ordinary(run []rune) bool {
	if len(run)%2 != 0 {
		return false
	}
	for i := 0; i < len(run); i += 2 {
		if !terms.Common(terms.Fold(string(run[i : i+2]))) {
			return false
		}
	}
	return true
}

// modals are the words of grammar, folded, that verbs follow.
var modals = lazySet(`可以 可 能 会 要 应该 应 需要 怎么 怎样 如何 先 再 去 来 想 请 不 没 没有 又 就 都 也 还`)

var grammarWords = lazySet(`
	先 时候 早上 上午 中午 下午 晚上 这次 那次 这条 那条
	的 了 是 在 有 和 与 跟 或 就 都 也 还 很 太 要 会 能 可 可以 以 把 被 给 让 对 从 到 向 于 而 但 如 因 为 因为 所以 之 其 此 该 每 各 个 些 这 那 这个 那个 这些 那些 这段 那段 这里 那里
	我 你 您 他 她 它 我们 你们 他们 咱们 大家 谁 哪 哪个 哪些 哪里 哪儿 什么 甚么 啥 怎么 怎样 如何 多少 几 几个 何时 为什么 是不是 有没有 吗 呢 吧 啊 呀 嘛 么
	做 用 看 说 讲 问 改 写 应该 需要 一直 已经 正在 目前 现在 之前 以前 以后 之后 上次 上一次 昨天 今天 明天 关于 不 没 没有 请 帮 想 得 着 过 来 去 再 又 才 只 更 最 一 一个 一下 记得 知道 叫 用于 应 放 由`)
