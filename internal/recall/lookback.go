package recall

import (
	"strings"
	"time"
	"unicode/utf8"

	"orihon/internal/dates"
	"orihon/internal/terms"
	"orihon/memory"
)

// Lookback is how a prompt without a topic of its own asks about the past.
type Lookback int

// The ways to look back.
const (
	// Forward is every prompt that has a topic or does not look back.
	Forward Lookback = iota
	// Resuming asks where things stand: "what did we do?", "continue where we
	// stopped", 做到哪了. In a session under way it means this session.
	Resuming
	// Earlier names an earlier session or a time: "last time", 上次, yesterday.
	Earlier
)

// LooksBack tells how a prompt asks about the past, if nothing remains of it
// but words of time, asking and doing: there is nothing to search for then, and
// what happened last is the answer.
func LooksBack(prompt string, now time.Time) Lookback {
	how, _ := lookBack(prompt, now)
	return how
}

// lookBack is LooksBack with the time that the prompt names, zero for none.
func lookBack(prompt string, now time.Time) (Lookback, memory.Span) {
	const most = 200 // bytes; who writes more says what it is about
	if len(prompt) > most {
		return Forward, memory.Span{}
	}
	rest, span := pastSpan(prompt, now)
	named := !span.To.IsZero()
	if named && span.From.After(now) {
		return Forward, span
	}
	words := terms.Words(rest)
	how, asks := Forward, strings.ContainsAny(prompt, "?？")
	var english []string
	for _, w := range words {
		if w[0] >= utf8.RuneSelf {
			mark, asking, bare := bareChinese(w)
			if !bare {
				return Forward, span
			}
			how, asks = max(how, mark), asks || asking
			continue
		}
		if !bareWords()[w] {
			return Forward, span
		}
		asks = asks || askingWords()[w]
		english = append(english, w)
	}
	how = max(how, englishMark(" "+strings.Join(english, " ")+" "))
	switch {
	case !asks || len(words) == 0:
		return Forward, span
	case named && (how > Forward || !span.To.After(now)):
		return Earlier, span
	}
	return how, span
}

// pastSpan returns the prompt without the periods that it names, and the time
// from the first to the last of them, whole days where the user is. One without
// a year is the latest such that has begun.
func pastSpan(prompt string, now time.Time) (rest string, span memory.Span) {
	moved := func(t time.Time, to *time.Location) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), to)
	}
	wall := moved(now, time.UTC)
	rest = prompt
	p := parsed{periods: dates.Find(prompt, wall)}
	for _, d := range p.periods {
		rest = strings.Replace(rest, d.Text, " ", 1)
		one := parsed{periods: []dates.Period{d}}
		for _, s := range one.spans(wall) { // the latest first
			if s.From.After(wall) && d.From.IsZero() {
				continue
			}
			if from := moved(s.From, now.Location()); span.To.IsZero() || from.Before(span.From) {
				span.From = from
			}
			if to := moved(s.To, now.Location()); to.After(span.To) {
				span.To = to
			}
			break
		}
	}
	return rest, span
}

// englishMark finds what looks back in words that have no topic.
func englishMark(words string) Lookback {
	for _, first := range [...]string{" last ", " previous ", " prior ", " earlier ", " past "} {
		if _, after, ok := strings.Cut(words, first); ok {
			switch next, _, _ := strings.Cut(strings.TrimSpace(after), " "); next {
			case "time", "times", "session", "sessions", "conversation", "conversations", "chat", "chats", "work":
				return Earlier
			}
		}
	}
	for _, mark := range [...]string{" previously ", " recently ", " lately ", " the other day "} {
		if strings.Contains(words, mark) {
			return Earlier
		}
	}
	for _, mark := range [...]string{
		" did we ", " did i ", " did you ", " have we ", " have i ", " have you ", " had we ", " were we ", " were you ", " was i ", " we were ", " you were ", " i was ", " we had ",
		" we did ", " we do before ", " we worked ", " we work on ", " we changed ", " we decided ", " we discussed ", " we talked ", " we agreed ", " catch me up ", " recap ", " any progress ", " where we are ",
		" leave off ", " left off ", " we left ", " i left ", " you left ", " we leave ", " stopped ", " paused ",
		" changed ", " was done ", " were done ", " been done ", " happened ", " was decided ", " was changed ", " earlier ", " so far ",
	} {
		if strings.Contains(words, mark) {
			return Resuming
		}
	}
	return Forward
}

// bareWords are English words that name no topic in a question about what was
// done. Words of what should be done are not among them.
var bareWords = lazySet(`
	what whats what's where wheres where's when which who how
	s m d ve re ll did do does done doing have has had was were is are been be i've we've
	i we you us me my our your it its that this the a an all any some anything everything something stuff thing things both
	of on in at to for from with about up so far again off and or then there during over since until until
	work worked working works task tasks change changed changes changing happen happened happening make made finish finished complete completed accomplish accomplished achieve achieved get got
	talk talked talking discuss discussed discussing discussion topic topics say said ask asked asking tell told decide decided deciding decision decisions agree agreed agreement
	continue continued continuing resume resumed pick start started begin began go going went keep carry carried leave left stop stopped stopping pause paused end ended
	touch touched edit edited modify modified file files write wrote written add added build built fix fixed implement implemented learn learned learnt
	last latest previous previously prior past earlier recent recently lately before ago other time times session sessions conversation conversations chat chats
	today yesterday day days week weeks month months morning afternoon evening night
	recap summary summarize summarise remind show list give remember recall please pls can could let's lets let
	bug bugs issue issues problem problems feature features progress open still unfinished undone unresolved catch here back good claude
	hi hello hey ok okay well thanks`)

// askingWords are the words, English and folded Chinese, that make a prompt of bare
// words ask: others only tell ("I changed the file").
var askingWords = lazySet(`
	what whats what's where wheres where's which who how when did have has had were was continue resume pick catch any anything recap summary summarize summarise remind show list tell remember recall
	什么 甚么 啥 哪 哪些 哪里 哪儿 哪个 哪步 哪一步 多少 怎么 怎么样 怎样 如何 吗 呢 继续 接着 接续 延续 恢复 总结 回顾 回忆 摘要 记得 还记得 提醒 告诉 看看 列出 进度`)

// bareChinese reports whether a run of folded Chinese names no topic, how it
// looks back, and whether it asks.
func bareChinese(run string) (how Lookback, asks, bare bool) {
	for i := 0; i < len(run); {
		n := 0
		for _, size := range [...]int{12, 9, 6, 3} { // bytes of four characters to one
			if i+size <= len(run) {
				if mark, ok := bareRuns()[run[i:i+size]]; ok {
					n, how, asks = size, max(how, mark), asks || askingWords()[run[i:i+size]]
					break
				}
			}
		}
		if n == 0 {
			return Forward, false, false
		}
		i += n
	}
	return how, asks, true
}

// bareRuns are the Chinese words that name no topic in a question about what
// was done, folded, with how they look back.
var bareRuns = lazyRuns(map[Lookback]string{
	Earlier: `上次 上一次 上回 上一回 前一次 前次 前几次 上几次 上个会话 上个对话 前几天 那天 当天`,
	Resuming: `之前 以前 先前 前面 最近 近来 当时 做了 做过 干了 干过 改了 改过 弄了 搞了 聊了 聊过 谈了 谈过 说了 说过 问了 问过 讨论了 讨论过 决定了 完成了 写了
		回顾 回忆 总结
		做到 改到 聊到 谈到 讲到 说到 讨论到 进行到 停在 停下 停到 中断 进度 做完 变了 在做 在改 在忙`,
	Forward: `我 我们 咱们 咱 你 你们 您 大家 什么 甚么 啥 哪 哪些 哪里 哪儿 哪个 哪步 哪一步 多少 怎么 怎么样 怎样 如何 吗 呢 吧 了 过 啊 呀 嘛 么
		的 在 是 有 从 把 跟 和 与 请 帮 帮我 给 给我 一下 一个 个 些 都 还 又 再 来 去 先 就 那 这 那里 那边 这里 到底 究竟 主要 具体 大概 里 中 内 间 里面 期间 以来 时候 时 后
		做 干 弄 搞 改 变 聊 谈 说 讲 问 写 改动 修改 更新 变更 变化 处理 完成 讨论 决定 决议 结论 话题 工作 任务 事 事情 东西 进展 进行 结束 继续 接着 接续 延续 恢复 往下 下去
		摘要 记得 还记得 提醒 告诉 看看 列出 文件 档案 内容 对话 会话 记录 部分 步 到 停 止 地方 号 日 没 未 没有 还有 完 叫 让 早 早安 早上好 你好 嗨 哈喽 回来 谢谢 天 一天 整天 整周 次 目前`,
})
