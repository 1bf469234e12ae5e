package window

import (
	"fmt"
	"log/slog"

	"orihon/llm"
	"orihon/memory"
)

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
		return NewFolder(&opt)
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
