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
//     loop. Regular expressions and single built-in calls cannot be interrupted;
//     there the time limit of whoever runs the host process holds.
//   - Output: an answer over [Options].MaxOutput is refused.
//   - Memory: the interpreter has no limit. Every few milliseconds the heap is
//     looked at and the plugin interrupted above [Options].MaxMemory; a single
//     call can allocate more before that. [Confine] bounds the process itself,
//     on Linux only.
package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/grafana/sobek"

	"orihon/internal/tokens"
	"orihon/journal"
)

// Options bound a plugin. Nil means the zero value, and zero the default named;
// smaller limits of the question win.
type Options struct {
	Timeout   time.Duration // 10 s
	MaxOutput int           // bytes of the answer; 4 MiB
	MaxMemory uint64        // bytes of the heap; 256 MiB
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
	source, err := load(q.Path, opt.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, opt.Timeout)
	defer cancel()
	vm := sobek.New()
	vm.SetMaxCallStackSize(2000)
	done := make(chan struct{})
	defer close(done)
	go watch(ctx, vm, opt, done)
	defer func() {
		if p := recover(); p != nil { // a bug of the interpreter is the plugin's failure, not ours
			answer, err = nil, fmt.Errorf("plugin %s: %v", name, p)
		}
	}()
	module, err := vm.RunScript(name, "(function (module, exports, require) {"+source+"\n})")
	if err == nil {
		answer, err = build(vm, module, &q, opt.MaxOutput)
	}
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", name, plain(err))
	}
	return answer, nil
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

// load reads a plugin and makes of TypeScript and of modules what the
// interpreter runs.
func load(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return "", fmt.Errorf("it is no file of at most %d bytes", limit)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	loader := api.LoaderJS
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".ts" || ext == ".mts" {
		loader = api.LoaderTS
	}
	out := api.Transform(string(source), api.TransformOptions{
		Loader: loader, Format: api.FormatCommonJS, Target: api.ES2020, Sourcefile: filepath.Base(path), LogLevel: api.LogLevelSilent,
	})
	if len(out.Errors) > 0 {
		e := out.Errors[0]
		if e.Location == nil {
			return "", errors.New(e.Text)
		}
		return "", fmt.Errorf("%s:%d: %s", e.Location.File, e.Location.Line, e.Text)
	}
	return string(out.Code), nil
}

// watch interrupts the interpreter when the time is over or the heap too large.
func watch(ctx context.Context, vm *sobek.Runtime, o Options, done <-chan struct{}) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			vm.Interrupt(fmt.Sprintf("it took longer than %s", o.Timeout))
			return
		case <-tick.C:
			if metrics.Read(heap); heap[0].Value.Uint64() > o.MaxMemory {
				vm.Interrupt(fmt.Sprintf("it took more than %d MiB of memory", o.MaxMemory>>20))
				return
			}
		}
	}
}

// caller runs the module and calls what it exports; what comes back is JSON.
const caller = `(function (load, ctx) {
	const module = {exports: {}};
	const require = name => { throw new Error("modules cannot be loaded: " + name); };
	load.call(undefined, module, module.exports, require);
	let built = module.exports && module.exports.default !== undefined ? module.exports.default : module.exports;
	if (typeof built === "object" && built !== null && typeof built.buildContext !== "function") {
		const named = Object.values(built).find(v => typeof v === "function");
		if (named) built = named;
	}
	if (typeof built === "function") {
		built = built.prototype && typeof built.prototype.buildContext === "function" ? new built(ctx.options) : {buildContext: built};
	}
	if (!built || typeof built.buildContext !== "function") throw new Error("it exports no class or function with buildContext(ctx)");
	return built.buildContext(ctx);
})`

// encode writes a result as the strategy reads it.
const encode = `(function (result) {
	const text = JSON.stringify(Array.isArray(result) ? {messages: result} : result);
	return text === undefined ? "null" : text;
})`

// build asks the strategy of a loaded module, for at most so many bytes.
func build(vm *sobek.Runtime, module sobek.Value, q *question, most int) ([]byte, error) {
	ctx, err := contextOf(vm, q)
	if err != nil {
		return nil, err
	}
	result, err := call(vm, caller, module, ctx)
	if err != nil {
		return nil, err
	}
	if p, ok := result.Export().(*sobek.Promise); ok {
		switch p.State() {
		case sobek.PromiseStateRejected:
			return nil, fmt.Errorf("%s", p.Result())
		case sobek.PromiseStatePending:
			return nil, errors.New("its promise is never kept: nothing here could keep it")
		}
		result = p.Result()
	}
	text, err := call(vm, encode, result)
	if err != nil {
		return nil, err
	}
	answer := text.String()
	if len(answer) > most {
		return nil, fmt.Errorf("it returned %d bytes, the limit is %d", len(answer), most)
	}
	var shape struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal([]byte(answer), &shape) != nil || len(shape.Messages) == 0 {
		return nil, errors.New("it returned no messages")
	}
	return []byte(answer), nil
}

func call(vm *sobek.Runtime, function string, args ...sobek.Value) (sobek.Value, error) {
	f, err := vm.RunString(function)
	if err != nil {
		return nil, err
	}
	fn, ok := sobek.AssertFunction(f)
	if !ok {
		return nil, errors.New("no function")
	}
	return fn(sobek.Undefined(), args...)
}

// contextOf is what the plugin gets. Values go in as JSON, so that nothing of
// ours can be reached through them.
func contextOf(vm *sobek.Runtime, q *question) (sobek.Value, error) {
	ctx, err := copied(vm, map[string]any{
		"system_prompt": q.System, "task": q.Task, "current_iteration": q.Iteration, "options": q.Options, "limits": q.Limits,
	})
	if err != nil {
		return nil, err
	}
	view := journal.NewView(q.Events...).ReadOnly()
	must := func(v any) sobek.Value {
		out, err := copied(vm, v)
		if err != nil {
			panic(vm.NewGoError(err))
		}
		return out
	}
	api := vm.NewObject()
	set := func(o *sobek.Object, name string, v any) {
		if err == nil {
			err = o.Set(name, v)
		}
	}
	set(api, "iterations", func(c sobek.FunctionCall) sobek.Value {
		type round struct {
			N      int             `json:"n"`
			Events []journal.Event `json:"events"`
		}
		out := []round{}
		for _, it := range view.Iterations(int(c.Argument(0).ToInteger()), int(c.Argument(1).ToInteger())) {
			out = append(out, round{it.N, it.Events})
		}
		return must(out)
	})
	set(api, "events", func(c sobek.FunctionCall) sobek.Value {
		if len(c.Arguments) == 0 {
			return must(view.Events())
		}
		var types []journal.Type
		for _, a := range c.Arguments {
			types = append(types, journal.Type(a.String()))
		}
		return must(view.ByType(types...))
	})
	set(api, "search", func(c sobek.FunctionCall) sobek.Value { return must(found(view, c.Argument(0).String())) })
	object := ctx.ToObject(vm)
	set(object, "journal", api)
	set(object, "tokens", func(c sobek.FunctionCall) sobek.Value { return vm.ToValue(tokens.Estimate(c.Argument(0).String())) })
	return ctx, err
}

func found(v *journal.View, query string) []journal.Event {
	out := []journal.Event{}
	for _, m := range v.Search(query, 0) {
		out = append(out, m.Event)
	}
	return out
}

// copied takes a value into the interpreter through JSON.
func copied(vm *sobek.Runtime, v any) (sobek.Value, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	parse, ok := sobek.AssertFunction(vm.Get("JSON").ToObject(vm).Get("parse"))
	if !ok {
		return nil, errors.New("the interpreter has no JSON")
	}
	return parse(sobek.Undefined(), vm.ToValue(string(raw)))
}

// plain is an error on one line, without the interpreter's stack.
func plain(err error) error {
	var stopped *sobek.InterruptedError
	if errors.As(err, &stopped) {
		return fmt.Errorf("%v", stopped.Value())
	}
	var deep *sobek.StackOverflowError
	if errors.As(err, &deep) {
		return errors.New("its calls are nested too deeply")
	}
	var thrown *sobek.Exception
	if errors.As(err, &thrown) {
		return errors.New(strings.Join(strings.Fields(thrown.Value().String()), " "))
	}
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}
