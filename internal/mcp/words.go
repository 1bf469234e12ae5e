package mcp

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/inert"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/memory"
)

// framed is text of memory as data, in the language of the settings, else that of
// the text itself without what is noted behind each line, in English. The lines are inert
// already.
func (s *Server) framed(lines ...string) string {
	language, _, err := s.o.Memory.Setting("language")
	if err != nil || language == "auto" {
		var said strings.Builder
		for _, l := range lines {
			if i := strings.LastIndex(l, " ("); i > 0 && strings.HasPrefix(l, "- ") {
				l = l[:i]
			}
			said.WriteString(l + "\n")
		}
		language = terms.LangLike(said.String(), "")
	}
	return wording.Framed(language, lines...)
}

// line is an item with what there is to know of it.
func line(it *memory.Item, notes ...string) string {
	text := wording.Shown(it, it.Content)
	if it.Title != "" && !strings.Contains(it.Content, it.Title) {
		text = inert.Line(wording.Shown(it, it.Title)) + ": " + text
	}
	about := []string{it.Metadata.CreatedAt.Local().Format(time.DateOnly), typeOf(it), saidBy(it), fmt.Sprintf("believed %.1f", it.Metadata.Confidence)}
	if it.Scope.Name() == "" || !it.Scope.Private() {
		about = append(about, string(it.Scope))
	}
	if len(it.Metadata.Tags) > 0 {
		about = append(about, "tags "+inert.Line(strings.Join(it.Metadata.Tags, ", ")))
	}
	if !it.ValidTo.IsZero() {
		about = append(about, "held until "+it.ValidTo.Local().Format(time.DateOnly))
	}
	about = append(about, notes...)
	about = append(about, "id "+shortID(it.ID))
	return "- " + strings.ReplaceAll(text, "\n", "\n  ") + " (" + strings.Join(about, "; ") + ")"
}

// saidBy is who said an item. What nobody accepted, or an agent noted of others, is told
// as such.
func saidBy(it *memory.Item) string {
	switch {
	case it.Metadata.Source == memory.FromRepository:
		return "from a repository file, not accepted by the user"
	case slices.Contains(it.Metadata.Tags, memory.UntrustedTag):
		return "said by " + string(it.Metadata.Source) + " from a web page or a tool"
	}
	return "said by " + string(it.Metadata.Source)
}

// shortID is an ID as models read and return it.
func shortID(id string) string { return inert.Line(memory.ShortID(id)) }

// typeOf names what an item is by the word it can be asked for.
func typeOf(it *memory.Item) string {
	for i := range types {
		if t := &types[i]; t.kind != "" && t.kind == it.Kind || t.topic != "" && t.topic == it.Topic {
			return t.name
		}
	}
	return string(it.Kind)
}

// cut shortens an inert text to a number of tokens, and says so.
func cut(text string, most int, how string) string {
	n := tokens.Estimate(text)
	if n <= most {
		return text
	}
	return strings.TrimSpace(tokens.Fit(text, most)) + fmt.Sprintf(" … (%d of %d tokens; %s)", most, n, how)
}

// described is what programs are told of an item.
type described struct {
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	Scope      string    `json:"scope,omitempty"`
	Source     string    `json:"source,omitempty" jsonschema:"who said it"`
	Created    time.Time `json:"created,omitzero"`
	Confidence float64   `json:"confidence,omitempty"`
	Forgotten  bool      `json:"forgotten,omitempty"`
}

func describe(it *memory.Item) described {
	return described{
		ID: inert.Line(it.ID), Type: typeOf(it), Scope: string(it.Scope), Source: string(it.Metadata.Source),
		Created: it.Metadata.CreatedAt, Confidence: it.Metadata.Confidence,
	}
}
