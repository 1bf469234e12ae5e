package window

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
)

// The standard summarisers.
const (
	SummarizerChapter  = "summarizer-chapter"
	SummarizerEvents   = "summarizer-events"
	SummarizerErrors   = "summarizer-errors"
	SummarizerAdaptive = "summarizer-adaptive"
)

// Summarizers lists the standard summarisers.
func Summarizers() []string {
	return []string{SummarizerChapter, SummarizerEvents, SummarizerErrors, SummarizerAdaptive}
}

// SummaryRequest is what a summariser is asked, on its standard input.
type SummaryRequest struct {
	JournalPath string `json:"journal_path"` // its folder or its file; else PARENT_JOURNAL_PATH
	Query       string `json:"query"`        // "iterations:50-100"; empty is all
	// Parent is an earlier result of the same summariser: only what came after
	// its range is read, and the result stands for both.
	Parent json.RawMessage `json:"parent_summary,omitempty"`
}

// ReadSummaryRequest reads a request; what it leaves open of the journal's path
// comes from the environment, see [JournalEnv]. Empty input asks for all.
func ReadSummaryRequest(stdin []byte, env func(string) (string, bool)) (SummaryRequest, error) {
	var r SummaryRequest
	if len(strings.TrimSpace(string(stdin))) > 0 {
		if err := json.Unmarshal(stdin, &r); err != nil {
			return r, fmt.Errorf("%w request of a summary: %w", memory.ErrInvalid, err)
		}
	}
	if r.JournalPath == "" && env != nil {
		r.JournalPath, _ = env(JournalPathVar)
	}
	if r.JournalPath == "" {
		return r, fmt.Errorf("%w request of a summary: name the journal in journal_path or %s", memory.ErrInvalid, JournalPathVar)
	}
	_, _, err := r.iterations()
	return r, err
}

// iterations reads the range; 0 is an open end.
func (r SummaryRequest) iterations() (from, to int, err error) {
	if r.Query == "" {
		return 1, 0, nil
	}
	var rest string
	if n, _ := fmt.Sscanf(r.Query+" .", "iterations:%d-%d %s", &from, &to, &rest); n != 3 || rest != "." || from < 1 || to < from {
		return 0, 0, fmt.Errorf("%w query %q: write it as iterations:50-100", memory.ErrInvalid, r.Query)
	}
	return from, to, nil
}

// SummaryResult is what a standard summariser answers. Which of the lists it
// has depends on the summariser.
type SummaryResult struct {
	Agent string `json:"agent"`
	Form  string `json:"form"`  // chapter, events or errors
	Range [2]int `json:"range"` // iterations
	Hash  string `json:"hash"`  // of what was read

	Title   string `json:"title,omitempty"`
	Content string `json:"content,omitempty"`
	Outcome string `json:"outcome,omitempty"`

	Instructions []string `json:"instructions,omitempty"` // of the user, verbatim
	Changes      []string `json:"state_changes,omitempty"`
	Decisions    []string `json:"decisions,omitempty"`
	Entities     []string `json:"entities,omitempty"`

	Events []SummaryEvent `json:"events,omitempty"`
	Errors []SummaryError `json:"errors,omitempty"` // open ones first

	// Unknown are the keys that the answer of a program has and none of these.
	Unknown []UnknownKey `json:"-"`
}

// SummaryEvent is one thing that happened.
type SummaryEvent struct {
	Iteration int    `json:"iteration"`
	Kind      string `json:"kind"` // request, change, commit, error, fixed, decision, answer
	Text      string `json:"text"`
}

// SummaryError is something that failed, and what came of it.
type SummaryError struct {
	Iteration int    `json:"iteration"`
	What      string `json:"what"`
	Message   string `json:"message"`
	Settled   int    `json:"settled"` // iteration; 0 while it is open
	Fix       string `json:"fix,omitempty"`
	Times     int    `json:"times"`
}

// SummarizerOptions tune [Summarize]. Nil means the zero value.
type SummarizerOptions struct {
	// Model writes title, content and outcome of a chapter; all other fields
	// are always taken from the journal. What it fails at is extracted, too.
	Model llm.Model
	// Words writes title, content and outcome in place of Model, for a result whose
	// other fields are filled. What it fails at is extracted. Nil is Model.
	Words func(ctx context.Context, of SummaryResult) (Summary, error)
	// Program sums up in place of a standard summariser: its command gets a
	// [SummaryRequest] and answers with a [SummaryResult], both as JSON. One
	// without a command is none.
	Program CustomOptions
	// Cache keeps results, see [SummaryCache]; nil keeps none.
	Cache *SummaryCache
}

// Summarize runs a standard summariser over a journal on disk, which it only
// reads. Without a model the same journal, range and parent give the same
// result.
func Summarize(ctx context.Context, name string, r SummaryRequest, o *SummarizerOptions) (SummaryResult, error) {
	v, err := openReadOnly(ctx, r.JournalPath)
	if err != nil {
		return SummaryResult{}, err
	}
	return SummarizeView(ctx, name, v, r, o)
}

// openReadOnly reads the journal in a folder, which may be named by its file.
func openReadOnly(ctx context.Context, dir string) (*journal.View, error) {
	dir = journal.Folder(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w journal %q: no such folder", memory.ErrInvalid, dir)
	}
	j, err := journal.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	v, err := j.View(ctx)
	if err != nil {
		return nil, err
	}
	return v.ReadOnly(), nil
}

// SummarizeView is [Summarize] over a view.
func SummarizeView(ctx context.Context, name string, v *journal.View, r SummaryRequest, o *SummarizerOptions) (SummaryResult, error) {
	var opt SummarizerOptions
	if o != nil {
		opt = *o
	}
	if len(opt.Program.Command) > 0 {
		from, to, err := r.iterations()
		if err != nil {
			return SummaryResult{}, err
		}
		if last := v.LastIteration(); to == 0 || to > last {
			to = last
		}
		return summaryAsker{r, [2]int{from, max(from, to)}, opt.Program}.ask(ctx, v)
	}
	if !slices.Contains(Summarizers(), name) {
		return SummaryResult{}, fmt.Errorf("%w summariser %q: use one of %v", memory.ErrInvalid, name, Summarizers())
	}
	from, to, err := r.iterations()
	if err != nil {
		return SummaryResult{}, err
	}
	parent, err := r.parent(name)
	if err != nil {
		return SummaryResult{}, err
	}
	if parent != nil {
		from = parent.Range[1] + 1
	}
	if last := v.LastIteration(); to == 0 || to > last {
		to = last
	}
	events := v.Range(from, max(to, 1))
	if from > to || len(events) == 0 {
		if parent != nil {
			return *parent, nil // nothing is new
		}
		return SummaryResult{}, fmt.Errorf("%w range: the run has the iterations %d to %d", memory.ErrInvalid, v.FirstIteration(), v.LastIteration())
	}
	hash := rangeHash(events)
	if parent != nil {
		hash = parent.Hash + "+" + hash
	}
	out := SummaryResult{Agent: name, Range: [2]int{max(from, v.FirstIteration()), to}, Hash: hash}
	if parent != nil {
		out.Range[0] = parent.Range[0]
	}
	if got, ok := opt.Cache.load(out); ok {
		return got, nil
	}
	out.fill(ctx, v, events, opt.Model)
	if opt.Words != nil {
		if told, err := opt.Words(ctx, out); err == nil {
			out.Title, out.Content, out.Outcome = told.Title, told.Content, told.Outcome
		}
	}
	if parent != nil {
		out.follow(*parent)
	}
	return out, opt.Cache.store(ctx, out)
}

func (r SummaryRequest) parent(name string) (*SummaryResult, error) {
	if len(r.Parent) == 0 || string(r.Parent) == "null" {
		return nil, nil
	}
	var p SummaryResult
	if err := json.Unmarshal(r.Parent, &p); err != nil || p.Agent != name || p.Range[0] < 1 || p.Range[1] < p.Range[0] {
		return nil, fmt.Errorf("%w parent summary: it is no result of %s", memory.ErrInvalid, name)
	}
	return &p, nil
}

// fill takes what the summariser tells from the events.
func (s *SummaryResult) fill(ctx context.Context, v *journal.View, events []journal.Event, model llm.Model) {
	r := readRecord(v, events)
	s.Form = strings.TrimPrefix(s.Agent, "summarizer-")
	if s.Form == "adaptive" {
		s.Form = r.form()
	}
	switch s.Form {
	case "events":
		s.Events = r.happenings()
	case "errors":
		s.Errors = r.errorList()
	default:
		f := r.facts()
		write := summarizer{model: model}
		told := write.summarize(ctx, stretch{view: v, events: events, hash: s.Hash, limit: chapterTokens})
		s.Title, s.Content, s.Outcome = told.Title, told.Content, told.Outcome
		s.Instructions, s.Changes, s.Decisions, s.Entities = f.Instructions, f.Changes, f.Decisions, f.Entities
		s.Errors = r.errorList()
	}
}

// form is what loses least of a record: errors where a quarter of the acts
// failed, events where little was said for what was done, else a chapter.
func (r *record) form() string {
	failed := 0
	for i := range r.acts {
		if r.acts[i].Failed {
			failed++
		}
	}
	switch {
	case failed >= 2 && 4*failed >= len(r.acts):
		return "errors"
	case len(r.acts) > 0 && len(r.acts) >= 5*(len(r.spoken)+len(r.prompts)):
		return "events"
	}
	return "chapter"
}

// errorList are the failures, open ones first.
func (r *record) errorList() []SummaryError {
	var open, settled []SummaryError
	for _, f := range r.failures(whole) {
		e := SummaryError{f.Iter, nameOf(f.Action, 80), clip(oneLine(f.Output), 200), f.settled, f.fix, f.again + 1}
		if e.Settled == 0 {
			open = append(open, e)
		} else {
			settled = append(settled, e)
		}
	}
	return append(open, settled...)
}

// happenings are what changed something, in order.
func (r *record) happenings() []SummaryEvent {
	var out []SummaryEvent
	add := func(iter int, kind, text string) {
		if text = oneLine(text); text != "" {
			out = append(out, SummaryEvent{iter, kind, text})
		}
	}
	for _, p := range r.prompts {
		add(p.iter, "request", clip(p.text, 300))
	}
	for i := range r.acts {
		a := &r.acts[i]
		if a.Done && !a.Failed && a.Effect() == activity.Editing {
			add(a.Iter, "change", activity.Relative(r.cwd, a.Files[0]))
		}
	}
	for _, c := range activity.Commits(r.acts) {
		add(c.Iter, "commit", c.Hash+" "+c.Subject)
	}
	for _, f := range r.failures(whole) {
		add(f.Iter, "error", nameOf(f.Action, 60)+": "+clip(oneLine(f.Output), 160))
		if f.settled > 0 {
			add(f.settled, "fixed", nameOf(f.Action, 60)+" "+f.fix)
		}
	}
	for _, s := range r.spoken {
		for _, sentence := range sentences(s.text) {
			if decides(sentence) {
				add(s.iter, "decision", clip(sentence, 200))
			}
		}
		if s.answer {
			add(s.iter, "answer", gist(s.text, 160))
		}
	}
	slices.SortStableFunc(out, func(a, b SummaryEvent) int { return a.Iteration - b.Iteration })
	return out
}

// follow puts what a parent summary says before what is new. A failure of the
// parent that was open stays so: what mends it later is told by its own range.
func (s *SummaryResult) follow(p SummaryResult) {
	join := func(old, now []string) []string {
		for _, line := range now {
			old = addLine(old, line)
		}
		return old
	}
	s.Instructions, s.Changes = join(p.Instructions, s.Instructions), join(p.Changes, s.Changes)
	s.Decisions, s.Entities = join(p.Decisions, s.Decisions), join(p.Entities, s.Entities)
	s.Events, s.Errors = append(slices.Clone(p.Events), s.Events...), append(slices.Clone(p.Errors), s.Errors...)
	if p.Content != "" && s.Content != "" {
		s.Content = tokens.Fit(p.Content, chapterTokens) + " " + s.Content
	} else if p.Content != "" {
		s.Title, s.Content, s.Outcome = p.Title, p.Content, p.Outcome
	}
}
