package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"orihon/journal"
)

// most is how many problems and unknown files a report names.
const most = 100

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
	whole       bool  // the file is one JSON document, not one a line
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

// mostText is how long a statement may be, in bytes: of a longer one memory would
// find the beginning alone.
const mostText = 64 << 10

// fact hands a statement on, unless it says nothing or far too much.
func (r *run) fact(f Fact, line int) error {
	f.Text, f.Title = clean(f.Text), clean(f.Title)
	if f.Text == "" {
		return nil
	}
	if f.Title == f.Text {
		f.Title = ""
	}
	if n := len(f.Text) + len(f.Title); n > mostText {
		r.problem(line, fmt.Sprintf("left out: it says %d KB in one piece, at most %d: split it", n>>10, mostText>>10))
		return nil
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

// stem is the name of the file without its folder and its extension.
func (r *run) stem(ext string) string {
	return strings.TrimSuffix(path.Base(strings.TrimSuffix(r.file, ".gz")), ext)
}

// ownSession names the conversation of a file that does not name it.
func (r *run) ownSession() string {
	name := strings.ReplaceAll(strings.TrimSuffix(r.file, ".gz"), "/", "-")
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return string(r.format) + "-" + name
}
