package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/child"
	"orihon/llm"
	"orihon/memory"
)

// Clients whose programs can be asked.
const (
	Claude = "claude"
	Codex  = "codex"
	Gemini = "gemini"
)

// ChildVariable marks what is started from here: Orihon's hooks do nothing where it
// is set, so that a model's work for memory is no session of its own.
const ChildVariable = "ORIHON_CHILD"

// ProgramOptions of [NewProgram]. Client, Path, Dir and Env are required.
type ProgramOptions struct {
	Client string // Claude, Codex or Gemini
	// Path is the program, absolute, found where no project could put it.
	Path string
	// Dir is the folder the program works in: made when it is missing, and of
	// nobody else. The files of a call lie below it while it runs.
	Dir string
	// Env is the whole environment, see [ProgramEnv].
	Env     []string
	Model   string        // empty is the client's usual one
	Timeout time.Duration // 0 means two minutes
}

// Program asks a model by running a coding agent's program without its tools,
// hooks and servers. It calls no tools and does not stream. It is safe for use by
// several goroutines.
type Program struct {
	o      ProgramOptions
	client client
}

// client is what differs between the programs.
type client interface {
	// command is the arguments and what the program reads, with the folder that
	// may hold files of this call.
	command(r llm.Request, model, dir string) (args []string, stdin string, err error)
	// answer reads what the program wrote, also when it failed.
	answer(stdout []byte, dir string) (llm.Response, error)
}

// NewProgram prepares to run a program; nothing is run yet.
func NewProgram(o ProgramOptions) (*Program, error) {
	clients := map[string]client{Claude: claude{}, Codex: codex{}, Gemini: gemini{}}
	p := &Program{o: o, client: clients[o.Client]}
	switch {
	case p.client == nil:
		return nil, fmt.Errorf("%w client %q: want claude, codex or gemini", memory.ErrInvalid, o.Client)
	case !filepath.IsAbs(o.Path), !filepath.IsAbs(o.Dir):
		return nil, fmt.Errorf("%w client %s: its program and its folder need whole paths", memory.ErrInvalid, o.Client)
	}
	p.o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTimeout)
	return p, nil
}

// Overhead is how many tokens a client puts before a prompt by itself, at most.
func (p *Program) Overhead() int64 {
	if p.o.Client == Claude {
		return 2_000
	}
	return 25_000
}

// Generate runs the program once.
func (p *Program) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if len(r.Tools) > 0 {
		err := fmt.Errorf("%s in its headless mode calls no tools of others", p.o.Client)
		return llm.Response{}, &llm.Failure{Why: "calls no tools", Err: err, Request: true}
	}
	if err := os.MkdirAll(p.o.Dir, 0o700); err != nil {
		return llm.Response{}, &llm.Failure{Why: "has no folder", Err: err}
	}
	dir, err := os.MkdirTemp(p.o.Dir, "call-")
	if err != nil {
		return llm.Response{}, &llm.Failure{Why: "has no folder", Err: err}
	}
	defer os.RemoveAll(dir)
	args, stdin, err := p.client.command(plain(r), p.o.Model, dir)
	if err != nil {
		return llm.Response{}, &llm.Failure{Why: "has no folder", Err: err}
	}
	stdout, stderr, err := child.Run(ctx, child.Command{
		Path: p.o.Path, Args: args, Dir: p.o.Dir, Env: p.o.Env, Stdin: []byte(stdin), Timeout: p.o.Timeout, MaxOutput: maxAnswer,
	})
	switch {
	case errors.Is(err, child.ErrTooMuch):
		return llm.Response{}, useless(llm.Usage{Estimated: true}, "%s: %w", p.o.Client, err)
	case errors.Is(err, context.Canceled):
		return llm.Response{}, err
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%s: no answer within %s: %w", p.o.Client, p.o.Timeout, err)
		return llm.Response{}, &llm.Failure{Why: late, Err: err, Worked: true, Usage: llm.Usage{Estimated: true}}
	case err != nil && len(stdout) == 0:
		err = fmt.Errorf("%s: %w: %s", p.o.Client, err, brief(string(stderr)))
		return llm.Response{}, &llm.Failure{Why: "its program failed", Err: err}
	}
	resp, err := p.client.answer(stdout, dir)
	if err != nil {
		return llm.Response{}, fmt.Errorf("%s: %w", p.o.Client, err)
	}
	return checked(r.Schema, resp)
}

// failed is the failure of a program that said so itself.
func failed(used llm.Usage, words string) error {
	return &llm.Failure{Why: "its program failed", Err: errors.New("it says: " + cmp.Or(brief(words), "nothing")), Worked: used.Input > 0, Usage: used}
}

// kept are the variables that a client needs to start, to find its own login and
// to reach its server. Names of keys are none of them: who wants a key used names
// it in the configuration.
var kept = []string{
	"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "TZ", "TERM",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"CLAUDE_CONFIG_DIR", "CODEX_HOME",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "HOMEDRIVE", "HOMEPATH",
}

// ProgramEnv is the environment of a client's program: of a given one what such a
// program cannot do without and what is named besides, the PATH as given, and the
// mark that keeps Orihon's hooks silent.
func ProgramEnv(env []string, path string, besides ...string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(kept, name) || slices.Contains(kept, strings.ToUpper(name)) || slices.Contains(besides, name) {
			out = append(out, kv)
		}
	}
	return append(out, "PATH="+path, ChildVariable+"=1", "NO_COLOR=1")
}

// script is a conversation as one text, instructions apart.
func script(r llm.Request) (system, text string) {
	n := leading(r.Messages)
	var instructions, turns []string
	for _, m := range r.Messages[:n] {
		instructions = append(instructions, m.Text)
	}
	rest := r.Messages[n:]
	for _, m := range rest {
		words := m.Text
		if m.Result != nil {
			words = m.Result.Text
		}
		if len(rest) > 1 {
			words = "[" + string(m.Role) + "]\n" + words
		}
		turns = append(turns, words)
	}
	return strings.Join(instructions, "\n\n"), strings.Join(turns, "\n\n")
}

// claude is Claude Code: claude -p. With --safe-mode it runs no hooks, skills,
// plug-ins and servers, and its login still counts.
type claude struct{}

func (claude) command(r llm.Request, model, dir string) ([]string, string, error) {
	system, text := script(r)
	file := filepath.Join(dir, "system.txt") // arguments can be seen by others
	args := []string{"-p", "--output-format", "json", "--no-session-persistence", "--safe-mode", "--strict-mcp-config", "--tools", ""}
	if model != "" {
		args = append(args, "--model", model)
	}
	if system != "" {
		args = append(args, "--system-prompt-file", file)
	}
	return args, text, os.WriteFile(file, []byte(system), 0o600)
}

func (claude) answer(stdout []byte, _ string) (llm.Response, error) {
	var out struct {
		Type    string         `json:"type"`
		Subtype string         `json:"subtype"`
		Error   bool           `json:"is_error"`
		Result  string         `json:"result"`
		Usage   anthropicUsage `json:"usage"`
	}
	if err := json.Unmarshal(bytes.TrimSpace(stdout), &out); err != nil || out.Type != "result" {
		return llm.Response{}, useless(llm.Usage{Estimated: true}, "it wrote no result as JSON")
	}
	used := (&anthropicAnswer{Usage: out.Usage}).usage()
	if out.Error || out.Subtype != "success" {
		return llm.Response{}, failed(used, cmp.Or(out.Result, out.Subtype))
	}
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Text: out.Result}, Usage: used, Stop: out.Subtype}, nil
}

// codex is Codex CLI: codex exec, which may look at its folder and change nothing.
type codex struct{}

func (codex) command(r llm.Request, model, dir string) ([]string, string, error) {
	system, text := script(r)
	args := []string{"exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only", "--color", "never"}
	if model != "" {
		args = append(args, "--model", model)
	}
	return append(args, "-"), joined(system, text), nil
}

// joined is a prompt for clients that take no instructions of their own.
func joined(system, text string) string {
	return strings.TrimSpace(system + "\n\n" + text)
}

func (codex) answer(stdout []byte, _ string) (llm.Response, error) {
	out := llm.Response{Message: llm.Message{Role: llm.Assistant}, Usage: llm.Usage{Estimated: true}}
	wrong := ""
	for line := range bytes.Lines(stdout) {
		var e struct {
			Type    string
			Message string
			Item    struct{ Type, Text string }
			Usage   struct {
				Input  int64 `json:"input_tokens"`
				Cached int64 `json:"cached_input_tokens"`
				Output int64 `json:"output_tokens"`
			}
			Error struct{ Message string }
		}
		if json.Unmarshal(line, &e) != nil {
			continue // some versions put warnings between
		}
		switch {
		case e.Type == "item.completed" && e.Item.Type == "agent_message":
			out.Message.Text = e.Item.Text
		case e.Type == "turn.completed":
			out.Stop = e.Type
			out.Usage = llm.Usage{Input: natural(e.Usage.Input), Output: natural(e.Usage.Output), CacheRead: natural(e.Usage.Cached)}
		case e.Type == "turn.failed", e.Type == "error":
			wrong = cmp.Or(e.Error.Message, e.Message, "the turn failed")
		}
	}
	switch {
	case out.Stop != "":
		return out, nil
	case wrong != "":
		return llm.Response{}, failed(out.Usage, wrong)
	}
	return llm.Response{}, useless(out.Usage, "it ended without an answer")
}

// gemini is Gemini CLI: gemini -p, which reads what is to be answered and is told
// to answer it.
type gemini struct{}

func (gemini) command(r llm.Request, model, dir string) ([]string, string, error) {
	system, text := script(r)
	args := []string{"--output-format", "json", "--extensions", "none", "--prompt", "Answer what stands above, with nothing but the answer."}
	if model != "" {
		args = append(args, "--model", model)
	}
	return args, joined(system, text), nil
}

func (gemini) answer(stdout []byte, _ string) (llm.Response, error) {
	var out struct {
		Response string
		Error    *struct{ Message string }
		Stats    struct {
			Models map[string]struct {
				Tokens struct{ Input, Prompt, Candidates, Thoughts, Cached int64 }
			}
		}
	}
	used := llm.Usage{Estimated: true}
	at := max(0, bytes.IndexByte(stdout, '{')) // some versions talk before
	if err := json.NewDecoder(bytes.NewReader(stdout[at:])).Decode(&out); err != nil {
		return llm.Response{}, useless(used, "it wrote no result as JSON")
	}
	for _, m := range out.Stats.Models {
		t := m.Tokens
		used.Estimated = false
		used.Input += natural(max(t.Prompt, t.Input))
		used.Output += natural(t.Candidates) + natural(t.Thoughts)
		used.CacheRead += natural(t.Cached)
	}
	if out.Error != nil {
		return llm.Response{}, failed(used, out.Error.Message)
	}
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Text: out.Response}, Usage: used, Stop: "end"}, nil
}
