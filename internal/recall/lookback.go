package recall

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"orihon/internal/asks"
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

// lookBack is LooksBack with the time that the prompt names, zero for none. Sentences by
// which its writer only tells of themselves name no topic: "I have lost the thread."
func lookBack(prompt string, now time.Time) (Lookback, memory.Span) {
	const most = 200 // bytes; who writes more says what it is about
	if len(prompt) > most {
		return Forward, memory.Span{}
	}
	how, span := looksBackBarely(prompt, now)
	if how > Forward {
		return how, span
	}
	var asked []string
	for s := range terms.Sentences(prompt) {
		if !tellsOfOneself(s) {
			asked = append(asked, s)
		}
	}
	if told := strings.Join(asked, " "); asks.Only(told) {
		if how, of := looksBackBarely(told, now); how > Forward {
			return how, of
		}
	}
	return Forward, span
}

// tellsOfOneself reports whether a sentence tells something of its writer and wants
// nothing.
func tellsOfOneself(sentence string) bool {
	words := terms.Words(sentence)
	switch {
	case len(words) == 0 || asks.Question(sentence):
		return false
	case words[0][0] >= utf8.RuneSelf:
		return strings.HasPrefix(words[0], "我") && !slices.ContainsFunc(words, func(w string) bool { return contains(w, chineseWants()) })
	}
	return oneself()[words[0]] && !slices.ContainsFunc(words, func(w string) bool { return wants()[w] })
}

// oneself and wants are the words by which somebody tells of themselves, and wants
// something.
var (
	oneself      = lists.Words("oneself")
	wants        = lists.Words("wants")
	chineseWants = lists.Phrases("wants-zh")
)

// looksBackBarely is lookBack of a prompt that holds nothing else.
func looksBackBarely(prompt string, now time.Time) (Lookback, memory.Span) {
	rest, span := pastSpan(prompt, now)
	named := !span.To.IsZero()
	if named && span.From.After(now) {
		return Forward, span
	}
	words := terms.Words(rest)
	how, asked := Forward, strings.ContainsAny(prompt, "?？")
	var english []string
	for _, w := range words {
		if w[0] >= utf8.RuneSelf {
			mark, asking, bare := bareChinese(w)
			if !bare {
				return Forward, span
			}
			how, asked = max(how, mark), asked || asking
			continue
		}
		if !bareWords()[w] {
			return Forward, span
		}
		asked = asked || askingWords()[w]
		english = append(english, w)
	}
	how = max(how, englishMark(" "+strings.Join(english, " ")+" "))
	switch {
	case !asked || len(words) == 0:
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
	if contains(words, resuming()) {
		return Resuming
	}
	return Forward
}

// resuming are what asks where things stand.
var resuming = lists.Phrases("resuming")

// bareWords are English words that name no topic in a question about what was
// done. Words of what should be done are not among them.
var bareWords = lists.Words("bare")

// askingWords are the words, English and folded Chinese, that make a prompt of bare
// words ask: others only tell ("I changed the file").
var askingWords = lists.Words("asking")

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
var bareRuns = sync.OnceValue(func() map[string]Lookback {
	runs := make(map[string]Lookback)
	for how, name := range [...]string{Forward: "runs-forward", Resuming: "runs-resuming", Earlier: "runs-earlier"} {
		for w := range lists.Words(name)() {
			runs[w] = max(runs[w], Lookback(how))
		}
	}
	return runs
})
