package memory

import (
	"slices"
	"time"
)

// Passage is a piece of text that recall can find and inject: an item's
// statement, a bullet of an atom, a chunk of a note, a turn of a conversation.
type Passage struct {
	// ID is unique within an index: the item's ID, "<atom id>#<hash>" for a
	// bullet, "<source>#<n>" for a chunk, "<session>/<seq>" for a turn.
	ID string

	// Item carries the filter columns and the trust of the passage. Its
	// Content is the passage's text, its CreatedAt when that was written.
	Item Item

	// Near is the text of the neighbouring turns, nearest first; it helps to
	// find the passage and is never injected with it. Empty for anything but
	// conversations.
	Near []Neighbour

	Source  string // the file it stands in, as the store names it
	Line    int    // first line in the source, from 1; 0 when unknown
	EndLine int    // last line in the source
	Heading string // heading path within the source, " › " between levels
	Parent  string // ID of the atom a bullet belongs to
	// Whole is how many tokens the bullets of its atom have in all, Summary the
	// paragraph that the atom begins with; only of a bullet below one.
	Whole   int
	Summary string

	Speaker    string     // who said it, for a turn of a conversation
	Population Population // whose words these are

	SupersededBy string // ID of the item that replaced this one
	Retired      bool   // forgotten, but not purged
}

// Neighbour is a turn that stands Distance turns away from a passage.
type Neighbour struct {
	Text     string
	Distance int // 1 or 2
}

// Population tells people's words from machines': long answers would
// otherwise drown what the user said.
type Population string

// The populations.
const (
	Statements Population = ""          // extracted items and written notes
	UserTurns  Population = "user"      // what a person said in a conversation
	AgentTurns Population = "assistant" // what an assistant or a tool answered
	Documents  Population = "document"  // the project's own files, which are no memory
)

// Conversation reports whether the passage is a turn rather than a statement.
func (p *Passage) Conversation() bool {
	return p.Population == UserTurns || p.Population == AgentTurns
}

// Stated reports whether the passage is an item that states something, and no turn,
// episode, note or document.
func (p *Passage) Stated() bool {
	return p.Population == Statements && (p.Item.Kind == Semantic || p.Item.Kind == Procedural)
}

// InterimTag is the tag of what an assistant said on the way to its answer.
const InterimTag = "interim"

// Interim reports whether the passage was said on the way to an answer: it helps to find
// the request that it was said for.
func (p *Passage) Interim() bool {
	return p.Population == AgentTurns && slices.Contains(p.Item.Metadata.Tags, InterimTag)
}

// File is what an index remembers of one text file, so that a sync reads only
// what changed.
type File struct {
	Path  string    // as the store names it, unique in an index
	Kind  string    // the store's own word for how to read it
	Size  int64     // bytes
	MTime time.Time // to the nanosecond
	Hash  string    // SHA-256 of the first Offset bytes, hex
	// Offset is how far the file has been read: Size for files that are read
	// whole, the end of the last complete line for append-only ones.
	Offset int64
	// Mark is opaque to the index: a store keeps there what it needs to go on
	// reading from Offset.
	Mark string
}

// Batch is a change to an index, applied as a whole or not at all. Files in
// Gone and in Replace lose all their passages first, then Retire and Put are
// carried out in order.
type Batch struct {
	Files   []File    // new state of every file that was read
	Replace []string  // paths whose passages are all in Put again
	Gone    []string  // paths that no longer exist
	Remove  []string  // passage IDs that no longer exist
	Put     []Passage // later entries win over earlier ones with the same ID
	Uses    []Use     // accesses to remember, in the order they happened
}

// Last returns the passages to put, of those with the same ID the last.
func (b *Batch) Last() []Passage {
	last := make(map[string]int, len(b.Put))
	for i := range b.Put {
		last[b.Put[i].ID] = i
	}
	if len(last) == len(b.Put) {
		return b.Put
	}
	out := make([]Passage, 0, len(last))
	for i := range b.Put {
		if last[b.Put[i].ID] == i {
			out = append(out, b.Put[i])
		}
	}
	return out
}

// Use is one access: a passage that was read on purpose or came back in an
// answer. Being injected is not an access.
type Use struct {
	ID string
	At time.Time
}

// Empty reports whether applying the batch would change nothing.
func (b *Batch) Empty() bool {
	return len(b.Files)+len(b.Replace)+len(b.Gone)+len(b.Remove)+len(b.Put)+len(b.Uses) == 0
}
