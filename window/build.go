package window

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
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

// passive is the part of a builder that does nothing between two Builds.
type passive struct{}

// OnIterationComplete implements [Builder].
func (passive) OnIterationComplete(context.Context, Input) error { return nil }

// OnPhaseComplete implements [Builder].
func (passive) OnPhaseComplete(context.Context, Input, string) error { return nil }

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

// Needed is the first of the iterations that a builder looks at each time; a view may
// forget those before, of which it asks only now and then. 0 is all.
func Needed(b Builder, in Input) int {
	if b, ok := b.(interface{ needed(in Input) int }); ok {
		return b.needed(in.withDefaults())
	}
	return 0
}

func (in Input) withDefaults() Input {
	in.Limit = cmp.Or(max(in.Limit, 0), DefaultLimit)
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
