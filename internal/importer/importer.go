// Package importer reads what other programs remember: transcripts, memory
// files and exports. It turns foreign text into a stream of records, facts and
// events of sessions, and says what it could not read.
//
// It only parses. Who may see a record, how far it is believed, whether it is
// known already and what of it is a secret is decided by whoever takes it; the
// package writes nothing. Everything is read as a stream: memory use is bounded
// by the longest line, or the largest element of an array, of at most 64 MB.
//
// Start with [Read]. One file holds one format; detect.go tells them apart.
package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"orihon/journal"
	"orihon/memory"
)

// Format names the program or the standard that wrote a file.
type Format string

// The formats.
const (
	ClaudeCode   Format = "claude-code"   // transcripts of sessions
	ClaudeMemory Format = "claude-memory" // MEMORY.md and topic files of Claude Code
	GeminiCLI    Format = "gemini-cli"    // sessions
	MCPMemory    Format = "mcp-memory"    // memory.jsonl: entities and relations
	Mem0         Format = "mem0"
	Zep          Format = "zep" // and Graphiti
	Letta        Format = "letta"
	ClaudeMem    Format = "claude-mem"
	Engram       Format = "engram"
	COGX         Format = "cogx"
	ChatGPT      Format = "chatgpt"
	Markdown     Format = "markdown"
	Orihon       Format = "orihon" // ledger lines, as orihon export writes them
)

// Formats lists all formats.
func Formats() []Format {
	return []Format{ClaudeCode, ClaudeMemory, GeminiCLI, MCPMemory, Mem0, Zep, Letta, ClaudeMem, Engram, COGX, ChatGPT, Markdown, Orihon}
}

// ParseFormat reads the name of a format; empty stays empty.
func ParseFormat(s string) (Format, error) {
	f := Format(strings.ToLower(strings.TrimSpace(s)))
	if f == "" {
		return "", nil
	}
	for _, known := range Formats() {
		if f == known {
			return f, nil
		}
	}
	return "", fmt.Errorf("%w format %q: want one of %s", memory.ErrInvalid, s, names())
}

func names() string {
	var list []string
	for _, f := range Formats() {
		list = append(list, string(f))
	}
	return strings.Join(list, ", ")
}

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

// most is how many problems and unknown files a report names.
const most = 100

// Options of [Read]; nil means all defaults.
type Options struct {
	Format Format // empty tells it by the shape of each file
	// Within says whether a session in this folder is wanted, when a folder
	// with the sessions of several projects is read; nil wants all.
	Within func(cwd string) bool
	// Progress hears how many bytes of how many are read.
	Progress func(done, total int64)
}

// Read reads a file, a folder or an archive and calls fn for every record, in a
// fixed order. What is broken is reported and left out. The error is fn's, as
// it is, or wraps [memory.ErrInvalid] when nothing there has a known shape.
func Read(ctx context.Context, name string, o *Options, fn func(Record) error) (*Report, error) {
	if o == nil {
		o = &Options{}
	}
	r := &run{ctx: ctx, o: o, fn: fn, seen: make(map[string]bool), folders: make(map[string]string), report: &Report{Formats: make(map[Format]int), Lines: make(map[string]int)}}
	found, err := list(name, o.Format)
	if err != nil {
		return r.report, err
	}
	defer found.close()
	for i := range found.sources {
		r.total += found.sources[i].size
	}
	if o.Within != nil {
		r.learnFolders(found.sources)
	}
	for i := range found.sources {
		if err := ctx.Err(); err != nil {
			return r.report, err
		}
		if err := r.source(&found.sources[i], found.single); err != nil {
			return r.report, err
		}
	}
	if len(r.report.Formats) == 0 && r.report.Elsewhere == 0 {
		return r.report, fmt.Errorf("%w import: nothing in %s has a known shape: name one with --from: %s", memory.ErrInvalid, path.Base(strings.ReplaceAll(name, `\`, "/")), names())
	}
	return r.report, nil
}

// run is one call of Read.
type run struct {
	ctx    context.Context
	o      *Options
	fn     func(Record) error
	report *Report
	seen   map[string]bool // what the files of one session may tell twice

	folders map[string]string // of several projects, by their names here

	format      Format
	file        string
	read, total int64 // bytes
}

// handler takes one file of a format piece by piece: the members of a document
// with their names, or its lines without. An error ends the import; what is
// merely broken goes to [run.problem].
type handler interface {
	take(member string, raw json.RawMessage, line int) error
	done() error
}

// done is that of handlers that keep nothing until the end.
func (r *run) done() error { return nil }

// source reads one file.
func (r *run) source(s *source, single bool) error {
	r.file, r.format = s.name, r.o.Format
	if r.format == "" {
		r.format = s.format
	}
	if r.format == "" {
		head, err := s.head()
		if err != nil {
			r.problem(0, err.Error())
			return nil
		}
		if r.format = detect(s.name, head); r.format == "" {
			if single {
				return nil
			}
			if r.report.Unknowns++; len(r.report.Unknown) < most {
				r.report.Unknown = append(r.report.Unknown, s.name)
			}
			r.advance(s.size)
			return nil
		}
	}
	if s.project != "" && r.o.Within != nil && !r.wanted(s) {
		r.report.Elsewhere++
		r.advance(s.size)
		return nil
	}
	in, err := s.open(r.advance)
	if err != nil {
		r.problem(0, err.Error())
		return nil
	}
	defer in.Close()
	r.report.Formats[r.format]++
	return r.parse(in)
}

// wanted reports whether a file that stands among those of several projects is
// of the right one: a transcript says so itself, any other file has the project
// of the transcripts beside it.
func (r *run) wanted(s *source) bool {
	if r.format == ClaudeCode {
		cwd := firstFolder(s)
		return cwd == "" || r.o.Within(cwd)
	}
	if cwd, known := r.folders[s.project]; known {
		return r.o.Within(cwd)
	}
	return false
}

// learnFolders finds out which folder each of several projects is.
func (r *run) learnFolders(all []source) {
	for i := range all {
		s := &all[i]
		if s.project == "" || r.folders[s.project] != "" || path.Ext(strings.TrimSuffix(s.name, ".gz")) != ".jsonl" {
			continue
		}
		if cwd := firstFolder(s); cwd != "" {
			r.folders[s.project] = cwd
		}
	}
}

func (r *run) parse(in io.Reader) error {
	switch r.format {
	case ClaudeCode:
		return r.lines(in, newTranscript(r))
	case MCPMemory:
		return r.linesOrDocument(in, &mcpMemory{run: r})
	case Orihon:
		return r.lines(in, &ledger{run: r})
	case COGX:
		return r.lines(in, &cogx{run: r, kind: strings.TrimSuffix(path.Base(strings.TrimSuffix(r.file, ".gz")), ".jsonl")})
	case Markdown:
		return r.text(in, r.markdown)
	case ClaudeMemory:
		return r.text(in, r.claudeMemory)
	case GeminiCLI:
		return r.document(in, &gemini{run: r})
	case Mem0:
		return r.document(in, &mem0{run: r})
	case Zep:
		return r.document(in, &zep{run: r})
	case Letta:
		return r.document(in, &letta{run: r})
	case ClaudeMem:
		return r.document(in, &claudeMem{run: r})
	case Engram:
		return r.document(in, &engram{run: r})
	case ChatGPT:
		return r.document(in, &chatGPT{run: r})
	}
	return fmt.Errorf("%w format %q", memory.ErrInvalid, r.format)
}

func (r *run) advance(n int64) {
	r.read += n
	if r.o.Progress != nil {
		r.o.Progress(r.read, r.total)
	}
}

// problem reports something that could not be read; line 0 is the whole file.
func (r *run) problem(line int, why string) {
	if r.report.Broken++; len(r.report.Problems) >= most {
		return
	}
	where := r.file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", r.file, line)
	}
	r.report.Problems = append(r.report.Problems, where+": "+strings.Join(strings.Fields(why), " "))
}

// count notes a valid line or element.
func (r *run) count(kind string) { r.report.Lines[kind]++ }

// fact hands a statement on, unless it says nothing.
func (r *run) fact(f Fact, line int) error {
	f.Text, f.Title = clean(f.Text), clean(f.Title)
	if f.Text == "" {
		return nil
	}
	if f.Title == f.Text {
		f.Title = ""
	}
	return r.fn(Record{Format: r.format, File: r.file, Line: line, Fact: &f})
}

func (r *run) event(e Event, line int) error {
	if e.Text = clean(e.Text); e.Text == "" && e.Tool == "" && e.Type != journal.Compacted {
		return nil
	}
	return r.fn(Record{Format: r.format, File: r.file, Line: line, Event: &e})
}

// clean makes text that can be kept: no NUL, valid UTF-8, no blank ends.
func clean(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", ""))
}
