package store

import (
	"context"
	"strings"

	"orihon/internal/jsonl"
	"orihon/internal/redact"
	"orihon/memory"
)

// FailAppends makes every append end with an error from now on; nil heals.
func (s *Store) FailAppends(err error) {
	s.appendTo = jsonl.Append
	if err != nil {
		s.appendTo = func(context.Context, string, *jsonl.Options, ...[]byte) (int64, error) { return 0, err }
	}
}

// FailReplaces makes every replacement of a file but the first n end with an
// error from now on; nil heals.
func (s *Store) FailReplaces(n int, err error) {
	s.replace = func(path string, data []byte) error {
		if n--; n < 0 && err != nil {
			return err
		}
		return jsonl.WriteFile(path, data)
	}
}

// FailAfter makes every write to the disk but the first n end with an error
// from now on; nil heals.
func (s *Store) FailAfter(n int, err error) {
	good := func() bool { n--; return n >= 0 || err == nil }
	s.appendTo = func(ctx context.Context, path string, o *jsonl.Options, lines ...[]byte) (int64, error) {
		if !good() {
			return 0, err
		}
		return jsonl.Append(ctx, path, o, lines...)
	}
	s.replace = func(path string, data []byte) error {
		if !good() {
			return err
		}
		return jsonl.WriteFile(path, data)
	}
	s.move = func(from, to string) error {
		if !good() {
			return err
		}
		return move(from, to)
	}
}

// ParseLine is the parser of ledger lines, for fuzzing.
func ParseLine(line []byte) (id string, err error) {
	rec, _, err := parseLine(line, "shared")
	return rec.ID, err
}

// ParseArchived is the parser of the lines of an archive, for fuzzing.
func ParseArchived(line []byte) (memory.Archived, error) {
	a, err := parseArchived(line, "shared")
	return memory.Archived{Item: a.Item, Vector: a.vector()}, err
}

// ParseAtom is the parser of Markdown, for fuzzing: the passages as the text of
// each, and the file with an ID given.
func ParseAtom(raw []byte) (texts, ids []string, isAtom bool, withID []byte, err error) {
	e := &entry{root: &Root{Name: "shared", Scope: "shared"}, path: "shared/x.md", file: "x.md", kind: kindMarkdown}
	m, _, err := parseMarkdown(e, raw)
	if err != nil {
		return nil, nil, false, nil, err
	}
	passages := notePassages(m, e)
	if m.atom {
		passages = m.atomPassages(e)
	}
	for _, p := range passages {
		texts, ids = append(texts, p.Item.Content), append(ids, p.ID)
	}
	if m.derived {
		withID, err = m.doc.withID("given")
	}
	return texts, ids, m.atom, withID, err
}

// CleanAtom is what is derived from Markdown, for fuzzing: all texts of
// the passages, where they stand, and how many lines there are.
func CleanAtom(raw []byte) (texts []string, places [][2]int, last int, err error) {
	s := &Store{redactor: new(redact.Redactor)}
	e := &entry{root: &Root{Name: "shared", Scope: "shared"}, path: "shared/MEMORY.md", file: "MEMORY.md", kind: kindMarkdown}
	if strings.HasPrefix(string(raw), "---") {
		e.path, e.file = "shared/x.md", "x.md"
	}
	m, _, err := s.parseClean(e, raw)
	if err != nil {
		return nil, nil, 0, err
	}
	passages := notePassages(m, e)
	if m.atom {
		passages = m.atomPassages(e)
	}
	for _, p := range passages {
		texts = append(texts, p.Item.Content, p.Heading, p.Item.Title)
		places = append(places, [2]int{p.Line, p.EndLine})
	}
	return texts, places, 1 + strings.Count(string(raw), "\n"), nil
}

// MaxNewIDs is how many files a sync gives an ID.
const MaxNewIDs = maxNewIDs
