package capture

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"orihon/internal/asks"
	"orihon/internal/redact"
	"orihon/internal/terms"
)

// requests returns the prompts in which the user says something, as they typed
// them: without what clients and Orihon inject, and without slash commands,
// greetings and bare go-aheads.
func requests(prompts []Said) []Said {
	var out []Said
	for _, p := range prompts {
		p.Text = strings.TrimSpace(withoutInserts(p.Text))
		if p.Speaker == "" && !aside(p.Text) && (worded(p.Text) || chooses(p.Text)) {
			out = append(out, p)
		}
	}
	return out
}

// summary begins what a client puts in the place of a conversation that it compacted.
const summary = "session is being continued"

// Typed is what the session's user typed of a prompt: without what clients and Orihon
// put into it; empty for a slash command, a client's own note or somebody else's.
func Typed(p Said) string {
	text := strings.TrimSpace(withoutInserts(p.Text))
	if p.Speaker != "" || aside(text) || strings.Contains(text[:min(len(text), 400)], summary) {
		return ""
	}
	return text
}

// aside reports text that stands where a prompt does, but asks for nothing: a
// slash command, or a client's own note.
func aside(text string) bool {
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		name, _, _ := strings.Cut(rest, " ")
		return !strings.ContainsAny(name, "/.")
	}
	return startsWithAny(strings.TrimPrefix(text, "# "), lists.Phrases("by-client")...) || apiRequest(text)
}

// apiRequest reports what a client sends to a model, whole.
func apiRequest(text string) bool {
	var request struct {
		Model    string            `json:"model"`
		Messages []json.RawMessage `json:"messages"`
	}
	return strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &request) == nil && request.Messages != nil && request.Model != ""
}

// ByClient reports an answer that no model gave: the client says that a limit was
// reached, or that it could not ask.
func ByClient(answer string) bool {
	const most = 400 // bytes; who writes more has something to say
	answer = strings.TrimSpace(answer)
	return answer == "" || len(answer) <= most && startsWithAny(answer, lists.Phrases("client-answer")...)
}

// chooses reports a few words that ask something, or name what was offered: "are you
// sure?", "1+2".
func chooses(text string) bool {
	words := terms.Words(text)
	return strings.ContainsFunc(text, unicode.IsDigit) || len(words) > 1 && endsWithAny(text, "?", "？")
}

// worded reports text with content beyond a greeting.
func worded(text string) bool {
	return slices.ContainsFunc(terms.Query(text), func(term string) bool {
		return !lists.Words("greeting")[term]
	})
}

// oneLine is text on a single line: white space of any kind becomes one blank,
// terminal colours and other control characters go.
func oneLine(s string) string {
	return strings.Join(strings.Fields(redact.Printable(s)), " ")
}

// prose is what the writer of a text said in it, on one line: without code,
// quotations, tables and pasted logs, unless there is nothing else.
func prose(text string) string {
	if said := oneLine(strings.Join(slices.Collect(promptLines(text)), " ")); said != "" {
		return said
	}
	return oneLine(withoutInserts(text))
}

// bare is a trimmed line without the marks of Markdown.
func bare(line string) string {
	line, _ = bullet(strings.TrimLeft(line, "# "))
	return oneLine(strings.ReplaceAll(line, "**", ""))
}

// sayings are the sentences of a text, each on one line, without the marks of
// Markdown.
func sayings(text string) []string {
	var out []string
	for line := range promptLines(text) {
		for s := range terms.Sentences(bare(line)) {
			out = append(out, s)
		}
	}
	return out
}

// clip is s, or as much of its beginning as n characters hold: up to the end
// of a sentence when one ends in its second half, else up to the end of a word
// with an ellipsis.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n < 2 {
		return ""
	}
	runes := []rune(s)
	for end := n; end > n/2; end-- {
		if complete(string(runes[:end]), string(runes[end:])) {
			return string(runes[:end])
		}
	}
	end := n - 1
	for at := end; at > end/2; at-- {
		if runes[at] == ' ' {
			end = at
			break
		}
	}
	return strings.TrimRight(string(runes[:end]), halfway) + "…"
}

// halfway is what does not stand before an ellipsis.
const halfway = " ,;:，；：、"

// complete reports whether a text ends as a sentence does, given what follows it.
func complete(s, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch last, _ := utf8.DecodeLastRuneInString(s); last {
	case '。', '！', '？':
		return !strings.ContainsRune("」』”’）", next)
	case '.', '!', '?':
		return next == ' ' && !terms.Abbreviated(s, after)
	}
	return false
}

// decisions are the sentences that state one, the latest n in order, those of
// the user before those of the assistant.
func decisions(answers, prompts []Said, n int) []string {
	var out []string
	seen := map[string]bool{}
	collect := func(said []Said, n int) {
		var found []string
		for _, s := range slices.Backward(said) {
			for _, sentence := range slices.Backward(sayings(s.Text)) {
				if len(found) == n {
					break
				}
				if key := terms.Fold(sentence); !seen[key] && decides(key) && !asks.Question(sentence) {
					seen[key] = true
					found = append(found, clip(sentence, 200))
				}
			}
		}
		slices.Reverse(found)
		out = append(out, found...)
	}
	collect(prompts, n)
	collect(answers, n-len(out))
	return out
}

var (
	deciding = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(strings.Join([]string{
			`\bdecided\b`, `\bdecision:`, `\bsettled on\b`, `\bagreed (?:on|to)\b`,
			`\b(?:we|i|let|they)(?:'ll|'ve|'s| will| have)? (?:use|stick with|go with|going with|went with|chose|chosen|switch(?:ed)? to)\b`,
			`\bgoing with\b`, `\buse\b.+\binstead of\b`,
			// Simplified, since what they are held against is folded.
			`(?:^|[\s,.:;、。「]|我|们|经|后|终|已|就|致)决定`, `决定(?:用|采|改|使|不|把|换|保留|放弃|统一|先|以|将)`,
			`(?:改用|改成用|改为用|就用|我们用|统一用|一律用|选用|选定|敲定|定案|拍板)`,
			`(?:我们|最后|最终|统一|一律|还是)采用`,
		}, "|"))
	})
	undecided = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(strings.Join([]string{
			`\b(?:not|never|n't|nothing|to be) (?:yet )?(?:been )?decided\b`, `\bundecided\b`, `\b(?:if|whether|once|until|unless)\b.*\b(?:decided|use|go with)\b`,
			`(?:还没|尚未|未|没有|没|待|再|若|如果|要是|是否|要不要)[^,。]{0,4}(?:决定|改用|采用|选用)`, `决定于`, `取决`, `[吗呢]$`, `\?$`,
		}, "|"))
	})
)

// decides reports a folded sentence that states a decision, and does not ask
// or wait for one.
func decides(sentence string) bool {
	return deciding().MatchString(sentence) && !undecided().MatchString(strings.TrimRight(sentence, `"'”’)」 `))
}

// opens reports a line that announces what is still to be done.
func opens(line string) bool {
	line = strings.TrimRight(terms.Fold(line), ":. *_")
	return slices.Contains(lists.Phrases("opens"), line)
}

// openItems are the lines of a text that list what is still to be done: below
// a line that announces them, behind such a word and a colon, and boxes that
// are not ticked.
func openItems(text string) []string {
	var out []string
	announced, listed := false, false // listed: the first item was seen
	for line := range promptLines(text) {
		_, point := bullet(line)
		item := bare(line)
		before, after, colon := cutColon(item)
		switch {
		case strings.HasPrefix(line, "- [ ] "), strings.HasPrefix(line, "* [ ] "):
			out = append(out, item)
		case opens(item):
			announced, listed = true, false
		case colon && opens(before):
			out = append(out, after)
			announced = false
		case item == "":
			announced = announced && !listed
		case announced && (point || !listed) && !strings.HasPrefix(line, "- [x] "):
			out = append(out, item)
			listed = true
		default:
			announced = announced && point
		}
	}
	return out
}

// cutColon cuts a line at its first colon of either width.
func cutColon(line string) (before, after string, found bool) {
	for i, r := range line {
		if r == ':' || r == '：' {
			return line[:i], strings.TrimSpace(line[i+utf8.RuneLen(r):]), true
		}
	}
	return line, "", false
}

// title is the first sentence of a prompt that says something.
func title(prompt string) string {
	for _, s := range sayings(prompt) {
		if worded(s) {
			return clip(s, maxTitle)
		}
	}
	return clip(oneLine(prompt), maxTitle)
}

// gist is what the last answer says before it comes to what is still to be
// done.
func gist(answers []Said) string {
	for _, a := range slices.Backward(answers) {
		var b strings.Builder
		all := sayings(withoutHeadings(a.Text))
		for i, s := range all {
			if before, _, _ := cutColon(s); b.Len() > 0 && opens(before) {
				break
			}
			if i+1 < len(all) && exclaims(s) {
				continue
			}
			if said := b.String(); said != "" && !endsWithAny(said, "。", "！", "？") {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
		if b.Len() > 0 {
			return b.String()
		}
	}
	return ""
}

// withoutHeadings is a text without its headings in Markdown.
func withoutHeadings(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if trimmed := strings.TrimSpace(line); !strings.HasPrefix(trimmed, "#") && !(strings.HasPrefix(trimmed, "**") && strings.HasSuffix(trimmed, "**")) {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return text
	}
	return strings.Join(out, "\n")
}

// exclaims reports a sentence that only shows how glad its writer is: "Perfect!".
func exclaims(s string) bool {
	const few = 24 // bytes
	return len(s) <= few && endsWithAny(s, "!", "！")
}
