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

// Reconcile brings instincts that are known in line with what was found: what is known
// gains the places that are new. As long as nobody else changed how far it is believed,
// it is believed as it is found; else it moves by as much as the new places are worth.
// What was taken back is only suggested from then on. What is new begins by how often it
// was seen; what was only guessed and is not found again is dropped. Nothing comes back
// that a person forgot.
func Reconcile(found []Found, known, forgotten []habit.Instinct, now time.Time) Change {
	var out Change
	kept := make(map[string]bool)
	for i := range found {
		f := &found[i]
		if slices.ContainsFunc(forgotten, func(in habit.Instinct) bool { return f.Is(&in) }) {
			continue
		}
		at := slices.IndexFunc(known, func(in habit.Instinct) bool { return !kept[in.ID] && f.Is(&in) })
		if at < 0 {
			in := f.instinct(now)
			if f.Suggested() && !kept[in.ID] {
				out.Put = append(out.Put, in)
				kept[in.ID] = true
			}
			continue
		}
		in := known[at]
		kept[in.ID] = true
		if f.grow(&in) {
			out.Put = append(out.Put, in)
		}
	}
	for i := range known {
		in := &known[i]
		if !kept[in.ID] && in.Source == habit.Observed && len(in.Evidence) > 0 && (in.Confidence < memory.InjectConfidence || untouched(in, in.Kind)) {
			out.Drop = append(out.Drop, in.ID)
		}
	}
	return out
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

// grow gives an instinct what was found anew, and reports whether anything changed.
func (f *Found) grow(in *habit.Instinct) bool {
	was, before := believed(f.Kind, len(in.Evidence), len(in.Against)), in.Confidence
	own := untouched(in, f.Kind)
	seen, back := in.Seen(f.Evidence...), in.TakenBack(f.Against...)
	switch is := believed(f.Kind, len(in.Evidence), len(in.Against)); {
	case own:
		in.Confidence = f.Confidence()
	case back > 0:
		in.Confidence = min(tentative, rounded(before+is-was))
	default:
		in.Confidence = rounded(before + is - was)
	}
	return seen+back > 0 || in.Confidence != before
}

// untouched reports whether an instinct is believed as it was found, no more and no less.
func untouched(in *habit.Instinct, kind habit.Kind) bool {
	was := believed(kind, len(in.Evidence), len(in.Against))
	return in.Source == habit.Observed && (in.Confidence == was || in.Confidence == min(tentative, was))
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
