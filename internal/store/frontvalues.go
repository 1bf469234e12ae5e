package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

func text(v *yaml.Node) (string, error) {
	v = anchored(v)
	if v.Kind != yaml.ScalarNode {
		return "", errors.New("want a single value")
	}
	if v.Tag == "!!null" {
		return "", nil
	}
	return strings.ToValidUTF8(strings.TrimSpace(v.Value), "\ufffd"), nil
}

// anchored is the value that an alias (*name) stands for.
func anchored(v *yaml.Node) *yaml.Node {
	if v.Kind == yaml.AliasNode {
		return v.Alias
	}
	return v
}

// texts reads a list, or a single value as a list of one. A comma in it
// separates, since people write tags that way.
func texts(v *yaml.Node) ([]string, error) {
	v = anchored(v)
	if v.Kind == yaml.ScalarNode {
		s, err := text(v)
		var out []string
		for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
		return out, err
	}
	if v.Kind != yaml.SequenceNode {
		return nil, errors.New("want a list such as [a, b]")
	}
	var out []string
	for _, n := range v.Content {
		s, err := text(n)
		if err != nil {
			return nil, errors.New("want a list such as [a, b]")
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out, nil
}

func parsed[T any](v *yaml.Node, parse func(string) (T, error), otherwise T) (T, error) {
	s, err := text(v)
	if err != nil || s == "" {
		return otherwise, err
	}
	out, err := parse(s)
	if err != nil {
		return otherwise, err
	}
	return out, nil
}

// tier also reads [臨], which YAML takes for a list of one.
func tier(v *yaml.Node) (memory.Tier, error) {
	if v.Kind == yaml.SequenceNode && len(v.Content) == 1 {
		v = v.Content[0]
	}
	return parsed(v, memory.ParseTier, "")
}

func confidence(s string) (float64, error) {
	c, err := strconv.ParseFloat(s, 64)
	if err != nil || !(c >= 0 && c <= 1) {
		return 0, fmt.Errorf("%q is not a number from 0 to 1", s)
	}
	return c, nil
}

// moment reads a time as people write it; without a zone it is UTC.
func moment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 2026-01-31 or 2026-01-31T09:30:00Z", s)
}

func retiredFacts(v *yaml.Node) (map[string]string, error) {
	if v.Kind != yaml.SequenceNode {
		return nil, errors.New("want a list")
	}
	gone := make(map[string]string)
	for _, n := range v.Content {
		var hash, why string
		for i := 0; i+1 < len(n.Content); i += 2 {
			switch n.Content[i].Value {
			case "fact":
				hash = n.Content[i+1].Value
			case "why":
				why = n.Content[i+1].Value
			}
		}
		if hash == "" {
			return nil, errors.New("want entries with the key fact")
		}
		gone[hash] = why
	}
	return gone, nil
}
