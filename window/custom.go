package window

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/child"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
)

// CustomOptions describe the process behind the strategy [Custom].
type CustomOptions struct {
	// Command is the program and its arguments; no shell reads it. In each,
	// ${AGENT_HOME} stands for AgentHome.
	Command   []string
	AgentHome string
	Env       []string      // of the process, see [JournalEnv]; nil is that of this one
	Timeout   time.Duration // 30 seconds when zero
	MaxOutput int           // bytes of an answer; 16 MiB when zero
}

// Names of the files through which the process may read and answer, in its
// working directory.
const (
	customInput  = "context_builder_input.json"
	customOutput = "context_builder_output.json"
	// maxCustomOutput bounds an answer, in bytes.
	maxCustomOutput = 16 << 20
)

// custom asks a process for the messages.
type custom struct {
	passive
	o      CustomOptions
	plugin *pluginQuestion // nil for a command of the user's
}

func newCustom(o CustomOptions) (*custom, error) {
	if len(o.Command) == 0 || o.Command[0] == "" {
		return nil, fmt.Errorf("%w strategy %s: name the command of its hook", memory.ErrInvalid, Custom)
	}
	o.Timeout = cmp.Or(max(o.Timeout, 0), 30*time.Second)
	o.MaxOutput = cmp.Or(max(o.MaxOutput, 0), maxCustomOutput)
	return &custom{o: o}, nil
}

// customQuestion is what the process is told.
type customQuestion struct {
	System    string `json:"system_prompt"`
	Task      string `json:"task"`
	Iteration int    `json:"current_iteration"`
	Journal   string `json:"journal_path"` // empty for a plugin
	Limits    struct {
		Tokens    int   `json:"max_tokens"`
		Output    int   `json:"max_output_bytes"`
		TimeoutMS int64 `json:"timeout_ms"`
	} `json:"limits"`
	*pluginQuestion
}

// Build runs the process in a folder of its own, with the question in a file and
// on its standard input. The answer is read from its file, else from its
// standard output. What it asks for is checked like the work of any builder.
func (c *custom) Build(ctx context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	dir, err := os.MkdirTemp("", "orihon-context-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	q := customQuestion{System: in.System, Task: in.task(), Iteration: in.Iteration}
	q.Limits.Tokens, q.Limits.Output, q.Limits.TimeoutMS = in.Limit, c.o.MaxOutput, c.o.Timeout.Milliseconds()
	if c.plugin != nil { // it gets the events themselves
		q.pluginQuestion = c.plugin.with(in)
	} else if q.Journal, err = journalFor(ctx, in.View, filepath.Join(dir, "journal")); err != nil {
		return nil, err
	}
	question, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, customInput), question, 0o600); err != nil {
		return nil, err
	}
	answer, err := c.run(ctx, dir, q.Journal, question)
	if err != nil {
		return nil, fmt.Errorf("context hook %w", err)
	}
	return parseCustom(answer)
}

func (c *custom) run(ctx context.Context, dir, journal string, question []byte) ([]byte, error) {
	args := make([]string, len(c.o.Command))
	for i, a := range c.o.Command {
		args[i] = strings.ReplaceAll(a, "${AGENT_HOME}", c.o.AgentHome)
	}
	env := c.o.Env
	if env == nil {
		env = child.Environ()
	}
	stdout, stderr, err := child.Run(ctx, child.Command{
		Path: args[0], Args: args[1:], Dir: dir, Env: JournalEnv(env, journal), Stdin: question,
		Timeout: c.o.Timeout, MaxOutput: c.o.MaxOutput,
	})
	if err != nil {
		if said := clip(oneLine(string(stderr)), 300); said != "" {
			return nil, fmt.Errorf("%s: %w: %s", args[0], err, said)
		}
		return nil, fmt.Errorf("%s: %w", args[0], err)
	}
	answer, err := readBounded(filepath.Join(dir, customOutput), c.o.MaxOutput)
	if errors.Is(err, fs.ErrNotExist) {
		return stdout, nil
	}
	return answer, err
}

// journalFor is the path of the journal that a view shows, for a program that may
// know no more than lines of JSON; one that is compressed, or has no file, is written
// to a folder.
func journalFor(ctx context.Context, v *journal.View, dir string) (string, error) {
	if j := v.Journal(); j != nil && !j.Packed() {
		return j.Path(), nil
	}
	j, err := journal.Open(dir, nil)
	if err != nil {
		return "", err
	}
	events := slices.Clone(v.Events())
	for i, e := range events {
		if events[i].Payload, err = v.Body(e); err != nil {
			return "", err
		}
	}
	_, err = j.Append(ctx, events...)
	return j.Path(), err
}

// parseCustom reads {"messages": [{"role", "content"}]}.
func parseCustom(answer []byte) ([]Placed, error) {
	var out struct {
		Error    string `json:"error"` // a host of plugins says what went wrong
		Messages []struct {
			Role    llm.Role `json:"role"`
			Content string   `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return nil, fmt.Errorf("%w: the answer of the context hook: %w", ErrInvalid, err)
	}
	if out.Error != "" {
		return nil, errors.New(clip(oneLine(out.Error), 500))
	}
	if len(out.Messages) == 0 {
		return nil, fmt.Errorf(`%w: the answer of the context hook has no "messages"`, ErrInvalid)
	}
	messages := make([]Message, len(out.Messages))
	for i, m := range out.Messages {
		messages[i] = Message{Role: m.Role, Text: m.Content}
	}
	return unplaced(messages), nil
}

// pluginQuestion is what a host of plugins is told besides.
type pluginQuestion struct {
	Path    string          `json:"plugin_path"`
	Options map[string]any  `json:"options,omitempty"`
	Events  []journal.Event `json:"events"`
}

func (q *pluginQuestion) with(in Input) *pluginQuestion {
	out := *q
	for _, e := range in.View.Range(0, in.Iteration) {
		if body, err := in.View.Body(e); err == nil && json.Valid(body) {
			e.Payload = body
		}
		out.Events = append(out.Events, e)
	}
	return &out
}

// Variables a sub-process gets for its parent's journal.
const (
	JournalPathVar     = "PARENT_JOURNAL_PATH"
	JournalReadOnlyVar = "PARENT_JOURNAL_READONLY"
)

// JournalEnv is the environment of a sub-process that may read a journal: the
// given one, with PARENT_JOURNAL_PATH and PARENT_JOURNAL_READONLY=true in the
// place of what it said of them. Without a journal there is neither.
func JournalEnv(env []string, journal string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if name != JournalPathVar && name != JournalReadOnlyVar {
			out = append(out, kv)
		}
	}
	if journal == "" {
		return out
	}
	return append(out, JournalPathVar+"="+journal, JournalReadOnlyVar+"=true")
}

// readBounded reads a regular file of at most limit bytes.
func readBounded(path string, limit int) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(limit) {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", filepath.Base(path), limit)
	}
	return os.ReadFile(path)
}

// PluginOptions describe the strategy [Plugin]. Zero means the default named.
type PluginOptions struct {
	Path    string         // of the .js or .ts file; required
	Options map[string]any // what the plugin gets as ctx.options
	// Host is the command that runs plugins, with its arguments; required. It
	// is asked as the process of [Custom] is, with the plugin's path, options
	// and the events of the run besides. Package window/plugin is what such a
	// command does.
	Host      []string
	Timeout   time.Duration // 10 seconds
	MaxOutput int           // bytes of the answer; 4 MiB
}

// newPlugin runs a plugin in a process of its own: an interpreter has no limit
// of memory, a process has.
func newPlugin(o Options) (Builder, error) {
	p := o.Plugin
	if len(p.Host) == 0 {
		return nil, fmt.Errorf("%w strategy %s: it needs a host, see Options.Plugin", memory.ErrInvalid, Plugin)
	}
	if p.Path == "" {
		return nil, fmt.Errorf("%w strategy %s: name its .js or .ts file", memory.ErrInvalid, Plugin)
	}
	switch strings.ToLower(filepath.Ext(p.Path)) {
	case ".js", ".ts", ".mjs", ".mts":
	default:
		return nil, fmt.Errorf("%w plugin %q: it must be a .js or .ts file", memory.ErrInvalid, p.Path)
	}
	path, err := filepath.Abs(p.Path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%w plugin: %w", memory.ErrInvalid, err)
	}
	p.Timeout = cmp.Or(max(p.Timeout, 0), 10*time.Second)
	p.MaxOutput = cmp.Or(max(p.MaxOutput, 0), 4<<20)
	c, err := newCustom(CustomOptions{Command: p.Host, Timeout: p.Timeout, MaxOutput: p.MaxOutput})
	if err != nil {
		return nil, err
	}
	c.plugin = &pluginQuestion{Path: path, Options: p.Options}
	return withDefault(Plugin, c, o), nil
}
