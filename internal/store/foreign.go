package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
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
	// Rejected reports whether the person turned it down: nothing tells it.
	Rejected(hash string) bool
	// Epoch looks for what was accepted meanwhile, and names a state in which
	// nothing but single contents is accepted or all of it is, and the same ones are
	// rejected: what was read in another one is read again.
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
	if !m.RewordedAt.IsZero() { // what was accepted before there was such a time stays so
		field("reworded", moment(m.RewordedAt))
	}
	field("supersedes", it.Relations.Supersedes)
	field("related", it.Relations.RelatedTo...)
	field("tags", m.Tags...)
	field("triggers", it.Triggers...)
	field("aliases", it.Aliases...)
	if len(it.NeededWhen) > 0 { // what was accepted before there were such phrases stays so
		field("needed_when", it.NeededWhen...)
	}
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
	it.Audience, it.Triggers, it.NeededWhen, it.Relations = "", nil, nil, memory.Relations{}
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
		if f.Rejected(hash) {
			m.down++
		} else {
			m.waits = append(m.waits, hash)
		}
		return true
	}
	if !m.atom {
		if m.says() || m.core && m.saysMore() {
			m.unaccepted = wait(m.proseHash())
		}
	} else {
		for i := range m.facts {
			it := m.factClaims(&m.facts[i])
			m.facts[i].unaccepted = wait(contentHash(&it, false))
		}
		if m.prose() != "" {
			m.unaccepted = wait(m.proseHash())
		}
	}
	if m.down > 0 {
		m.turnDown(e, f)
	}
}

// turnDown takes out what the person rejected, so that nothing tells it.
func (m *markdown) turnDown(e *entry, f Foreign) {
	for _, w := range m.waiting(e) {
		if f.Rejected(w.Hash) {
			w.Rejected = true
			m.rejected = append(m.rejected, w)
		}
	}
	for i := range m.facts {
		it := m.factClaims(&m.facts[i])
		if f.Rejected(contentHash(&it, false)) && m.facts[i].unaccepted {
			m.facts[i].text = "" // as what is private
		}
	}
	if !m.unaccepted || !f.Rejected(m.proseHash()) {
		return
	}
	m.unheard = true
	if !m.atom {
		m.lines, m.facts, m.item.Content = nil, nil, ""
		return
	}
	if len(m.facts) == 0 {
		m.lines, m.item.Content = nil, ""
		return
	}
	for i := range m.lines {
		if c := m.lines[i].class; c == prose || c == code {
			m.lines[i].class = unseen
		}
	}
}

// waiting lists what of a file nobody has accepted.
func (m *markdown) waiting(e *entry) []Waiting { return m.judgedTexts(e, false) }

// judgedTexts lists what of a file was accepted, or waits.
func (m *markdown) judgedTexts(e *entry, accepted bool) (out []Waiting) {
	w := Waiting{Path: e.path, File: e.file, Core: m.core}
	if m.atom {
		for i := range m.facts {
			f := &m.facts[i]
			if retired, _ := m.factRetired(f); f.unaccepted == accepted || retired || f.text == "" {
				continue
			}
			w.Claims, w.Line = m.factClaims(f), f.line
			w.Hash, w.ID = contentHash(&w.Claims, false), m.factItem(f).ID
			out = append(out, w)
		}
	}
	if said := m.heard(); m.unaccepted != accepted && !m.unheard && !m.retired && said != "" {
		w.Claims, w.Line, w.Hash = m.item, m.firstLine(), m.proseHash()
		w.Claims.Content, w.ID = said, m.whole().ID
		out = append(out, w)
	}
	return out
}

// asked are the hashes of what a person is asked about: of what nobody has accepted, not
// what was taken out again meanwhile.
func (m *markdown) asked(e *entry) (hashes []string) {
	if len(m.waits) == 0 {
		return nil
	}
	for _, w := range m.waiting(e) {
		hashes = append(hashes, w.Hash)
	}
	return hashes
}

// says reports whether a file holds more than headings and comments.
func (m *markdown) says() bool {
	return slices.ContainsFunc(m.lines, func(l line) bool {
		return l.class == prose || l.class == code || l.class == bullet || l.class == inside
	})
}

// saysMore reports whether a core file, which clients load as it stands, holds
// anything but the title that a new one has.
func (m *markdown) saysMore() bool {
	said := strings.TrimSpace(m.people(m.doc.body))
	name, made := strings.CutPrefix(said, "# Memory of ")
	return len(m.doc.front) > 0 || said != "" && (!made || strings.ContainsAny(name, " \t\n"))
}

// prose is what a file says beside the bullets that stand for themselves.
func (m *markdown) prose() string {
	if !m.atom || len(m.facts) == 0 {
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
	it.Content = m.heard()
	return contentHash(&it, m.core)
}

// heard is the prose, and of a core file its front matter too, which a client loads
// with it.
func (m *markdown) heard() string {
	if m.core && len(m.doc.front) > 0 {
		return strings.TrimSpace(string(m.doc.front) + "\n" + m.prose())
	}
	return m.prose()
}

// whole is the file as an item, as far as it counts.
func (m *markdown) whole() memory.Item {
	if m.unaccepted {
		return unaccepted(m.item, m.path, "")
	}
	return m.item
}

// factItem is a bullet as an item: the atom's fields, its own text and tier.
func (m *markdown) factItem(f *fact) memory.Item {
	it := m.factClaims(f)
	if f.unaccepted {
		return unaccepted(it, m.path, f.hash)
	}
	return it
}

// atomID is the ID under which the file owns its bullets: the one that it gives
// when anything in it was accepted.
func (m *markdown) atomID() string {
	if m.judged && len(m.waits)+m.down == len(m.units) {
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
