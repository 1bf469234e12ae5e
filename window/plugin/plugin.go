// Package plugin runs context builders written in JavaScript or TypeScript: a
// class or a function with buildContext(ctx). It is what a host process of the
// strategy plugin does, see window.PluginOptions; the strategy itself is package
// window's, which never links an interpreter.
//
// # Where to start
//
// [Answer] takes the question the strategy writes and gives the answer it reads.
//
//	export default class {
//	  constructor(options) { … }
//	  buildContext(ctx) { return [{role: "system", content: ctx.system_prompt}, …] }
//	}
//
// ctx has system_prompt, task, current_iteration, limits, options, tokens(text)
// and journal with iterations(start, end), events(...types) and search(query),
// all of them read-only copies.
//
// # What holds
//
//   - No files, network, processes, timers or modules: the interpreter has none,
//     and require and import fail.
//   - Time: a plugin is interrupted at [Options].Timeout, also in an endless
//     loop, a regular expression or promises that keep each other alive.
//   - Memory: the interpreter takes no more than [Options].MaxMemory. What is
//     handed to it and read from it is bounded too, and [Confine] bounds the
//     process itself, on Linux only.
//   - Output: an answer over [Options].MaxOutput is refused.
//
// # Cost
//
// A process and its interpreter are there in some 15 ms. TypeScript costs 100 to
// 300 ms more, for a compiler that is itself JavaScript.
package plugin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/quickjs"

	"orihon/internal/tokens"
	"orihon/journal"
)

// Options bound a plugin. Nil means the zero value, and zero the default named;
// smaller limits of the question win.
type Options struct {
	Timeout   time.Duration // 10 s
	MaxOutput int           // bytes of the answer; 4 MiB
	MaxMemory uint64        // bytes that the interpreter takes; 256 MiB
	MaxSource int64         // bytes of the file; 1 MiB
}

// question is what the strategy writes.
type question struct {
	Path      string          `json:"plugin_path"`
	Options   any             `json:"options"`
	Events    []journal.Event `json:"events"`
	System    string          `json:"system_prompt"`
	Task      string          `json:"task"`
	Iteration int             `json:"current_iteration"`
	Limits    struct {
		Tokens    int   `json:"max_tokens"`
		Output    int   `json:"max_output_bytes"`
		TimeoutMS int64 `json:"timeout_ms"`
	} `json:"limits"`
}

// Answer runs the plugin that a question names and returns {"messages": …}, or
// {"error": "…"} when it fails, is interrupted or returns no messages. Whether
// the messages hold together is for the strategy to check.
func Answer(ctx context.Context, raw []byte, o *Options) []byte {
	answer, err := run(ctx, raw, o)
	if err == nil {
		return answer
	}
	out, _ := json.Marshal(map[string]string{"error": err.Error()}) // a text always encodes
	return out
}

func run(ctx context.Context, raw []byte, o *Options) (answer []byte, err error) {
	var q question
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, fmt.Errorf("read the question: %w", err)
	}
	opt := q.limited(o)
	name := filepath.Base(q.Path)
	ctx, cancel := context.WithTimeout(ctx, opt.Timeout)
	defer cancel()
	type outcome struct {
		answer []byte
		err    error
	}
	out := make(chan outcome, 1)
	go func() {
		source, err := load(ctx, q.Path, opt)
		if err != nil {
			out <- outcome{err: err}
			return
		}
		answer, err := build(ctx, source, &q, opt)
		out <- outcome{answer, err}
	}()
	var got outcome
	select {
	case got = <-out:
	case <-late(ctx):
		got.err = fmt.Errorf("it took longer than %s", opt.Timeout)
	}
	if got.err != nil {
		return nil, fmt.Errorf("plugin %s: %w", name, got.err)
	}
	return got.answer, nil
}

// late says that a plugin goes on after it was interrupted: promises that catch
// one interruption after the other do, for a while. It is left behind then, and
// ends with the process.
func late(ctx context.Context) <-chan struct{} {
	out := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(100*time.Millisecond, func() { close(out) }) })
	return out
}

func (q *question) limited(o *Options) Options {
	out := Options{Timeout: 10 * time.Second, MaxOutput: 4 << 20, MaxMemory: 256 << 20, MaxSource: 1 << 20}
	if o != nil {
		if o.Timeout > 0 {
			out.Timeout = o.Timeout
		}
		if o.MaxOutput > 0 {
			out.MaxOutput = o.MaxOutput
		}
		if o.MaxMemory > 0 {
			out.MaxMemory = o.MaxMemory
		}
		if o.MaxSource > 0 {
			out.MaxSource = o.MaxSource
		}
	}
	if t := time.Duration(q.Limits.TimeoutMS) * time.Millisecond; t > 0 {
		out.Timeout = min(out.Timeout, t*9/10) // so that the reason arrives in time
	}
	if q.Limits.Output > 0 {
		out.MaxOutput = min(out.MaxOutput, q.Limits.Output)
	}
	return out
}

// load reads a plugin, and takes the types out of TypeScript.
func load(ctx context.Context, path string, o Options) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > o.MaxSource {
		return "", fmt.Errorf("it is no file of at most %d bytes", o.MaxSource)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".ts" && ext != ".mts" {
		return string(source), nil
	}
	return withoutTypes(ctx, filepath.Base(path), string(source), o)
}

// build asks the strategy of a plugin.
func build(ctx context.Context, source string, q *question, o Options) ([]byte, error) {
	m, err := newMachine(ctx, o)
	if err != nil {
		return nil, err
	}
	defer m.close()
	h := &host{q: q, view: journal.NewView(q.Events...).ReadOnly()}
	if err := m.vm.RegisterFunc("orihon", h.ask, false); err != nil {
		return nil, err
	}
	name := h.name()
	m.vm.SetModuleLoader(func(_ *quickjs.VM, asked string) (string, error) {
		if asked != name {
			return "", errors.New("modules cannot be loaded: " + asked)
		}
		return source, nil
	}, func(_ *quickjs.VM, _, asked string) (string, error) { return asked, nil })
	if err := m.run(runner); err != nil {
		return nil, err
	}
	if h.failed != nil {
		return nil, m.plain(h.failed)
	}
	if h.built == "" {
		return nil, errors.New("its promise is never kept: nothing here could keep it")
	}
	if len(h.built) > o.MaxOutput {
		return nil, fmt.Errorf("it returned %d bytes, the limit is %d", len(h.built), o.MaxOutput)
	}
	var shape struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal([]byte(h.built), &shape) != nil || len(shape.Messages) == 0 {
		return nil, errors.New("it returned no messages")
	}
	return []byte(h.built), nil
}

// runner is what stands around a plugin; it asks the host.
//
//go:embed run.js
var runner string

// host answers what the runner asks. Everything goes to and fro as JSON, so that
// nothing of ours can be reached through it.
type host struct {
	q      *question
	view   *journal.View
	built  string // what the plugin returned
	failed error
}

// name is what the plugin's module is called in messages.
func (h *host) name() string { return filepath.Base(h.q.Path) }

// ask answers one question of the runner. Nothing it is asked can fail.
func (h *host) ask(what, args string) string {
	var answer any
	switch what {
	case "name":
		answer = h.name()
	case "context":
		if h.q.Options == nil {
			h.q.Options = map[string]any{}
		}
		answer = map[string]any{
			"system_prompt": h.q.System, "task": h.q.Task, "current_iteration": h.q.Iteration, "options": h.q.Options, "limits": h.q.Limits,
		}
	case "tokens":
		answer = tokens.Estimate(first[string](args))
	case "iterations":
		answer = h.iterations(args)
	case "events":
		answer = h.events(args)
	case "search":
		answer = h.found(first[string](args))
	case "built":
		h.built = args
	case "failed":
		h.failed = thrown(h.name(), args)
	}
	out, err := json.Marshal(answer)
	if err != nil { // the journal holds what is no JSON
		return "null"
	}
	return string(out)
}

// first is the first of some arguments, its zero value where there is none.
func first[T any](args string) (out T) {
	var all []T
	if json.Unmarshal([]byte(args), &all) == nil && len(all) > 0 {
		out = all[0]
	}
	return out
}

func (h *host) iterations(args string) any {
	type round struct {
		N      int             `json:"n"`
		Events []journal.Event `json:"events"`
	}
	var of [2]int
	_ = json.Unmarshal([]byte(args), &of) // what is no range is the whole run
	out := []round{}
	for _, it := range h.view.Iterations(of[0], of[1]) {
		out = append(out, round{it.N, it.Events})
	}
	return out
}

func (h *host) events(args string) any {
	var types []journal.Type
	if json.Unmarshal([]byte(args), &types) != nil || len(types) == 0 {
		return h.view.Events()
	}
	return h.view.ByType(types...)
}

func (h *host) found(query string) any {
	out := []journal.Event{}
	for _, m := range h.view.Search(query, 0) {
		out = append(out, m.Event)
	}
	return out
}

// thrown is the error that a plugin threw, with the line of its file: its text,
// stack, file and line; a syntax error has the last two alone.
func thrown(name, args string) error {
	var t struct{ text, stack, file string }
	var line int
	if json.Unmarshal([]byte(args), &[]any{&t.text, &t.stack, &t.file, &line}) != nil {
		return errors.New("it threw what is no text")
	}
	text := strings.TrimPrefix(oneLine(t.text), "TypeError: module load failed: ")
	if t.file != "" {
		return fmt.Errorf("%s:%d: %s", t.file, line, text)
	}
	if _, at, ok := strings.Cut(t.stack, "("+name+":"); ok && !strings.HasPrefix(text, "InternalError") {
		place, _, _ := strings.Cut(at, ":")
		return fmt.Errorf("%s (line %s)", text, place)
	}
	return errors.New(text)
}
