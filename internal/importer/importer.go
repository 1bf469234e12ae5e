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
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

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
	Messages     Format = "messages" // of a chat, as APIs have them
	Markdown     Format = "markdown"
	Orihon       Format = "orihon" // ledger lines, as orihon export writes them
)

// Formats lists all formats.
func Formats() []Format {
	return []Format{ClaudeCode, ClaudeMemory, GeminiCLI, MCPMemory, Mem0, Zep, Letta, ClaudeMem, Engram, COGX, ChatGPT, Messages, Markdown, Orihon}
}

// ParseFormat reads the name of a format; empty stays empty.
func ParseFormat(s string) (Format, error) {
	f := Format(strings.ToLower(strings.TrimSpace(s)))
	if f == "" || slices.Contains(Formats(), f) {
		return f, nil
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

// source reads one file.
func (r *run) source(s *source, single bool) error {
	r.file, r.format = s.name, cmp.Or(r.o.Format, s.format)
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
		return r.linesOrDocument(in, &mcpMemory{run: r}, "type")
	case Messages:
		return r.linesOrDocument(in, &messages{run: r}, "role")
	case Orihon:
		return r.lines(in, &ledger{run: r})
	case COGX:
		return r.lines(in, &cogx{run: r, kind: r.stem(".jsonl")})
	case Markdown:
		return r.text(in, r.markdown)
	case ClaudeMemory:
		return r.text(in, r.claudeMemory)
	case GeminiCLI:
		return r.gemini(in)
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
