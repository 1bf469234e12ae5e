package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// leaf is one setting as it stands in a file.
type leaf struct {
	name string
	line int
	node *yaml.Node
}

// parseFile reads the text of a configuration file down to its top mapping; nil
// when there is nothing in it.
func parseFile(path string, data []byte) (*yaml.Node, error) {
	doc, err := parseDocument(path, data)
	if err != nil || len(doc.Content) == 0 {
		return nil, err
	}
	top := resolve(doc.Content[0])
	if top.Kind == yaml.MappingNode {
		return top, nil
	}
	if top.Tag == "!!null" {
		return nil, nil
	}
	return nil, &Problem{File: path, Line: top.Line, Text: "want lines of `key: value`; nothing of the file is used", cause: memory.ErrInvalid}
}

func parseDocument(path string, data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return &doc, nil
	}
	if err == nil {
		if err = dec.Decode(new(yaml.Node)); errors.Is(err, io.EOF) {
			return &doc, nil
		}
		if err == nil {
			err = errors.New("more than one document in the file")
		}
	}
	line, text := SyntaxError(data, err)
	return nil, &Problem{File: path, Line: line, Text: text + "; nothing of the file is used", cause: memory.ErrInvalid}
}

// syntax is what the parser says of a mistake, and what to do about it.
var syntax = map[string]string{
	openList:                         "the list that begins here with [ is not closed: put a comma between its entries and ] behind the last",
	openSection:                      "the section that begins here with { is not closed: put a comma between its settings and } behind the last",
	strayKey:                         "this line does not fit those above: indent the settings of a section alike, with blanks",
	strayEntry:                       "this line does not fit the list above: begin each entry with -, indented alike",
	missingValue:                     "a value is missing here",
	"found unexpected end of stream": "the text that begins here is not closed: put the same quote behind it",
	"found character that cannot start any token":    "a tab or a sign cannot stand here: indent with blanks, and put quotes around a value that begins with a sign",
	"mapping values are not allowed in this context": "this colon makes no setting: indent the settings of a section alike, and put quotes around a value with a colon",
}

// Complaints of the parser whose lines need a second look.
const (
	openList     = "did not find expected ',' or ']'"
	openSection  = "did not find expected ',' or '}'"
	strayKey     = "did not find expected key"
	strayEntry   = "did not find expected '-' indicator"
	missingValue = "did not find expected node content"
)

// SyntaxError says what is wrong with a YAML file that cannot be parsed, and in
// which line, from 1; 0 is the whole file. The parser, whose error err is, names the
// beginning of the section around, and counts some lines from 0.
func SyntaxError(data []byte, err error) (line int, text string) {
	// Behind an empty line nothing is in line 0, which means unknown.
	data = slices.Concat([]byte{'\n'}, data)
	again := func(data []byte) bool {
		err := yaml.Unmarshal(data, new(yaml.Node))
		if err != nil {
			line, text = yamlError(err)
		}
		return err != nil
	}
	if !again(data) {
		return yamlError(err) // in another document, or not of the syntax
	}
	if text == missingValue {
		again(append(data, "\nx"...)) // is it missing at the end, behind an open bracket?
	}
	switch text {
	case openList, openSection, missingValue: // counted from 0
	case strayKey, strayEntry:
		lines, said := bytes.SplitAfter(data, []byte{'\n'}), text
		line = sort.Search(len(lines)-1, func(n int) bool { return again(bytes.Join(lines[:n+1], nil)) && text == said })
		text = said
	default:
		line = max(0, line-1)
	}
	return line, cmp.Or(syntax[text], text)
}

// yamlError takes the line out of the parser's message.
func yamlError(err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, what, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				return n, what
			}
		}
	}
	return 0, text
}

// maxDepth bounds how deep a file is searched for keys.
const maxDepth = 6

// leaves lists what a file sets, in its order. `recall.threshold: 1` and the
// nested form are the same.
func leaves(top *yaml.Node) []leaf {
	var out []leaf
	var visit func(n *yaml.Node, prefix string, depth int)
	visit = func(n *yaml.Node, prefix string, depth int) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], resolve(n.Content[i+1])
			name := prefix + key.Value
			if value.Kind == yaml.MappingNode && findKey(name) == nil && optionOf(name) == "" && depth < maxDepth && n.Content[i+1].Kind != yaml.AliasNode {
				visit(value, name+".", depth+1)
				continue
			}
			// `recall:` with nothing under it sets nothing.
			if value.Tag == "!!null" && section(name) {
				continue
			}
			if value.Kind == yaml.ScalarNode {
				name = long(name)
			}
			out = append(out, leaf{name: name, line: key.Line, node: value})
		}
	}
	if top != nil {
		visit(top, "", 1)
	}
	return out
}

// long is the key that a section's name is short for: `embedder: ollama` says
// which provider. Every other name stays.
func long(name string) string {
	if full := name + ".provider"; findKey(full) != nil {
		return full
	}
	return name
}

func resolve(n *yaml.Node) *yaml.Node {
	for range maxDepth {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// key finds the key that a leaf sets, or says what is wrong with it.
func (e leaf) key() (k *Key, problem string) {
	if k = findKey(e.name); k != nil {
		return k, ""
	}
	if section(e.name) {
		return nil, fmt.Sprintf("%s is a section: write its settings indented below it", e.name)
	}
	return nil, unknown(e.name)
}

// value reads a leaf's value.
func (e leaf) value(k *Key) (v reflect.Value, err error) {
	if k.Type == "list" {
		switch {
		case e.node.Kind == yaml.SequenceNode:
			texts := []string{}
			for _, n := range e.node.Content {
				n = resolve(n)
				if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
					return v, k.complain(kindName(n), "want a list of words")
				}
				texts = append(texts, n.Value)
			}
			return k.parse(texts...)
		case e.node.Kind == yaml.ScalarNode && e.node.Tag == "!!null":
			return k.parse()
		case e.node.Kind == yaml.ScalarNode:
			return k.parse(e.node.Value)
		}
		return v, k.complain(kindName(e.node), "want a list of words")
	}
	if e.node.Kind != yaml.ScalarNode || e.node.Tag == "!!null" {
		return v, k.complain(kindName(e.node), "want one value of type "+k.Type)
	}
	secret := k.check == "env" || k.check == "url" // complains without quoting
	if k.Type == "string" && k.Enum == nil && !secret && slices.Contains([]string{"!!int", "!!float", "!!bool", "!!timestamp"}, e.node.ShortTag()) {
		return v, k.complain(e.node.Value, "want text; write it in quotes if that is meant")
	}
	return k.parse(e.node.Value)
}

// plain is the value in the types of JSON; false for one that JSON does not have.
func (e leaf) plain() (v any, ok bool) {
	if e.node.Decode(&v) != nil {
		return nil, false
	}
	data, err := json.Marshal(v)
	return v, err == nil && json.Unmarshal(data, &v) == nil
}

func kindName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a section"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return ""
	}
	return n.Value
}
