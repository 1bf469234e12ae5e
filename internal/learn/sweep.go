package learn

import (
	"cmp"
	"fmt"
	"time"

	"orihon/memory"
)

// Used is how an item has fared. Being put before an agent is no access.
type Used struct {
	Accesses int
	Last     time.Time // of the accesses
	// Kept is when somebody brought the item back from the archive, or from
	// being forgotten: it is as young again as it was when it was told.
	Kept time.Time
}

// SweepLimits are the ages at which items leave; the zero value of a field
// means the one of [DefaultSweep].
type SweepLimits struct {
	Idle    time.Duration // never accessed, and older than this
	Rare    time.Duration // accessed less than Often, and older than this
	Often   int           // accesses that make an item frequently accessed
	Episode time.Duration // an episode, since its last access
	Certain float64       // confidence from which an item is kept
}

// DefaultSweep returns the usual limits: 30 and 60 days, 3 accesses, 90 days
// for episodes, and a confidence of 0.9.
func DefaultSweep() SweepLimits {
	const day = 24 * time.Hour
	return SweepLimits{Idle: 30 * day, Rare: 60 * day, Often: 3, Episode: 90 * day, Certain: memory.CertainConfidence}
}

// Leaves is an item that has earned its rest, and why.
type Leaves struct{ ID, Why string }

// Sweep chooses the items that leave for the archive, in their order.
//
// Never do those of high confidence, settled ones, procedures, notes, whatever
// has no date, and preferences that apply by themselves, which nobody ever
// looks up. Of the rest an episode leaves when it was not accessed for long
// enough, by that alone; anything else when it was never accessed and is old,
// or rarely accessed and older. Age counts from the latest version, or from
// when somebody brought the item back.
func Sweep(items []memory.Item, used map[string]Used, now time.Time, limits SweepLimits) []Leaves {
	limits = limits.orDefault()
	var out []Leaves
	for i := range items {
		if why := limits.why(&items[i], used[items[i].ID], now); why != "" {
			out = append(out, Leaves{items[i].ID, why})
		}
	}
	return out
}

func (l SweepLimits) orDefault() SweepLimits {
	d := DefaultSweep()
	return SweepLimits{
		Idle: cmp.Or(l.Idle, d.Idle), Rare: cmp.Or(l.Rare, d.Rare), Often: cmp.Or(l.Often, d.Often),
		Episode: cmp.Or(l.Episode, d.Episode), Certain: cmp.Or(l.Certain, d.Certain),
	}
}

// why an item leaves; empty when it stays.
func (l SweepLimits) why(it *memory.Item, u Used, now time.Time) string {
	m := &it.Metadata
	born := latest(m.CreatedAt, m.UpdatedAt)
	if born.IsZero() || l.stays(it) {
		return ""
	}
	age, last := now.Sub(latest(born, u.Kept)), latest(u.Last, m.LastAccessed)
	accesses := max(u.Accesses, m.AccessCount)
	if it.Kind == memory.Episodic {
		if idle := min(age, now.Sub(last)); idle > l.Episode {
			return fmt.Sprintf("episode, not accessed for %d days", days(idle))
		}
		return ""
	}
	switch {
	case accesses == 0 && age > l.Idle:
		return fmt.Sprintf("never accessed in %d days", days(age))
	case accesses > 0 && accesses < l.Often && age > l.Rare:
		return fmt.Sprintf("accessed %d× in %d days", accesses, days(age))
	}
	return ""
}

// stays reports whether an item is kept whatever its use.
func (l SweepLimits) stays(it *memory.Item) bool {
	switch {
	case it.Metadata.Confidence >= l.Certain, it.Tier == memory.Settled:
		return true
	case it.Kind == memory.Procedural, it.Kind == memory.Note:
		return true
	}
	return it.Topic == memory.Preference && it.Metadata.Confidence >= memory.ApplyConfidence
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func days(d time.Duration) int { return int(d.Hours() / 24) }
