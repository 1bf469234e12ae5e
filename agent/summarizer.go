package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
)

// summaryTime bounds a summary for which a model is asked. Without one it is a
// matter of milliseconds.
const summaryTime = 2 * time.Minute

// SummaryOptions of [Summarize]. The zero value asks no model and keeps nothing.
type SummaryOptions struct {
	// Model has the summariser's own agent write title, content and outcome; all
	// other fields are always taken from the journal. Without one, and where it
	// fails, they are extracted.
	Model llm.Model
	Cache *window.SummaryCache
	// Redact and Observe are as in [Options].
	Redact  func(string) string
	Observe func(Event)

	run func(context.Context, Options, Task) (Outcome, error)
}

// summarize is [Summarize].
func summarize(ctx context.Context, name string, req window.SummaryRequest, o SummaryOptions) (window.SummaryResult, error) {
	s := window.SummarizerOptions{Cache: o.Cache}
	if o.Model != nil {
		s.Words = func(ctx context.Context, of window.SummaryResult) (window.Summary, error) {
			return o.words(ctx, name, req.JournalPath, of)
		}
	}
	return window.Summarize(ctx, name, req, &s)
}

// words has the summariser's agent read the journal and write.
func (o *SummaryOptions) words(ctx context.Context, name, path string, of window.SummaryResult) (window.Summary, error) {
	var told window.Summary
	def, err := Standard(name)
	if err != nil {
		return told, err
	}
	dir, err := os.MkdirTemp("", "orihon-summary-")
	if err != nil {
		return told, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	out, err := o.run(ctx, Options{
		Definition: def, Model: o.Model, Runs: dir, Work: dir, Redact: o.Redact, Observe: o.Observe,
		Tools: []Tool{readJournal{path, journalTool}}, depth: maxDepth,
	}, Task{Text: fmt.Sprintf("Sum up the iterations %d to %d.", of.Range[0], of.Range[1])})
	if err != nil {
		return told, err
	}
	if out.Reason != Answered {
		return told, errors.New(cmp.Or(out.Detail, out.Reason))
	}
	err = json.Unmarshal(reportIn(out.Answer), &told)
	told.Gaps = nil
	if err == nil && (told.Title == "" || told.Content == "") {
		err = fmt.Errorf("%w summary: title or content is missing", memory.ErrInvalid)
	}
	return told, err
}

// The names of [readJournal]: of a summariser, and of a run that continues another.
const (
	journalTool = "read_journal"
	earlierTool = "read_earlier_run"
)

// readJournal is the tool with which an agent reads another run: the one that it
// sums up or continues.
type readJournal struct{ path, name string }

// Spec implements [Tool].
func (t readJournal) Spec() llm.ToolSpec {
	return llm.ToolSpec{
		Name: t.name, Description: "Read iterations of the run, word for word. Long ranges come in pages.",
		Schema: schemaOf([]Parameter{
			{Name: "path", Description: "the run's journal; it may be left out"},
			{Name: "start", Type: TypeInteger, Required: true},
			{Name: "end", Type: TypeInteger, Required: true},
			{Name: "page", Type: TypeInteger},
		}),
	}
}

// pageOfJournal is how much of a page the model gets at once, in tokens.
const pageOfJournal = 12_000

// Call implements [Tool]. The path can name no other journal.
func (t readJournal) Call(ctx context.Context, c Call) (string, error) {
	var in struct {
		Path             string
		Start, End, Page int
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return "", fmt.Errorf("%w input: %w", memory.ErrInvalid, err)
	}
	if in.Path != "" && journal.Folder(in.Path) != journal.Folder(t.path) {
		return "", fmt.Errorf("path: %w: only the journal of the run can be read", memory.ErrRefused)
	}
	log, err := journal.Open(journal.Folder(t.path), nil)
	if err != nil {
		return "", err
	}
	v, err := log.View(ctx)
	if err != nil {
		return "", err
	}
	text, pages, err := window.Expand(v.ReadOnly(), max(in.Start, 1), in.End, in.Page)
	if err != nil {
		return "", err
	}
	if pages > 1 {
		text += fmt.Sprintf("\n[page %d of %d]", max(in.Page, 1), pages)
	}
	return tokens.Fit(text, pageOfJournal), nil
}

// summarizer is a tool that calls a standard summariser on the run itself.
type summarizer struct {
	r    *run
	tool *ToolDef
	run  func(context.Context, Options, Task) (Outcome, error)
}

// Spec implements [Tool].
func (s *summarizer) Spec() llm.ToolSpec {
	return llm.ToolSpec{
		Name: s.tool.Name, Description: cmp.Or(s.tool.Description, "Sum up a range of earlier iterations of this run; the summary stays in view."),
		Schema: schemaOf([]Parameter{{Name: "task", Required: true, Description: "iterations:50-100"}}),
	}
}

// Call is never called: a summariser is forked.
func (s *summarizer) Call(context.Context, Call) (string, error) { return "", errors.ErrUnsupported }

func (s *summarizer) fork(_ context.Context, c Call) (func(context.Context) (string, error), error) {
	var in struct{ Task string }
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, fmt.Errorf("%w input: %w", memory.ErrInvalid, err)
	}
	req := window.SummaryRequest{JournalPath: s.r.view.Journal().Path(), Query: strings.TrimSpace(in.Task)}
	if req.Query == "" {
		// The present iteration is not over yet.
		req.Query = fmt.Sprintf("iterations:%d-%d", max(1, s.r.view.FirstIteration()), max(1, s.r.view.LastIteration()-1))
	}
	o := SummaryOptions{
		Model: s.r.o.Model, Redact: s.r.o.Redact, Cache: &window.SummaryCache{Dir: filepath.Clean(s.r.dir), Now: s.r.o.Now},
		run: s.run,
	}
	return func(ctx context.Context) (string, error) {
		got, err := summarize(ctx, s.tool.AgentPath, req, o)
		if err != nil {
			return "", err
		}
		text, err := window.Injection(got)
		return string(text), err
	}, nil
}
