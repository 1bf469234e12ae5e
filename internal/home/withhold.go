package home

import (
	"encoding/json"
	"regexp"
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
		`\b(?:don['’]?t|do not|never|no need to) (?:you )?(?:ever )?(?:remember|keep|save|store|record|note|log|memori[sz]e|write down|note down) ` +
			`(?:this|that|it|any of (?:this|that|it)|this (?:one|part|bit|line|message))(?:$|\s*[.,;:!?()\n—–-]| anywhere\b| down\b| in (?:your |the )?(?:memory|notes?)\b| for later\b| please\b)`,
		`\b(?:this|that|it) (?:is |stays )?(?:strictly )?(?:off the record|between us)\b`,
		`\bnot for (?:the |your )?(?:notes?|memory|record)\b`, `\b(?:keep|leave) (?:this|that|it)(?: one)? (?:out of|off) (?:your |the |any )?(?:notes?|memory|record)\b`,
		`(?:別|别|不要|不用|不必|不准|不許|不许|唔好|唔使|無需|无需|毋須|勿)(?:幫我|帮我|給我|给我|替我)?(?:記|记|記錄|记录|記住|记住|存檔|存档|留底|留下?紀錄|留下?记录|留下?記錄|留檔|留档|記下來|记下来|寫下來|写下来|存下來|存下来|寫進筆記|写进笔记|寫進任何|写进任何|往任何地方记|往任何地方記)(?:$|[\s，。：；！,.:;!（()）」]|喔|啊|哦|呀|啦|這|这|在|文|筆|笔|清)`,
	}, "|"))
})

// Withholds reports whether a message asks not to be kept.
func Withholds(text string) bool {
	return withholding().MatchString(text) || reader.Withheld(text) >= withheldFrom
}

// withhold takes the text out of a message that asks not to be kept.
func withhold(e *journal.Event) {
	var m journal.Message
	if json.Unmarshal(e.Payload, &m) != nil || !Withholds(m.Text) {
		return
	}
	m.Text = Withheld
	if out, err := json.Marshal(m); err == nil {
		e.Payload = out
	}
}
