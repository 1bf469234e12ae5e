package memory

import (
	"math"
	"slices"
	"time"
)

// Starting confidence by how an item came to be.
const (
	StatedConfidence   = 0.9 // the user said so
	InferredConfidence = 0.6 // read from code; an error with its fix; a pitfall
	ImportedConfidence = 0.5
	SingleConfidence   = 0.3 // one observation
)

// SeenAgain is what an item gains when it is observed once more.
const SeenAgain = 0.1

// UserConfirms is what it gains when the user confirms it, UserCorrects what it loses
// when the user says otherwise.
const (
	UserConfirms = 0.2
	UserCorrects = 0.3
)

// Thresholds on confidence.
const (
	InjectConfidence  = 0.5 // below: not injected
	ApplyConfidence   = 0.7 // from here: applied automatically
	CertainConfidence = 0.9 // from here: a rule
)

// Level names a confidence: tentative < 0.5 ≤ moderate < 0.7 ≤ strong < 0.9 ≤
// near-certain.
func Level(confidence float64) string {
	switch {
	case confidence < InjectConfidence:
		return "tentative"
	case confidence < ApplyConfidence:
		return "moderate"
	case confidence < CertainConfidence:
		return "strong"
	}
	return "near-certain"
}

// IdleDecay is the confidence that is usually lost for every 30 whole days
// without access.
const IdleDecay = 0.01

// Effective is the confidence at a time, after an idle decay of perMonth for
// every 30 whole days without access (usually [IdleDecay]): never below 0.2,
// and never by itself across [InjectConfidence], since idleness orders items
// and does not silence them. It is computed when read and never written back.
func Effective(m Metadata, now time.Time, perMonth float64) float64 {
	last := slices.MaxFunc([]time.Time{m.UpdatedAt, m.CreatedAt, m.LastAccessed}, time.Time.Compare)
	if last.IsZero() || !now.After(last) {
		return m.Confidence
	}
	months := math.Floor(now.Sub(last).Hours() / 24 / 30)
	floor := 0.2
	if m.Confidence >= InjectConfidence {
		floor = InjectConfidence
	}
	if m.Confidence <= floor {
		return m.Confidence
	}
	return max(floor, m.Confidence-perMonth*months)
}

// Recency is 2^(−days/30) since the item was last accessed or created: 1 when
// fresh, ½ after a month. An item without any time has 0.
func Recency(m Metadata, now time.Time) float64 {
	last := slices.MaxFunc([]time.Time{m.CreatedAt, m.LastAccessed}, time.Time.Compare)
	if last.IsZero() {
		return 0
	}
	days := max(0, now.Sub(last).Hours()/24)
	return math.Exp2(-days / 30)
}

// Access is min(1, ln(count+1)/10). A negative count, which only a hand edit
// can bring about, is none.
func Access(count int) float64 {
	return min(1, math.Log1p(float64(max(0, count)))/10)
}

// NoActivation is the activation of an item that was never accessed.
const NoActivation = -10

// Activation is ACT-R's base-level activation B = ln(Σ tₖ^−0.5), tₖ being the
// age in seconds of access k (Anderson & Schooler 1991, with the usual decay
// of 0.5). Accesses at or after now count as one second old. Without accesses
// it is [NoActivation].
func Activation(accesses []time.Time, now time.Time) float64 {
	if len(accesses) == 0 {
		return NoActivation
	}
	var sum float64
	for _, t := range accesses {
		sum += 1 / math.Sqrt(math.Max(1, now.Sub(t).Seconds()))
	}
	return math.Log(sum)
}
