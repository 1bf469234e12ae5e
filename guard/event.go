package guard

import "time"

// Kind is what an event tells of.
type Kind string

// The kinds of events.
const (
	Began    Kind = "began"    // a session starts, or goes on
	Asked    Kind = "asked"    // the user says something
	Acting   Kind = "acting"   // a call that is about to run
	Acted    Kind = "acted"    // a call, and what came of it
	Stopping Kind = "stopping" // the agent wants to stop
)

// Event is something that happened in a session. Which fields are set depends on
// its kind.
type Event struct {
	Kind     Kind
	Agent    string // the sub-agent it happened in; empty for none
	Language string // of what is said: "en", "zh-Hant" or "zh-Hans"

	Call      Call       // Acting, Acted
	Documents []Document // that belong to the files which Call changed

	// Continued says that the client goes on only because it was kept from
	// stopping before (Stopping).
	Continued bool

	Past    []Trouble // what earlier sessions left (Began)
	Capture Capture   // whether sessions are kept (Began)

	// Others are the verdicts of the project's own commands.
	Others []Verdict

	// What the output of Call says of a failure, and whether it says so by itself:
	// read once for all rules.
	failure func() failure
	plainly func() bool
}

// Call is one call of a tool.
type Call struct {
	Subject string   // what it is about; two calls with the same one try the same
	Kin     []string // what kinds of commands it runs: "go test"
	Narrow  bool     // it runs only some of the checks of its kind
	Name    string   // as a person would call it
	Command string   // the command line; empty for another tool
	Looks   bool     // it only looks at something
	Commits bool     // it commits to version control
	Keeps   bool     // it writes to memory
	Edits   bool     // it changes Files
	Files   []string
	Added   string // text that an edit brings
	Gone    string // text that an edit takes away

	Failed bool
	Output string

	// Page is the file of the knowledge folder that is about to be written;
	// nil for any other call.
	Page *Page
}

// Document is a page of the project that describes source files.
type Document struct {
	Path string // within the project
	File string // the source that was changed
	// Mapped says that the settings tie it to File. Otherwise it states Names,
	// which File no longer has.
	Mapped bool
	Names  []string
}

// Page is a file of the knowledge folder, as it is about to be.
type Page struct {
	Path    string // within the project
	Name    string // within the knowledge folder
	Text    string
	New     bool
	Exists  func(name string) bool // whether the folder has a page
	Foreign string                 // what the project's own check says against it; empty for nothing
}

// Trouble is what a session did not get done with, for the next one to know.
type Trouble struct {
	Rule  string // that noticed it
	What  string // the error, or the name
	Where string // the command, or the document
	Times int
	Older bool // it was left by a session before the last
}

// Capture tells whether what happens in sessions is kept.
type Capture struct {
	Waiting int       // sessions that nobody has worked up, though somebody should have, a day ago or earlier
	Since   time.Time // when the oldest of them was used last
	Failing time.Time // since when hooks have failed and nothing was kept; zero while they do not
	Now     time.Time
}

// Do is what a verdict asks for.
type Do int

// The verdicts.
const (
	Nothing Do = iota
	Say        // put Text before the agent
	Block      // keep what is about to happen from happening, for the reason Text
	Tell       // tell Text to the user and to nobody else
)

// Verdict is what a rule finds.
type Verdict struct {
	Do    Do
	Rule  string
	Cause string // what is said once for a cause is not said again for it
	// Also are further causes that it is about: what is said for one of them is
	// not said for the others.
	Also []string
	Text string // one line
	Why  string // one line for the audit trail, with what was seen
	// More is what the same rule says besides.
	More []Verdict
}
