package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// ledgerVersion is the newest format of a ledger line this code can read, and
// the one it writes.
const ledgerVersion = 1

// record is any line of a ledger: a version of an item, or with Op "retire"
// the end of one.
type record struct {
	V  int    `json:"v"`
	Op string `json:"op,omitempty"`
	memory.Item
	At  time.Time `json:"at,omitzero"`
	Why string    `json:"why,omitempty"`
	// Archive makes a retirement a move into the archive: it names the part.
	// Programs that do not know it see an item that can be restored. In a
	// version it may be anybody's.
	Archive json.RawMessage `json:"archive,omitempty"`
}

// archives reports whether a line moves its item into the archive.
func (r *record) archives() bool { return r.Op == "retire" && len(r.Archive) > 0 }

// version is the current state of an item in a ledger.
type version struct {
	item    memory.Item
	line    int
	raw     []byte // its line; only kept for lines a filter chose
	retired bool
	// archived says that it was retired into the archive: no index holds it.
	archived bool
	at       time.Time
	why      string

	// Of text that nobody has accepted: its hash, and what it claims.
	waits  string
	claims *memory.Item
	// rejected says that the person turned it down, which leaves it retired.
	rejected bool
}

// ledger is what a ledger, or the end of one, says.
type ledger struct {
	order    []string // IDs by their first line
	versions map[string]*version
	// loose are retirements of items whose lines were not read.
	loose    map[string]record
	end      int64 // behind the last whole line
	problems []memory.Problem
}

// readLedger reads the lines from byte offset from on, before which there are
// skipped lines. With want, only the lines it accepts are parsed.
func readLedger(e *entry, from int64, skipped int, want func(line []byte) bool) (*ledger, error) {
	l := &ledger{versions: make(map[string]*version), loose: make(map[string]record)}
	var err error
	l.end, err = jsonl.Read(e.file, from, func(line []byte, _ int64, number int) error {
		if want != nil && !want(line) {
			return nil
		}
		var raw []byte
		if want != nil {
			raw = bytes.Clone(line)
		}
		l.take(e, line, raw, skipped+number)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errGone
	}
	return l, err
}

func (l *ledger) take(e *entry, line, raw []byte, number int) {
	rec, warning, err := parseLine(line, e.root.Scope)
	if warning != "" {
		l.problems = append(l.problems, memory.Problem{Path: e.path, Line: number, Text: warning})
	}
	if err != nil {
		l.problems = append(l.problems, memory.Problem{Path: e.path, Line: number, Text: err.Error()})
		return
	}
	v := l.versions[rec.ID]
	switch {
	case rec.Op == "retire" && v == nil:
		l.loose[rec.ID] = rec
	case rec.Op == "retire":
		v.retired, v.archived, v.at, v.why = true, rec.archives(), rec.At, rec.Why
	default:
		if v == nil {
			l.order = append(l.order, rec.ID)
		}
		delete(l.loose, rec.ID)
		v := &version{line: number, raw: raw}
		if v.item, v.waits = e.judged(rec.Item); v.waits != "" {
			claims := rec.Item
			v.claims = &claims
			v.rejected = e.foreign().Rejected(v.waits)
			v.retired = v.rejected
		}
		l.versions[rec.ID] = v
	}
}

// parseLine reads one line; scope is that of the folder. The warning names
// what a person should mend although the line could be read.
func parseLine(line []byte, scope memory.Scope) (rec record, warning string, err error) {
	if err := json.Unmarshal(line, &rec); err != nil {
		return rec, "", fmt.Errorf("is not a line of a ledger (%s): mend or delete it", oneLine(err.Error()))
	}
	if key := duplicateKey(line); key != "" {
		warning = fmt.Sprintf("has the key %q twice, the last one counts: delete the other", key)
	}
	if !utf8.Valid(line) {
		warning = "is not valid UTF-8: save the file as UTF-8"
	}
	switch {
	case rec.V > ledgerVersion:
		return rec, warning, fmt.Errorf("was written by a newer version (format %d, this one reads %d): update this program", rec.V, ledgerVersion)
	case rec.Op == "retire" && rec.ID != "":
		return rec, warning, nil
	case rec.Op != "":
		return rec, warning, fmt.Errorf("has op %q or no id: only \"retire\" with an id is known", rec.Op)
	}
	rec.Scope = scope
	if err := check(&rec.Item); err != nil {
		return rec, warning, fmt.Errorf("%s: mend or delete the line", oneLine(err.Error()))
	}
	rec.Item = normal(rec.Item)
	return rec, warning, nil
}

// duplicateKey finds a key that stands twice in the outermost object of a valid
// JSON text. Escaped spellings of a key are not unfolded.
func duplicateKey(line []byte) string {
	var seen [32]string
	n, depth, start := 0, 0, -1
	key := true // the next string at depth 1 is a key
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case start >= 0 && c == '\\':
			i++
		case start >= 0 && c == '"':
			if depth == 1 && key {
				name := string(line[start:i])
				if slices.Contains(seen[:n], name) {
					return name
				}
				if n < len(seen) {
					seen[n] = name
					n++
				}
			}
			start = -1
		case start >= 0:
		case c == '"':
			start = i + 1
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 1:
			key = false
		case c == ',' && depth == 1:
			key = true
		}
	}
	return ""
}

func (v *version) passage(e *entry) memory.Passage {
	return memory.Passage{ID: v.item.ID, Item: dated(v.item), Source: e.path, Line: v.line, EndLine: v.line, Retired: v.retired}
}

// lineFilter accepts the lines of a ledger that may concern the IDs, without
// parsing more of them than it must.
func lineFilter(wanted map[string]bool) func([]byte) bool {
	if len(wanted) == 1 {
		for id := range wanted {
			if plain(id) {
				raw, escape := []byte(id), []byte(`\u`)
				return func(line []byte) bool { return bytes.Contains(line, raw) || bytes.Contains(line, escape) }
			}
		}
	}
	return func(line []byte) bool {
		id, _, ok := idOf(line)
		return !ok || wanted[id]
	}
}

// plain reports whether JSON writes a string as it is, but for \u escapes.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == '/' })
}

// idOf reads the ID of a line, and whether the line retires it.
func idOf(line []byte) (id string, retires, ok bool) {
	const version, retire, key = `{"v":1,"id":"`, `{"v":1,"op":"retire","id":"`, `"id":`
	rest, ours := bytes.CutPrefix(line, []byte(version))
	if !ours {
		rest, retires = bytes.CutPrefix(line, []byte(retire))
	}
	if n := bytes.IndexByte(rest, '"'); (ours || retires) && n > 0 && bytes.IndexByte(rest[:n], '\\') < 0 && bytes.Count(line, []byte(key)) == 1 {
		return string(rest[:n]), retires, true
	}
	var h struct{ ID, Op string }
	if json.Unmarshal(line, &h) != nil || h.ID == "" {
		return "", false, false
	}
	return h.ID, h.Op == "retire", true
}
