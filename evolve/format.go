package evolve

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds of a file that clients read, in bytes.
const (
	maxText  = 256 << 10
	maxFront = 16 << 10
)

// maxName is the longest name that clients take, in characters.
const maxName = 64

// slug is a text as a name: small letters, digits and single hyphens, without the
// words that clients refuse. Empty when nothing is left.
func slug(text string) string {
	var parts []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if !lists().Words("unnamed")[w] {
			parts = append(parts, w)
		}
	}
	name := strings.Join(parts, "-")
	return strings.Trim(name[:min(len(name), maxName-len("-habits-99"))], "-")
}

func kinds() []Kind { return []Kind{Command, Skill, Agent, Rule} }

// check holds a file against the format of its kind, as Claude Code and the Agent
// Skills have it. The error begins with the line where one is to blame.
func check(kind Kind, name string, text []byte) error {
	switch {
	case len(text) > maxText:
		return fmt.Errorf("it is larger than %d KB: shorten it", maxText>>10)
	case !utf8.Valid(text):
		return errors.New("it is not valid UTF-8: save it as UTF-8")
	case bytes.IndexByte(text, 0) >= 0:
		return errors.New("it holds a NUL: take it out")
	case slug(name) != name || name == "":
		return fmt.Errorf("name %q: want small letters, digits and single hyphens", cut(name, maxName))
	}
	front, rest, err := parts(string(text))
	if err != nil {
		return err
	}
	if strings.TrimSpace(rest) == "" {
		return errors.New("there is nothing behind the front matter")
	}
	fields, err := fieldsOf(front)
	if err != nil {
		return err
	}
	known := lists().Words(string(kind) + "-keys")
	for key, f := range fields {
		if !known[key] {
			return fmt.Errorf("line %d: a %s has no key %q: delete it", f.line, kind, cut(key, maxName))
		}
	}
	if own, ok := fields["name"]; ok && own.value != name {
		return fmt.Errorf("line %d: name is %q, and the file is called %s", own.line, cut(own.value, maxName), name)
	}
	for _, key := range map[Kind][]string{Skill: {"name", "description"}, Agent: {"name", "description"}, Command: {"description"}}[kind] {
		switch f, ok := fields[key]; {
		case !ok || strings.TrimSpace(f.value) == "":
			return fmt.Errorf("line 1: front matter has no %s: add it", key)
		case key == "description" && utf8.RuneCountInString(f.value) > maxDescription:
			return fmt.Errorf("line %d: description is longer than %d characters: shorten it", f.line, maxDescription)
		}
	}
	return nil
}

// parts are the front matter, without its marks, and what comes behind it.
func parts(text string) (front, rest string, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	body, has := strings.CutPrefix(text, "---\n")
	if !has {
		return "", text, nil
	}
	front, rest, closed := strings.Cut("\n"+body, "\n---\n")
	if !closed {
		return "", "", errors.New("line 1: front matter is not closed: end it with a line ---")
	}
	return strings.TrimPrefix(front, "\n"), rest, nil
}

// field is an entry of a front matter; of a list or a map, without a value.
type field struct {
	line  int
	value string
}

// fieldsOf reads a front matter. Nothing in it stands for something else, whose
// size could grow as it is read.
func fieldsOf(front string) (map[string]field, error) {
	if len(front) > maxFront {
		return nil, fmt.Errorf("line 1: front matter is larger than %d KB: shorten it", maxFront>>10)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		return nil, fmt.Errorf("line 2: front matter: %s", cut(strings.TrimPrefix(err.Error(), "yaml: "), 200))
	}
	out := make(map[string]field)
	if doc.Kind == 0 {
		return out, nil
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, errors.New("line 2: front matter is not a list of keys and values")
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		k, v := top.Content[i], top.Content[i+1]
		line := k.Line + 1
		if _, twice := out[k.Value]; twice {
			return nil, fmt.Errorf("line %d: key %q stands twice: delete one", line, cut(k.Value, maxName))
		}
		if stands(v) {
			return nil, fmt.Errorf("line %d: %s holds an anchor or an alias: write it out", line, cut(k.Value, maxName))
		}
		out[k.Value] = field{line, v.Value}
	}
	return out, nil
}

// stands reports a value in which something stands for something else.
func stands(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return true
	}
	for _, c := range n.Content {
		if stands(c) {
			return true
		}
	}
	return false
}
