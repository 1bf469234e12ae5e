package mining

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"orihon/habit"
	"orihon/memory"
)

// Change is what has to be written of the instincts that are kept.
type Change struct {
	Put  []habit.Instinct
	Drop []string // IDs of guesses that are seen no more
}

// Kept are the instincts of a folder, and what was looked at to find them again.
type Kept struct {
	Known, Forgotten []habit.Instinct
	Looked           map[string]bool // IDs of sessions
}

// Reconcile brings instincts that are known in line with what was found. As long as
// nobody else changed how far one is believed, its places and its confidence are those
// that were found, besides places in sessions that were not looked at; else it gains the
// places that are new, and moves by as much as these are worth. What was taken back is
// only suggested from then on. What is new begins by how often it was seen; what nobody
// changed and is not found again is dropped. Nothing comes back that a person forgot.
func Reconcile(found []Found, k *Kept, now time.Time) Change {
	var out Change
	kept := make(map[string]bool)
	for i := range found {
		f := &found[i]
		if slices.ContainsFunc(k.Forgotten, func(in habit.Instinct) bool { return f.Is(&in) }) {
			continue
		}
		at := slices.IndexFunc(k.Known, func(in habit.Instinct) bool { return !kept[in.ID] && f.Is(&in) })
		if at < 0 {
			in := f.instinct(now)
			if f.Suggested() && !kept[in.ID] {
				out.Put = append(out.Put, in)
				kept[in.ID] = true
			}
			continue
		}
		in := k.Known[at]
		kept[in.ID] = true
		if f.grow(&in, k.Looked) {
			out.Put = append(out.Put, in)
		}
	}
	for i := range k.Known {
		in := &k.Known[i]
		guess := in.Confidence < memory.InjectConfidence
		if !kept[in.ID] && in.Source == habit.Observed && len(in.Evidence) > 0 && (guess || untouched(in, in.Kind) && len(unseen(in.Evidence, k.Looked)) == 0) {
			out.Drop = append(out.Drop, in.ID)
		}
	}
	return out
}

// Split tells habits that were seen in one project alone from those that hold in
// several. What was seen in another project alone is left to that, and what is no more
// than a likeness between projects to none. projects are those of the sessions that were
// looked at.
func Split(found []Found, projects map[string]string, project string) (own, everywhere []Found) {
	for _, f := range found {
		in := make(map[string]bool)
		for _, e := range f.Evidence {
			in[projects[e.Session]] = true
		}
		switch {
		case len(in) > 1 && f.vague:
		case len(in) > 1:
			everywhere = append(everywhere, f)
		case in[project]:
			own = append(own, f)
		}
	}
	return own, everywhere
}

// unseen are the places in sessions that were not looked at.
func unseen(all []habit.Evidence, looked map[string]bool) []habit.Evidence {
	return slices.DeleteFunc(slices.Clone(all), func(e habit.Evidence) bool { return looked[e.Session] })
}

// Is reports whether a habit that is kept is the one that was found: half of the
// places of either are the other's.
func (f *Found) Is(in *habit.Instinct) bool {
	if in.Kind != "" && in.Kind != f.Kind {
		return false
	}
	known := make(map[string]bool)
	for i := range in.Evidence {
		known[in.Evidence[i].Place()] = true
	}
	both := 0
	for i := range f.Evidence {
		if known[f.Evidence[i].Place()] {
			both++
		}
	}
	return both > 0 && 2*both >= min(len(known), len(f.Evidence))
}

// at reports whether a habit was seen at a place.
func (f *Found) at(e *habit.Evidence) bool {
	return slices.ContainsFunc(f.Evidence, func(o habit.Evidence) bool { return o.Place() == e.Place() })
}

// grow gives an instinct what was found anew, and reports whether anything changed.
func (f *Found) grow(in *habit.Instinct, looked map[string]bool) bool {
	was := *in
	own, counted := untouched(in, f.Kind), believed(f.Kind, len(in.Evidence), len(in.Against))
	if own {
		in.Evidence, in.Against = unseen(in.Evidence, looked), unseen(in.Against, looked)
	}
	in.Seen(f.Evidence...)
	in.TakenBack(f.Against...)
	more := believed(f.Kind, len(in.Evidence), len(in.Against)) - counted
	switch {
	case own:
		in.Confidence = f.Confidence()
		if slices.ContainsFunc(was.Evidence, func(e habit.Evidence) bool { return !f.at(&e) && looked[e.Session] }) && f.Suggested() {
			in.Trigger, in.Action = f.Trigger, f.Action // it may quote that place
		}
	case len(in.Against) > len(was.Against):
		in.Confidence = min(tentative, rounded(was.Confidence+more))
	default:
		in.Confidence = rounded(was.Confidence + more)
	}
	return in.Action != was.Action || in.Confidence != was.Confidence || !samePlaces(in.Evidence, was.Evidence) || !samePlaces(in.Against, was.Against)
}

func samePlaces(a, b []habit.Evidence) bool {
	return slices.EqualFunc(a, b, func(a, b habit.Evidence) bool { return a.Session == b.Session && a.Turn == b.Turn })
}

// untouched reports whether an instinct is believed as [Found.Confidence] has it, no more
// and no less.
func untouched(in *habit.Instinct, kind habit.Kind) bool {
	seen, is := believed(kind, len(in.Evidence), 0), in.Confidence
	suggested := is == min(tentative, seen) || is == min(tentative, believed(kind, len(in.Evidence), len(in.Against)))
	return in.Source == habit.Observed && (suggested || len(in.Against) == 0 && is == seen)
}

// instinct is a habit that was found for the first time. Its name is that of its first
// place.
func (f *Found) instinct(now time.Time) habit.Instinct {
	in := habit.Instinct{
		Trigger: f.Trigger, Action: f.Action, Domain: f.Domain, Kind: f.Kind, Source: habit.Observed,
		Confidence: f.Confidence(), Created: now.UTC().Truncate(time.Second),
	}
	in.Seen(f.Evidence...)
	in.TakenBack(f.Against...)
	sum := sha256.Sum256([]byte(string(f.Kind) + "\x00" + in.Evidence[0].Place() + "\x00" + f.Trigger + "\x00" + f.Action))
	in.ID = string(f.Kind) + "-" + strings.Trim(f.Domain, "-") + "-" + hex.EncodeToString(sum[:4])
	return in
}
