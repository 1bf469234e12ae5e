package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"orihon/internal/capture"
	"orihon/internal/inert"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/window"
)

// BriefTokens is the budget of [Run.Brief] when none is given, in tokens.
const BriefTokens = window.DefaultIndexTokens

// briefShare is how much of what a hook may inject the brief takes at most;
// the rest is for what always applies.
const briefShare = 0.8

// frameChars is what stands around the brief in an answer, in characters.
const frameChars = 300

// Brief is the folded index of the run, as an agent gets it after its context
// was compacted: the task and where it stands, what was asked, what is open,
// what failed, files, commits, names, and how to open what is folded. It costs
// at most budget tokens, 0 is [BriefTokens], and never more characters than the
// part of a hook's answer that is kept for it. Secrets are taken out and marks
// of prompts escaped; whoever shows it says that it is data.
func (r *Run) Brief(budget int) string {
	budget = cmp.Or(max(budget, 0), BriefTokens)
	most := 0
	if all := float64(r.o.HookChars); all > 0 {
		most = int(max(1, min(briefShare*all, all-frameChars)))
	}
	extra, open := r.besides(budget), r.howToOpen()
	run := window.NewIndex(r.View(), r.o.Language)
	for room := budget - tokens.Estimate(open); room > 0; {
		index := run.Within(room)
		if index == "" {
			return ""
		}
		text := inert.Text(r.clean(index + extra.text(index) + open))
		over := tokens.Estimate(text) - budget
		if over <= 0 && (most == 0 || characters(text) <= most) {
			return text
		}
		room -= max(over, 10)
	}
	return ""
}

// besides is what an index may leave out and the work cannot go on without:
// instructions of the user, each whole, and what the last answers say is to be
// done.
type besides struct {
	instructions, open []string
	language           string
}

// besidesShare is what each list of [besides] may take of a brief.
const besidesShare = 0.1

// mostPrompts is in how many prompts instructions are looked for.
const mostPrompts = 200

func (r *Run) besides(budget int) besides {
	var prompts, answers []string
	over := make(map[string]bool) // by instruction, as it was given last
	asked := r.View().ByType(journal.UserMessage)
	for _, e := range asked[max(0, len(asked)-mostPrompts):] {
		text := r.View().Text(e)
		prompts = append(prompts, text)
		for _, s := range capture.Instructions([]string{text}) {
			over[s] = r.Over != nil && r.Over(e.Seq, s)
		}
	}
	said := r.View().ByType(journal.AssistantMessage)
	for _, e := range said[max(0, len(said)-3):] {
		answers = append(answers, r.View().Text(e))
	}
	room := int(besidesShare * float64(budget))
	hold := slices.DeleteFunc(capture.Instructions(prompts), func(s string) bool { return over[s] })
	out := besides{instructions: newest(hold, room), open: newest(capture.OpenItems(answers), room)}
	if _, first := window.FirstRequest(r.View()); first != "" {
		out.language = cmp.Or(r.o.Language, terms.LangLike(strings.Join(prompts, "\n"), ""))
	}
	return out
}

// newest are the last entries of a list that cost at most limit tokens together.
func newest(list []string, limit int) []string {
	from := len(list)
	for from > 0 {
		if limit -= tokens.Estimate("\n- " + list[from-1]); limit < 0 {
			break
		}
		from--
	}
	return list[from:]
}

// text writes what an index does not say already.
func (b besides) text(index string) string {
	instructions, open := "Instructions, word for word:", "Open, by the last answer:"
	switch b.language {
	case "zh-Hant":
		instructions, open = "使用者的指示（原文）：", "待辦（依最近的答覆）："
	case "zh-Hans":
		instructions, open = "用户的指示（原文）：", "待办（依最近的答复）："
	}
	var out strings.Builder
	index = strings.ToLower(index)
	for _, list := range [...]struct {
		label   string
		entries []string
	}{{instructions, b.instructions}, {open, b.open}} {
		label := "\n" + list.label
		for _, e := range list.entries {
			if !strings.Contains(index, strings.ToLower(e)) {
				out.WriteString(label + "\n- " + e)
				label = ""
			}
		}
	}
	return out.String()
}

// mostStubs is how many folds a brief names.
const mostStubs = 12

// howToOpen names the folds with their iterations and the command that opens
// one. A transcript has no folds of its own.
func (r *Run) howToOpen() string {
	blocks := window.Blocks(r.View())
	if len(blocks) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nFolds (iterations): ")
	for i := range blocks[:min(len(blocks), mostStubs)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d–%d", blocks[i].Ref(), blocks[i].Iterations[0], blocks[i].Iterations[1])
	}
	if more := len(blocks) - mostStubs; more > 0 {
		fmt.Fprintf(&b, ", and %d more", more)
	}
	fmt.Fprintf(&b, ". `orihon context expand %s --run %s` opens one, word for word.", blocks[0].Ref(), shortRun(r.Name))
	return b.String()
}

// shortRun is as much of a session's ID as names it.
func shortRun(id string) string {
	if len(id) > 2*fewestOfID && strings.Count(id, "-") == 4 {
		return id[:2*fewestOfID]
	}
	return id
}

// characters counts as clients do: in UTF-16 code units.
func characters(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
