package window

import (
	"bytes"
	"cmp"
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

// recallsAtOnce bounds how many pieces one iteration opens.
const recallsAtOnce = 3

// leastRecall is the room in the retrieved zone below which nothing is recalled,
// in tokens.
const leastRecall = 100

// recall opens what the newest iteration asks for without saying so: of what an
// operation failed at, and of what it names, the parts that lie in folds alone.
func (f *Folder) recall(ctx context.Context, in Input) {
	if len(f.state.tops) == 0 {
		return
	}
	var present []record
	for n := in.Iteration - recallPresent + 1; n <= in.Iteration; n++ {
		present = append(present, readRecord(in.View, in.View.Range(n, n)))
	}
	opened := 0
	for _, w := range f.ranked(in, present) {
		zone := int(f.o.Retrieved * float64(in.Limit))
		if !w.failed {
			zone = zone * 3 / 4 // the rest is for what fails
		}
		room := min(zone-f.openTokens(in.Iteration-recallStays), 2*zone-f.openTokens(0))
		if opened == recallsAtOnce || room < leastRecall {
			return
		}
		b := f.holding(w)
		ev := recallEvent{Folds: []int{b.Number}, Reason: w.why, Subject: w.subject, Guess: !w.failed, Room: min(room, in.Limit/w.share)}
		if len(w.at) > 0 {
			ev.Iterations, ev.Lines, ev.Focus = w.at, true, w.focus
		} else {
			ev.Iterations = iterationsAbout(in.View, b, w.subject)
		}
		text := f.recalled(in.View, ev)
		if len(ev.Iterations) == 0 || !f.news(in.View, ev, text) {
			continue
		}
		ev.Tokens = tokens.Estimate(text)
		if write(ctx, in.View, journal.Recalled, ev) != nil {
			return // only looked at: what cannot be noted is not recalled
		}
		opened++
		f.stats.Recalls++
		f.state.read(in.View)
	}
}

// ranked are the wants whose files lie in folds alone: what an operation failed at,
// then those of which the present, the last of some records, names the most lines and
// declarations.
func (f *Folder) ranked(in Input, present []record) []want {
	inView, touching, texts := f.inView(in), f.touching(in), presentOf(present)
	all := distinctWants(append(wanted(&present[len(present)-1]), f.worked(in)...))
	all = slices.DeleteFunc(all, func(w want) bool { return inView[w.subject] || f.holding(w) == nil })
	for i := range all {
		w := &all[i]
		w.at, w.focus = newest(touching[w.subject], mostTouching), focusOf(texts, w.subject)
		places := placesOf(f.known(in, w.subject, w.at), w.focus)
		for _, p := range places[:min(len(places), 3)] {
			w.worth += p.worth
		}
		if w.worth >= nearWorth {
			w.share = nearShare
		}
	}
	all = slices.DeleteFunc(all, func(w want) bool { return w.share == farShare && w.worth < leastWorth })
	slices.SortStableFunc(all, func(a, b want) int {
		if a.failed != b.failed {
			if a.failed {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.worth, a.worth)
	})
	return all
}

// What a file must be worth to the present that is not spoken of, and to get as much
// room as one that is.
const leastWorth, nearWorth = 1, 2

// known is what some iterations read and wrote of a file, gathered once until it is
// touched again.
func (f *Folder) known(in Input, base string, at []int) [][]shownLine {
	if k, ok := f.files[base]; ok && slices.Equal(k.at, at) {
		return k.lines
	}
	k := knownFile{at, stretches(in.View, at, base)}
	f.files[base] = k
	return k.lines
}

// knownFile is what some iterations read and wrote of a file.
type knownFile struct {
	at    []int
	lines [][]shownLine
}

// recallPresent is of how many iterations the names count for which lines matter.
const recallPresent = 3

// touching are the folded iterations of the last recallBack that read or changed
// files, by base name, oldest first.
func (f *Folder) touching(in Input) map[string][]int {
	out := map[string][]int{}
	for _, b := range f.state.tops {
		for n := max(b.Iterations[0], in.Iteration-recallBack); n <= b.Iterations[1]; n++ {
			it := f.iteration(in, n)
			if it == nil {
				continue
			}
			for _, file := range slices.Concat(it.read, it.edited) {
				base := activity.Base(file)
				if at := out[base]; len(at) == 0 || at[len(at)-1] != n {
					out[base] = append(at, n)
				}
			}
		}
	}
	return out
}

// mostTouching bounds of how many iterations the lines of a file are gathered.
const mostTouching = 16

// leastNews is how many lines a piece must have that no open one about its subject
// shows.
const leastNews = 6

// news reports whether a piece shows enough that no open one does.
func (f *Folder) news(v *journal.View, ev recallEvent, text string) bool {
	if !f.opens(ev.Subject) {
		return true
	}
	if !ev.Lines {
		return false
	}
	shown := map[string]bool{}
	for _, r := range f.state.recalls {
		if r.Subject == ev.Subject && f.state.open(r) {
			for line := range strings.Lines(f.recalled(v, r)) {
				shown[line] = true
			}
		}
	}
	fresh, all := 0, 0
	for line := range strings.Lines(text) {
		if all++; !shown[line] {
			fresh++
		}
	}
	return fresh >= leastNews && 3*fresh > all
}

// openTokens is what the pieces take that were opened behind an iteration and are
// still open.
func (f *Folder) openTokens(behind int) int {
	n := 0
	for _, r := range f.state.recalls {
		if r.iter > behind && f.state.open(r) {
			n += r.Tokens
		}
	}
	return n
}

// opens reports whether a piece about a subject is open.
func (f *Folder) opens(subject string) bool {
	return slices.ContainsFunc(f.state.recalls, func(r recallEvent) bool { return r.Subject == subject && f.state.open(r) })
}

// inView are the files that iterations outside of folds read or changed, by base
// name.
func (f *Folder) inView(in Input) map[string]bool {
	out := map[string]bool{}
	from := in.View.FirstIteration()
	look := func(to int) {
		for n := from; n <= to; n++ {
			if it := f.iteration(in, n); it != nil {
				for _, file := range slices.Concat(it.read, it.edited) {
					out[activity.Base(file)] = true
				}
			}
		}
	}
	for _, b := range f.state.tops {
		look(b.Iterations[0] - 1)
		from = max(from, b.Iterations[1]+1)
	}
	look(in.Iteration)
	return out
}

// want is a subject that the present is about.
type want struct {
	subject string // a file by its base name, or another name
	why     string
	failed  bool
	share   int // of the limit, as its divisor, that a piece may take

	at    []int    // folded iterations that read or changed it
	focus []string // lines and names of the present
	worth float64  // of the lines that they are about
}

// wanted are the subjects of an iteration: what an operation failed at, then what
// was said and asked for, then what tools answered.
func wanted(r *record) []want {
	var out []want
	for i := range r.acts {
		if a := &r.acts[i]; a.Erred() {
			for _, file := range filesOf(a) {
				out = append(out, want{subject: file, why: "an operation on " + file + " failed", failed: true, share: nearShare})
			}
		}
	}
	var asked, done, answered strings.Builder
	for _, s := range r.prompts {
		asked.WriteString(s.text + "\n")
	}
	for _, s := range r.spoken {
		done.WriteString(s.text + "\n")
	}
	for i := range r.acts {
		a := &r.acts[i]
		done.Write(a.Input)
		answered.WriteString(a.Output[:min(len(a.Output), searchedOutput)] + "\n")
	}
	share := nearShare
	for i, text := range [...]string{asked.String(), done.String(), answered.String()} {
		if i == 2 {
			share = farShare
		}
		for _, e := range journal.Entities(text) {
			switch {
			case e.Kind == journal.FileEntity:
				out = append(out, want{subject: path.Base(e.Name), why: path.Base(e.Name) + " was mentioned", share: share})
			case e.Kind == journal.Identifier && i == 0: // the user's words alone: of other names there are too many
				out = append(out, want{subject: e.Name, why: e.Name + " was mentioned", share: share})
			}
		}
	}
	return distinctWants(out)
}

// worked are the files of the last iterations, the newest first: an epoch may have
// folded what the work goes on with.
func (f *Folder) worked(in Input) []want {
	var out []want
	for n := in.Iteration - 1; n > in.Iteration-recallBack; n-- {
		if it := f.iteration(in, n); it != nil {
			for _, file := range slices.Concat(it.edited, it.read) {
				base := activity.Base(file)
				out = append(out, want{subject: base, why: base + " was worked on", share: farShare})
			}
		}
	}
	return out
}

// recallBack is for how many iterations a file counts as worked on.
const recallBack = 300

// What a piece may take of the limit, as divisors: of what failed or was spoken
// of, and of what a tool's answer only names.
const (
	nearShare = 25
	farShare  = 50
)

// searchedOutput is how much of a tool's answer is looked through for names.
const searchedOutput = 16 << 10

func distinctWants(all []want) []want {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(w want) bool {
		twice := seen[w.subject]
		seen[w.subject] = true
		return twice
	})
}

// holding is the newest fold that has what is wanted: for a failed operation one
// that changed its subject, else one that is important enough.
func (f *Folder) holding(w want) *Block {
	for _, b := range slices.Backward(f.state.tops) {
		changed := slices.ContainsFunc(b.StateChanges, func(c string) bool { return names(c, w.subject) })
		if w.failed && changed {
			return b
		}
		if !w.failed && (changed || slices.Contains(b.Read, w.subject) || slices.Contains(b.Entities, w.subject)) && b.matters() >= f.o.RecallFrom {
			return b
		}
	}
	return nil
}

// matters is the importance of a block for a present that names one of its
// subjects: what is mentioned now is at no distance.
func (b *Block) matters() float64 {
	return importance(0, b.Retrievability.AccessCount, len(b.Errors) > 0, 1000*len(b.StateChanges))
}

// names reports whether a change is about a file of a base name.
func names(change, base string) bool {
	for word := range strings.FieldsSeq(change) {
		if activity.Base(word) == base {
			return true
		}
	}
	return false
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
	b := f.state.byNumber[r.Folds[0]]
	if b == nil {
		return ""
	}
	head := fmt.Sprintf("[Recalled from %s, because %s; iterations %s]\n", b.Ref(), r.Reason, ints(r.Iterations))
	room := cmp.Or(r.Room, r.Tokens) - tokens.Estimate(head)
	if r.Lines {
		return inert.Text(head + r.Subject + ":\n" + linesAbout(stretches(v, r.Iterations, r.Subject), r.Focus, room-tokens.Estimate(r.Subject)-4))
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

// readAgain counts files that are read again where folds alone hold at least half of
// the lines, by how much of them a recall had opened before.
func (f *Folder) readAgain(in Input, it *iterationFacts) {
	before := in
	before.Iteration = it.n - 1
	if len(it.read) == 0 || len(f.state.tops) == 0 {
		return
	}
	inView, touching := f.inView(before), f.touching(before)
	r := readRecord(in.View, in.View.Range(it.n, it.n))
	for i := range r.acts {
		a := &r.acts[i]
		if a.Effect() != activity.Reading || len(a.Files) == 0 || !a.Done || a.Failed || inView[activity.Base(a.Files[0])] {
			continue
		}
		base := activity.Base(a.Files[0])
		lines := map[string]bool{}
		for _, l := range numbered(a.Output) {
			if text := strings.TrimSpace(l.text); text != "" {
				lines[text] = false
			}
		}
		count := func(text string) int {
			n := 0
			for _, l := range numbered(text) {
				if told, of := lines[strings.TrimSpace(l.text)]; of && !told {
					lines[strings.TrimSpace(l.text)] = true
					n++
				}
			}
			return n
		}
		shown := 0
		for _, rc := range f.state.recalls {
			if rc.Subject == base && f.state.open(rc) {
				shown += count(f.recalled(in.View, rc))
			}
		}
		held := shown
		for _, s := range f.known(before, base, newest(touching[base], mostTouching)) {
			for _, l := range s {
				held += count(l.text)
			}
		}
		switch {
		case 2*held < len(lines): // it is new
		case 2*shown >= len(lines):
			f.stats.HalfShown++
			f.stats.ForeseenExpands++
		case shown > 0:
			f.stats.ForeseenExpands++
		default:
			f.stats.MissedExpands++
		}
	}
}
