package config

import (
	"fmt"
	"reflect"

	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// Model is one entry of the list `models:` in the user's own file. No other layer
// has such a list: prompts would go where its author wants.
type Model struct {
	Type            string        `yaml:"type" enum:"anthropic,openai,ollama,claude,codex,gemini"`
	Name            string        `yaml:"name" check:"name"`
	Model           string        `yaml:"model"`
	URL             string        `yaml:"url" check:"url"`
	KeyEnv          string        `yaml:"key_env" check:"env"`
	Enabled         bool          `yaml:"enabled"`
	Size            string        `yaml:"size" enum:"any,small,large"`
	Timeout         time.Duration `yaml:"timeout" range:"1s..30m"`
	PriceInput      float64       `yaml:"price_input" range:"0..1000000"`
	PriceOutput     float64       `yaml:"price_output" range:"0..1000000"`
	PriceCacheRead  float64       `yaml:"price_cache_read" range:"0..1000000"`
	PriceCacheWrite float64       `yaml:"price_cache_write" range:"0..1000000"`

	origin string
}

// Origin says where the entry stands, as file:line.
func (m *Model) Origin() string { return m.origin }

// Program reports whether it is a program of a coding agent.
func (m *Model) Program() bool { return m.Type == "claude" || m.Type == "codex" || m.Type == "gemini" }

// modelsKey is the name of the list.
const modelsKey = "models"

// maxModels is how many entries the list may have.
const maxModels = 20

// defaultModel is an entry of a type with nothing else set.
func defaultModel(kind string) Model {
	m := Model{Type: kind, Size: "any", Timeout: 2 * time.Minute}
	m.Name, m.Enabled = kind, !m.Program()
	return m
}

// modelKeys are the keys of an entry, without defaults and descriptions.
var modelKeys = sync.OnceValue(func() []Key {
	var out []setting
	walk(reflect.TypeFor[Model](), modelsKey+".", nil, &out)
	return keysOf(out)
})

// ModelKeys describes what an entry of `models:` may say, in its order.
func ModelKeys() []Key {
	out, def := slices.Clone(modelKeys()), defaultModel("anthropic")
	for i := range out {
		k := &out[i]
		k.Doc = descriptions()[k.Name]
		k.Default = format(reflect.ValueOf(&def).Elem().FieldByIndex(k.index))
		switch k.Name {
		case modelsKey + ".type", modelsKey + ".name", modelsKey + ".enabled":
			k.Default = "" // it has none, or one that its description tells
		}
	}
	return out
}

// parseModels reads the list. An entry with anything wrong in it is left out as a
// whole: without its address, say, prompts would go elsewhere.
func parseModels(path string, e leaf, project bool) (models []Model, wrong []*Problem) {
	complain := func(line int, cause error, text string) {
		wrong = append(wrong, &Problem{File: path, Line: line, Key: modelsKey, Text: text, cause: cause})
	}
	switch {
	case project:
		complain(e.line, memory.ErrRefused, "models is ignored: only your own config.yaml may list models")
		return nil, wrong
	case e.node.Kind == yaml.ScalarNode && e.node.Tag == "!!null":
		return nil, nil
	case e.node.Kind != yaml.SequenceNode || len(e.node.Content) > maxModels:
		complain(e.line, memory.ErrInvalid, fmt.Sprintf("models: want a list of at most %d entries, such as `- {type: ollama, model: qwen3}`", maxModels))
		return nil, wrong
	}
	for _, n := range e.node.Content {
		n = resolve(n)
		m, line, err := parseModel(n)
		if err == nil && slices.ContainsFunc(models, func(x Model) bool { return x.Name == m.Name }) {
			line, err = n.Line, fmt.Errorf("%w models: there are two of the name %s: give one another name", memory.ErrInvalid, m.Name)
		}
		if err != nil {
			complain(line, memory.ErrInvalid, err.Error()+"; this entry is left out")
			continue
		}
		m.origin = fmt.Sprintf("%s:%d", path, n.Line)
		models = append(models, m)
	}
	return models, wrong
}

// parseModel reads one entry. line is where something is wrong.
func parseModel(n *yaml.Node) (m Model, line int, err error) {
	if n.Kind != yaml.MappingNode {
		return m, n.Line, fmt.Errorf("%w models: want entries such as `- {type: ollama, model: qwen3}`", memory.ErrInvalid)
	}
	values := make(map[string]reflect.Value)
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, node := n.Content[i], resolve(n.Content[i+1])
		k := modelKey(at.Value)
		switch {
		case k == nil && strings.Contains(at.Value, "key"):
			// Its value is not quoted: it may be the key itself.
			return m, at.Line, fmt.Errorf("%w models.%s: put the key into an environment variable, and the variable's name into key_env", memory.ErrInvalid, at.Value)
		case k == nil:
			return m, at.Line, fmt.Errorf("%w models: unknown %q: want %s", memory.ErrInvalid, at.Value, strings.Join(modelNames(), ", "))
		case values[at.Value].IsValid():
			return m, at.Line, fmt.Errorf("%w models.%s: it is set twice", memory.ErrInvalid, at.Value)
		}
		v, err := leaf{name: k.Name, line: at.Line, node: node}.value(k)
		if err != nil {
			return m, at.Line, err
		}
		values[at.Value] = v
	}
	if v := values["type"]; v.IsValid() {
		m = defaultModel(v.String())
	}
	if m.Type == "" {
		return m, n.Line, fmt.Errorf("%w models: an entry says no type: want %s", memory.ErrInvalid, strings.Join(modelKey("type").Enum, ", "))
	}
	for name, v := range values {
		if v.Kind() != reflect.String || v.String() != "" {
			reflect.ValueOf(&m).Elem().FieldByIndex(modelKey(name).index).Set(v)
		}
	}
	switch {
	case m.Model == "" && !m.Program():
		err = fmt.Errorf("%w models: %s says no model: name the one that is to answer", memory.ErrInvalid, m.Name)
	case m.Program() && m.URL != "":
		err = fmt.Errorf("%w models: %s is a program and has no url", memory.ErrInvalid, m.Name)
	}
	return m, n.Line, err
}

func modelKey(name string) *Key {
	keys := modelKeys()
	for i := range keys {
		if keys[i].Name == modelsKey+"."+name {
			return &keys[i]
		}
	}
	return nil
}

func modelNames() []string {
	var out []string
	for _, k := range modelKeys() {
		out = append(out, strings.TrimPrefix(k.Name, modelsKey+"."))
	}
	return out
}
