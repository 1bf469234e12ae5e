package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"orihon"
	"orihon/internal/tokens"
	"orihon/memory"
)

// demoUser is who talks in the recording.
const demoUser = "dev"

// demo plays recorded sessions against a home of their own. Hooks and the work
// they detach run as processes of exe, as a client would start them.
type demo struct {
	exe        string
	recordings fs.FS    // *.jsonl, played in the order of their names
	environ    []string // what the processes start from
	keep       bool

	told  func(*demoEvent) // nil, or called for every event played
	after func([]demoItem) // nil, or called after the first session

	dir, home, cwd string // the temporary folder, the user's home in it, the project
	memory         *orihon.Memory
	report         demoReport
}

// demoReport is what the demo found, as --json prints it.
type demoReport struct {
	Dir     string `json:"dir"`
	Home    string `json:"home"`
	Project string `json:"project"`
	Removed bool   `json:"removed"`

	Played []demoEvent `json:"played"`
	Kept   []demoItem  `json:"kept"` // after the first session

	Events    int     `json:"events"`
	MedianMS  float64 `json:"median_ms"`
	SlowestMS float64 `json:"slowest_ms"`
	Tokens    int     `json:"tokens"`
	Asked     int     `json:"asked"`  // prompts of the last session
	Helped    int     `json:"helped"` // those of them that got something

	Secrets      demoSearch `json:"secrets"`
	Expectations int        `json:"expectations"`
	Failures     []string   `json:"failures"`
}

// demoEvent is one event played and what its hook answered.
type demoEvent struct {
	Session  int     `json:"session"`
	Name     string  `json:"event"`
	Source   string  `json:"source,omitempty"`
	Prompt   string  `json:"prompt,omitempty"`
	Notice   string  `json:"notice,omitempty"`   // for the user
	Injected string  `json:"injected,omitempty"` // for the agent
	Tokens   int     `json:"tokens"`
	MS       float64 `json:"ms"` // from the start of the process to its end
}

type demoItem struct {
	What string `json:"what"`
	Text string `json:"text"`
}

// play makes the folders, plays every recording and looks at what came of it.
// The folders are gone afterwards unless they are to be kept.
func (d *demo) play(ctx context.Context) (r *demoReport, err error) {
	names, err := fs.Glob(d.recordings, "*.jsonl")
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no recordings: %w", errors.Join(err, fs.ErrNotExist))
	}
	defer func() {
		if d.keep || d.dir == "" {
			return
		}
		if removed := removeDemo(d.dir); removed != nil {
			err = errors.Join(err, removed)
		}
		d.report.Removed = true
	}()
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	defer d.memory.Close()
	for i, name := range names {
		if err := d.session(ctx, i+1, name); err != nil {
			return nil, err
		}
		if i == 0 {
			if err := d.look(ctx); err != nil {
				return nil, err
			}
		}
	}
	if err := d.examine(len(names)); err != nil {
		return nil, err
	}
	return &d.report, nil
}

// session plays one recording.
func (d *demo) session(ctx context.Context, number int, name string) error {
	events, err := readRecording(d.recordings, name, d.placeholders())
	if err != nil {
		return err
	}
	for _, e := range events {
		out, took, err := d.run(ctx, e.raw, "hook")
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, e.line, err)
		}
		answer, err := parseHookAnswer(out, e.Name)
		if err != nil {
			return fmt.Errorf("%s:%d: the hook's answer: %w", name, e.line, err)
		}
		played := demoEvent{
			Session: number, Name: e.Name, Source: e.Source, Prompt: e.Prompt, Notice: answer.SystemMessage,
			Injected: answer.Specific.Context, Tokens: tokens.Estimate(answer.Specific.Context), MS: ms(took),
		}
		d.report.Played = append(d.report.Played, played)
		if d.told != nil {
			d.told(&played)
		}
		d.check(name, &e, &played)
		if err := e.transcribe(time.Now()); err != nil {
			return err
		}
		switch e.Name {
		case "SessionStart", "Stop", "SessionEnd":
			// A client leaves seconds here for what the hook detached.
			if err := d.settle(ctx); err != nil {
				return fmt.Errorf("%s:%d: %w", name, e.line, err)
			}
		}
	}
	return nil
}

// check holds an answer against what the recording expects of it.
func (d *demo) check(name string, e *recorded, got *demoEvent) {
	at := fmt.Sprintf("%s:%d: %s %q", name, e.line, e.Name, e.Prompt+e.Source)
	for _, want := range e.Expect {
		d.expect(strings.Contains(got.Notice+"\n"+got.Injected, want), "%s: nothing in the answer says %q", at, want)
	}
	if e.ExpectNothing {
		d.expect(got.Injected == "", "%s: it got %d tokens and should get nothing", at, got.Tokens)
	}
}

// look lists what the first session left in memory.
func (d *demo) look(ctx context.Context) error {
	items, err := d.memory.Items().List(ctx, memory.Filter{})
	if err != nil {
		return err
	}
	slices.Reverse(items) // oldest first
	for i := range items {
		it := &items[i].Item
		text := it.Content
		if it.Title != "" {
			text = it.Title + "\n" + text
		}
		d.report.Kept = append(d.report.Kept, demoItem{What: describe(it), Text: text})
	}
	if d.after != nil {
		d.after(d.report.Kept)
	}
	return nil
}

// examine sums up after the last session.
func (d *demo) examine(sessions int) error {
	r := &d.report
	var took []float64
	for i := range r.Played {
		p := &r.Played[i]
		took = append(took, p.MS)
		r.Tokens += p.Tokens
		if p.Session == sessions && p.Prompt != "" {
			r.Asked++
			if p.Injected != "" {
				r.Helped++
			}
		}
	}
	r.Events = len(took)
	if r.Events > 0 {
		slices.Sort(took)
		r.MedianMS, r.SlowestMS = took[len(took)/2], took[len(took)-1]
	}
	err := d.hookLog()
	d.expect(err == nil, "%v", err)
	return d.search()
}
