package home

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"orihon/internal/reader"
	"orihon/journal"
)

// Withheld stands where the user asked that nothing be kept.
const Withheld = "[withheld: the user asked not to keep this]"

// withheldFrom is how likely a message must ask for it, by its words alone. None of
// 12,000 other messages is as likely: docs/benchmarks.md.
const withheldFrom = 0.3

// withholding are the plainest ways to ask for it.
var withholding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b(?:don['’]?t|do not|never|no need to) (?:you )?(?:ever )?(?:` +
			`(?:remember|keep|save|store|record|note|log|memori[sz]e|write down|note down) (?:this|that|it|any of (?:this|that|it)|this (?:one|part|bit|line|message))` +
			`|(?:write|note|jot|put) (?:this|that|it) down` +
			`)(?:$|\s*[.,;:!?()\n—–-]| anywhere\b| in (?:your |the )?(?:memory|notes?)\b| for later\b| please\b)`,
		`\b(?:this|that|it) (?:is |stays )?(?:strictly )?(?:off the record|between us)\b`,
		`\bnot for (?:the |your )?(?:notes?|memory|record)\b`, `\b(?:keep|leave) (?:this|that|it)(?: one)? (?:out of|off) (?:your |the |any )?(?:notes?|memory|record)\b`,
		`(?:別|别|不要|不用|不必|不准|不許|不许|唔好|唔使|無需|无需|毋須|勿)(?:幫我|帮我|給我|给我|替我)?(?:記|记|記錄|记录|記住|记住|存檔|存档|留底|留下?紀錄|留下?记录|留下?記錄|留檔|留档|記下來|记下来|寫下來|写下来|存下來|存下来|寫進筆記|写进笔记|寫進任何|写进任何|往任何地方记|往任何地方記)(?:$|[\s，。：；！,.:;!（()）」]|喔|啊|哦|呀|啦|這|这|在|文|筆|笔|清)`,
	}, "|"))
})

// refusals are words of which each way of asking holds one. A line without them is
// not matched, which takes long in a pasted log.
var refusals = [...]string{
	"n't", "n’t", "dont", "not ", "never", "no need", "off the record", "between us", "keep ", "leave ",
	"別", "别", "不", "唔", "無需", "无需", "毋須", "勿",
}

// Withholds reports whether a message asks not to be kept.
func Withholds(text string) bool {
	for line := range strings.Lines(text) {
		low := strings.ToLower(line)
		if slices.ContainsFunc(refusals[:], func(r string) bool { return strings.Contains(low, r) }) && withholding().MatchString(line) {
			return true
		}
	}
	return reader.Withheld(text) >= withheldFrom
}

// Withhold takes the text out of the user's messages that ask not to be kept.
func Withhold(events []journal.Event) []journal.Event {
	for i := range events {
		var m journal.Message
		if events[i].Type != journal.UserMessage || json.Unmarshal(events[i].Payload, &m) != nil || !Withholds(m.Text) {
			continue
		}
		m.Text = Withheld
		if out, err := json.Marshal(m); err == nil {
			events[i].Payload = out
		}
	}
	return events
}
