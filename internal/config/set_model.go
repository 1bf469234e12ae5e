package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// EnableModel writes into a user's file whether a model is asked; the rest of the
// file keeps its order and comments. An unknown name wraps [memory.ErrNotFound].
func EnableModel(path, name string, enabled bool) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	data, err := read(path, false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, err)
	}
	doc, err := parseDocument(path, data)
	if err != nil {
		return err
	}
	entry := modelEntry(doc, name)
	if entry == nil {
		return fmt.Errorf("%w: %s lists no model %s", memory.ErrNotFound, path, name)
	}
	place(entry, "enabled", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(enabled)})
	out, err := render(doc)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return jsonl.WriteFile(path, out)
}

// modelEntry finds the entry of a name in a file; nil when there is none.
func modelEntry(doc *yaml.Node, name string) *yaml.Node {
	if len(doc.Content) == 0 {
		return nil
	}
	for _, e := range leaves(resolve(doc.Content[0])) {
		if e.name != modelsKey || e.node.Kind != yaml.SequenceNode {
			continue
		}
		for _, n := range e.node.Content {
			if m, _, err := parseModel(resolve(n)); err == nil && m.Name == name {
				return resolve(n)
			}
		}
	}
	return nil
}
