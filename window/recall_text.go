package window

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
)

// iterationsAbout are the last iterations of a fold that read or changed a
// subject, else that name it, at most three.
func iterationsAbout(v *journal.View, b *Block, subject string) []int {
	const most = 3
	var touching, naming []int
	for _, it := range slices.Backward(v.Iterations(b.Iterations[0], b.Iterations[1])) {
		if len(touching) == most {
			break
		}
		if !mayName(it.Events, subject) {
			continue
		}
		r := readRecord(v, it.Events)
		switch {
		case slices.ContainsFunc(r.acts, func(a activity.Action) bool { return touches(&a, subject) }):
			touching = append(touching, it.N)
		case len(r.about(subject)) > 0:
			naming = append(naming, it.N)
		}
	}
	out := touching
	if len(out) == 0 {
		out = naming
	}
	out = out[:min(len(out), most)]
	slices.Sort(out)
	return out
}

// mayName reports whether events could name a subject, without reading them: their
// JSON has it, or they stand in a body of their own.
func mayName(events []journal.Event, subject string) bool {
	if strings.ContainsFunc(subject, func(r rune) bool { return r >= 0x80 || r < ' ' || strings.ContainsRune(`"\<>&`, r) }) {
		return true // JSON may write it otherwise
	}
	return slices.ContainsFunc(events, func(e journal.Event) bool {
		return bytes.Contains(e.Payload, []byte(subject)) || bytes.HasPrefix(e.Payload, []byte(`{"ref":`))
	})
}

// about is what a record says of a subject, one saying or act an entry.
func (r *record) about(subject string) []string {
	var out []string
	for _, of := range [...]struct {
		label string
		all   []saying
	}{{"User", r.prompts}, {"Assistant", r.spoken}} {
		for _, s := range of.all {
			if strings.Contains(s.text, subject) {
				out = append(out, of.label+": "+s.text)
			}
		}
	}
	for i := range r.acts {
		a := &r.acts[i]
		switch {
		case touches(a, subject) && a.Effect() == activity.Reading && a.Done:
			out = append(out, a.Tool+" "+a.Files[0]+":\n"+a.Output)
		case touches(a, subject) || strings.Contains(string(a.Input), subject):
			out = append(out, "Call: "+a.Tool+" "+string(a.Input)+"\nResult: "+a.Output)
		}
	}
	return out
}

// leastPiece is the room below which an iteration stays out of a recalled piece,
// in tokens.
const leastPiece = 60

// recalled is the text of a recalled piece: what its iterations say of the
// subject, the newest whole as far as there is room.
func (f *Folder) recalled(v *journal.View, r recallEvent) string {
	b := f.state.find(strconv.Itoa(r.Folds[0]))
	if b == nil {
		return ""
	}
	head := fmt.Sprintf("[Recalled from %s, because %s; iterations %s]\n", b.Ref(), r.Reason, ints(r.Iterations))
	room := cmp.Or(r.Room, r.Tokens) - tokens.Estimate(head)
	if len(r.Lines) > 0 {
		return inert.Text(head + r.Subject + ":\n" + spanned(stretches(v, r.Iterations, r.Subject), r.Lines))
	}
	var pieces []string
	for _, n := range slices.Backward(r.Iterations) {
		if room < leastPiece {
			break
		}
		rec := readRecord(v, v.Range(n, n))
		text := tokens.Fit(inert.Text(fmt.Sprintf("[%d] %s", n, strings.Join(rec.about(r.Subject), "\n"))), room)
		room -= tokens.Estimate(text) + 1
		pieces = append(pieces, text)
	}
	slices.Reverse(pieces)
	return inert.Text(head) + strings.Join(pieces, "\n")
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
			if v.Decode(e, &m) == nil && journal.IsReasoning(e, m) && trimmed {
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
