package window

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
)

// recallRest is for how many iterations a fold that was recalled by itself is
// left alone.
const recallRest = 10

// importantFold is from which importance on a fold opens when the present names
// one of its entities.
const importantFold = 0.7

// recall opens what the newest iteration asks for without saying so: folds of
// what an operation failed at, and important ones it mentions.
func (f *Folder) recall(ctx context.Context, in Input) {
	top := f.state.tops
	if len(top) == 0 {
		return
	}
	r := readRecord(in.View, in.View.Range(in.Iteration, in.Iteration))
	number, why, subject := f.forError(&r, top, in)
	if number == 0 {
		number, why, subject = f.forMention(&r, top, in)
	}
	if number == 0 {
		return
	}
	b := f.state.blocks[number]
	room := int(f.o.Retrieved*float64(in.Limit)) - f.openTokens()
	if room < 100 {
		return
	}
	ev := recallEvent{Folds: []int{number}, Reason: why, Iterations: iterationsAbout(in.View, b, subject), Tokens: min(room, in.Limit/20)}
	if len(ev.Iterations) == 0 {
		return
	}
	if write(ctx, in.View, journal.Recalled, ev) != nil {
		return // only looked at: what cannot be noted is not recalled
	}
	f.stats.Recalls++
	f.state.read(in.View)
}

// openTokens is what open recalls take of the retrieved zone.
func (f *Folder) openTokens() int {
	n := 0
	for _, r := range f.state.recalls {
		if f.state.open(r) {
			n += r.Tokens
		}
	}
	return n
}

func (f *Folder) rested(number, now int) bool {
	for _, r := range slices.Backward(f.state.recalls) {
		if slices.Contains(r.Folds, number) && len(r.Iterations) > 0 {
			return now-r.iter >= recallRest
		}
	}
	return true
}

// forError finds the newest fold that changed what an act failed at.
func (f *Folder) forError(r *record, top []*Block, in Input) (number int, why, subject string) {
	for i := range r.acts {
		a := &r.acts[i]
		if !a.Erred() {
			continue
		}
		for _, file := range filesOf(a) {
			for _, b := range slices.Backward(top) {
				for _, change := range b.StateChanges {
					if strings.Contains(change, file) && f.rested(b.Number, in.Iteration) {
						return b.Number, "an operation on " + file + " failed", file
					}
				}
			}
		}
	}
	return 0, "", ""
}

// filesOf are the base names of the files an act names, in its input and in
// what it said.
func filesOf(a *activity.Action) []string {
	var out []string
	for _, f := range a.Files {
		out = append(out, activity.Base(f))
	}
	for _, e := range journal.Entities(a.Command + "\n" + a.Output[:min(len(a.Output), 4<<10)]) {
		if e.Kind == journal.FileEntity {
			out = append(out, path.Base(e.Name))
		}
	}
	// A folder says too little.
	out = slices.DeleteFunc(out, func(f string) bool { return !strings.Contains(f, ".") })
	return distinct(out)
}

// forMention finds an important fold that the present names.
func (f *Folder) forMention(r *record, top []*Block, in Input) (number int, why, subject string) {
	var said strings.Builder
	for _, s := range slices.Concat(r.prompts, r.spoken) {
		said.WriteString(s.text + "\n")
	}
	for _, b := range slices.Backward(top) {
		age := in.Iteration - b.Iterations[1]
		heavy := importance(age, b.Retrievability.AccessCount, len(b.Errors) > 0, 1000*len(b.StateChanges)) > importantFold
		if !heavy || !f.rested(b.Number, in.Iteration) {
			continue
		}
		for _, name := range b.Entities {
			if len(name) > 5 && strings.Contains(said.String(), name) {
				return b.Number, name + " was mentioned", name
			}
		}
	}
	return 0, "", ""
}

// iterationsAbout are the last iterations of a fold that name a subject, at most
// three.
func iterationsAbout(v *journal.View, b *Block, subject string) []int {
	var out []int
	for _, it := range slices.Backward(v.Iterations(b.Iterations[0], b.Iterations[1])) {
		for _, e := range it.Events {
			if strings.Contains(v.Text(e), subject) {
				out = append(out, it.N)
				break
			}
		}
		if len(out) == 3 {
			break
		}
	}
	slices.Sort(out)
	return out
}

// recalled is the text of a recalled piece.
func (f *Folder) recalled(v *journal.View, r recallEvent) string {
	b := f.state.byNumber[r.Folds[0]]
	if b == nil {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s, "[Recalled from %s, because %s; iterations %s]\n", b.Ref(), r.Reason, ints(r.Iterations))
	for _, n := range r.Iterations {
		s.WriteString(transcriptOf(v, v.Range(n, n), true))
	}
	return tokens.Fit(inert.Text(s.String()), r.Tokens)
}

// transcriptOf writes events as a person reads them; trimmed cuts what tools
// said short.
func transcriptOf(v *journal.View, events []journal.Event, trimmed bool) string {
	var b strings.Builder
	for _, e := range events {
		text := v.Text(e)
		label := ""
		switch e.Type {
		case journal.UserMessage:
			label = "User"
		case journal.AssistantMessage:
			label = "Assistant"
		case journal.Thought:
			var m journal.Message
			if v.Decode(e, &m) == nil && isReasoning(e, m) && trimmed {
				continue
			}
			label = "Assistant"
		case journal.ActionRequest:
			label = "Call"
		case journal.ActionResult:
			label = "Result"
			if trimmed {
				if short := tokens.Fit(text, briefOutput); short != text {
					text = short + " …"
				}
			}
		default:
			continue
		}
		fmt.Fprintf(&b, "[%d] %s: %s\n", e.Iter, label, text)
	}
	return b.String()
}

// missedExpands counts files read again whose reading lies in a fold.
func (f *Folder) missedExpands(it *iterationFacts) {
	if len(it.read) == 0 {
		return
	}
	for _, b := range f.state.tops {
		for _, file := range it.read {
			if slices.Contains(b.Read, activity.Base(file)) {
				f.stats.MissedExpands++
				return
			}
		}
	}
}
