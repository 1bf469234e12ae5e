package planted

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Instinct is what a program says that it saw.
type Instinct struct {
	ID, Kind, Trigger, Action string
	Confidence                float64
	Seen                      []Seen
}

// Seen is a piece of its evidence.
type Seen struct {
	Session string // its name
	Line    int
	Text    string
}

// Report says what was found of the habits of an author.
type Report struct {
	Author    string
	Habits    int
	Found     int // at any confidence
	Sure      int // instincts at 0.5 and above
	Right     int // of them, those that are a planted habit
	TakenUp   int // of them, those that were taken back
	Tentative int
	Missed    []Label
	Wrong     []Wrong
	ByKind    map[string][2]int // found, planted
}

// Wrong is an instinct at 0.5 or above that is no planted habit.
type Wrong struct {
	Instinct Instinct
	Near     string // what that is none it stands on; empty for nothing
}

// sureFrom is the confidence from which an instinct counts as said.
const sureFrom = 0.5

// Score holds instincts against what was planted.
func Score(a *Author, found []Instinct) Report {
	r := Report{Author: a.Name, ByKind: map[string][2]int{}}
	got := make(map[string]bool)
	for i := range found {
		in := &found[i]
		var habit, near *Label
		for j := range a.Labels {
			l := &a.Labels[j]
			if !l.Matches(in) {
				continue
			}
			if l.Habit() {
				habit = l
				got[l.ID] = true
			} else if near == nil || l.Why == "taken-back" {
				near = l
			}
		}
		if in.Confidence < sureFrom {
			r.Tentative++
			continue
		}
		r.Sure++
		switch {
		case habit != nil:
			r.Right++
		case near != nil:
			r.Wrong = append(r.Wrong, Wrong{*in, near.ID + " " + near.Why})
			if near.Why == "taken-back" {
				r.TakenUp++
			}
		default:
			r.Wrong = append(r.Wrong, Wrong{*in, ""})
		}
	}
	for _, l := range a.Labels {
		if !l.Habit() {
			continue
		}
		r.Habits++
		k := r.ByKind[l.Kind]
		k[1]++
		if got[l.ID] {
			r.Found++
			k[0]++
		} else {
			r.Missed = append(r.Missed, l)
		}
		r.ByKind[l.Kind] = k
	}
	return r
}

// Matches reports whether an instinct is what a label names: at least half of its
// evidence, and at least two pieces, lie at the label's places.
func (l *Label) Matches(in *Instinct) bool {
	n := 0
	places := make(map[place]bool) // each counts once
	for _, s := range in.Seen {
		if p, ok := l.Place(s.Session, s.Line); ok && !places[p] {
			places[p] = true
			n++
		}
	}
	return n >= 2 && 2*n >= len(in.Seen)
}

// Place finds the label's place that a line of a session lies at: within two lines, or
// for steps that follow one another anywhere from the first to the last, which is
// taken to come at most eight lines behind.
func (l *Label) Place(session string, line int) (p place, ok bool) {
	behind := 2
	if l.Kind == "sequence" {
		behind = 8
	}
	best, found := place{}, false
	for _, p := range l.places {
		if p.session == session && line >= p.line-2 && line <= p.line+behind && (!found || abs(line-p.line) < abs(line-best.line)) {
			best, found = p, true
		}
	}
	return best, found
}

// Near reports whether a line of a session lies within two of a place.
func Near(at, session string, line int) bool {
	in, number, _ := strings.Cut(at, ":")
	n, err := strconv.Atoi(number)
	return err == nil && in == session && abs(n-line) <= 2
}

func abs(n int) int { return max(n, -n) }

// String is the place as labels name it.
func (s Seen) String() string { return s.Session + ":" + strconv.Itoa(s.Line) }

// Sum adds reports up.
func Sum(all []Report) Report {
	out := Report{Author: "all", ByKind: map[string][2]int{}}
	for _, r := range all {
		out.Habits += r.Habits
		out.Found += r.Found
		out.Sure += r.Sure
		out.Right += r.Right
		out.TakenUp += r.TakenUp
		out.Tentative += r.Tentative
		for k, n := range r.ByKind {
			m := out.ByKind[k]
			out.ByKind[k] = [2]int{m[0] + n[0], m[1] + n[1]}
		}
	}
	return out
}

// Line is a report on one line.
func (r *Report) Line() string {
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", float64(n)/float64(of))
	}
	kinds := ""
	for _, k := range []string{"correction", "sequence", "preference", "fix"} {
		kinds += fmt.Sprintf("  %s %d/%d", k, r.ByKind[k][0], r.ByKind[k][1])
	}
	return fmt.Sprintf("%-8s precision %s (%d of %d)  recall %s (%d of %d)  taken back %d  tentative %d %s", r.Author, share(r.Right, r.Sure), r.Right, r.Sure, share(r.Found, r.Habits), r.Found, r.Habits, r.TakenUp, r.Tentative, kinds)
}

// Details writes what was missed and what was wrong.
func (r *Report) Details(w io.Writer) {
	for _, l := range r.Missed {
		fmt.Fprintf(w, "  missed %s %s: %s → %s  %v\n", l.ID, l.Kind, l.Trigger, l.Action, l.At)
	}
	for _, x := range r.Wrong {
		fmt.Fprintf(w, "  wrong %.2f %s %s %s [%s]\n", x.Instinct.Confidence, x.Instinct.Kind, x.Instinct.Trigger, x.Instinct.Action, x.Near)
		for _, s := range x.Instinct.Seen {
			fmt.Fprintf(w, "        %s  %s\n", s, s.Text)
		}
	}
}
