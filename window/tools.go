package window

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
)

// The tools with which a model reads what it does not see.
const (
	QueryHistory   = "query_history"
	SummarizePhase = "summarize_phase"
	ShowHistory    = "show_history"
)

// Tools describes the tools of a strategy, for a request to a model. [CallTool]
// answers them; the answer is an ordinary result in the journal, so that it
// stands in the context where it was asked for, once.
func Tools(strategy string) []llm.ToolSpec {
	show := llm.ToolSpec{
		Name:        ShowHistory,
		Description: "Show a part of this run as it was, word for word: a fold by its number (F7), an event, or iterations. Long parts come in pages.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"fold":{"type":"string"},"event":{"type":"integer"},"start":{"type":"integer"},"end":{"type":"integer"},"page":{"type":"integer"}}}`),
	}
	query := llm.ToolSpec{
		Name:        QueryHistory,
		Description: "Find what was said and done earlier in this run, by words, file names or identifiers.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	}
	sum := llm.ToolSpec{
		Name:        SummarizePhase,
		Description: "Sum up a range of earlier iterations of this run.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"start":{"type":"integer"},"end":{"type":"integer"}},"required":["start","end"]}`),
	}
	switch strategy {
	case QueryOnDemand:
		return []llm.ToolSpec{query, sum, show}
	case Folding:
		return []llm.ToolSpec{query, show}
	}
	return []llm.ToolSpec{show}
}

// Expand returns a range of iterations as it stands in the journal, word for
// word, one page of it: pages count from 1, and the pages together are the whole
// text. A page that is not there is a [memory.ErrInvalid].
func Expand(v *journal.View, start, end, page int) (text string, pages int, err error) {
	whole := transcriptOf(v, v.Range(start, end), false)
	if whole == "" {
		return "", 0, fmt.Errorf("%w range: no iterations %d to %d", memory.ErrInvalid, start, end)
	}
	return pageOf(whole, cmp.Or(page, 1))
}

// pageOf is one page of a text, and how many there are.
func pageOf(text string, n int) (page string, pages int, err error) {
	var parts []string
	for rest := true; rest; rest = text != "" {
		head := fitExactly(text, PageTokens-100)
		parts, text = append(parts, head), text[len(head):]
	}
	if n < 1 || n > len(parts) {
		return "", len(parts), fmt.Errorf("%w page %d: there are %d", memory.ErrInvalid, n, len(parts))
	}
	return parts[n-1], len(parts), nil
}

// fitExactly is as much of the beginning of a text as costs at most limit
// tokens, with every byte as it is, up to the end of a line where one ends in
// its second half.
func fitExactly(s string, limit int) string {
	if tokens.Estimate(s) <= limit {
		return s
	}
	// The estimate of a prefix grows with it.
	n := longest(1, len(s), func(n int) bool { return tokens.Estimate(s[:n]) <= limit })
	for n > 1 && n < len(s) && s[n]&0xc0 == 0x80 {
		n--
	}
	if i := strings.LastIndexByte(s[:n], '\n'); i > n/2 {
		n = i + 1
	}
	return s[:n]
}

// CallTool answers a call of one of [Tools] from the journal, in at most
// [PageTokens], as a model may see it. What was opened is noted in the journal. A call it cannot answer
// is a [memory.ErrInvalid] whose text tells the model how to mend it.
func CallTool(ctx context.Context, v *journal.View, tool string, input json.RawMessage) (string, error) {
	answer, err := callTool(ctx, v, tool, input)
	return inert.Text(answer), err
}

func callTool(ctx context.Context, v *journal.View, tool string, input json.RawMessage) (string, error) {
	var in struct {
		Query string `json:"query"`
		Fold  string `json:"fold"`
		Event int64  `json:"event"`
		Start int    `json:"start"`
		End   int    `json:"end"`
		Page  int    `json:"page"`
	}
	if len(bytes.TrimSpace(input)) > 0 {
		if err := json.Unmarshal(input, &in); err != nil {
			return "", fmt.Errorf("%w input of %s: %w", memory.ErrInvalid, tool, err)
		}
	}
	state := newFoldState()
	state.read(v)
	switch tool {
	case QueryHistory:
		return answerQuery(ctx, v, state, in.Query)
	case SummarizePhase:
		events := v.Range(in.Start, in.End)
		if in.Start <= 0 || len(events) == 0 {
			return "", fmt.Errorf("%w range %d to %d: the run has the iterations %d to %d", memory.ErrInvalid, in.Start, in.End, v.FirstIteration(), v.LastIteration())
		}
		r := readRecord(v, events)
		l := english()
		return r.index(1000, &l, fmt.Sprintf("In full: %s(start: %d, end: %d).", ShowHistory, in.Start, in.End)), nil
	case ShowHistory:
		start, end := in.Start, in.End
		switch {
		case in.Event > 0:
			e, ok := v.Event(in.Event)
			if !ok {
				return "", fmt.Errorf("%w event %d: the journal has none", memory.ErrInvalid, in.Event)
			}
			page := max(1, in.Page)
			text, pages, err := pageOf(transcriptOf(v, []journal.Event{e}, false), page)
			if page < pages && err == nil {
				text += fmt.Sprintf("\n[page %d; the next is %d]", page, page+1)
			}
			return text, err
		case in.Fold != "":
			b := state.find(in.Fold)
			if b == nil {
				return "", fmt.Errorf("%w fold %q: there are %s", memory.ErrInvalid, in.Fold, state.names())
			}
			start, end = b.Iterations[0], b.Iterations[1]
			noteAccess(ctx, v, []int{b.Number}, "opened")
		case start <= 0:
			return "", fmt.Errorf("%w input of %s: give fold, event, or start and end", memory.ErrInvalid, tool)
		}
		text, pages, err := Expand(v, start, max(start, end), in.Page)
		if err == nil && pages > 1 {
			text += fmt.Sprintf("\n[page %d of %d]", max(1, in.Page), pages)
		}
		return text, err
	}
	return "", fmt.Errorf("%w tool %q: there are %s, %s and %s", memory.ErrInvalid, tool, QueryHistory, SummarizePhase, ShowHistory)
}

// noteAccess tells the journal that folds were asked for, which makes them fold
// later and open more easily. A view that takes nothing is left alone.
func noteAccess(ctx context.Context, v *journal.View, numbers []int, reason string) {
	_ = write(ctx, v, journal.Recalled, recallEvent{Folds: numbers, Reason: reason})
}

// answerTokens is how long an answer of query_history is: some twelve long passages, or
// more short ones.
const answerTokens = 1500

// answerQuery finds a query in a run and shows where it stands.
func answerQuery(ctx context.Context, v *journal.View, state *foldState, query string) (string, error) {
	if strings.TrimSpace(query) == "" {
		return "", fmt.Errorf("%w query: it is empty", memory.ErrInvalid)
	}
	seen := map[int64]bool{}
	var found []journal.Event
	take := func(e journal.Event) {
		if v.Text(e) != "" && !seen[e.Seq] && !asksHistory(v, e) {
			seen[e.Seq] = true
			found = append(found, e)
		}
	}
	named := v.ByEntity(strings.TrimSpace(query))
	for _, e := range named[max(0, len(named)-5):] {
		take(e)
	}
	for _, m := range v.Search(query, 60) {
		take(m.Event)
	}
	if len(found) == 0 {
		return "Nothing in this run says anything of " + oneLine(query) + ".", nil
	}
	var b strings.Builder
	var folds []int
	left := answerTokens
	for _, e := range found {
		in := slices.IndexFunc(state.tops, func(f *Block) bool { return f.contains(e.Iter) })
		where := fmt.Sprintf("event %d, iteration %d", e.Seq, e.Iter)
		if in >= 0 {
			where += ", in " + state.tops[in].Ref()
		}
		line := fmt.Sprintf("- [%s; %s] %s\n", where, strings.ToLower(string(e.Type)), passageOf(v.Text(e), query))
		if left -= tokens.Estimate(line); left < 0 {
			break
		}
		b.WriteString(line)
		if in >= 0 && !slices.Contains(folds, state.tops[in].Number) {
			folds = append(folds, state.tops[in].Number)
		}
	}
	if len(folds) > 0 {
		noteAccess(ctx, v, folds, "found by a query")
	}
	return b.String(), nil
}

// asksHistory reports calls of [Tools] and what they answered: they quote the run, and
// a query would find itself.
func asksHistory(v *journal.View, e journal.Event) bool {
	var of struct {
		Tool string `json:"tool"`
	}
	return (e.Type == journal.ActionRequest || e.Type == journal.ActionResult) && v.Decode(e, &of) == nil &&
		(of.Tool == QueryHistory || of.Tool == ShowHistory || of.Tool == SummarizePhase)
}

// passageOf is the part of a text around the first word of a query.
func passageOf(text, query string) string {
	at := len(text)
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = text
	}
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if i := strings.Index(lower, w); i >= 0 && len(w) > 2 {
			at = min(at, i)
		}
	}
	if at == len(text) {
		at = 0
	}
	from := max(0, at-120)
	for from > 0 && text[from]&0xc0 == 0x80 {
		from--
	}
	return clip(oneLine(text[from:]), 400)
}
