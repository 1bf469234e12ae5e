package memory

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// What a [Store] may offer beyond the protocol, one interface for each thing
// that callers want. [AuditTrail] is another one.

// ChangeSource tells an index what it must do to say what the text says.
type ChangeSource interface {
	// Changes compares the text with what an index knows of it. Applied to
	// nothing, or step by step, the outcome is the same. Problems are those of
	// the files that were read this time. An error means that nothing can be
	// said.
	Changes(ctx context.Context, known []File, depth Depth) (Batch, []Problem, error)
}

// Depth is how thoroughly a [ChangeSource] looks.
type Depth int

const (
	// QuickLook looks at what is only appended to, and trusts that what grew was not
	// edited far before its end: enough to read one's own writes within a hook.
	QuickLook Depth = iota
	// FullLook looks at everything and mends what it can.
	FullLook
	// SharedLook is a QuickLook that also reads what changed of the files that others
	// write: a pull may have brought it a moment ago. It writes nothing.
	SharedLook
)

// Problem is something in the text that a person should mend. The rest of the
// space goes on without it.
type Problem struct {
	Path string // as [File.Path]
	Line int    // from 1; 0 concerns the whole file
	Text string // one line: what is wrong and how to mend it
	// Later says that nothing is wrong which the next full look does not mend.
	Later bool
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.Path + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text)
}

// UsageLog remembers which passages were shown and which helped.
type UsageLog interface {
	// Use notes a use without waiting for the disk.
	Use(ctx context.Context, u Usage) error
	// Uses yields the uses since a time, oldest first. What cannot be read is
	// yielded as an error, and the next ones follow.
	Uses(ctx context.Context, since time.Time) iter.Seq2[Usage, error]
	// UsesFrom calls fn for the uses from a place of the log on, oldest first,
	// and returns where to go on later; 0 is the beginning. What cannot be read
	// is passed over. A log that ends before that place was rewritten:
	// [ErrInvalid].
	UsesFrom(offset int64, fn func(Usage)) (end int64, err error)
}

// UsageOp is what a [Usage] was.
type UsageOp string

// The operations of the usage log.
const (
	UsageInjected UsageOp = "inject" // put before an agent
	UsageAccessed UsageOp = "access" // used in an answer, or read on purpose
	UsagePassed   UsageOp = "pass"   // put before an agent, and not used
)

// Usage is one use of passages.
type Usage struct {
	V       int       `json:"v"` // set by [UsageLog.Use]
	TS      time.Time `json:"ts"`
	Op      UsageOp   `json:"op"`
	IDs     []string  `json:"ids"`
	Session string    `json:"session,omitempty"`
	Tokens  int       `json:"tokens,omitempty"`
	// Judged says that an access was seen in what an agent answered or did,
	// and is no reading on purpose.
	Judged bool `json:"judged,omitempty"`
}

// Versioned keeps what items said before.
type Versioned interface {
	// Versions returns everything the text says about an item, oldest first. The
	// error wraps [ErrNotFound] when the text never knew the item.
	Versions(ctx context.Context, id string) ([]Version, error)
	// Restore brings a retired or archived item back as it was; one that is
	// neither is only returned.
	Restore(ctx context.Context, id string) (Item, error)
}

// VersionOp is what a [Version] is.
type VersionOp string

// The operations of an item's life.
const (
	VersionWritten  VersionOp = "version"
	VersionRetired  VersionOp = "retire"
	VersionRestored VersionOp = "restore" // as it was before it was retired
	VersionArchived VersionOp = "archive" // retired into the archive
)

// Version is one line of an item's life.
type Version struct {
	Op   VersionOp
	Item Item      // as it stood then
	Path string    // as [File.Path]
	Line int       // from 1
	At   time.Time // when it was written or retired; zero when the text does not say
	Why  string    // of a retirement
}

// Archiver puts items away where recall does not look.
type Archiver interface {
	// Archive takes items out of the living memory and returns those that left.
	// Forgotten and archived ones stay as they are; an unknown ID is
	// [ErrNotFound], and what cannot be moved is [ErrRefused], both before
	// anything is written. A zero time is the present.
	Archive(ctx context.Context, at time.Time, leaving ...Leaving) ([]Item, error)
	// Archived yields what the archive holds. What cannot be read is yielded as
	// an error, and the rest follows.
	Archived(ctx context.Context) iter.Seq2[Archived, error]
	// SearchArchive finds what bears on a query, best first. problems are parts
	// that could not be read.
	SearchArchive(ctx context.Context, q ArchiveQuery) (hits []ArchiveHit, problems []error, err error)
	// Unarchive brings an item back.
	Unarchive(ctx context.Context, id string) (Item, error)
}

// Leaving is an item on its way into the archive.
type Leaving struct {
	ID, Why string
	Vector  ArchiveVector // the zero value keeps none
}

// ArchiveVector is the meaning of an item's text as an embedder saw it. Those of
// different models are never compared.
type ArchiveVector struct {
	Model  string // as [Embedder.ID]
	Values []float32
}

// Archived is an item in the archive.
type Archived struct {
	Item   Item
	Path   string    // of the archive's file, or of the ledger when no archive has it
	From   string    // where it stood
	At     time.Time // when it left; zero for an atom, whose folder tells the month
	Why    string
	Vector ArchiveVector // of unit length; the zero value when none was kept
}

// ArchiveQuery is what an archive is asked.
type ArchiveQuery struct {
	Terms  []string      // as the terms package cuts a query
	Vector ArchiveVector // of the query, of unit length; the zero value leaves it out
	Filter Filter
	Limit  int // 0 means 20
}

// ArchiveHit is something found in the archive.
type ArchiveHit struct {
	Archived
	Score float64 // 0..1
}

// QuestionLog keeps what waits for a person's decision.
type QuestionLog interface {
	// Propose puts questions before a person, durably. One that waits already, or
	// was answered before, is not asked again. It returns how many are new.
	Propose(ctx context.Context, asked ...Question) (int, error)
	// Candidates returns what waits, oldest first.
	Candidates(ctx context.Context) ([]Question, error)
	// Settle notes how a question was answered; it does not carry the answer
	// out. The error wraps [ErrNotFound] when nothing of that ID waits.
	Settle(ctx context.Context, id, verdict, reason, by string) error
	// Reopen takes an answer back: the question waits again as it did before. The error
	// wraps [ErrNotFound] when nothing of that ID was answered.
	Reopen(ctx context.Context, id string) (Question, error)
}

// QuestionKind is what a [Question] asks.
type QuestionKind string

// The kinds of a [Question].
const (
	QuestionKeep       QuestionKind = "keep"       // is it worth keeping?
	QuestionConflict   QuestionKind = "conflict"   // which of two holds?
	QuestionUpdate     QuestionKind = "update"     // should it replace the wording of another?
	QuestionMerge      QuestionKind = "merge"      // both are kept: do they say the same?
	QuestionPromote    QuestionKind = "promote"    // is it settled?
	QuestionEverywhere QuestionKind = "everywhere" // does it hold in all projects of the user?
	QuestionFrozen     QuestionKind = "frozen"     // it changed back and forth: which is it?
)

// Question is something a person should decide on.
type Question struct {
	ID   string       `json:"id"` // set by [QuestionLog.Propose]: the same question has one ID
	Kind QuestionKind `json:"kind"`
	// Item as it would be written; for a promotion, as it is.
	Item    Item      `json:"item"`
	Other   string    `json:"other,omitempty"` // ID of the item it is weighed against
	Why     string    `json:"why,omitempty"`
	At      time.Time `json:"at"`
	Session string    `json:"session,omitempty"`
}

// Purger erases items for good.
type Purger interface {
	// Purge erases an item, retired or not, and all it ever said from every text
	// of the store. One that failed half-way can be repeated.
	Purge(ctx context.Context, id string) (Purged, error)
	// Texts returns every text the item ever had, as Purge would erase them, and
	// changes nothing; none when the text does not know the item.
	Texts(ctx context.Context, id string) ([]string, error)
}

// Purged says what a purge erased, so that others can erase it elsewhere.
type Purged struct {
	ID       string
	Content  string   // the last version
	Versions []string // every text it ever had, without repeats
	Files    []string // that were rewritten or deleted
	// Left are lines of files in folders of notes, which are never written, that
	// still hold the text, as path:line.
	Left []string
}
