package importer

import (
	"cmp"
	"path"
	"strings"
	"time"

	"orihon/memory"
)

// nativeType is the type of a topic file of Claude Code's own memory; empty for
// any other Markdown.
func (f front) nativeType() string {
	kind := f.text("type")
	if in, ok := f["metadata"].(map[string]any); ok && kind == "" {
		kind, _ = in["type"].(string)
	}
	switch kind {
	case "user", "feedback", "project", "reference":
		return kind
	}
	return ""
}

// longest is how long a topic file may be that is kept as one fact, in bytes.
const longest = 2000

// claudeMemory reads a file of Claude Code's own memory: the index MEMORY.md,
// of which the lines count that do not merely lead to a topic file, or a topic
// file, which is one fact unless it is long.
func (r *run) claudeMemory(text string) error {
	p := parseMarkdown(text)
	if path.Base(r.file) == "MEMORY.md" {
		for _, b := range p.blocks {
			r.count("index line")
			if leads(b.text) {
				continue
			}
			if err := r.fact(Fact{Title: b.heading, Text: b.text, Kind: memory.Semantic, Topic: memory.Fact}, b.line); err != nil {
				return err
			}
		}
		return nil
	}
	r.count("topic file")
	kind := p.front.nativeType()
	f := Fact{
		Title: cmp.Or(p.front.text("name"), p.front.text("title")), Kind: memory.Semantic, Topic: memory.Fact, Tags: tags(kind),
		Updated: p.front.modified(), Created: p.front.modified(),
	}
	if kind == "feedback" {
		f.Topic = memory.Preference
	}
	var body []string
	for _, b := range p.blocks {
		mark := ""
		if b.bullet {
			mark = "- "
		}
		body = append(body, mark+b.text)
	}
	whole := strings.Join(body, "\n")
	if len(whole) <= longest && len(p.blocks) > 0 {
		f.Text = whole
		if len(p.blocks) == 1 {
			f.Text = p.blocks[0].text
		}
		return r.fact(f, p.blocks[0].line)
	}
	for _, b := range p.blocks {
		part := f
		if part.Text = b.text; b.heading != "" {
			part.Title = b.heading
		}
		if err := r.fact(part, b.line); err != nil {
			return err
		}
	}
	return nil
}

// leads reports whether a line of the index only leads to a topic file.
func leads(text string) bool {
	_, rest, ok := strings.Cut(text, "](")
	target, _, closed := strings.Cut(rest, ")")
	return ok && closed && strings.HasPrefix(text, "[") && strings.HasSuffix(target, ".md") && !strings.Contains(target, "://")
}

// modified is when a topic file was changed last.
func (f front) modified() time.Time {
	if t := f.time("modified"); !t.IsZero() {
		return t
	}
	in, _ := f["metadata"].(map[string]any)
	return front(in).time("modified")
}
