package capture

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/internal/tokens"
)

// Brief says what of a session must survive when its context is replaced by a
// summary: the task and where it stands, what the user wants observed, what is
// broken, what is open, and the files it is about. Its lines are labelled in
// the language ("en", "zh-Hant" or "zh-Hans"; anything else follows the first
// prompt) and cost at most budget tokens. It is empty when nobody asked for
// anything.
//
// Instructions, as [Explicit] finds them, are given whole or not at all: half of
// one may say the opposite.
//
// What is taken from the journal is foreign text: whoever puts a brief into a
// context escapes and frames it.
func Brief(r Run, language string, budget int) string {
	prompts := requests(r.Prompts)
	if len(prompts) == 0 {
		return ""
	}
	switch language {
	case "en", "zh-Hant", "zh-Hans":
	default:
		language = terms.Lang(prompts[0].Text)
	}
	w := wordsFor(language)
	orders := instructed(prompts)

	// In the order they are read; share is what each may have of 100, rank the
	// order in which they get what the others leave.
	sections := []section{
		{share: 15, rank: 6, write: passage(w.task+w.colon, prose(prompts[0].Text))},
		{share: 20, rank: 1, write: newest(w.instructions+w.colon, orders)},
		{share: 10, rank: 5, write: passage(lastLabel(&r, prompts, w), laterPrompt(prompts))},
		{share: 15, rank: 7, write: passage(w.answer+w.colon, gist(r.Answers))},
		{share: 13, rank: 2, write: newest(w.errors+w.colon, r.errorLines(r.unresolved(), maxErrors, w))},
		{share: 10, rank: 3, write: listed(w.next+w.colon, r.openItems())},
		{share: 5, rank: 8, write: newest(w.decided+w.colon, without(decisions(&r, prompts, maxDecisions), orders))},
		{share: 8, rank: 4, write: counted(w.files+w.colon, r.touched(changing), w)},
		{share: 4, rank: 9, write: counted(w.read+w.colon, r.onlyRead(), w)},
	}
	return allot(sections, budget)
}

const (
	maxErrors   = 5
	maxOpen     = 10
	lastAnswers = 3 // of which open items are taken
)

// lastLabel tells whether the last prompt has been answered.
func lastLabel(r *Run, prompts []Said, w *words) string {
	if n := len(r.Answers); n == 0 || r.Answers[n-1].Seq < prompts[len(prompts)-1].Seq {
		return w.pending + w.colon
	}
	return w.latest + w.colon
}

// instructed are the instructions of all prompts, oldest first, each where it
// was last given.
func instructed(prompts []Said) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range slices.Backward(prompts) {
		for _, stated := range slices.Backward(Explicit(p.Text)) {
			s := oneLine(stated.Text)
			if key := terms.Fold(s); s != "" && !seen[key] {
				seen[key] = true
				out = append(out, s)
			}
		}
	}
	slices.Reverse(out)
	return out
}

// without leaves out the sentences that only say again what stands in others.
func without(sentences, others []string) []string {
	return slices.DeleteFunc(sentences, func(s string) bool {
		s = terms.Fold(s)
		return slices.ContainsFunc(others, func(o string) bool { return strings.Contains(s, terms.Fold(o)) })
	})
}

// openItems are what the assistant's own list still holds, else what the last
// answer that looks ahead says is to be done.
func (r *Run) openItems() []string {
	if items := r.todos(); len(items) > 0 {
		return items[:min(len(items), maxOpen)]
	}
	last := r.Answers[max(0, len(r.Answers)-lastAnswers):]
	for _, a := range slices.Backward(last) {
		if items := openItems(a.Text); len(items) > 0 {
			return items[:min(len(items), maxOpen)]
		}
	}
	return nil
}

// todos are the entries of the last list kept with the client's own tool that
// are not done.
func (r *Run) todos() []string {
	for i := range slices.Backward(r.Actions) {
		a := &r.Actions[i]
		if a.Tool != "TodoWrite" || a.Failed {
			continue
		}
		var in struct {
			Todos []struct{ Content, Status string }
		}
		if json.Unmarshal(a.Input, &in) != nil {
			continue
		}
		var out []string
		for _, t := range in.Todos {
			if text := oneLine(t.Content); text != "" && t.Status != "completed" {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

// onlyRead are the files that were read and not changed.
func (r *Run) onlyRead() []count {
	changed := r.touched(changing)
	return slices.DeleteFunc(r.touched(reading), func(c count) bool {
		return slices.ContainsFunc(changed, func(d count) bool { return d.name == c.name })
	})
}

// section is one block of lines of a brief.
type section struct {
	share, rank int
	// write returns the block in at most so many tokens; "" when that is too
	// little, or there is nothing to say.
	write func(limit int) string
	text  string
}

// allot writes each section in its share of the budget, and then gives what is
// left to the sections by rank.
func allot(sections []section, budget int) string {
	spare := budget
	for i := range sections {
		s := &sections[i]
		s.text = s.write(budget*s.share/100 - lineBreak)
		spare -= cost(s.text)
	}
	byRank := make([]*section, len(sections))
	for i := range sections {
		byRank[i] = &sections[i]
	}
	slices.SortFunc(byRank, func(a, b *section) int { return a.rank - b.rank })
	for _, s := range byRank {
		room := spare + cost(s.text)
		if text := s.write(room - lineBreak); len(text) > len(s.text) {
			s.text = text
			spare = room - cost(text)
		}
	}
	var lines []string
	for _, s := range sections {
		if s.text != "" {
			lines = append(lines, s.text)
		}
	}
	return strings.Join(lines, "\n")
}

// lineBreak is what a line break costs at most. The cost of a text is never
// more than that of its pieces, so that sums of pieces stay below a budget.
const lineBreak = 1

func cost(text string) int {
	if text == "" {
		return 0
	}
	return tokens.Estimate(text) + lineBreak
}

// fewest is how many tokens a cut text must have to be worth its label.
const fewest = 8

// passage writes a text behind its label, as much of it as there is room for.
func passage(label, text string) func(int) string {
	return func(limit int) string {
		room := limit - tokens.Estimate(label)
		switch {
		case text == "":
			return ""
		case tokens.Estimate(text) <= room:
			return label + text
		case room < fewest:
			return ""
		}
		short := tokens.Fit(text, room-1)
		if !complete(short, ' ') {
			short = strings.TrimRight(short, halfway) + "…"
		}
		return label + short
	}
}

// listed writes entries below a label, each whole on a line of its own, until
// there is no more room.
func listed(label string, entries []string) func(int) string {
	label = strings.TrimSpace(label)
	return func(limit int) string {
		var b strings.Builder
		room := limit - tokens.Estimate(label)
		for _, e := range entries {
			line := "\n- " + e
			if room -= tokens.Estimate(line); room < 0 {
				break
			}
			b.WriteString(line)
		}
		if b.Len() == 0 {
			return ""
		}
		return label + b.String()
	}
}

// newest writes entries as listed does; where there is no room for all, the
// oldest are left out.
func newest(label string, entries []string) func(int) string {
	return func(limit int) string {
		room := limit - tokens.Estimate(label)
		from := len(entries)
		for from > 0 {
			if room -= tokens.Estimate("\n- " + entries[from-1]); room < 0 {
				break
			}
			from--
		}
		return listed(label, entries[from:])(limit)
	}
}

// counted writes names with their counts on one line, as many as there is room
// for, at most ten, and says how many are left out.
func counted(label string, counts []count, w *words) func(int) string {
	named := make([]count, len(counts))
	for i, c := range counts {
		named[i] = count{name: c.name + fmt.Sprintf(w.times, c.n)}
	}
	return func(limit int) string {
		for n := min(len(named), maxShown); n > 0; n-- {
			if text := label + w.list(shown(named, n, w)); tokens.Estimate(text) <= limit {
				return text
			}
		}
		return ""
	}
}
