package inspect

import (
	"context"
	"unicode/utf8"

	"orihon/journal"
	"orihon/window"
)

// Picture is a run and its context for somebody to look at. All text in it is
// foreign.
type Picture struct {
	Name       string        `json:"name"`       // of the run
	Heading    string        `json:"heading"`    // what was asked first, in plain text, at most 90 characters
	Task       string        `json:"task"`       // the same in its own words, at most 8 KiB
	Inspection *Inspection   `json:"inspection"` // of its context
	Moments    []Moment      `json:"moments"`    // its iterations in which anything was said or done, oldest first
	Zones      []string      `json:"zones"`      // of each moment: "working", "short-term", "long-term"; "out" where it is not shown, "" where nobody says
	Pauses     []Pause       `json:"pauses"`     // oldest first
	Blocks     []FoldedBlock `json:"blocks"`     // oldest first; none where the strategy does not show them
	Said       [][]Said      `json:"said"`       // in each moment
}

// Said is one thing said or done in an iteration.
type Said struct {
	Who   string `json:"who"`             // "user", "assistant", "reasoning", "call", "result", "error"
	Text  string `json:"text"`            // at most 4 KiB
	Bytes int    `json:"bytes,omitempty"` // of the whole text, when it was cut
}

// Bounds of a picture, in bytes of text: of one thing and of all.
const (
	mostTask    = 8 << 10
	mostSaid    = 4 << 10
	mostPicture = 16 << 20
)

// Picture folds a copy of the run as the strategy would now and shows how it
// stands. Nothing is written.
func (r *Run) Picture(ctx context.Context, o BuildOptions) (*Picture, error) {
	v, messages, err := r.shown(ctx, o)
	if err != nil {
		return nil, err
	}
	folded := &Run{Name: r.Name, System: r.System, Strategy: r.Strategy, Options: r.Options, view: v}
	p := &Picture{Name: r.Name, Pauses: folded.pauses()}
	if p.Inspection, err = folded.Inspect(ctx, o); err != nil {
		return nil, err
	}
	folds := p.Inspection.Strategy == window.Folding || p.Inspection.Folds > 0
	if folds {
		p.Blocks = folded.Blocks()
	}
	moments, err := folded.Timeline(ctx)
	if err != nil {
		return nil, err
	}
	p.Task = o.Task
	for i := range moments {
		if m := &moments[i]; p.Task == "" && m.Prompt {
			p.Task = m.Said
		}
	}
	p.Task = cut(p.Task, mostTask)
	p.Heading = heading(p.Task)
	inView := map[int]bool{}
	for i := range messages {
		if n := messages[i].Iteration; n > 0 {
			inView[n] = true
		}
	}
	z := newZones(folded)
	room := mostPicture
	for i, it := range v.Iterations(0, 0) {
		said := folded.said(it, &room)
		if len(said) == 0 {
			continue // what stands before the first turn, or a note between two
		}
		p.Moments, p.Said = append(p.Moments, moments[i]), append(p.Said, said)
		if !folds {
			// Folds that the journal has from elsewhere are nothing to this strategy.
			p.Moments[len(p.Moments)-1].Fold = ""
		}
		switch {
		case !folds && len(inView) == 0:
			p.Zones = append(p.Zones, "")
		case !folds && !inView[it.N]:
			p.Zones = append(p.Zones, "out")
		case !folds:
			p.Zones = append(p.Zones, "working")
		case moments[i].Fold != "":
			p.Zones = append(p.Zones, "long-term")
		case z.trimmed[it.N]:
			p.Zones = append(p.Zones, "short-term")
		default:
			p.Zones = append(p.Zones, "working")
		}
	}
	return p, nil
}

func (r *Run) said(it journal.Iteration, room *int) []Said {
	out := []Said{}
	for _, e := range it.Events {
		who := ""
		switch e.Type {
		case journal.UserMessage:
			who = "user"
		case journal.AssistantMessage:
			who = "assistant"
		case journal.Thought:
			who = "assistant"
			var m journal.Message
			if r.view.Decode(e, &m) == nil && m.Reasoning {
				who = "reasoning"
			}
		case journal.ActionRequest:
			who = "call"
		case journal.ActionResult:
			who = "result"
			var res journal.Result
			if r.view.Decode(e, &res) == nil && res.Error {
				who = "error"
			}
		default:
			continue
		}
		text := r.view.Text(e)
		s := Said{Who: who, Text: text}
		if s.Text = cut(text, max(0, min(mostSaid, *room))); len(s.Text) < len(text) {
			s.Bytes = len(text)
		}
		*room -= len(s.Text)
		out = append(out, s)
	}
	return out
}

// cut is at most so many bytes of a text, in whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
