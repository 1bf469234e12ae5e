package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"orihon/memory"
)

// Foreign says how far the text of a root counts that others may have written,
// as that of a repository: what the person has accepted is as good as their
// own, the rest is only found.
type Foreign interface {
	// Accepted reports whether the person accepted content with this hash.
	Accepted(hash string) bool
	// Epoch looks for what was accepted meanwhile, and names a state in which
	// nothing but single contents is accepted or all of it is: what was read in
	// another one is read again.
	Epoch() (string, error)
	// Accept notes contents that were written on the person's behalf.
	Accept(ctx context.Context, hashes ...string) error
}

// unacceptedPrefix begins the ID of what nobody here has accepted: such text
// names no item but itself, whatever ID it gives.
const unacceptedPrefix = "repository:"

// Unaccepted reports whether an ID is that of text which waits for acceptance.
func Unaccepted(id string) bool { return strings.HasPrefix(id, unacceptedPrefix) }

// foreign is the judge of an entry's text; nil when it is the user's own.
func (e *entry) foreign() Foreign {
	if e.root == nil || e.path == pastName {
		return nil
	}
	return e.root.Foreign
}

// contentHash names a content as a person accepts it: all that an item says of
// itself but its ID and how often it was used. Which file says it does not
// matter, except that a core file is heard at every start. 128 bits of SHA-256
// keep anybody from writing two contents of one hash.
func contentHash(it *memory.Item, core bool) string {
	h := sha256.New()
	field := func(name string, values ...string) {
		fmt.Fprintf(h, "%s %d\n", name, len(values))
		for _, v := range values {
			fmt.Fprintf(h, "%d:", len(v))
			_, _ = io.WriteString(h, v)
		}
	}
	moment := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	m := &it.Metadata
	field("core", strconv.FormatBool(core))
	field("scope", string(it.Scope))
	field("is", string(it.Kind), string(it.Topic), string(it.Tier), string(m.Source), it.Audience)
	field("believed", strconv.FormatFloat(m.Confidence, 'g', -1, 64), strconv.Itoa(m.Confirmations))
	field("times", moment(m.CreatedAt), moment(m.UpdatedAt), moment(it.ValidFrom), moment(it.ValidTo))
	field("supersedes", it.Relations.Supersedes)
	field("related", it.Relations.RelatedTo...)
	field("tags", m.Tags...)
	field("triggers", it.Triggers...)
	field("aliases", it.Aliases...)
	field("session", m.Session)
	field("evidence", m.Evidence...)
	field("title", it.Title)
	field("content", strings.TrimSpace(it.Content))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// unaccepted is an item as far as it counts before anybody has accepted it:
// what it says, and where it stands. Who says so, how sure it is, what calls it
// up and what it ends are claims.
func unaccepted(it memory.Item, path, name string) memory.Item {
	it.ID = unacceptedPrefix + path
	if name != "" {
		it.ID += "#" + name
	}
	if it.Kind != memory.Note {
		it.Tier = memory.Provisional
	}
	it.Audience, it.Triggers, it.Relations = "", nil, memory.Relations{}
	m := &it.Metadata
	m.Source, m.Confidence = memory.FromRepository, min(m.Confidence, memory.ImportedConfidence)
	m.Confirmations, m.Session, m.Evidence, m.AccessCount, m.LastAccessed = 0, "", nil, 0, time.Time{}
	return it
}

// judge marks what of a Markdown file nobody has accepted. Each bullet of an
// atom stands for itself, and so does the prose; a note counts as a whole.
func (m *markdown) judge(e *entry) {
	f := e.foreign()
	if f == nil {
		return
	}
	m.path, m.judged = e.path, true
	wait := func(hash string) bool {
		m.units = append(m.units, hash)
		if f.Accepted(hash) {
			return false
		}
		m.waits = append(m.waits, hash)
		return true
	}
	if !m.isAtom() {
		if m.says() {
			m.unaccepted = wait(m.proseHash())
		}
		return
	}
	for i := range m.facts {
		it := m.factClaims(&m.facts[i])
		m.facts[i].unaccepted = wait(contentHash(&it, false))
	}
	if m.prose() != "" {
		m.unaccepted = wait(m.proseHash())
	}
}

// says reports whether a file holds more than headings and comments.
func (m *markdown) says() bool {
	return slices.ContainsFunc(m.lines, func(l line) bool {
		return l.class == prose || l.class == code || l.class == bullet || l.class == inside
	})
}

// prose is what a file says beside the bullets that stand for themselves.
func (m *markdown) prose() string {
	if !m.isAtom() || len(m.facts) == 0 {
		return strings.TrimSpace(m.item.Content)
	}
	var b strings.Builder
	for _, l := range withoutBullets(m.lines) {
		if l.class == prose || l.class == code {
			b.WriteString(l.text + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func (m *markdown) proseHash() string {
	it := m.item
	it.Content = m.prose()
	return contentHash(&it, m.core)
}

// whole is the file as an item, as far as it counts.
func (m *markdown) whole() memory.Item {
	if m.unaccepted {
		return unaccepted(m.item, m.path, "")
	}
	return m.item
}

// atomID is the ID under which the file owns its bullets: the one that it gives
// when anything in it was accepted.
func (m *markdown) atomID() string {
	if m.judged && len(m.waits) == len(m.units) {
		return unacceptedPrefix + m.path
	}
	return m.item.ID
}

// judged is an item of a ledger as far as it counts.
func (e *entry) judged(it memory.Item) (memory.Item, string) {
	f := e.foreign()
	if f == nil {
		return it, ""
	}
	hash := contentHash(&it, false)
	if f.Accepted(hash) {
		return it, ""
	}
	sum := sha256.Sum256([]byte(it.ID))
	return unaccepted(it, e.path, hex.EncodeToString(sum[:4])), hash
}

// filtered is a filter of a ledger's lines; the IDs of foreign ones are not
// those that its text gives.
func (e *entry) filtered(wanted map[string]bool) func([]byte) bool {
	if e.foreign() != nil {
		return func([]byte) bool { return true }
	}
	return lineFilter(wanted)
}

// Waiting is a content of a repository that nobody here has accepted.
type Waiting struct {
	Hash string
	Path string // as [memory.File.Path]
	File string // for the operating system
	Line int
	// Claims is the item as the text would have it.
	Claims memory.Item
	Core   bool // it is a core file, which every session begins with
}

// Waiting lists what waits for acceptance, file by file, and what could not be
// read.
func (s *Store) Waiting(ctx context.Context) (out []Waiting, problems []memory.Problem, err error) {
	entries, problems := s.walk()
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if e.foreign() == nil {
			continue
		}
		if e.kind == kindLedger {
			l, err := readLedger(e, 0, 0, nil)
			if err != nil {
				problems = append(problems, memory.Problem{Path: e.path, Text: "cannot be read: " + reason(err)})
				continue
			}
			for _, id := range l.order {
				if v := l.versions[id]; v.waits != "" && !v.retired {
					out = append(out, Waiting{Hash: v.waits, Path: e.path, File: e.file, Line: v.line, Claims: v.claims})
				}
			}
			continue
		}
		m, _, err := s.readClean(e)
		if err != nil {
			problems = append(problems, memory.Problem{Path: e.path, Text: "cannot be read: " + reason(err)})
			continue
		}
		out = append(out, m.waiting(e)...)
	}
	return out, problems, nil
}

func (m *markdown) waiting(e *entry) (out []Waiting) {
	w := Waiting{Path: e.path, File: e.file, Core: m.core}
	if m.isAtom() {
		for i := range m.facts {
			f := &m.facts[i]
			if retired, _ := m.factRetired(f); !f.unaccepted || retired || f.text == "" {
				continue
			}
			w.Claims, w.Line = m.factClaims(f), f.line
			w.Hash = contentHash(&w.Claims, false)
			out = append(out, w)
		}
	}
	if said := m.prose(); m.unaccepted && !m.retired && said != "" {
		w.Claims, w.Line, w.Hash = m.item, m.doc.bodyLine, m.proseHash()
		w.Claims.Content = said
		out = append(out, w)
	}
	return out
}

// private reports whether a file is the user's alone.
func (r *reading) private() bool { return r.entry.root == nil || r.entry.root.Scope.Private() }

// taken lists, among the IDs that shared text of this run gives, those that
// private text has: nobody else's text takes its place.
func (y *catchUp) taken(ctx context.Context) (map[string]bool, error) {
	wanted := make(map[string]bool)
	for _, r := range y.readings {
		if r.private() {
			continue
		}
		for i := range r.passages {
			wanted[r.passages[i].ID] = true
			if parent := r.passages[i].Parent; parent != "" {
				wanted[parent] = true
			}
		}
		for _, id := range r.left {
			wanted[id] = true
		}
	}
	out := make(map[string]bool)
	if len(wanted) == 0 {
		return out, nil
	}
	entries, _ := y.walk()
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !e.root.Scope.Private() || e.root.Notes {
			continue
		}
		if e.kind == kindLedger {
			l, err := readLedger(e, 0, 0, lineFilter(wanted))
			if err != nil && !errors.Is(err, errGone) {
				return nil, err
			}
			for _, id := range l.order {
				out[id] = wanted[id]
			}
			continue
		}
		if !mayBeAtom(e.file) {
			continue
		}
		if m, _, err := y.readClean(e); err == nil && m.isAtom() {
			out[m.item.ID] = wanted[m.item.ID]
			for j := range m.facts {
				id := m.factItem(&m.facts[j]).ID
				out[id] = wanted[id]
			}
		}
	}
	return out, nil
}

// vouch accepts what was just written to an atom on the person's behalf, and
// what was accepted in it before: a change of its front matter is a change of
// all its bullets.
func (s *Store) vouch(ctx context.Context, before *markdown, at place) error {
	f := at.entry.foreign()
	if f == nil {
		return nil
	}
	now, _, err := s.readClean(&at.entry)
	if err != nil {
		return err
	}
	known := make(map[string]bool)
	prose := before == nil
	if before != nil {
		prose = !before.unaccepted || len(before.facts) == 0
		for i := range before.facts {
			known[before.facts[i].hash] = !before.facts[i].unaccepted
		}
	}
	var hashes []string
	for i := range now.facts {
		g := &now.facts[i]
		if before == nil || known[g.hash] || g.hash == at.fact {
			it := now.factClaims(g)
			hashes = append(hashes, contentHash(&it, false))
		}
	}
	if prose && now.prose() != "" {
		hashes = append(hashes, now.proseHash())
	}
	return f.Accept(ctx, hashes...)
}

// mayWrite refuses to change what nobody has accepted: a change would put its
// claims down as the person's own.
func mayWrite(p *place) error {
	if !Unaccepted(p.item.ID) {
		return nil
	}
	return fmt.Errorf("%w: it came with the repository (%s) and you have not accepted it: orihon review --repository shows it", memory.ErrRefused, p.entry.path)
}

// Unaccepted counts, by path, the contents that nobody had accepted when an
// index read the files that it knows.
func (s *Store) Unaccepted(known []memory.File) map[string]int {
	out := make(map[string]int)
	for i := range known {
		f := &known[i]
		if e, ok := s.entryOf(f.Path); !ok || e.foreign() == nil {
			continue
		}
		if m := decodeMark(f.Mark); m != nil && len(m.Waits) > 0 {
			out[f.Path] = len(m.Waits)
		}
	}
	return out
}

// FileOf is where a path of the space lies; empty for none.
func (s *Store) FileOf(path string) string {
	e, _ := s.entryOf(path)
	return e.file
}

// entryOf finds the root of a path: that with the longest name.
func (s *Store) entryOf(path string) (entry, bool) {
	var found entry
	for i := range s.roots {
		r := &s.roots[i]
		rest, ok := strings.CutPrefix(path, r.Name+"/")
		if ok && filepath.IsLocal(filepath.FromSlash(rest)) && (found.root == nil || len(r.Name) > len(found.root.Name)) {
			found = entry{root: r, path: path, file: filepath.Join(r.Dir, filepath.FromSlash(rest))}
		}
	}
	return found, found.root != nil
}
