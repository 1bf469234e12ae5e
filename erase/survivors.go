package erase

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/copies"
	"orihon/internal/space"
	"orihon/memory"
)

// Survivor is a place that still holds the text of a purged item.
type Survivor struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // from 1; 0 in what has no lines
	Item string `json:"item,omitempty"` // the other item that stands there
	Why  string `json:"why"`
}

func (s Survivor) String() string {
	if s.Line == 0 {
		return s.Path + ": " + s.Why
	}
	return fmt.Sprintf("%s:%d: %s", s.Path, s.Line, s.Why)
}

// purge is one under way. As JSON it is the note that says so.
type purge struct {
	V  int    `json:"v"`
	ID string `json:"id"`

	// Carried are the files of the item that git tracks.
	Carried []string `json:"carried,omitempty"`

	content  string        // of the item; empty when it is nowhere any more
	source   memory.Source // who it is from; empty then, too
	again    bool          // an earlier one of the same ID was interrupted
	spaces   []reach
	texts    []string // what the next look is for
	words    *copies.Words
	derived  map[*space.Space][]string // IDs of items that go with it
	sessions map[string]bool           // that held the text, as the client names them
	left     []Survivor
}

// mine reports whether an ID is the item's, or that of a bullet or a chunk of it.
func (p *purge) mine(id string) bool { return id == p.ID || strings.HasPrefix(id, p.ID+"#") }

func (p *purge) stays(path string, line int, why string) {
	p.left = append(p.left, Survivor{Path: path, Line: line, Why: why})
}

// survivors are what is left, each once.
func (p *purge) survivors() []Survivor {
	slices.SortStableFunc(p.left, func(a, b Survivor) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(b.Item, a.Item))
	})
	p.left = slices.CompactFunc(p.left, func(a, b Survivor) bool { return a.Path == b.Path && a.Line == b.Line })
	return p.left
}

func purgedMark(id string) string { return "[purged:" + id + "]" }

// survivorAt is a path:line of the store.
func survivorAt(where, why string) Survivor {
	path, line := where, 0
	if i := strings.LastIndexByte(where, ':'); i >= 0 {
		if n, err := strconv.Atoi(where[i+1:]); err == nil {
			path, line = where[:i], n
		}
	}
	return Survivor{Path: path, Line: line, Why: why}
}
