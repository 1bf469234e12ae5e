package window

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"orihon/internal/activity"
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
	zone, opened := int(f.o.Retrieved*float64(in.Limit)), 0
	for _, w := range f.ranked(in, present) {
		room := min(zone-f.openTokens(in.Iteration-recallStays), 2*zone-f.openTokens(0))
		if opened == recallsAtOnce || room < leastRecall {
			return
		}
		if w.worth < leastWorth+fullWorth*float64(f.openTokens(0))/float64(2*zone) {
			return // they are in the order of their worth
		}
		ev := f.piece(in, w, min(room, in.Limit/pieceShare))
		if ev.Tokens == 0 {
			continue
		}
		if write(ctx, in.View, journal.Recalled, ev) != nil {
			return // only looked at: what cannot be noted is not recalled
		}
		opened++
		f.stats.Recalls++
		f.state.read(in.View)
	}
}

// ranked are the wants whose files lie in folds alone: what an operation failed at,
// then what the user named, then those of which the present, the last of some records,
// names the most lines and declarations.
func (f *Folder) ranked(in Input, present []record) []want {
	inView, touching, texts := f.inView(in), f.touching(in), presentOf(present)
	all := distinctBy(append(wanted(&present[len(present)-1]), f.worked(in)...), subjectOf)
	all = slices.DeleteFunc(all, func(w want) bool { return inView[w.subject] || f.holding(w) == nil })
	for i := range all {
		w := &all[i]
		w.at, w.focus = newest(touching[w.subject], mostTouching), focusOf(texts, w.subject)
		places := placesOf(f.known(in, w.subject, w.at), w.focus)
		for _, p := range places[:min(len(places), 3)] {
			w.worth += p.worth
		}
		switch {
		case w.failed:
			w.worth += 2 * sure
		case w.asked:
			w.worth += sure
		}
	}
	slices.SortStableFunc(all, func(a, b want) int { return cmp.Compare(b.worth, a.worth) })
	return all
}

// What a file must be worth to the present: the more is open, the more, up to leastWorth
// and fullWorth together. More recalls make more epochs, and the room is gone when a
// better one comes. sure is more than any file that is only named is worth.
const leastWorth, fullWorth, sure = 1, 6, 100

// pieceShare is what a piece may take of the limit, as its divisor: a read of what was
// read before takes about as much of a small window.
const pieceShare = 20

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

// pieceHead is about what stands above the lines of a piece, in tokens.
const pieceHead = 30

// piece is what is recalled of a want in some room. It has no tokens where open pieces
// show most of it.
func (f *Folder) piece(in Input, w want, room int) recallEvent {
	b := f.holding(w)
	ev := recallEvent{Folds: []int{b.Number}, Reason: w.why, Subject: w.subject, Guess: !w.failed}
	if len(w.at) > 0 {
		ev.Iterations = w.at
		ev.Lines = choose(f.known(in, w.subject, w.at), w.focus, room-pieceHead)
	} else {
		ev.Iterations, ev.Room = iterationsAbout(in.View, b, w.subject), room
	}
	text := f.recalled(in.View, ev)
	shown := f.showing(in.View, w.subject)
	fresh, all := 0, 0
	for line := range strings.Lines(text) {
		if all++; !shown[line] {
			fresh++
		}
	}
	if len(ev.Iterations) > 0 && (len(shown) == 0 || len(w.at) > 0 && fresh >= leastNews && 3*fresh > all) {
		ev.Tokens = tokens.Estimate(text)
	}
	return ev
}

// showing are the lines of open pieces about a subject.
func (f *Folder) showing(v *journal.View, subject string) map[string]bool {
	shown := map[string]bool{}
	for _, r := range f.state.recalls {
		if r.Subject == subject && f.state.open(r) {
			for line := range strings.Lines(f.recalled(v, r)) {
				shown[line] = true
			}
		}
	}
	return shown
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
