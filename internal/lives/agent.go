package lives

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"orihon/internal/mcptools"
	"orihon/memory"
)

// Asked is a prompt as the agent gets it.
type Asked struct {
	Key    string `json:"key"` // of the prompt, by its text
	Prompt string `json:"prompt"`
	Begun  string `json:"begun,omitempty"` // what the session began with
	Shown  string `json:"shown,omitempty"` // all that the hook puts behind it
	Note   string `json:"note,omitempty"`  // the part that asks the agent something
	// Add is the place, from 1, of the thing that the agent kept where its note is what
	// memory answers to that; Added is the thing.
	Add   int    `json:"add,omitempty"`
	Added string `json:"added,omitempty"`
}

// Answer is what an agent does about such a prompt.
type Answer struct {
	Key  string `json:"key"`
	Adds []struct {
		Content    string   `json:"content"`
		NeededWhen []string `json:"needed_when,omitempty"`
		// Then is done about the statements that the answer asks about.
		Then []Update `json:"then,omitempty"`
	} `json:"adds"`
	Updates []Update `json:"updates,omitempty"`
}

// Update says what a statement says now, by its place in a question, from 1; without
// words it is taken out.
type Update struct {
	Which   int    `json:"which"`
	Content string `json:"content"`
}

func keyOf(prompt string) string {
	h := fnv.New64a()
	h.Write([]byte(prompt))
	return fmt.Sprintf("%016x", h.Sum64())
}

// ReadAnswers reads what an agent answered, one JSON object a line, gzipped or not.
// Errors name the line and wrap [memory.ErrInvalid].
func ReadAnswers(file string) (map[string]Answer, error) {
	in, err := open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	raw, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := make(map[string]Answer)
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		var a Answer
		err := json.Unmarshal([]byte(line), &a)
		if err == nil && a.Key == "" {
			err = fmt.Errorf("no key")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w answer: %w", file, n, memory.ErrInvalid, err)
		}
		out[a.Key] = a
	}
	return out, nil
}

// Tools of the agent that answers.
const (
	addTool    = "memory_add"
	updateTool = "memory_update"
	deleteTool = "memory_delete"
)

// equip gives the project's agent the tools.
func (p *player) equip() error {
	const servers = `{"mcpServers": {"orihon": {"command": "orihon", "args": ["mcp"]}}}`
	return os.WriteFile(filepath.Join(p.project, ".mcp.json"), []byte(servers), 0o600)
}

// questions are the lines of a hook's context that ask the agent to do something, and
// the IDs of the statements that a prompt seems to change. That it may give phrases to
// what was kept is no such line.
func questions(context string) (lines, ids []string) {
	for line := range strings.Lines(context) {
		changes := strings.Contains(line, updateTool)
		if changes && strings.Contains(line, "needed_when") || !changes && !strings.Contains(line, addTool) {
			continue
		}
		lines = append(lines, strings.TrimSpace(line))
		if changes {
			ids = append(ids, shortID().FindAllString(line, -1)...)
		}
	}
	return lines, ids
}

// withoutQuestions is a context without what it asks the agent to do: that is nothing
// that memory knows.
func (p *player) withoutQuestions(context string) string {
	if p.o.Server == nil {
		return context
	}
	lines, _ := questions(context)
	for _, line := range lines {
		context = strings.Replace(context, line, "", 1)
	}
	return context
}

var shortID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{12}\b`) })

// answer does what the agent does about a prompt, asked or by its own judgement, through
// the server that its client starts. What memory refuses stays undone.
func (p *player) answer(ctx context.Context, prompt, context string) error {
	lines, ids := questions(context)
	if p.heard != nil {
		if err := p.heard(); err != nil {
			return err
		}
	}
	key := keyOf(prompt)
	p.ask(Asked{Key: key, Prompt: prompt, Begun: p.started, Shown: strings.TrimSpace(context), Note: strings.Join(lines, "\n")})
	a := p.o.Answers[key]
	if len(a.Adds)+len(a.Updates) == 0 {
		return nil
	}
	c := p.o.Server(p.home, p.project, "mcp")
	c.Allow = []string{addTool, updateTool, deleteTool}
	server, _, err := mcptools.Start(ctx, c)
	if err != nil {
		return err
	}
	defer server.Close()
	call := func(tool string, arguments map[string]any) string {
		input, _ := json.Marshal(arguments) // strings: it cannot fail
		text, _ := server.Call(ctx, tool, input)
		return text
	}
	update := func(updates []Update, ids []string) {
		for _, u := range updates {
			switch {
			case u.Which < 1 || u.Which > len(ids):
			case u.Content == "":
				call(deleteTool, map[string]any{"id": ids[u.Which-1]})
			default:
				call(updateTool, map[string]any{"id": ids[u.Which-1], "content": u.Content})
			}
		}
	}
	update(a.Updates, ids)
	for i, add := range a.Adds {
		input := map[string]any{"content": add.Content}
		if len(add.NeededWhen) > 0 {
			input["needed_when"] = add.NeededWhen
		}
		_, question, asked := strings.Cut(call(addTool, input), "\nDoes that end")
		if !asked {
			continue
		}
		p.ask(Asked{Key: key, Prompt: prompt, Note: "Does that end" + question, Add: i + 1, Added: add.Content})
		update(add.Then, shortID().FindAllString(question, -1))
	}
	return ctx.Err()
}

func (p *player) ask(a Asked) {
	p.asks = append(p.asks, a)
	if p.o.Asked != nil {
		p.o.Asked(a)
	}
}
