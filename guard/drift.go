package guard

import (
	"slices"
	"strings"
)

// DriftRule is the name of the rule about documents that sources leave behind.
const DriftRule = "drift"

func drift() Rule {
	return Rule{
		Name:     DriftRule,
		Reason:   "a document that still names what the code no longer has misleads the next reader, agents first",
		Settings: "guard.documents",
		Cost:     "linear in the names an edit takes away, against at most 40 that are open",
		On:       []Kind{Acted, Asked},
		judge:    remembering(driftAway),
	}
}

// stale is what documents may have to be told.
type stale struct {
	Changed []string `json:"changed,omitempty"` // files that the session changed
	Names   []gone   `json:"names,omitempty"`
}

// gone is a name that a document states and a file no longer has.
type gone struct {
	Document string `json:"doc"`
	Name     string `json:"name"`
	File     string `json:"file"`
	Told     bool   `json:"told,omitempty"`
}

// Bounds of what is remembered.
const (
	maxChanged = 100
	maxGone    = 40
)

func driftAway(o *Options, e *Event, m *stale) Verdict {
	c := &e.Call
	switch {
	case e.Kind == Asked:
		return m.due(o, e)
	case c.Failed:
		return Verdict{}
	case c.Commits:
		return m.due(o, e)
	case !c.Edits:
		return Verdict{}
	}
	m.changed(c)
	var v Verdict
	for _, d := range e.Documents {
		switch {
		case slices.Contains(c.Files, d.Path):
		case !d.Mapped:
			for _, name := range d.Names {
				m.miss(gone{Document: d.Path, Name: name, File: d.File})
			}
		case v.Do == Nothing && !slices.Contains(m.Changed, d.Path):
			text := e.worded("drift-mapped", quoted(d.File), quoted(d.Path))
			v = Verdict{Do: Say, Cause: "drift " + d.Path, Why: text, Text: text}
		}
	}
	return v
}

// changed notes an edit: what it brings back is not gone, and a document that is
// changed is looked after.
func (m *stale) changed(c *Call) {
	for _, file := range c.Files {
		if !slices.Contains(m.Changed, file) {
			m.Changed = last(append(m.Changed, file), maxChanged)
		}
	}
	m.Names = slices.DeleteFunc(m.Names, func(g gone) bool {
		return slices.Contains(c.Files, g.Document) || strings.Contains(c.Added, g.Name)
	})
}

func (m *stale) miss(g gone) {
	known := slices.ContainsFunc(m.Names, func(x gone) bool { return x.Document == g.Document && x.Name == g.Name })
	if !known && !slices.Contains(m.Changed, g.Document) {
		m.Names = last(append(m.Names, g), maxGone)
	}
}

// due tells of the names that documents still state, when a piece of work is
// over: at a commit, or when the user asks for the next.
func (m *stale) due(o *Options, e *Event) Verdict {
	const most = 3 // documents in one line
	m.Names = slices.DeleteFunc(m.Names, func(g gone) bool { return o.Stands != nil && !o.Stands(g.Document, g.Name) })
	var parts, docs []string
	for i := range m.Names {
		g := &m.Names[i]
		if g.Told || slices.Contains(docs, g.Document) || len(docs) == most {
			continue
		}
		g.Told = true
		docs = append(docs, g.Document)
		parts = append(parts, e.worded("drift-name", quoted(g.Document), quoted(g.Name), quoted(g.File)))
	}
	if len(parts) == 0 {
		return Verdict{}
	}
	text := e.worded("drift-names", strings.Join(parts, "; "))
	return Verdict{Do: Say, Cause: "drift " + strings.Join(docs, " "), Why: text, Text: text}
}
