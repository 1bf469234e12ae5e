package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// editForm is what an editor may change of an item, in the order shown. Its
// text follows below a line of dashes.
type editForm struct {
	Title      string    `yaml:"title"`
	Kind       string    `yaml:"kind"`
	Topic      string    `yaml:"topic"`
	Tier       string    `yaml:"tier"`
	Confidence float64   `yaml:"confidence"`
	Tags       yamlWords `yaml:"tags,flow"`
	Triggers   yamlWords `yaml:"triggers,flow"`
	Aliases    yamlWords `yaml:"aliases,flow"`
	NeededWhen yamlWords `yaml:"needed_when,flow"`
}

// yamlWords is a list that may also be typed as "a, b".
type yamlWords []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (l *yamlWords) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(l))
	}
	*l = nil
	for word := range strings.SplitSeq(n.Value, ",") {
		if word = strings.TrimSpace(word); word != "" && n.Tag != "!!null" {
			*l = append(*l, word)
		}
	}
	return nil
}

const formLine = "---"

// formatForm writes an item for an editor.
func formatForm(it *memory.Item) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, %s. Change what is wrong, save and close; the text stands below the line.\n", it.ID, it.Scope)
	e := yaml.NewEncoder(&b)
	err := e.Encode(editForm{
		Title: it.Title, Kind: string(it.Kind), Topic: string(it.Topic), Tier: string(it.Tier), Confidence: it.Metadata.Confidence,
		Tags: nonNil(it.Metadata.Tags), Triggers: nonNil(it.Triggers), Aliases: nonNil(it.Aliases), NeededWhen: nonNil(it.NeededWhen),
	})
	if err := errors.Join(err, e.Close()); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "%s\n%s\n", formLine, it.Content)
	return b.Bytes(), nil
}

// nonNil shows an empty list as one.
func nonNil(list []string) yamlWords { return append(yamlWords{}, list...) }

// parseForm puts what an editor left into an item. A key that is missing stays
// as it was. The error wraps [memory.ErrInvalid].
func parseForm(data []byte, it *memory.Item) error {
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	at := slices.Index(lines, formLine)
	if at < 0 {
		return fmt.Errorf("%w form: no line of three dashes between the fields and the text", memory.ErrInvalid)
	}
	form := editForm{
		Title: it.Title, Kind: string(it.Kind), Topic: string(it.Topic), Tier: string(it.Tier), Confidence: it.Metadata.Confidence,
		Tags: it.Metadata.Tags, Triggers: it.Triggers, Aliases: it.Aliases, NeededWhen: it.NeededWhen,
	}
	d := yaml.NewDecoder(strings.NewReader(strings.Join(lines[:at], "\n")))
	d.KnownFields(true)
	if err := d.Decode(&form); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w form: %s", memory.ErrInvalid, oneLine(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	var kind, topic, tier error
	it.Kind, kind = memory.ParseKind(form.Kind)
	it.Topic, topic = memory.ParseTopic(form.Topic)
	it.Tier, tier = memory.ParseTier(form.Tier)
	if err := cmp.Or(kind, topic, tier); err != nil {
		return err
	}
	it.Title, it.Metadata.Confidence = form.Title, form.Confidence
	it.Metadata.Tags, it.Triggers, it.Aliases, it.NeededWhen = form.Tags, form.Triggers, form.Aliases, form.NeededWhen
	it.Content = strings.TrimSpace(strings.Join(lines[at+1:], "\n"))
	return nil
}
