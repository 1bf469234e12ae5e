package habit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"orihon/memory"
)

// Instinct is one habit: when something is the case, do something.
type Instinct struct {
	ID      string `json:"id"`
	Trigger string `json:"trigger"` // one line: "when …"
	Action  string `json:"action"`  // what to do then, or not to do
	Domain  string `json:"domain"`  // one lower-case word: "git", "testing"
	Kind    Kind   `json:"kind,omitempty"`
	Source  Source `json:"source"`
	// Confidence is 0..1, by the rules that hold for memory.
	Confidence float64    `json:"confidence"`
	Created    time.Time  `json:"created_at"`
	Evidence   []Evidence `json:"evidence"` // oldest first

	// Against are the places at which the person took it back.
	Against []Evidence `json:"against,omitempty"`

	// Notes are the sections that people added to the file.
	Notes string `json:"notes,omitempty"`
}

// Evidence is a place at which a habit was seen.
type Evidence struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"` // as its client names it
	Turn    int64     `json:"turn"`    // of the event in the session's journal; 0 is the session
	Text    string    `json:"text"`    // one line: what was said or done there
}

// Place names the event as memory does: "<session>/<event>".
func (e *Evidence) Place() string { return fmt.Sprintf("%s/%d", e.Session, e.Turn) }

// Kind is how a habit was told from the work around it.
type Kind string

// The kinds.
const (
	Correction Kind = "correction" // what the person had to take back
	Sequence   Kind = "sequence"   // steps that belong together
	Preference Kind = "preference" // one of two ways
	Fix        Kind = "fix"        // what mends an error
)

// Source is where an instinct came from.
type Source string

// The sources.
const (
	Observed Source = "observed" // seen at work
	Imported Source = "imported" // from somebody's export
)

// Bounds of an instinct; what is longer is refused, not cut.
const (
	MaxTrigger  = 300     // characters
	MaxAction   = 2000    // characters
	MaxEvidence = 200     // places; the newest stay
	maxID       = 80      // bytes
	maxDomain   = 40      // bytes
	maxText     = 300     // characters of a piece of evidence; longer ones are cut
	maxFile     = 1 << 20 // bytes
	maxFront    = 16 << 10
)

// Check says what is wrong with an instinct; the error wraps [memory.ErrInvalid].
func (in *Instinct) Check() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w instinct: %s", memory.ErrInvalid, fmt.Sprintf(format, args...))
	}
	switch {
	case !ValidID(in.ID):
		return wrong("id %q: it may hold small letters, digits and - only, at most %d", Cut(in.ID, maxID), maxID)
	case strings.TrimSpace(in.Trigger) == "" || strings.ContainsAny(in.Trigger, "\r\n\x00"):
		return wrong("%s: trigger must be one line of text", in.ID)
	case len([]rune(in.Trigger)) > MaxTrigger:
		return wrong("%s: trigger is longer than %d characters: shorten it", in.ID, MaxTrigger)
	case strings.TrimSpace(in.Action) == "" || strings.ContainsRune(in.Action, 0):
		return wrong("%s: there is no action: say under ## Action what to do", in.ID)
	case len([]rune(in.Action)) > MaxAction:
		return wrong("%s: action is longer than %d characters: shorten it", in.ID, MaxAction)
	case !ValidDomain(in.Domain):
		return wrong("%s: domain %q: want one word of small letters, digits and -", in.ID, Cut(in.Domain, maxDomain))
	case in.Kind != "" && !slices.Contains([]Kind{Correction, Sequence, Preference, Fix}, in.Kind):
		return wrong("%s: kind %q: want correction, sequence, preference or fix", in.ID, Cut(string(in.Kind), maxDomain))
	case in.Source != Observed && in.Source != Imported:
		return wrong("%s: source %q: want observed or imported", in.ID, Cut(string(in.Source), maxDomain))
	case math.IsNaN(in.Confidence) || in.Confidence < 0 || in.Confidence > 1:
		return wrong("%s: confidence %g is outside 0..1", in.ID, in.Confidence)
	}
	return nil
}

// ValidID reports whether an ID can name a file.
func ValidID(id string) bool {
	return id != "" && len(id) <= maxID && id[0] != '-' && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// ValidDomain reports whether a text can be a domain.
func ValidDomain(s string) bool {
	return s != "" && len(s) <= maxDomain && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Seen adds places at which the habit was seen, those that are not known, and
// reports how many these were. Confidence stays as it is.
func (in *Instinct) Seen(places ...Evidence) (added int) {
	in.Evidence, added = with(in.Evidence, places)
	return added
}

// TakenBack is Seen for places at which the person took it back.
func (in *Instinct) TakenBack(places ...Evidence) (added int) {
	in.Against, added = with(in.Against, places)
	return added
}

// with adds those of the places that are not known, in order of time.
func with(all, places []Evidence) ([]Evidence, int) {
	known := make(map[string]bool, len(all))
	for i := range all {
		known[all[i].Place()] = true
	}
	added := 0
	for _, e := range places {
		if known[e.Place()] {
			continue
		}
		known[e.Place()] = true
		all = append(all, e)
		added++
	}
	slices.SortStableFunc(all, func(a, b Evidence) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Session, b.Session), cmp.Compare(a.Turn, b.Turn))
	})
	return all[max(0, len(all)-MaxEvidence):], added
}

// Last is when the habit was seen last; zero when it never was.
func (in *Instinct) Last() time.Time {
	if n := len(in.Evidence); n > 0 {
		return in.Evidence[n-1].At
	}
	return time.Time{}
}

// Cut is as much of s as n characters hold, on one line.
func Cut(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(s, "\x00", " ")), " ")
	if runes := []rune(s); len(runes) > n {
		return strings.TrimSpace(string(runes[:n-1])) + "…"
	}
	return s
}
