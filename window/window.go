package window

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
)

// Message is llm's, so that what is built can be sent.
type Message = llm.Message

// Call is a tool call in a message.
type Call = llm.Call

// Result is what a tool answered.
type Result = llm.Result

// Reasoning is a model's thinking, which may carry a signature.
type Reasoning = llm.Reasoning

// ErrBudget says that not even the least of a context fits the limit: the
// system prompt, the task and a trace of the newest turn.
var ErrBudget = errors.New("the window is too small")

// ErrInvalid says that messages break the rules of a conversation, see [Check].
var ErrInvalid = errors.New("invalid messages")

// Input is what a builder makes a context of.
type Input struct {
	System string // the system prompt
	Task   string // what the run is for; empty when the journal's prompts say it
	// View is the run so far. Builders that fold append to it.
	View *journal.View
	// Iteration is the current one; 0 is the last of the view. Later ones are
	// not shown.
	Iteration int
	Limit     int // tokens of all messages together; 0 is [DefaultLimit]
	// Tokens counts as the model's tokenizer does; nil is an estimate by kind
	// of character.
	Tokens func(string) int
}

// DefaultLimit is the limit of an [Input] that names none, in tokens.
const DefaultLimit = 100_000

// Builder is a strategy. One builder serves one run; it is not safe for
// concurrent use.
type Builder interface {
	// Build makes the messages of the next request. They are valid and within
	// the limit, or there is an error.
	Build(ctx context.Context, in Input) ([]Placed, error)
	// OnIterationComplete is called when the results of an iteration stand in
	// the view. It may prepare and commit what makes the next Build smaller.
	OnIterationComplete(ctx context.Context, in Input) error
	// OnPhaseComplete is called when a part of the work has ended; name is the
	// part's, or empty.
	OnPhaseComplete(ctx context.Context, in Input, name string) error
}

// The names of the strategies.
const (
	SlidingWindow            = "sliding_window"
	SlidingWindowCheckpoints = "sliding_window_checkpoints"
	TwoLayer                 = "two_layer"
	Milestone                = "milestone"
	QueryOnDemand            = "query_on_demand"
	Folding                  = "folding"
	Custom                   = "custom"
	WorkingMemory            = "working_memory"
	Plugin                   = "plugin"
)

// Strategies lists the strategies that need no more than a name. [Custom] needs
// a command besides, [WorkingMemory] a store, and [Plugin] a file and a host.
func Strategies() []string {
	return []string{SlidingWindow, SlidingWindowCheckpoints, TwoLayer, Milestone, QueryOnDemand, Folding}
}

// Options tune the strategies; each reads what concerns it. Nil means the zero
// value, and zero the default named.
type Options struct {
	WindowSize         int    // sliding_window*: iterations shown, 50
	CheckpointInterval int    // sliding_window_checkpoints: iterations, 50
	CheckpointPrompt   string // what a model is asked for a checkpoint
	RecentSize         int    // two_layer, query_on_demand: iterations shown, 50
	SummaryMaxTokens   int    // two_layer: tokens of the story, 5,000
	UpdateInterval     int    // two_layer: iterations between updates, 20
	SummaryStyle       string // two_layer: "concise" (default) or "detailed"
	FallbackInterval   int    // milestone: iterations of a chapter without one, 50
	NoQueryTool        bool   // query_on_demand: leave the tools out

	// OffloadTokens is the largest tool output that enters whole, 20,000 tokens
	// and never more than an eighth of the limit. Of a larger one head, tail
	// and a reference do.
	OffloadTokens int

	Folding FoldingOptions
	Custom  CustomOptions
	Plugin  PluginOptions

	WorkingMemory WorkingMemoryOptions
	AutoSummarize AutoSummarize // with any strategy

	// Fallback is the default strategy: where a process, a plugin or a model's
	// own memory fails, it builds instead. Nil is sliding_window.
	Fallback Builder
	// Logger is told why Fallback builds; nil discards. [Failure] tells, too.
	Logger *slog.Logger

	// Model writes summaries; nil leaves them to extraction.
	Model llm.Model
}

// New returns the builder of a strategy; an empty name is [SlidingWindow]. A
// name it does not know is a [memory.ErrInvalid].
func New(strategy string, o *Options) (Builder, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	if auto := opt.AutoSummarize; auto.Enabled {
		opt.AutoSummarize.Enabled = false
		b, err := New(strategy, &opt)
		if err != nil {
			return nil, err
		}
		return newAutoSummary(b, auto)
	}
	switch strategy {
	case "", SlidingWindow:
		return newSliding(opt), nil
	case SlidingWindowCheckpoints:
		return newCheckpoints(opt), nil
	case TwoLayer:
		return newTwoLayer(opt)
	case Milestone:
		return newMilestone(opt), nil
	case QueryOnDemand:
		return newQueryOnDemand(opt), nil
	case Folding:
		return newFolding(opt)
	case Custom:
		c, err := newCustom(opt.Custom)
		if err != nil {
			return nil, err
		}
		return withDefault(Custom, c, opt), nil
	case WorkingMemory:
		return newWorkingMemory(opt)
	case Plugin:
		return newPlugin(opt)
	}
	return nil, fmt.Errorf("%w strategy %q: use one of %v", memory.ErrInvalid, strategy, append(Strategies(), Custom, WorkingMemory, Plugin))
}

// Build asks a builder for messages and checks them: roles, calls paired with
// their results, and the limit.
func Build(ctx context.Context, b Builder, in Input) ([]Message, error) {
	placed, err := BuildPlaced(ctx, b, in)
	if err != nil {
		return nil, err
	}
	return Messages(placed), nil
}

// BuildPlaced is [Build] for whoever wants to know what the messages are.
func BuildPlaced(ctx context.Context, b Builder, in Input) ([]Placed, error) {
	in = in.withDefaults()
	messages, err := b.Build(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := Check(Messages(messages)); err != nil {
		return nil, err
	}
	if n := in.cost(messages); n > in.Limit {
		return nil, fmt.Errorf("%w: the builder returned %d tokens, the limit is %d", ErrBudget, n, in.Limit)
	}
	return messages, nil
}

func (in Input) withDefaults() Input {
	if in.Limit <= 0 {
		in.Limit = DefaultLimit
	}
	if in.View == nil {
		in.View = journal.NewView()
	}
	if in.Tokens == nil {
		in.Tokens = tokens.Estimate
	}
	if last := in.View.LastIteration(); in.Iteration <= 0 || in.Iteration > last {
		in.Iteration = last
	}
	return in
}

func (in Input) cost(messages []Placed) int {
	n := 0
	for _, m := range messages {
		n += Cost(m.Message, in.Tokens)
	}
	return n
}

// messageOverhead is what the frame of a message costs, in tokens.
const messageOverhead = 4

// Cost is what a message takes of a limit, in tokens: its texts, the names and
// inputs of its calls, and four tokens for its frame and for that of each call.
// A nil count is the estimate by kind of character.
func Cost(m Message, count func(string) int) int {
	if count == nil {
		count = tokens.Estimate
	}
	n := messageOverhead + count(m.Text)
	for _, r := range m.Reasoning {
		n += count(r.Text) + count(r.Signature)
	}
	for _, c := range m.Calls {
		n += messageOverhead + count(c.Tool) + count(string(c.Input))
	}
	if m.Result != nil {
		n += messageOverhead + count(m.Result.Text)
	}
	return n
}
