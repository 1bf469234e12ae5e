package window

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/inert"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/workmem"
)

// WorkingMemoryOptions tune the strategy working_memory. Zero means the default
// named.
type WorkingMemoryOptions struct {
	Store     *workmem.Store // of the session; required
	IdleTurns int            // iterations without a change of the overview until the default strategy takes over; 10
	// Compact tunes the compaction above 75 % of the limit; its Limit and
	// Threshold are the strategy's.
	Compact CompactOptions
}

// workingMemory shows the model its own overview, and of the history what the
// overview does not stand for yet.
type workingMemory struct {
	Builder // the default strategy
	o       Options
	w       WorkingMemoryOptions
}

func newWorkingMemory(o Options) (Builder, error) {
	w := o.WorkingMemory
	if w.Store == nil {
		return nil, fmt.Errorf("%w strategy %s: it needs a store, see Options.WorkingMemory", memory.ErrInvalid, WorkingMemory)
	}
	w.IdleTurns = cmp.Or(max(w.IdleTurns, 0), 10)
	return &workingMemory{o.defaultStrategy(), o, w}, nil
}

// metaRoom is what the end of the messages and the guidance may take, in tokens.
const metaRoom = 420

// Build implements [Builder].
func (b *workingMemory) Build(ctx context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	over, err := b.w.Store.Overview()
	if err != nil {
		return nil, fmt.Errorf("read the overview: %w", err)
	}
	if idle := in.Iteration - lastTouch(in.View, in.Iteration); idle > b.w.IdleTurns {
		return b.untouched(ctx, in, over, idle)
	}
	view := shownOverview(over, in.Limit)
	room := in
	room.Limit = in.Limit - in.cost([]Placed{view}) - metaRoom
	messages, err := room.history(b.o.OffloadTokens, over.Pristine)
	if err != nil {
		return nil, err
	}
	messages = behindSystem(messages, view)
	messages = shortOutputs(in, messages)

	fill := float64(in.cost(messages)) / float64(in.Limit)
	notice := ""
	if fill > fallbackFill {
		o := b.w.Compact
		o.Limit, o.Threshold, o.Tokens = in.Limit-metaRoom, fallbackFill, in.Tokens
		c, err := Compact(Messages(messages), &o)
		if err != nil {
			return nil, err
		}
		if len(c.Steps) > 0 {
			messages = unplaced(c.Messages)
			notice = "The context was above 75 %, so the oldest messages were compacted for you. Save what you still need."
		}
	}
	return contextMeta{Size: over.Size, Notice: notice}.finish(in, messages, fill), nil
}

// shownOverview is the overview as the model sees it.
func shownOverview(over workmem.Overview, limit int) Placed {
	shown := over.Text
	if !over.Pristine { // the template's own comments are no news
		shown = inert.Text(shown)
	}
	return asSystem("<working_memory path=\"" + workmem.OverviewFile + "\">\n" + tokens.Fit(shown, limit/4) + "\n</working_memory>")
}

// behindSystem puts a message behind those of the system.
func behindSystem(messages []Placed, m Placed) []Placed {
	at := slices.IndexFunc(messages, func(m Placed) bool { return m.Role != llm.System })
	return slices.Insert(slices.Clone(messages), max(at, 0), m)
}

// untouched builds by the default strategy, beside the overview, and says so.
func (b *workingMemory) untouched(ctx context.Context, in Input, over workmem.Overview, idle int) ([]Placed, error) {
	view := shownOverview(over, in.Limit)
	room := in
	room.Limit -= metaRoom + in.cost([]Placed{view})
	if room.Limit <= 0 {
		return nil, fmt.Errorf("%w: %d tokens, at least %d are needed", ErrBudget, in.Limit, metaRoom)
	}
	messages, err := b.Builder.Build(ctx, room)
	if err != nil {
		return nil, err
	}
	messages = behindSystem(messages, view)
	notice := fmt.Sprintf("%s was not touched for %d turns: the default strategy shows the history beside it until you update it.", workmem.OverviewFile, idle)
	return contextMeta{Size: over.Size, Notice: notice}.finish(in, messages, float64(in.cost(messages))/float64(in.Limit)), nil
}

// history is the part of the run that is shown: all of it while the overview is
// the template, then the active turn, and never less than the last messages.
func (in Input) history(offload int, pristine bool) ([]Placed, error) {
	first := in.View.FirstIteration()
	start := first
	if !pristine {
		start = in.activeTurn()
	}
	var notes []Placed
	if c, ok := lastCompaction(in.View, in.Iteration, "history"); ok {
		start = max(start, min(c.iter-c.keep+1, in.Iteration))
		if c.summary != "" {
			notes = append(notes, asUser(fmt.Sprintf("[Earlier, in your own summary at iteration %d] %s", c.iter, tokens.Fit(inert.Text(c.summary), in.Limit/5)), "", ""))
		}
	}
	return in.recent(in.Iteration-start+1, offload, notes)
}

// leastMessages are shown whatever the overview says.
const leastMessages = 4

// activeTurn is the iteration of the last thing the user said, or an earlier one
// when fewer than the least of messages came since.
func (in Input) activeTurn() int {
	start := in.View.FirstIteration()
	for _, e := range slices.Backward(in.View.ByType(journal.UserMessage)) {
		if e.Iter <= in.Iteration {
			start = e.Iter
			break
		}
	}
	for start > in.View.FirstIteration() && spokenIn(in.View.Range(start, in.Iteration)) < leastMessages {
		start--
	}
	return start
}

func spokenIn(events []journal.Event) int {
	n := 0
	for _, e := range events {
		switch e.Type {
		case journal.UserMessage, journal.AssistantMessage, journal.ActionRequest, journal.ActionResult:
			n++
		}
	}
	return n
}

// lastTouch is the iteration in which the overview was last written, by the
// store's tools, the memory tool or any other that names its path; the first
// one when it never was.
func lastTouch(v *journal.View, upto int) int {
	for _, e := range slices.Backward(v.ByType(journal.ActionRequest)) {
		var a journal.Action
		if e.Iter > upto || v.Decode(e, &a) != nil || a.Tool == workmem.ReadTool {
			continue
		}
		var in struct {
			Command string `json:"command"`
			Path    string `json:"path"`
			File    string `json:"file_path"`
			NewPath string `json:"new_path"`
		}
		if json.Unmarshal(a.Input, &in) != nil || in.Command == "view" {
			continue
		}
		for _, p := range [...]string{in.Path, in.File, in.NewPath} {
			p = strings.ReplaceAll(p, `\`, "/")
			ours := p == workmem.OverviewFile && a.Tool == workmem.WriteTool || p == workmem.MemoryRoot+"/"+workmem.OverviewFile ||
				strings.HasSuffix(p, workmem.Dir+"/"+workmem.OverviewFile)
			if !ours {
				continue
			}
			if call := activity.New(a.Tool, nil, []string{p}); call.Effect() != activity.Reading {
				return e.Iter
			}
		}
	}
	return v.FirstIteration()
}

// shortOutputs leaves one line of each tool output that the model gave up by
// [CompactHistory].
func shortOutputs(in Input, messages []Placed) []Placed {
	c, ok := lastCompaction(in.View, in.Iteration, "tool_outputs")
	if !ok {
		return messages
	}
	keep := c.keep
	for i, m := range slices.Backward(messages) {
		if m.Result == nil {
			continue
		}
		e, ok := in.View.ResultOf(m.Result.ID)
		if !ok || e.Seq >= c.seq || m.Result.Error {
			continue
		}
		if keep > 0 {
			keep--
			continue
		}
		short := *m.Result
		first, _, _ := strings.Cut(short.Text, "\n")
		short.Text = fmt.Sprintf("%s [… event %d: %s(event: %d) …]", clip(oneLine(first), 120), e.Seq, ShowHistory, e.Seq)
		if in.Tokens(short.Text) < in.Tokens(m.Result.Text) {
			messages[i].Result = &short
		}
	}
	return messages
}

// fallbackFill is the share of the limit above which the strategy working_memory
// compacts by itself.
const fallbackFill = 0.75

// guides are what the system prompt says about the memory: a line at each fill
// level, and what to do at which level.
type guides struct {
	begin  string
	levels [4]string // from 20 %, from 40 %, from 60 %, above the fallback
	table  string
}

func guidesFor(language string) guides {
	switch language {
	case "zh-Hant":
		return guides{"下方是你的工作記憶，只有你會維護它。", [4]string{"把已完成的工作摘要寫進去。", "把細節移到 detail/，在 overview.md 留下指引。", "只留下決定與任務；其餘呼叫 " + CompactHistory + "。", "上下文快滿了：現在就寫下所需，最舊的訊息即將離開。"},
			"上下文用量：<20 % 不必處理；20–40 % 摘要已完成的工作；40–60 % 細節移到 detail/；60–75 % 只留決定與任務；>75 % 引擎自行壓縮最舊的訊息。"}
	case "zh-Hans":
		return guides{"下方是你的工作记忆，只有你会维护它。", [4]string{"把已完成的工作摘要写进去。", "把细节移到 detail/，在 overview.md 留下指引。", "只留下决定与任务；其余调用 " + CompactHistory + "。", "上下文快满了：现在就写下所需，最旧的消息即将离开。"},
			"上下文用量：<20 % 不必处理；20–40 % 摘要已完成的工作；40–60 % 细节移到 detail/；60–75 % 只留决定与任务；>75 % 引擎自行压缩最旧的消息。"}
	}
	return guides{"Your working memory stands below; only you keep it.", [4]string{" Summarise finished tasks in it.", " Move details to detail/ and keep pointers to them in overview.md.", " Keep only decisions and the task; call " + CompactHistory + " for the rest.", " The context is nearly full: write down now what you need, the oldest messages leave."},
		"Fill of the context: below 20 % nothing to do; 20–40 % summarise finished tasks; 40–60 % move details to detail/; 60–75 % keep only decisions and the task; above 75 % the engine compacts the oldest messages."}
}

// guidance is what the system prompt says about the memory at a fill level, in the
// language of the task.
func guidance(fill float64, language string) string {
	level := -1
	for i, from := range [...]float64{0.2, 0.4, 0.6, fallbackFill} {
		if fill >= from && (i < 3 || fill > from) {
			level = i
		}
	}
	if level < 0 {
		return ""
	}
	g := guidesFor(language)
	return g.begin + g.levels[level] + "\n" + g.table
}

// language is that of the task, else of the first thing the user said.
func (in Input) language() string {
	task := in.Task
	if asked := in.View.ByType(journal.UserMessage); task == "" && len(asked) > 0 {
		task = in.View.Text(asked[0])
	}
	return terms.Lang(task)
}

// reminder grows firmer as the context fills.
func reminder(fill float64) string {
	switch {
	case fill <= 0.5:
		return "Keep overview.md up to date."
	case fill <= 0.6:
		return "More than half of the context is used: update overview.md."
	case fill <= fallbackFill:
		return "Update overview.md now, before anything else: what is not there will be compacted soon."
	}
	return "STOP and update overview.md: older messages are being compacted."
}

type contextMeta struct {
	Used     int    `json:"tokens_used"`
	Max      int    `json:"tokens_max"`
	Percent  int    `json:"tokens_percent"`
	Messages int    `json:"messages_in_history"`
	Size     int    `json:"working_memory_size"`
	Notice   string `json:"notice,omitempty"`
	Reminder string `json:"reminder"`
}

// finish puts the guidance into the system prompt and the figures at the very
// end, where a change costs no cache.
func (meta contextMeta) finish(in Input, messages []Placed, fill float64) []Placed {
	out := slices.Clone(messages)
	if text := guidance(fill, in.language()); text != "" {
		if len(out) > 0 && out[0].Role == llm.System && out[0].Text == in.System {
			out[0].Text += "\n\n" + text
		} else {
			out = slices.Insert(out, 0, asSystem(text))
		}
	}
	meta.Used, meta.Max, meta.Reminder = in.cost(out), in.Limit, reminder(fill)
	meta.Percent = 100 * meta.Used / in.Limit
	for _, m := range out {
		if m.Role != llm.System {
			meta.Messages++
		}
	}
	if meta.Size > workmem.OverviewGuide {
		meta.Reminder += fmt.Sprintf(" overview.md has %d bytes; keep it below %d.", meta.Size, workmem.OverviewGuide)
	}
	raw, _ := json.Marshal(meta) // numbers and texts always encode
	return append(out, asUser("<context_meta>"+string(raw)+"</context_meta>", "", ""))
}
