package orihon

import (
	"time"

	"orihon/internal/learn"
	"orihon/memory"
)

// Statement is something to remember, see [Memory.Remember].
type Statement struct {
	Text     string // required
	Title    string
	Kind     memory.Kind  // empty is semantic
	Topic    memory.Topic // empty is what the words show, else fact
	Scope    memory.Scope // empty is the user's own in this project
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
	// contradicts it, and nothing that the user asked to keep. [Memory.Remember] alone
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

// Outcome is what became of a statement, with the item as it is now, or as it
// would be when the statement waits.
type Outcome struct {
	Action   Action
	Item     memory.Item
	Redacted []string // rules that found a secret in it
	Why      string   // for people

	// Replaced is the item that holds no longer; Conflicts are those at odds
	// with the statement, or perhaps so, that still stand.
	Replaced  *memory.Item
	Conflicts []Conflict
	// Promote is the next tier, when enough sessions have seen the item that a
	// person should decide on it.
	Promote memory.Tier
}

// Action is what was done with a statement.
type Action string

// The actions. Asked and Pending statements are not stored: they wait for a
// person, see [Memory.Review].
const (
	Added      Action = "add"
	Updated    Action = "update"    // a new version of the caller's own item
	Confirmed  Action = "confirm"   // it was known already
	Merged     Action = "merge"     // known in nearly the same words, now in the better ones
	Superseded Action = "supersede" // added, and an older statement holds no longer
	Pending    Action = "pending"   // at odds with something that is known, or for management
	Asked      Action = "ask"       // the gate is not sure that it is worth keeping
	Skipped    Action = "skip"      // not worth keeping, or said in this session before
)

// Conflict is an item that a statement is at odds with.
type Conflict struct {
	ID       string
	Content  string
	Relation string // how the two stand to each other, in a word
	Why      string
	// Scope is that of the item: of another one than the statement's, as with what the
	// team shares, the two hold side by side.
	Scope memory.Scope
}

func outcome(o *learn.Outcome) Outcome {
	out := Outcome{Action: Action(o.Action), Item: o.Item, Redacted: o.Redacted, Why: o.Why, Replaced: o.Replaced, Promote: o.Promote}
	for _, c := range o.Conflicts {
		out.Conflicts = append(out.Conflicts, Conflict{c.ID, c.Content, string(c.Relation), c.Why, c.Scope})
	}
	return out
}
