package memory

import (
	"cmp"
	"time"
)

// Query is what a caller asks of recall. Text and Viewer are required.
type Query struct {
	Text   string
	Viewer Viewer

	// Recent holds the last turns, newest last. A Text that says little leans on
	// them ("and for staging?"); they make the query when it has no content words
	// of its own ("ok", 繼續).
	Recent []string
	// Around names what is at hand, the branch and open files: a Text that says
	// little leans on them as well, less.
	Around []string

	// Scopes narrows what the viewer may see; none is all of it.
	Scopes       []Scope
	Kinds        []Kind
	Topics       []Topic
	Since, Until time.Time
	AsOf         time.Time

	// MaxTokens bounds the injected text, headings included; 0 means by the
	// length of Text: below 50 characters 1,500, below 200 3,000, else 5,000.
	MaxTokens int
	MaxChars  int // bounds the injected text in characters; 0 is no bound
	Limit     int // most passages to return; 0 is no bound

	// Threshold is the least relevance; 0 means the adaptive one, a negative
	// value none at all.
	Threshold float64

	// Turns lets turns of past conversations be hits.
	Turns bool
	// Told leaves out those of them that only ask or acknowledge, or say no more
	// than Text.
	Told bool
	// Documents lets the project's own files be hits, with a share of the
	// budget of their own; they never enter budgets under 3,000 tokens.
	Documents bool
	// Session is the caller's own session, whose turns are left out.
	Session string
	// Seen reports whether a passage already stands in the caller's window,
	// unchanged; nil means that nothing does.
	Seen func(passageID, hash string) bool

	// Language of the injected text: "en", "zh-Hant" or "zh-Hans"; empty
	// follows the script of Text.
	Language string
	// Habits are those of the user's that fit Text, the surest first. They are told as
	// far as passages leave room, and not where a passage tells the same.
	Habits []Habit
	// IDs words with each passage the ID by which more of it can be asked for.
	IDs bool
	// Explain keeps what was dropped, with the reasons.
	Explain bool
	// Search says that Text is asked of memory on purpose, and not typed to an agent:
	// it needs something of memory for sure, a single name may be all of it, and where
	// nothing passes the threshold, the few that come nearest are given as Weak.
	Search bool
}

// Habit is something that was learned of how the user works.
type Habit struct {
	ID       string
	Text     string   // when, and what then
	Rule     bool     // sure enough to apply by itself
	Evidence []string // places in journals, as [Metadata.Evidence] names them
	Last     time.Time
}

// Hit is a passage recall weighed, with every stage's number.
type Hit struct {
	Passage Passage
	Hash    string // of the passage's text, for [Query.Seen]

	// Raw legs as the index gave them, and their normalised and weighted sum.
	Own, Near, Vector float64
	Trigger           bool
	Related           bool    // another hit names it, which fits better than it does itself
	Speaker           bool    // who said it is named in the query
	Dated             float64 // how near it is to a period the query names, 0..1
	Fused             float64

	Relevance float64 // 0..1; the only figure the threshold sees
	// Probability that the reader wants a statement now, 0..1; its relevance
	// comes from it. 0 for what is judged otherwise.
	Probability float64
	// Signals are what that was judged by; only with [Query.Explain].
	Signals []float64
	// Words are those of the query that it holds, NearWords those that it holds
	// for one of them that it does not; only with [Query.Explain] or [Query.Search].
	Words, NearWords []string

	Recency    float64 // 0..1
	Access     float64 // 0..1
	Activation float64
	Score      float64 // orders what has passed the threshold
	Tokens     int     // estimate for the passage as injected

	// Later is the ID of another hit that was told later of the same matter and
	// may change what this one says; empty for none.
	Later string

	// Origin says whose words it is and where it stands, as it is told with it.
	Origin string

	Kept bool
	Weak bool   // kept although it lies below the threshold, see [Query.Search]
	Why  string // why it was kept or dropped, for people
}

// Behind is the ID of the hit that this one is shown behind: what replaced it, or was
// told later of the same matter; empty for none.
func (h *Hit) Behind() string { return cmp.Or(h.Passage.SupersededBy, h.Later) }

// Recollection is the outcome of a recall: never an error that blocks an
// agent.
type Recollection struct {
	Hits    []Hit // kept, in the order they are injected
	Dropped []Hit // only with [Query.Explain]

	// Unfit is how many passages bear on the query and are not told: the budget has no
	// room for them, or others say the same.
	Unfit int

	Habits []Habit // of the query's, those that are told

	// Text is what to inject; empty when there is nothing to say.
	Text   string
	Tokens int // estimate for Text

	Terms     []string // what was searched for, rarest first
	Intent    string
	Threshold float64 // the one that was finally applied
	Language  string

	// Near are the statements that lie nearest, whether they are injected, stand in the
	// window already or do neither, nearest first: at most eight of the user's own, and
	// eight that are shared and accepted.
	Near []Passage

	// Blind says that triggers, text and vectors all came back empty.
	Blind bool
	// Unheard are the words of the prompt that no passage holds, nor any turn of a
	// conversation, whoever may see it.
	Unheard  []string
	Degraded []string // parts that failed and were left out
	Took     time.Duration
}
