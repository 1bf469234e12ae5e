package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Layer is whose file a setting is written to.
type Layer int

// The layers that are files.
const (
	UserLayer Layer = iota
	ProjectLayer
)

// Set writes one setting into a file, which it creates when missing; the rest
// of the file keeps its order and comments. Lists are separated by commas. A
// value that [Load] would not take is refused and nothing is written: it wraps
// [memory.ErrInvalid], an unknown key [memory.ErrNotFound], a key that a
// project's file may not hold [memory.ErrRefused]. A user's file that is a
// symlink stays one.
func Set(path, name, text string, layer Layer) error {
	k := findKey(name)
	if k == nil {
		return fmt.Errorf("%w: %s", memory.ErrNotFound, unknown(name))
	}
	v, err := k.parse(k.split(text)...)
	if err != nil {
		return err
	}
	if layer == ProjectLayer {
		if k.Project == OnlyUser {
			return fmt.Errorf("%w: %s: only your own config.yaml may set it", memory.ErrRefused, name)
		}
	} else if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	data, err := read(path, layer == ProjectLayer)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, err)
	}
	out, err := edit(path, data, k, v)
	if err != nil {
		return err
	}
	return jsonl.WriteFile(path, out)
}

// edit gives the text of the file with one setting changed, and checks that it
// reads back.
func edit(path string, data []byte, k *Key, v reflect.Value) ([]byte, error) {
	doc, err := parseDocument(path, data)
	if err != nil {
		return nil, err
	}
	if _, err := parseFile(path, data); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || resolve(doc.Content[0]).Kind != yaml.MappingNode {
		// Comments alone are a document of nothing: they stay on top.
		kept := bytes.TrimRight(data, " \t\r\n")
		if len(kept) > 0 && !bytes.HasPrefix(bytes.TrimSpace(kept), []byte("#")) {
			kept = nil
		}
		top := &yaml.Node{Kind: yaml.MappingNode}
		place(top, k.Name, valueNode(k, v))
		out, err := render(&yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{top}})
		if err != nil || len(kept) == 0 {
			return out, err
		}
		return append(append(kept, '\n'), out...), nil
	}
	harm := fmt.Errorf("%w %s: %s cannot be changed without harm; edit it by hand", memory.ErrInvalid, path, k.Name)
	if !place(resolve(doc.Content[0]), k.Name, valueNode(k, v)) {
		return nil, harm
	}
	out, err := render(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	top, err := parseFile(path, out)
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(leaves(top)) { // the last one counts
		if e.name == k.Name {
			if got, err := e.value(k); err == nil && format(got) == format(v) {
				return out, nil
			}
			break
		}
	}
	return nil, harm
}

// place sets name within a mapping, wherever it stands already, else where its
// section is, else at the end. It reports false, and changes nothing, when
// something else stands where the section would be.
func place(m *yaml.Node, name string, value *yaml.Node) bool {
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, old := m.Content[i], m.Content[i+1]
		if key.Value == name {
			value.LineComment, value.HeadComment, value.FootComment = old.LineComment, old.HeadComment, old.FootComment
			m.Content[i+1] = value
			return true
		}
		rest, ok := strings.CutPrefix(name, key.Value+".")
		if ok && old.Kind == yaml.ScalarNode && old.Tag == "!!null" {
			old = &yaml.Node{Kind: yaml.MappingNode, HeadComment: old.HeadComment, LineComment: old.LineComment, FootComment: old.FootComment}
			m.Content[i+1] = old
		}
		if full := long(key.Value); ok && old.Kind == yaml.ScalarNode && full != key.Value {
			// The short form of a section becomes the long one.
			inner := []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.TrimPrefix(full, key.Value+".")}, old}
			old = &yaml.Node{Kind: yaml.MappingNode, Content: inner}
			m.Content[i+1] = old
		}
		if ok && old.Kind == yaml.MappingNode {
			return place(old, rest, value)
		}
		if ok {
			return false
		}
	}
	head, rest, nested := strings.Cut(name, ".")
	if nested {
		section := &yaml.Node{Kind: yaml.MappingNode}
		place(section, rest, value)
		value = section
	}
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: head}, value)
	return true
}

// valueNode writes a value. Lists stay on one line, so that its comment stays.
func valueNode(k *Key, v reflect.Value) *yaml.Node {
	if k.Type == "list" {
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for i := range v.Len() {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v.Index(i).String()})
		}
		return n
	}
	tag := cmp.Or(map[string]string{"bool": "!!bool", "int": "!!int", "number": "!!float"}[k.Type], "!!str")
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: format(v)}
}

func render(doc *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	err := enc.Close()
	return b.Bytes(), err
}
