package inspect

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/journal"
	"orihon/window"
)

// Moment is one iteration on the timeline.
type Moment struct {
	Iteration int       `json:"iteration"`          // its number
	At        time.Time `json:"at,omitzero"`        // when it began
	Tokens    int       `json:"tokens"`             // of the iteration, shown in full
	Said      string    `json:"said,omitempty"`     // the prompt, else the first thing the agent said
	Prompt    bool      `json:"prompt,omitempty"`   // Said is the user's
	Tools     []string  `json:"tools,omitempty"`    // that were called, in order
	About     []string  `json:"about,omitempty"`    // of each of Tools, the file or the command, else what its input says; may be empty
	Errors    int       `json:"errors,omitempty"`   // results that were errors
	Bookmark  string    `json:"bookmark,omitempty"` // its note, or "bookmarked"
	Fold      string    `json:"fold,omitempty"`     // the stub it is shown in: F7
	Event     string    `json:"event,omitempty"`    // "fold", "unfold" or "compaction", when there was one
}

// Timeline tells of each iteration what happened in it.
func (r *Run) Timeline(ctx context.Context) ([]Moment, error) {
	cost, err := r.costs(ctx)
	if err != nil {
		return nil, err
	}
	marks := r.bookmarks()
	blocks := window.Blocks(r.view)
	var out []Moment
	cwd := ""
	for _, it := range r.view.Iterations(0, 0) {
		for _, e := range it.Events {
			var run journal.Run
			if e.Type == journal.RunStarted && r.view.Decode(e, &run) == nil && run.CWD != "" {
				cwd = run.CWD
			}
		}
		m := r.moment(it, cwd)
		m.Tokens = cost[it.N]
		if note, ok := marks[it.N]; ok {
			m.Bookmark = cmp.Or(note, "bookmarked")
		}
		for i := range blocks {
			if b := &blocks[i]; b.Iterations[0] <= it.N && it.N <= b.Iterations[1] {
				m.Fold = b.Ref()
			}
		}
		out = append(out, m)
	}
	return out, ctx.Err()
}

func (r *Run) moment(it journal.Iteration, cwd string) Moment {
	m := Moment{Iteration: it.N, At: it.Events[0].TS}
	for _, e := range it.Events {
		switch e.Type {
		case journal.UserMessage:
			if text := window.Typed(r.view, e); text != "" && !m.Prompt {
				m.Said, m.Prompt = text, true
			}
		case journal.Thought, journal.AssistantMessage:
			var said journal.Message
			if m.Said == "" && r.view.Decode(e, &said) == nil && !said.Reasoning {
				m.Said = said.Text
			}
		case journal.ActionRequest:
			var a journal.Action
			if r.view.Decode(e, &a) == nil {
				m.Tools, m.About = append(m.Tools, a.Tool), append(m.About, about(a, cwd))
			}
		case journal.ActionResult:
			var res journal.Result
			if r.view.Decode(e, &res) == nil && res.Error {
				m.Errors++
			}
		case journal.Fold, journal.Unfold, journal.Compacted:
			m.Event = strings.ToLower(string(e.Type))
		}
	}
	return m
}

// mostAbout bounds what is told of one call, in characters.
const mostAbout = 200

// about is what a call is about, on one line: a file below the working folder, a
// command, else the member of its input that says most.
func about(a journal.Action, cwd string) string {
	call := activity.New(a.Tool, a.Input, a.Files)
	text := call.Telling()
	switch {
	case call.Command != "":
		text = call.Line().Essence()
	case len(call.Files) > 0:
		text = activity.Relative(cwd, call.Files[0])
	}
	return clip(strings.Join(strings.Fields(text), " "), mostAbout)
}

// bookmarks are the notes of bookmarked iterations.
func (r *Run) bookmarks() map[int]string {
	out := map[int]string{}
	for _, e := range r.view.ByType(journal.Bookmark) {
		var b struct {
			Text      string `json:"text"`
			Iteration int    `json:"iteration"`
		}
		if r.view.Decode(e, &b) != nil || b.Iteration <= 0 {
			b.Iteration = e.Iter
		}
		out[b.Iteration] = b.Text
	}
	return out
}

// costs are the tokens of each iteration, shown in full.
func (r *Run) costs(ctx context.Context) (map[int]int, error) {
	b, err := window.New(window.SlidingWindow, &window.Options{WindowSize: 1 << 30})
	if err != nil {
		return nil, err
	}
	out := map[int]int{}
	for _, it := range r.view.Iterations(0, 0) {
		events := make([]journal.Event, 0, len(it.Events))
		for _, e := range it.Events {
			body, err := r.view.Body(e)
			if err != nil {
				continue // its body is gone: it shows nothing
			}
			e.Payload = body
			events = append(events, e)
		}
		messages, err := window.Build(ctx, b, window.Input{View: journal.NewView(events...), Limit: 1 << 30})
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", it.N, err)
		}
		for _, m := range messages {
			out[it.N] += window.Cost(m, nil)
		}
	}
	return out, nil
}
