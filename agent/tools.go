package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/mcptools"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
)

// Tool is what a model may call. Its methods may be called by several goroutines.
type Tool interface {
	Spec() llm.ToolSpec
	// Call answers a call. With an error the model is told both: that it failed,
	// and what the text says.
	Call(ctx context.Context, c Call) (string, error)
}

// Call is one call of a tool.
type Call struct {
	ID string // unique in its run
	// Key is the same for an equal call whose outcome is unknown, so that a tool
	// can tell that it has done this already.
	Key   string
	Input json.RawMessage
}

// toolbox are the tools of a run.
type toolbox struct {
	specs  []llm.ToolSpec
	cost   int             // of the specs in a request, by our own count
	byName map[string]Tool // those that run beside the loop
	// inline are answered by the loop itself, from the journal.
	inline  map[string]func(ctx context.Context, input json.RawMessage) (string, error)
	servers []*mcptools.Server
}

// newToolbox opens the tools of a run. below makes that of a sub-agent.
func newToolbox(ctx context.Context, r *run, below func(r *run, def *ToolDef) (Tool, error)) (_ *toolbox, err error) {
	b := &toolbox{byName: map[string]Tool{}, inline: map[string]func(context.Context, json.RawMessage) (string, error){}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	var all []Tool
	for i := range r.def.Tools {
		def := &r.def.Tools[i]
		switch def.Type {
		case SubAgentTool:
			t, err := below(r, def)
			if err != nil {
				return nil, fmt.Errorf("tool %s: %w", def.Name, err)
			}
			all = append(all, t)
		case MCPTool:
			s, tools, err := serve(ctx, def, r.place)
			if err != nil {
				// A server that is not there takes its tools away, not the run.
				r.notice("the tools of %s are left out: %v", def.Name, err)
				continue
			}
			b.servers = append(b.servers, s)
			all = append(all, tools...)
		default:
			all = append(all, command{def, r.place})
		}
	}
	all = append(all, r.o.Tools...)
	if r.earlier != "" {
		all = append(all, readJournal{r.earlier, earlierTool})
	}
	for _, t := range all {
		spec := t.Spec()
		if b.byName[spec.Name] != nil {
			return nil, fmt.Errorf("%w tool %s: there are two of this name", memory.ErrInvalid, spec.Name)
		}
		b.byName[spec.Name] = t
		b.specs = append(b.specs, spec)
	}
	b.own(r)
	b.cost = specCost(b.specs)
	return b, nil
}

// own adds the tools of the strategy: with which a model reads what it does not
// see, and keeps its own notes.
func (b *toolbox) own(r *run) {
	add := func(spec llm.ToolSpec, answer func(context.Context, json.RawMessage) (string, error)) {
		if b.byName[spec.Name] == nil {
			b.specs = append(b.specs, spec)
			b.inline[spec.Name] = answer
		}
	}
	strategy := cmp.Or(r.def.Context.Strategy, window.SlidingWindow)
	for _, spec := range window.Tools(strategy) {
		if r.def.Context.Options.NoQueryTool {
			break
		}
		add(spec, func(ctx context.Context, input json.RawMessage) (string, error) {
			return window.CallTool(ctx, r.view, spec.Name, input)
		})
	}
	if r.notes == nil {
		return
	}
	for _, spec := range window.WorkingMemoryTools() {
		add(spec, func(_ context.Context, input json.RawMessage) (string, error) {
			text, failed := window.CallWorkingMemoryTool(r.notes, spec.Name, input)
			if failed {
				return "", errors.New(text)
			}
			return text, nil
		})
	}
}

// close ends the servers that the tools belong to.
func (b *toolbox) close() {
	for _, s := range b.servers {
		s.Close()
	}
}

// forked is a tool that takes what it needs of the run before it runs beside it.
type forked interface {
	Tool
	fork(ctx context.Context, c Call) (func(context.Context) (string, error), error)
}

// done is what came of a call.
type done struct {
	call   llm.Call
	asks   asking
	text   string
	err    error
	millis int64
}

// act runs the calls of an answer side by side. Each result goes into the journal
// as it comes; a call that fails fails alone. What ctx cuts off has no result: its
// outcome is unknown.
func (r *run) act(ctx context.Context, calls []llm.Call) error {
	results := make(chan done, len(calls))
	slots := make(chan struct{}, cmp.Or(r.def.Limits.Parallel, 8))
	keys := map[asking]int32{}
	for _, c := range calls {
		input := r.clean(c.Input)
		asks := callKey(c.Tool, input)
		key := r.key(asks, keys[asks])
		keys[asks]++
		r.o.Observe(Event{Kind: EventCall, Run: r.id, Call: c.ID, Tool: c.Tool, Input: input})
		start := r.starter(ctx, Call{c.ID, key, c.Input}, c.Tool, c.Broken)
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			began := time.Now()
			text, err := start(ctx)
			results <- done{c, asks, text, err, time.Since(began).Milliseconds()}
		}()
	}
	var broken error
	for range calls {
		if err := r.acknowledge(ctx, <-results); err != nil {
			broken = cmp.Or(broken, err)
		}
	}
	return cmp.Or(broken, ctx.Err())
}

// acknowledge writes the result of a call.
func (r *run) acknowledge(ctx context.Context, d done) error {
	if d.err != nil && ctx.Err() != nil && errors.Is(d.err, ctx.Err()) {
		return nil
	}
	text := strings.TrimRight(d.text, "\n")
	if d.err != nil {
		text = strings.TrimSpace(text + "\n[" + d.err.Error() + "]")
	}
	text = r.o.Redact(text)
	res := journal.Result{Tool: d.call.Tool, Output: text, Error: d.err != nil, DurationMS: d.millis}
	if err := r.write(context.WithoutCancel(ctx), journal.ActionResult, d.call.ID, res); err != nil {
		return err
	}
	if _, ok := r.tools.byName[d.call.Tool].(*subAgent); ok && d.err == nil {
		if err := r.write(context.WithoutCancel(ctx), journal.Report, d.call.ID, journal.Message{Role: journal.RoleAssistant, Speaker: d.call.Tool, Text: text}); err != nil {
			return err
		}
	}
	r.known[d.asks]++
	r.o.Observe(Event{Kind: EventResult, Run: r.id, Call: d.call.ID, Tool: d.call.Tool, Output: text, Error: res.Error, Millis: d.millis})
	return nil
}

// starter is what runs a call, or answers one that is broken. All that reads the journal
// is read here, by the loop.
func (r *run) starter(ctx context.Context, c Call, tool, broken string) func(context.Context) (string, error) {
	settled := func(text string, err error) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return text, err }
	}
	if broken != "" {
		return settled("", fmt.Errorf("%w call: %s: write them as one JSON object", memory.ErrInvalid, broken))
	}
	if inline := r.tools.inline[tool]; inline != nil {
		return settled(inline(ctx, c.Input))
	}
	t := r.tools.byName[tool]
	if t == nil {
		return settled("", fmt.Errorf("%w tool %q: there are %s", memory.ErrInvalid, tool, strings.Join(r.tools.names(), ", ")))
	}
	if f, ok := t.(forked); ok {
		start, err := f.fork(ctx, c)
		if err != nil {
			return settled("", err)
		}
		return start
	}
	return func(ctx context.Context) (text string, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("the tool broke down: %v", v)
			}
		}()
		return t.Call(ctx, c)
	}
}

func (b *toolbox) names() []string {
	var out []string
	for _, s := range b.specs {
		out = append(out, s.Name)
	}
	slices.Sort(out)
	return out
}
