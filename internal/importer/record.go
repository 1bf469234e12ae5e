package importer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"orihon/journal"
	"orihon/memory"
)

// Record is one thing found: a fact or an event, the other is nil.
type Record struct {
	Format Format
	File   string // relative to what was read, with slashes
	Line   int    // from 1
	Fact   *Fact
	Event  *Event
}

// Where is the provenance of a record: "<format>:<file>:<id or line>".
func (r *Record) Where() string {
	at := fmt.Sprint(r.Line)
	if r.Fact != nil && r.Fact.ID != "" && !strings.ContainsAny(r.Fact.ID, "\n\r") {
		at = r.Fact.ID
	}
	return fmt.Sprintf("%s:%s:%s", r.Format, r.File, at)
}

// Fact is a statement. Zero times are unknown.
type Fact struct {
	ID    string // the source's own; empty without one
	Title string
	Text  string
	Kind  memory.Kind
	Topic memory.Topic
	Tags  []string

	Confidence         float64 // 0 when the source says nothing
	Created, Updated   time.Time
	ValidFrom, ValidTo time.Time
	Session            string

	// Item is the whole item when the source is an export of our own.
	Item *memory.Item
}

// Event is something said or done in a session.
type Event struct {
	Session string
	Client  string
	CWD     string
	Branch  string

	At   time.Time
	Type journal.Type
	// ID is the source's name for it. What was said by the user may have a
	// Prompt instead, the name for the prompt; an answer without an ID is known
	// by the prompt it belongs to and by its words.
	ID     string
	Prompt string

	Text    string
	Speaker string
	Model   string

	Tool    string
	Input   json.RawMessage
	IsError bool
	Trigger string // of a compaction
}

// Usage is what the answers in a source took, in tokens.
type Usage struct {
	Input         int64 `json:"input"`
	CacheCreation int64 `json:"cache_creation"`
	CacheRead     int64 `json:"cache_read"`
	Output        int64 `json:"output"`
}

// Report says what was read. Lines, ToolCalls and Answers count what stands in
// the source, whatever becomes of it.
type Report struct {
	Formats   map[Format]int // files by format
	Lines     map[string]int // valid lines or elements by type
	ToolCalls int
	Answers   int // by message id
	Usage     Usage
	Elsewhere int      // files of other projects, left out
	Unknown   []string // files of no known shape, left out; the first few
	Unknowns  int      // how many
	Problems  []string // "file:line: what is wrong"; the first few
	Broken    int      // how many
}

// Add adds what another report counts.
func (r *Report) Add(o *Report) {
	for f, n := range o.Formats {
		r.Formats[f] += n
	}
	for kind, n := range o.Lines {
		r.Lines[kind] += n
	}
	r.ToolCalls += o.ToolCalls
	r.Answers += o.Answers
	r.Usage.Input += o.Usage.Input
	r.Usage.CacheCreation += o.Usage.CacheCreation
	r.Usage.CacheRead += o.Usage.CacheRead
	r.Usage.Output += o.Usage.Output
	r.Elsewhere += o.Elsewhere
	r.Unknowns += o.Unknowns
	r.Broken += o.Broken
	r.Unknown = append(r.Unknown, o.Unknown[:min(len(o.Unknown), most-min(most, len(r.Unknown)))]...)
	r.Problems = append(r.Problems, o.Problems[:min(len(o.Problems), most-min(most, len(r.Problems)))]...)
}
