package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"orihon/internal/redact"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
	"orihon/window/inspect"
	"orihon/workmem"
)

// Run is one run of an agent: a session of this project, a transcript in a file,
// or a journal in a folder. What is appended to its view is written to the
// session's journal; that of a transcript takes nothing. It is read once;
// [journal.View.Update] reads what was added. It is not safe for concurrent use.
type Run struct {
	// Run looks at the run: Messages, Inspect, Simulate, Picture, Timeline, Events,
	// Blocks, Retrieve. Its name is the session's ID, or the path of the file or
	// folder; its strategy that of the [Options].
	*inspect.Run
	// File says that the run was named by its path: it can be looked at, and
	// nothing is written to it.
	File bool
	// Problems are the places of a transcript that could not be read, as
	// "file:line: what is wrong".
	Problems []string

	// Over reports whether an instruction of the prompt at a place in the journal holds no
	// longer: hand-overs and briefs then leave it out. Nil knows of none.
	Over func(seq int64, instruction string) bool

	o *Options
}

// writable refuses to change what is only a file.
func (r *Run) writable(verb string) error {
	kept := r.View().Journal() != nil
	if r.File && kept {
		return fmt.Errorf("%w: a journal that is named by its folder is only read, and %s writes to it: name its session", memory.ErrRefused, verb)
	}
	if !kept {
		return fmt.Errorf("%w: %s is a transcript, and %s writes to a journal: take it in with \"orihon import %s\" and name the session",
			memory.ErrRefused, r.Name, verb, r.Name)
	}
	return nil
}

// folder folds and unfolds a run that may be written to.
func (r *Run) folder(verb string) (*window.Folder, error) {
	if err := r.writable(verb); err != nil {
		return nil, err
	}
	return window.NewFolder(nil)
}

// Fold folds iterations into one block, which the journal keeps. A range that
// cuts through a fold or would save less than a tenth is a [memory.ErrInvalid];
// a transcript is [memory.ErrRefused].
func (r *Run) Fold(ctx context.Context, from, to int) (window.Block, error) {
	f, err := r.folder("fold")
	if err != nil {
		return window.Block{}, err
	}
	return f.FoldRange(ctx, window.Input{System: r.System, View: r.View()}, from, to)
}

// Unfold shows a fold, named F7 or by its id, as it was before.
func (r *Run) Unfold(ctx context.Context, ref string) (window.Block, error) {
	f, err := r.folder("unfold")
	if err != nil {
		return window.Block{}, err
	}
	return f.Unfold(ctx, r.View(), ref)
}

// clean takes secrets out of a text.
func (r *Run) clean(text string) string {
	text, _ = redact.New(r.o.RedactOff).Text(text)
	return text
}

// Bookmark keeps an iteration from being folded, and says why.
func (r *Run) Bookmark(ctx context.Context, iteration int, note string) error {
	if err := r.writable("bookmark"); err != nil {
		return err
	}
	if len(r.View().Range(iteration, iteration)) == 0 || iteration <= 0 {
		return fmt.Errorf("%w iteration %d: the run has %s", memory.ErrInvalid, iteration, r.Span())
	}
	note = strings.TrimSpace(r.clean(redact.Private(note)))
	return r.append(ctx, journal.Bookmark, struct {
		Text      string `json:"text"`
		Iteration int    `json:"iteration"`
	}{note, iteration})
}

func (r *Run) append(ctx context.Context, t journal.Type, payload any) error {
	e, err := journal.New(t, "", payload)
	if err != nil {
		return err
	}
	_, err = r.View().Append(ctx, e)
	return err
}

// Expand is [inspect.Run.Expand]. A journal is told that a fold was opened.
func (r *Run) Expand(ctx context.Context, ref, anchor string, page int) (inspect.Page, error) {
	out, err := r.Run.Expand(ctx, ref, anchor, page)
	if err == nil {
		r.noteOpened(ctx, ref)
	}
	return out, err
}

// noteOpened tells a journal that a fold was asked for: it folds later then.
func (r *Run) noteOpened(ctx context.Context, ref string) {
	b := r.Block(ref)
	if _, _, other := inspect.ParseIterations(ref); other == nil || b == nil || r.File {
		return
	}
	err := r.append(ctx, journal.Recalled, struct {
		Folds  []int  `json:"folds"`
		Reason string `json:"reason"`
	}{[]int{b.Number}, "opened"})
	if err != nil {
		r.o.Logger.Warn("context: opening not noted", "run", r.Name, "err", err)
	}
}

// Of is the run that a view shows, as a session's when the view is of a journal.
func (rs *Runs) Of(name string, v *journal.View) *Run {
	r := &Run{Run: inspect.New(v), o: &rs.o}
	r.Name, r.Strategy, r.Options = name, rs.o.Strategy, new(window.Options)
	if rs.o.Build != nil {
		*r.Options = *rs.o.Build
	}
	r.Options.WorkingMemory.Overview = func() (workmem.Overview, error) {
		if j := v.Journal(); j != nil {
			return workmem.Look(j.Dir())
		}
		return workmem.Template(), nil
	}
	return r
}

// SummaryOptions is what [Run.Summarize] sums up, and how. The zero value is the whole
// run in the form that loses least.
type SummaryOptions struct {
	Agent    string // one of [window.Summarizers]; "" is summarizer-adaptive
	From, To int    // iterations; 0 leaves that end open
	// Parent is an earlier result of the same summariser: only what came after
	// its range is read, and the result stands for both.
	Parent json.RawMessage
	// Program sums up in place of Agent; nil is none.
	Program []string
	// Model writes title, content and outcome of a chapter; nil leaves them to
	// extraction.
	Model llm.Model
}

// Summarize runs a standard summariser over a part of the run. Without a model it
// takes everything from the journal, and the same journal gives the same result.
// That of a session is kept under summaries/ in its folder. A range that the run
// does not have is a [memory.ErrNotFound], an unknown summariser or a parent of
// another one a [memory.ErrInvalid].
func (r *Run) Summarize(ctx context.Context, s SummaryOptions) (window.SummaryResult, error) {
	to := cmp.Or(max(s.To, 0), max(s.From, r.View().LastIteration(), 1))
	if len(r.View().Range(s.From, to)) == 0 {
		return window.SummaryResult{}, fmt.Errorf("iterations %d to %d: %w: the run has %s", max(1, s.From), to, memory.ErrNotFound, r.Span())
	}
	o := window.SummarizerOptions{Model: s.Model}
	if len(s.Program) > 0 {
		o.Program = window.CustomOptions{Command: s.Program}
		if b := r.o.Build; b != nil {
			o.Program.AgentHome, o.Program.Env = b.Custom.AgentHome, b.Custom.Env
		}
	}
	if j := r.View().Journal(); j != nil && !r.File {
		o.Cache = &window.SummaryCache{Dir: j.Dir(), Now: r.o.Now}
	}
	return window.SummarizeView(ctx, cmp.Or(s.Agent, window.SummarizerAdaptive), r.View(), window.SummaryRequest{
		Query: fmt.Sprintf("iterations:%d-%d", max(1, s.From), to), Parent: s.Parent,
	}, &o)
}
