package inert

import (
	"slices"
	"strings"
)

// marker collects what is to be changed in a text.
type marker struct {
	text  string
	table *table
	edits []edit
	name  []byte // of the tag or turn looked at
	steps int    // characters looked at
}

// longestName is as many bytes of a tag's name as are looked at.
const longestName = 64

// edit replaces width bytes.
type edit struct {
	at, width int
	by        string
}

func (m *marker) apply() string {
	slices.SortStableFunc(m.edits, func(a, b edit) int { return a.at - b.at })
	var b strings.Builder
	b.Grow(len(m.text) + len(m.edits))
	from := 0
	for _, e := range m.edits {
		b.WriteString(m.text[from:e.at])
		b.WriteString(e.by)
		from = e.at + e.width
	}
	b.WriteString(m.text[from:])
	return b.String()
}

// wrap puts text[from:to] in brackets that are no mark of anything.
func (m *marker) wrap(from, to int) {
	m.edits = append(m.edits, edit{from, 0, "("}, edit{to, 0, ")"})
}
