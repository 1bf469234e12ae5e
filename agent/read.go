package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"orihon/internal/config"
	"orihon/memory"
)

// The files of an agent's folder.
const (
	configFile = "config.yaml"
	promptFile = "system_prompt.md"
	schemaFile = "output.schema.json"
)

// maxFile bounds each of them, in bytes.
const maxFile = 1 << 20

// Problem is what is wrong with an agent's file, and how to mend it. It is a
// [memory.ErrInvalid].
type Problem struct {
	File string
	Line int // from 1; 0 is the whole file
	Text string
}

// Error is one line.
func (p *Problem) Error() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
	}
	return p.File + ": " + p.Text
}

// Unwrap is [memory.ErrInvalid].
func (p *Problem) Unwrap() error { return memory.ErrInvalid }

// Read reads the agent in a folder. Its files are read through the folder alone:
// a symlink that leads out of it is refused. What is wrong is a *[Problem], or
// several of them joined.
func Read(dir string) (*Definition, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("agent %w: %s", memory.ErrNotFound, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("agent %w: %s is no folder", memory.ErrNotFound, dir)
	}
	defer root.Close()
	return readFrom(root.FS(), dir)
}

// readFrom reads an agent's files; dir is what problems call their folder, and
// empty for an agent without one.
func readFrom(files fs.FS, dir string) (*Definition, error) {
	config, err := readOne(files, dir, configFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("agent %w: there is no %s", memory.ErrNotFound, filepath.Join(dir, configFile))
	}
	if err != nil {
		return nil, err
	}
	d, err := parse(filepath.Join(dir, configFile), config)
	if err != nil {
		return nil, err
	}
	d.Dir = dir
	prompt, err := readOne(files, dir, promptFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if d.Prompt = strings.TrimSpace(string(prompt)); d.Prompt == "" {
		return nil, &Problem{File: filepath.Join(dir, promptFile), Text: "an agent needs a system prompt: write it here"}
	}
	schema, err := readOne(files, dir, schemaFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !json.Valid(schema):
		return nil, &Problem{File: filepath.Join(dir, schemaFile), Text: "this is no JSON"}
	default:
		d.Schema = schema
	}
	return d, nil
}

// readOne reads a regular file of bounded size.
func readOne(files fs.FS, dir, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, &Problem{File: filepath.Join(dir, name), Text: "it cannot be read: " + err.Error()}
	}
	if !info.Mode().IsRegular() {
		return nil, &Problem{File: filepath.Join(dir, name), Text: "this is no regular file"}
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = &Problem{File: filepath.Join(dir, name), Text: "it is larger than 1 MiB"}
	}
	return data, err
}

// parse reads config.yaml and checks it.
func parse(name string, data []byte) (*Definition, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		line, text := config.SyntaxError(data, err)
		return nil, &Problem{name, line, text}
	}
	if len(root.Content) == 0 {
		return nil, &Problem{File: name, Text: "it is empty: it needs at least a name"}
	}
	var read file
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	c := checking{file: name, root: root.Content[0]}
	if err := c.mistakes(dec.Decode(&read)); err != nil {
		return nil, err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &Problem{File: name, Text: "there is more than one document in the file"}
	}
	d := &read.Definition
	if read.Context.Kind != 0 {
		c.context(d, &read.Context)
	}
	c.definition(d)
	slices.SortStableFunc(c.found, func(a, b *Problem) int { return cmp.Compare(a.Line, b.Line) })
	var all []error
	for _, p := range c.found {
		all = append(all, p)
	}
	return d, errors.Join(all...)
}

// file is config.yaml.
type file struct {
	Definition `yaml:",inline"`
	Context    yaml.Node `yaml:"context_builder"`
}

// context reads the section context_builder, as that of the user's settings is.
func (c *checking) context(d *Definition, section *yaml.Node) {
	read, err := config.ReadAgent(c.file, section, filepath.Dir(c.file))
	for _, p := range config.Problems(err) {
		told := mistake(c.file, p.Error())
		if p.Mended {
			d.Mended = append(d.Mended, told)
		} else {
			c.found = append(c.found, told)
		}
	}
	d.Context = ContextDef{Strategy: read.Strategy(), Options: *read.Building()}
}

// mistakes words what the decoder says of a definition.
func (c *checking) mistakes(err error) error {
	var list *yaml.TypeError
	if !errors.As(err, &list) {
		return err
	}
	var all []error
	for _, text := range list.Errors {
		p := mistake(c.file, text)
		if field, section, unknown := strings.Cut(p.Text, " not found in type "); unknown {
			field = strings.TrimPrefix(field, "field ")
			known := sections()[section]
			p.Text = fmt.Sprintf("unknown key %q%s", field, cmp.Or(config.DidYouMean(field, known), ": want one of "+strings.Join(known, ", ")))
		}
		if rest, ok := strings.CutPrefix(p.Text, "cannot unmarshal "); ok {
			value, into, _ := strings.Cut(rest, " into ")
			tag, value, scalar := strings.Cut(value, " ")
			key := keyOf(c.root, p.Line, tag, strings.TrimSuffix(strings.Trim(value, "`"), "..."))
			if key != "" {
				key += ": "
			}
			if value = strings.Trim(value, "`"); !scalar {
				value = map[string]string{"!!map": "a section", "!!seq": "a list"}[tag]
			}
			p.Text = key + value + " is no " + plainType(into)
		}
		all = append(all, p)
	}
	return errors.Join(all...)
}

// keyOf is the key of a value that stands in a line, of which the beginning is known;
// empty when several keys have such a value there.
func keyOf(root *yaml.Node, line int, tag, begin string) string {
	found := map[string]bool{}
	var walk func(n *yaml.Node, key string)
	walk = func(n *yaml.Node, key string) {
		if n.Line == line && n.ShortTag() == tag && strings.HasPrefix(n.Value, begin) {
			found[key] = true
		}
		for i, inner := range n.Content {
			switch {
			case n.Kind != yaml.MappingNode:
				walk(inner, key)
			case i%2 == 1:
				walk(inner, n.Content[i-1].Value)
			}
		}
	}
	walk(root, "")
	if len(found) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(found))[0]
}

// sections are the keys of each section of a definition, by the name of its type.
var sections = sync.OnceValue(func() map[string][]string {
	out := make(map[string][]string)
	var walk func(t reflect.Type, name string)
	walk = func(t reflect.Type, name string) {
		if t.Kind() != reflect.Struct {
			return
		}
		for f := range t.Fields() {
			inner := f.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			switch key := f.Tag.Get("yaml"); key {
			case "", "-":
			case ",inline":
				walk(inner, name)
			default:
				out[name] = append(out[name], key)
				walk(inner, inner.String())
			}
		}
	}
	walk(reflect.TypeFor[file](), reflect.TypeFor[file]().String())
	return out
})

// mistake is what stands behind the name of the file and a line.
func mistake(file, text string) *Problem {
	p := &Problem{File: file, Text: strings.TrimPrefix(text, file+": ")}
	for _, before := range []string{"line ", file + ":"} {
		rest, ok := strings.CutPrefix(p.Text, before)
		if number, what, found := strings.Cut(rest, ": "); ok && found {
			if n, err := strconv.Atoi(number); err == nil {
				p.Line, p.Text = n, what
			}
		}
	}
	return p
}

// plainType is a type of Go in words of a configuration.
func plainType(t string) string {
	switch {
	case strings.HasPrefix(t, "[]"):
		return "list"
	case strings.HasPrefix(t, "int"):
		return "whole number"
	case strings.HasPrefix(t, "float"):
		return "number"
	case t == "bool":
		return "true or false"
	case t == "time.Duration":
		return "time such as 30s or 10m"
	case t == "string":
		return "text"
	}
	return "section of settings"
}

// checking gathers what is wrong with a configuration that can be read.
type checking struct {
	file  string
	root  *yaml.Node
	found []*Problem
}

// wrong notes a problem at a place: keys, and numbers of entries.
func (c *checking) wrong(at []any, format string, v ...any) {
	c.found = append(c.found, &Problem{c.file, c.line(at), fmt.Sprintf(format, v...)})
}

// line is where a place stands, or the nearest around it that is there.
func (c *checking) line(at []any) int {
	n, line := c.root, c.root.Line
	for _, step := range at {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		next := (*yaml.Node)(nil)
		switch step := step.(type) {
		case int:
			if n.Kind == yaml.SequenceNode && step < len(n.Content) {
				next = n.Content[step]
				line = next.Line
			}
		case string:
			for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
				if n.Content[i].Value == step {
					next = n.Content[i+1]
					line = n.Content[i].Line
				}
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return line
}

// oneOf checks a word; an empty one is the default.
func (c *checking) oneOf(at []any, word string, words ...string) {
	if word != "" && !slices.Contains(words, word) {
		c.wrong(at, "%s: there is no %q: use one of %s", at[len(at)-1], word, strings.Join(words, ", "))
	}
}

// positive checks numbers that may be left out.
func (c *checking) positive(at []any, n int64) {
	if n < 0 {
		c.wrong(at, "%s: %d is below zero", at[len(at)-1], n)
	}
}

func (c *checking) definition(d *Definition) {
	if !validName(d.Name) {
		c.wrong([]any{"name"}, "name: %q: an agent needs a name of letters, digits, - and _, such as coder or @team/coder", d.Name)
	}
	if t := d.LLM.Temperature; t != nil && (*t < 0 || *t > 2) {
		c.wrong([]any{"llm", "temperature"}, "temperature: %g: it lies between 0 and 2", *t)
	}
	c.positive([]any{"llm", "max_tokens"}, int64(d.LLM.MaxTokens))
	l := d.Limits
	for name, n := range map[string]int64{
		"max_iterations": int64(l.MaxIterations), "time": int64(l.Time), "tokens": l.Tokens, "context_tokens": int64(l.ContextTokens), "parallel": int64(l.Parallel),
	} {
		c.positive([]any{"limits", name}, n)
	}
	c.positive([]any{"memory", "messages"}, int64(d.Memory.Messages))
	c.positive([]any{"memory", "tokens"}, int64(d.Memory.Tokens))
	if l.ContextTokens > 0 && l.ContextTokens < leastWindow {
		c.wrong([]any{"limits", "context_tokens"}, "context_tokens: %d: a window has at least %d", l.ContextTokens, leastWindow)
	}
	seen := map[string]bool{}
	for i := range d.Tools {
		c.tool([]any{"tools", i}, &d.Tools[i])
		if name := d.Tools[i].Name; name != "" && seen[name] {
			c.wrong([]any{"tools", i, "name"}, "name: there is a tool %q already", name)
		} else {
			seen[name] = true
		}
	}
}

// leastWindow is the smallest window a run is tried in, in tokens.
const leastWindow = 2000

func (c *checking) tool(at []any, t *ToolDef) {
	under := func(key string) []any { return append(slices.Clone(at), key) }
	c.oneOf(under("type"), t.Type, CommandTool, SubAgentTool, MCPTool)
	if !validToolName(t.Name) {
		c.wrong(under("name"), "name: %q: a tool needs a name of at most 64 letters, digits, - and _", t.Name)
	}
	c.positive(under("timeout"), int64(t.Timeout))
	c.positive(under("max_output"), int64(t.MaxOutput))
	if t.WorkDir != "" && !filepath.IsLocal(t.WorkDir) {
		c.wrong(under("workdir"), "workdir: %q: it must lie below the working directory of the run", t.WorkDir)
	}
	for name := range t.Env {
		if !validVariable(name) {
			c.wrong(under("env"), "env: %q is no name of a variable", name)
		}
	}
	switch t.Type {
	case SubAgentTool:
		if t.AgentPath == "" {
			c.wrong(at, "tool %s: a sub_agent needs agent_path", t.Name)
		} else if !filepath.IsLocal(t.AgentPath) && !strings.HasPrefix(t.AgentPath, "@") {
			c.wrong(under("agent_path"), "agent_path: %q: name a folder below the agent's own, a standard agent, or an installed one as @scope/name", t.AgentPath)
		}
	case MCPTool:
		if len(t.Command) == 0 {
			c.wrong(at, "tool %s: an MCP server needs a command", t.Name)
		}
		if len(t.Allow) == 0 {
			c.wrong(at, "tool %s: name in allow which tools of the server may be called", t.Name)
		}
	default:
		if len(t.Command) == 0 || t.Command[0] == "" {
			c.wrong(at, "tool %s: it needs a command", t.Name)
		}
		if t.Shell && len(t.Command) > 1 {
			c.wrong(under("command"), "command: with shell it is one script, here it has %d entries", len(t.Command))
		}
		c.parameters(under("parameters"), t.Parameters)
	}
}

func (c *checking) parameters(at []any, all []Parameter) {
	seen := map[string]bool{}
	for i := range all {
		p := &all[i]
		under := func(key string) []any { return append(slices.Clone(at), i, key) }
		if !validToolName(p.Name) || seen[p.Name] {
			c.wrong(under("name"), "name: %q: each parameter needs a name of its own, of letters, digits, - and _", p.Name)
		}
		seen[p.Name] = true
		c.oneOf(under("type"), p.Type, TypeString, TypeInteger, TypeNumber, TypeBoolean, TypePath, TypeList)
		c.oneOf(under("inject_as"), p.InjectAs, InjectArgument, InjectOption, InjectStdin, InjectEnv)
		if p.Option != "" && (p.InjectAs != InjectOption || !strings.HasPrefix(p.Option, "-")) {
			c.wrong(under("option"), "option: %q: it begins with - and goes with inject_as: option", p.Option)
		}
		if p.EnvName != "" && !validVariable(p.EnvName) {
			c.wrong(under("env_name"), "env_name: %q is no name of a variable that a tool may set", p.EnvName)
		}
		if p.InjectAs == InjectEnv && p.EnvName == "" && !validVariable(variable(p.Name)) {
			c.wrong(under("name"), "name: %q: as a variable that is %s, which a tool may not set: give env_name", p.Name, variable(p.Name))
		}
		if len(p.Enum) > 0 && p.Type != "" && p.Type != TypeString {
			c.wrong(under("enum"), "enum: it goes with type: string")
		}
		if p.Default != nil {
			if _, err := p.texts(defaultValue(p)); err != nil {
				c.wrong(under("default"), "default: %v", err)
			}
		}
	}
}

func validName(s string) bool {
	if scoped, ok := strings.CutPrefix(s, "@"); ok {
		scope, name, found := strings.Cut(scoped, "/")
		return found && validToolName(scope) && validToolName(name)
	}
	return validToolName(s)
}

func validToolName(s string) bool {
	return s != "" && len(s) <= 64 && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// validVariable reports a variable that a configuration may set: not one that
// says which programs are run, nor one that tells of the run.
func validVariable(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' || strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return false
	}
	up := strings.ToUpper(s)
	return up != "PATH" && up != "AGENT_HOME" && !strings.HasPrefix(up, "LD_") && !strings.HasPrefix(up, "DYLD_") &&
		!strings.HasPrefix(up, "ORIHON_") && !strings.HasPrefix(up, "PARENT_JOURNAL_")
}
