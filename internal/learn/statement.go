package learn

import (
	"time"

	"orihon/memory"
)

// Statement is something somebody wants kept.
type Statement struct {
	Text     string // required
	Title    string
	Kind     memory.Kind  // empty is semantic
	Topic    memory.Topic // empty is fact
	Scope    memory.Scope // required
	Tags     []string
	Triggers []string
	Aliases  []string
	// NeededWhen are phrases by which it may be looked for, see [memory.Item].
	NeededWhen []string

	Source   memory.Source // empty is the user
	Session  string
	Evidence []string

	// Explicit says that a person asked for it to be kept, whoever hands it in;
	// what the user states is explicit anyway. The gate lets it pass.
	Explicit bool
	// Said is where the user said it by the way, "<session>/<event>", when an agent keeps
	// it in its own words. The gate lets it pass; it replaces what was noticed before and
	// contradicts it, and nothing that the user asked to keep. [Learner.LearnSaid] alone
	// looks at it.
	Said string
	// Untrusted marks words of a web page or of a tool's output: believed up to
	// [memory.ImportedConfidence] until a person confirms them.
	Untrusted bool

	// ID names an item of the caller's own making, such as the episode of a
	// session: the same ID again is a new version of it, never a duplicate.
	ID string
	// Confidence and Tier follow from Source when zero.
	Confidence float64
	Tier       memory.Tier
	At         time.Time // since when it holds; zero is now
}

// explicit reports whether a person asked for it.
func (s *Statement) explicit() bool { return s.Explicit || s.byUser() }

func (s *Statement) byUser() bool { return s.Source == memory.FromUser || s.Source == "" }
