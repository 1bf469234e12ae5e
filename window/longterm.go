package window

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
)

// The mark of a result that belongs into the long-term zone.
const (
	injectionType  = "context_injection"
	longTermMemory = "long_term_memory"
)

// injection is such a result. It is an ordinary one until its iteration is no
// longer shown in full.
type injection struct {
	Type   string        `json:"type"`
	Target string        `json:"target"`
	Result SummaryResult `json:"summary"`
}

// Injection is a summary as the result of a tool that a strategy moves to the
// long-term zone once its iteration is no longer shown in full.
func Injection(s SummaryResult) (json.RawMessage, error) {
	return json.Marshal(injection{injectionType, longTermMemory, s})
}

// injected is an injection that stands in the journal.
type injected struct {
	iter  int
	agent string
	spans [2]int // iterations it tells of; 0 and 0 when it does not say
	text  string
}

// injectionHead is how far into a payload the mark is looked for, in bytes: a
// large body leaves no more than its head in the journal.
const injectionHead = 2 << 10

// readInjection reads a result that is marked. Whoever makes one by other means
// than a standard summariser says what it has to say in content, text or summary.
func readInjection(v *journal.View, e journal.Event) (injected, bool) {
	if !bytes.Contains(e.Payload[:min(len(e.Payload), injectionHead)], []byte(injectionType)) {
		return injected{}, false
	}
	var r journal.Result
	if v.Decode(e, &r) != nil || r.Error {
		return injected{}, false
	}
	var marked struct {
		Type    string          `json:"type"`
		Target  string          `json:"target"`
		Content string          `json:"content"`
		Text    string          `json:"text"`
		Summary json.RawMessage `json:"summary"`
	}
	if json.Unmarshal([]byte(r.Output), &marked) != nil || marked.Type != injectionType || marked.Target != longTermMemory {
		return injected{}, false
	}
	out := injected{iter: e.Iter, agent: r.Tool, text: marked.Content + marked.Text}
	var s SummaryResult
	var plain string
	switch {
	case json.Unmarshal(marked.Summary, &s) == nil:
		out.spans, out.text = s.Range, strings.TrimSpace(out.text+"\n"+s.words())
	case json.Unmarshal(marked.Summary, &plain) == nil:
		out.text = strings.TrimSpace(out.text + "\n" + plain)
	}
	out.text = strings.TrimSpace(out.text)
	return out, out.text != ""
}

// words are what a summary says, for a model.
func (s *SummaryResult) words() string {
	var b strings.Builder
	if s.Range != [2]int{} {
		fmt.Fprintf(&b, "Iterations %d–%d: ", s.Range[0], s.Range[1])
	}
	b.WriteString(strings.TrimSpace(s.Title + "\n" + s.Content))
	if s.Outcome != "" && !strings.Contains(s.Content, s.Outcome) {
		b.WriteString(" → " + s.Outcome)
	}
	line := func(label string, entries []string) {
		if len(entries) > 0 {
			b.WriteString("\n" + label + strings.Join(entries, "; "))
		}
	}
	line("The user said: ", quoted(s.Instructions))
	line("Changed: ", s.Changes)
	line("Decided: ", s.Decisions)
	for _, e := range s.Errors {
		fmt.Fprintf(&b, "\n- [%d] %s: %s", e.Iteration, e.What, e.Message)
		if e.Settled > 0 {
			fmt.Fprintf(&b, " → settled in %d", e.Settled)
		}
	}
	for _, e := range s.Events {
		fmt.Fprintf(&b, "\n- [%d] %s: %s", e.Iteration, e.Kind, e.Text)
	}
	return strings.TrimSpace(b.String())
}

// longTerm are the injections that an epoch moves to the long-term zone: those
// of iterations that it does not show in full, without the ones that a later
// result of the same summariser covers. The newest fit first.
func (p *planner) longTerm(trimmed func(iteration int) bool) []string {
	var out []string
	room := int(p.f.o.LongTerm*float64(p.in.Limit)) / 4
	var later []injected
	for _, i := range slices.Backward(p.f.state.injected) {
		covered := slices.ContainsFunc(later, func(l injected) bool {
			return l.agent == i.agent && i.spans != [2]int{} && l.spans[0] <= i.spans[0] && i.spans[1] <= l.spans[1]
		})
		if i.iter > p.in.Iteration || covered || !trimmed(i.iter) && !slices.ContainsFunc(p.blocks, func(b *Block) bool { return b.contains(i.iter) }) {
			continue
		}
		if room < 40 {
			break
		}
		text := tokens.Fit(i.text, room)
		room -= tokens.Estimate(text)
		later, out = append(later, i), append(out, text)
	}
	slices.Reverse(out)
	return out
}

// longTermMessage is how the injections of an epoch are shown.
func longTermMessage(texts []string) string {
	return "[Long-term memory: summaries made on the way]\n" + inert.Text(strings.Join(texts, "\n\n"))
}
