package window

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/activity"
	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
)

// Summary says what a folded range was about.
type Summary struct {
	Title   string `json:"title"`             // five to eight words
	Content string `json:"content"`           // what was done and why
	Outcome string `json:"outcome,omitempty"` // what came of it
	// Gaps are what a model, asked for it, found in the range and not in the
	// summary.
	Gaps []string `json:"gaps,omitempty"`
}

// line is a summary on one line.
func (s Summary) line() string {
	text := s.Title + ". " + s.Content
	if s.Outcome != "" {
		text += " → " + s.Outcome
	}
	return oneLine(text)
}

// facts are what a summary of a range must not lose.
type facts struct {
	Instructions []string // by the user, verbatim
	Files        []string // changed
	Entities     []string
	Errors       []string // that still stand
	Mended       []string // errors with what mended them
	Decisions    []string
	Changes      []string // of state: edits, commits, commands that did something
	Commands     []string
}

// Bounds of what facts keep of a range. An index is no copy.
const (
	maxFactEntities = 24
	maxFactLines    = 6
)

// facts collects what must be found again, once.
func (r *record) facts() facts {
	if r.known == nil {
		f := r.collect()
		r.known = &f
	}
	return *r.known
}

func (r *record) collect() facts {
	var f facts
	for _, p := range r.prompts {
		f.Instructions = append(f.Instructions, oneLine(p.text))
	}
	for _, t := range r.touched(activity.Editing) {
		f.Files = append(f.Files, path.Base(t.Name))
		change := "changed " + t.Name
		if t.Times > 1 {
			change += fmt.Sprintf(" (%d times)", t.Times)
		}
		f.Changes = append(f.Changes, change)
	}
	for _, c := range activity.Commits(r.acts) {
		f.Changes = append(f.Changes, committed(c))
	}
	f.Errors, f.Mended = r.errors(maxFactLines)
	f.Decisions = r.decisions()
	for i := range r.acts {
		a := &r.acts[i]
		if !a.Done || a.Failed || a.Command == "" || a.Looks() {
			continue
		}
		name := nameOf(a, 80)
		if _, ok := a.Commit(); ok { // it is told as a change
			if name = a.Line().BesideCommit(); name != "" {
				name = "`" + clip(name, 80) + "`"
			}
		}
		if name != "" {
			f.Commands = append(f.Commands, name)
		}
	}
	names := r.names()
	for _, n := range names[:min(len(names), maxFactEntities)] {
		f.Entities = append(f.Entities, n.text)
	}
	f.Decisions = newest(f.Decisions, maxFactLines)
	f.Changes = newest(f.Changes, 2*maxFactLines)
	f.Commands = newest(slices.Compact(f.Commands), maxFactLines)
	f.Files = newest(f.Files, 2*maxFactLines)
	return f
}

func committed(c activity.Commit) string {
	return "committed " + strings.TrimSpace(c.Hash+" "+oneLine(c.Subject))
}

// Extract makes a summary of a record, from its own words, in about limit
// tokens.
func (r *record) extract(limit int) Summary {
	f := r.facts()
	s := Summary{Title: r.title()}
	var parts []string
	add := func(label string, entries []string, n int) {
		if len(entries) > 0 {
			text := label + strings.Join(newest(entries, n), "; ")
			if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".!?…。！？", last) {
				text += "."
			}
			parts = append(parts, text)
		}
	}
	if said := r.says(limit * 2); said != "" {
		parts = append(parts, said)
	}
	add("Actions: ", append(slices.Clone(f.Changes), f.Commands...), max(2, limit/40))
	add("Errors: ", f.Errors, max(1, limit/100))
	add("Decided: ", f.Decisions, max(1, limit/100))
	s.Outcome = r.ending(limit * 3 / 2)
	s.Content = tokens.Fit(strings.Join(parts, " "), max(16, limit-tokens.Estimate(s.Title+s.Outcome)))
	return s
}

// says is what the assistant said that is no mere announcement, in at most n
// characters.
func (r *record) says(n int) string {
	var out []string
	length := 0
	for _, s := range r.spoken {
		for _, sentence := range telling(s.text) {
			if len(sentence) < 20 {
				continue
			}
			if length += len(sentence) + 1; length > n {
				return strings.Join(out, " ")
			}
			out = append(out, sentence)
			break // one of each saying
		}
	}
	return strings.Join(out, " ")
}

// ending is what came of a range: its last statement that is no question, else its
// last act.
func (r *record) ending(n int) string {
	for _, s := range slices.Backward(r.spoken) {
		if g := prefixOf(telling(s.text), min(n, 240)); wordCount(g) > 1 && !strings.HasSuffix(g, "?") && !strings.HasSuffix(g, "？") { // "yes" says nothing
			return g
		}
	}
	if k := len(r.acts); k > 0 {
		a := &r.acts[k-1]
		switch {
		case a.Failed:
			return nameOf(a, 60) + " failed: " + clip(oneLine(a.Output), 80)
		case a.Done:
			if c, ok := a.Commit(); ok {
				return committed(c)
			}
			return nameOf(a, 60) + " succeeded"
		}
		return nameOf(a, 60) + " has no result yet"
	}
	return ""
}

// summarizer makes summaries: with a model where there is one, and whatever the
// model fails at by extraction. One that was made is not made again.
type summarizer struct {
	model llm.Model
	cache map[string]Summary // by hash of the range and limit
}

// stretch is a part of a run that is summed up.
type stretch struct {
	view   *journal.View
	events []journal.Event
	hash   string  // of the events, see rangeHash
	limit  int     // tokens, about
	record *record // of the events, when they were read already
}

// summarize makes a summary of a stretch.
func (s *summarizer) summarize(ctx context.Context, t stretch) Summary {
	key := fmt.Sprintf("%s/%d", t.hash, t.limit)
	if got, ok := s.cache[key]; ok {
		return got
	}
	if t.record == nil {
		r := readRecord(t.view, t.events)
		t.record = &r
	}
	out := t.record.extract(t.limit)
	if s.model != nil {
		if told, err := s.ask(ctx, t.view, t.events, t.limit); err == nil {
			out = told
		}
	}
	if s.cache == nil {
		s.cache = map[string]Summary{}
	}
	s.cache[key] = out
	return out
}

const summaryPrompt = `Summarise this part of an agent's run for the agent itself, which will no longer see it.
Answer with one JSON object: {"title": "5-8 words", "content": "2-3 sentences on what was done and why", "outcome": "what came of it"}.
Name files, identifiers, errors with their fixes and decisions exactly as they are written. State nothing that is not there. At most %d tokens.`

const gapsPrompt = `Here is a part of an agent's run, and a summary that will stand in its place.
Name at most three facts of the run that the agent will need and cannot infer from the summary, one a line, each a short sentence in the run's own words. Answer NONE if there are none.`

// maxGaps bounds what a model may add to its own summary.
const maxGaps = 3

// ask has the model write a summary, and then say what one could not infer from
// it. It is refused when it is no summary, longer than it may be, or names what
// does not stand in the range.
func (s *summarizer) ask(ctx context.Context, v *journal.View, events []journal.Event, limit int) (Summary, error) {
	var b strings.Builder
	for _, e := range events {
		if text := v.Text(e); text != "" {
			fmt.Fprintf(&b, "[%d %s] %s\n", e.Iter, e.Type, tokens.Fit(text, 400))
		}
	}
	text, err := s.generate(ctx, fmt.Sprintf(summaryPrompt, limit), b.String(), 2*limit)
	if err != nil {
		return Summary{}, err
	}
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return Summary{}, fmt.Errorf("%w: the model wrote no summary", ErrInvalid)
	}
	var out Summary
	if err := json.Unmarshal([]byte(text[from:to+1]), &out); err != nil || out.Title == "" || out.Content == "" {
		return Summary{}, fmt.Errorf("%w: the model wrote no summary", ErrInvalid)
	}
	out = Summary{Title: clip(oneLine(out.Title), 120), Content: oneLine(out.Content), Outcome: oneLine(out.Outcome)}
	if tokens.Estimate(out.Content+out.Outcome) > 2*limit {
		return Summary{}, fmt.Errorf("%w: the summary is longer than it may be", ErrInvalid)
	}
	whole := groundsOf(v, events)
	if names := whole.lacks(out.Title + "\n" + out.Content + "\n" + out.Outcome); len(names) > 0 {
		return Summary{}, fmt.Errorf("%w: the summary names %s, which is not in the range", ErrInvalid, names[0])
	}
	told := out.Title + ". " + out.Content + " " + out.Outcome
	// Without an answer to the second question the summary stands.
	text, _ = s.generate(ctx, gapsPrompt, b.String()+"\n\nSummary: "+told, limit)
	for line := range strings.Lines(text) {
		line = oneLine(strings.TrimLeft(line, "-*• \t"))
		if line == "" || strings.EqualFold(strings.Trim(line, ". "), "none") || strings.ContainsAny(line[:1], "{}`") || len(whole.lacks(line)) > 0 {
			continue
		}
		if out.Gaps = append(out.Gaps, clip(line, 160)); len(out.Gaps) == maxGaps {
			break
		}
	}
	return out, nil
}

func (s *summarizer) generate(ctx context.Context, system, user string, limit int) (string, error) {
	answer, err := s.model.Generate(ctx, llm.Request{MaxTokens: limit, Messages: []Message{
		{Role: llm.System, Text: system + "\n" + inert.Rule}, {Role: llm.User, Text: inert.Data("record", user)},
	}})
	return answer.Message.Text, err
}

// plainText is what events say, one a line.
func plainText(v *journal.View, events []journal.Event) string {
	var b strings.Builder
	for _, e := range events {
		if text := v.Text(e); text != "" {
			fmt.Fprintf(&b, "[%d %s] %s\n", e.Iter, e.Type, text)
		}
	}
	return b.String()
}
