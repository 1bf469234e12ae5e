package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
	"orihon/workmem"
)

// window is the size of the model's window, in its tokens.
func (r *run) window() int {
	n := cmp.Or(r.def.Limits.ContextTokens, window.DefaultLimit)
	if most := r.o.WindowTokens; most > 0 {
		n = min(n, most)
	}
	return n
}

func (r *run) maxAnswer() int { return cmp.Or(r.def.LLM.MaxTokens, min(defaultAnswer, r.window()/4)) }

func (r *run) recallTokens() int {
	if r.o.Memory == nil || !on(r.def.Memory.Recall) {
		return 0
	}
	return min(cmp.Or(r.def.Memory.Tokens, defaultRecall), r.window()/10)
}

// furnish prepares the strategy that builds contexts.
func (r *run) furnish() error {
	if r.def.Context.Strategy == window.WorkingMemory && r.notes == nil {
		notes, err := workmem.Open(r.dir, &workmem.Options{Redact: r.o.Redact})
		if err != nil {
			return err
		}
		r.notes = notes
	}
	o := r.def.Context.Options
	o.Custom.AgentHome, o.Custom.Env = r.def.Dir, r.o.Env
	o.Plugin.Host = r.o.PluginHost
	o.WorkingMemory.Overview = r.notes.Overview
	auto := &o.AutoSummarize.Options
	auto.Program.AgentHome, auto.Program.Env = r.def.Dir, r.place.environment(&ToolDef{})
	auto.Cache = &window.SummaryCache{Dir: r.dir, Now: r.o.Now}
	o.Logger = r.o.Logger
	b, err := window.New(r.def.Context.Strategy, &o)
	if err != nil && r.def.Context.Strategy == window.Plugin { // its file may be gone by now
		r.notice("the context is built by the default strategy: %v", err)
		b, err = window.New("", &o)
	}
	r.builder = b
	return err
}

// input is what a context is built of.
func (r *run) input() window.Input {
	tools := 0
	if r.tools != nil {
		tools = r.tools.cost
	}
	// What stands around messages in a request, and in the loop's own words.
	const around = 64
	limit := r.window() - r.maxAnswer() - scaled(tools+r.recallTokens(), r.gauge.ratio) - around
	return window.Input{System: r.system, View: r.view, Limit: max(1, int(float64(limit)*r.shrunk)), Tokens: r.gauge.count}
}

// build makes the messages of the next request: the context, and behind it what
// was recalled for this turn, so that all before it stays as it was.
func (r *run) build(ctx context.Context, recalled string) ([]llm.Message, error) {
	messages, err := window.Build(ctx, r.builder, r.input())
	if err != nil {
		return nil, err
	}
	if why := window.Failure(r.builder); why != nil {
		r.notice("the context was built by the default strategy: %v", why)
	}
	r.sentTo = len(messages)
	if recalled != "" {
		messages = append(messages, llm.Message{Role: llm.User, Text: recalled})
	}
	return messages, nil
}

// recall asks memory with the last messages. A recall that fails leaves the turn
// without one.
func (r *run) recall(ctx context.Context) string {
	if r.recallTokens() == 0 {
		return ""
	}
	last := r.lastMessages(cmp.Or(r.def.Memory.Messages, defaultMessages))
	if len(last) == 0 {
		return ""
	}
	text := last[len(last)-1]
	got, err := r.o.Memory.Recall(ctx, memory.Query{Text: text, Recent: last[:len(last)-1], MaxTokens: r.recallTokens(), Session: r.id})
	if err != nil {
		if ctx.Err() == nil {
			r.notice("this turn goes on without memory: %v", err)
		}
		return ""
	}
	if got.Text == "" || got.Tokens > r.recallTokens() {
		return ""
	}
	var ids []string
	for i := range got.Hits {
		ids = append(ids, got.Hits[i].Passage.ID)
	}
	if set := strings.Join(ids, " "); set != r.recalled {
		r.recalled = set
		if err := r.write(ctx, journal.Recalled, "", journal.Recall{Query: journal.Digest(text), Passages: ids, Tokens: got.Tokens}); err != nil {
			r.o.Logger.Warn("run: recall not noted", "run", r.id, "err", err)
		}
		r.o.Observe(Event{Kind: EventRecalled, Run: r.id, Tokens: got.Tokens, Text: got.Text})
	}
	return got.Text
}

// lastMessages are the newest that say something, oldest first: the short-term layer
// of memory, a view on the journal for which nothing is written.
func (r *run) lastMessages(n int) []string {
	var out []string
	n = min(n, r.o.ShortMessages)
	room := r.o.ShortTokens
	for _, e := range slices.Backward(r.view.From(r.view.LastSeq() - int64(8*n))) {
		switch e.Type {
		case journal.UserMessage, journal.AssistantMessage, journal.Thought, journal.ActionRequest, journal.ActionResult:
			if text := strings.TrimSpace(r.view.Text(e)); text != "" {
				text = head(text, messageChars)
				room -= tokens.Estimate(text)
				if room >= 0 {
					out = append(out, text)
				}
			}
		}
		if len(out) == n || room < 0 {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// head is the beginning of a text, whole characters.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}

// complete tells the strategy that an iteration is over, and whoever watches how
// far the run is.
func (r *run) complete(ctx context.Context) {
	r.urged = 0
	r.status.Iterations++
	r.below.take(&r.status)
	if err := r.builder.OnIterationComplete(ctx, r.input()); err != nil && ctx.Err() == nil {
		r.notice("the context was not prepared: %v", err)
	}
	if from := window.Needed(r.builder, r.input()); from > 0 {
		r.view.Forget(from)
	}
	if h, ok := window.Health(r.builder); ok {
		r.status.Folds = h.Folds
	}
	r.flush(ctx)
	status := r.status
	e := Event{Kind: EventIteration, Run: r.id, Iteration: r.view.LastIteration(), Status: &status}
	r.o.Observe(e)
	r.hook(ctx, r.def.Hooks.Iteration, e)
}

// flush has memory keep what may soon be out of view, or has just been folded.
func (r *run) flush(ctx context.Context) {
	near := r.status.Context > max(r.window()-r.o.FlushTokens, int(flushFrom*float64(r.window())))
	folded := r.status.Folds != r.folds
	if r.o.Flush == nil || !near && !folded || r.flushed > 0 && r.status.Iterations-r.flushed < flushEvery || !r.flushing.TryLock() {
		return
	}
	r.flushed, r.folds = r.status.Iterations, r.status.Folds
	r.later.Go(func() {
		defer r.flushing.Unlock()
		if err := r.o.Flush(context.WithoutCancel(ctx), r.id); err != nil {
			r.o.Logger.Warn("run: nothing kept near the window's end", "run", r.id, "err", err)
		}
	})
}

// built is the payload of CONTEXT_BUILT: what a request took.
type built struct {
	Messages int     `json:"messages"`
	Estimate int     `json:"estimate"` // tokens by our own count
	Usage    spent   `json:"usage"`
	Cost     float64 `json:"cost,omitempty"`
	Backend  string  `json:"backend,omitempty"`
	Stop     string  `json:"stop,omitempty"`
}

// spent is an [llm.Usage] as it is written.
type spent struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Estimated  bool  `json:"estimated,omitempty"`
}

// estimated is a request in tokens by our own count.
func (r *run) estimated(messages []llm.Message) int {
	n := r.tools.cost
	for _, m := range messages {
		n += window.Cost(m, tokens.Estimate)
	}
	return n
}

// specCost is what the descriptions of tools take.
func specCost(all []llm.ToolSpec) int {
	n := 0
	for _, t := range all {
		raw, _ := json.Marshal(t) // texts always encode
		n += tokens.Estimate(string(raw)) + 4
	}
	return n
}

// measured corrects the gauge by what was reported. Another ratio means another
// cut of the context, which the strategy begins anew.
func (r *run) measured(estimate int, u llm.Usage) error {
	if u.Estimated {
		return nil
	}
	before := r.gauge.ratio
	r.gauge.learn(estimate, u.Input)
	if r.gauge.ratio == before {
		return nil
	}
	if err := r.furnish(); err != nil {
		return fmt.Errorf("context builder: %w", err)
	}
	return nil
}
