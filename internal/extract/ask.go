package extract

import (
	"context"
	"embed"
	"encoding/json"
	"time"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/llm"
)

// Purpose is what a model is wanted for.
type Purpose struct {
	Feature  string // whose account it is
	Large    bool   // wants the larger model
	Patience time.Duration
}

// The features, as the account of models names them.
const (
	Statements    = "statements"    // what the user says by the way
	Quick         = "quick"         // the last answer, at once
	Turns         = "turns"         // what was said since the last time
	Deep          = "deep"          // the same, by the larger model
	Consolidation = "consolidation" // a whole session at its end
	Conflicts     = "conflicts"     // how two statements stand to each other
	Phrases       = "phrases"       // by what statements may be looked for
)

// Call is a question that was asked, and what came of it, without a word of either.
type Call struct {
	At      time.Time `json:"at"`
	Feature string    `json:"feature"`
	Step    string    `json:"step"`
	// Payload is what of the conversation was sent, in estimated tokens; Most is how
	// much of it may be.
	Payload int    `json:"payload"`
	Most    int    `json:"most,omitempty"`
	Input   int64  `json:"input,omitempty"` // tokens, as the backend counts them
	Output  int64  `json:"output,omitempty"`
	Backend string `json:"backend,omitempty"`
	Found   int    `json:"found"`             // that can be used
	Refused int    `json:"refused,omitempty"` // that cannot
	Failed  bool   `json:"failed,omitempty"`  // there was no answer of the form that was asked for
}

// Options of [New].
type Options struct {
	// Model gives the model for a purpose, nil when there is none; required.
	Model func(Purpose) llm.Model
	// Note is told of every call; nil tells nobody.
	Note func(Call)
	Now  func() time.Time // required
}

// Extractor asks models.
type Extractor struct{ o Options }

// New returns an extractor.
func New(o Options) *Extractor {
	if o.Note == nil {
		o.Note = func(Call) {}
	}
	return &Extractor{o}
}

//go:embed prompts
var prompts embed.FS

// question is one question to a model.
type question struct {
	Purpose
	name string // of the files that hold its words and the form of its answer
	// data is what of the conversation is sent, each as a document of its own, of
	// which most tokens are sent at most, the end of the last one first to go.
	data []document
	most int // of all data, in tokens; 0 sets no bound
	max  int // tokens of the answer
}

// document is a part of what is sent.
type document struct{ label, text string }

// ask asks, and reads the answer into out. It reports nothing of what the answer is
// worth: the caller notes the call, whose figures it returns.
func (x *Extractor) ask(ctx context.Context, q question, out any) (Call, error) {
	c := Call{At: x.o.Now().UTC(), Feature: q.Feature, Step: q.name, Most: q.most}
	model := x.o.Model(q.Purpose)
	if model == nil {
		return c, llm.ErrUnavailable
	}
	words, err := prompts.ReadFile("prompts/" + q.name + ".md")
	if err != nil {
		return c, err
	}
	form, err := prompts.ReadFile("prompts/" + q.name + ".json")
	if err != nil {
		return c, err
	}
	data := ""
	for _, d := range q.data {
		text := d.text
		if q.most > 0 {
			text = tokens.Fit(text, q.most-c.Payload)
		}
		c.Payload += tokens.Estimate(text)
		data += inert.Data(d.label, text) + "\n"
	}
	cold := 0.0
	r, err := model.Generate(ctx, llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Text: inert.Rule + "\n\n" + string(words)}, {Role: llm.User, Text: data}},
		MaxTokens: q.max, Temperature: &cold, Schema: &llm.Schema{Name: q.name, JSON: form}, Cache: []int{0},
	})
	c.Input, c.Output, c.Backend = r.Usage.Input, r.Usage.Output, r.Backend
	if err == nil {
		err = json.Unmarshal([]byte(r.Message.Text), out)
	}
	c.Failed = err != nil
	return c, err
}
