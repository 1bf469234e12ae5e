package window

import (
	"slices"
	"time"

	"orihon/internal/inert"
	"orihon/llm"
)

// Kind says what a message of a context is where its role does not.
type Kind string

// The kinds. A message without one is what its role says.
const (
	KindTask     Kind = "task"     // what the run is for
	KindFolds    Kind = "folds"    // a stub, or what stubs are
	KindSummary  Kind = "summary"  // of a strategy without folds: what it tells of iterations that left
	KindRecalled Kind = "recalled" // a piece of a fold, for as long as it is of use
	KindStatus   Kind = "status"   // where things stand
)

// Zone is a part of the window, see [FoldingOptions].
type Zone string

// The zones, as they follow each other in a context.
const (
	ZoneStatic    Zone = "static"     // what never changes
	ZoneWorking   Zone = "working"    // iterations in full
	ZoneShortTerm Zone = "short-term" // iterations trimmed
	ZoneLongTerm  Zone = "long-term"  // stubs
	ZoneSummary   Zone = "summary"    // where there are no stubs: a story, chapters, checkpoints
	ZoneRetrieved Zone = "retrieved"  // recalled pieces
	ZoneDynamic   Zone = "dynamic"    // where things stand
)

// Placed is a message with what its builder knows of it. No model gets more than
// the message, see [Messages].
type Placed struct {
	Message
	Kind Kind // empty where the role says it
	// Zone is empty for a message of the system, which is static, and for one of
	// an iteration, which is trimmed or not as the folds of the run have it.
	Zone      Zone
	Iteration int       // whose message it is; 0 for none
	At        time.Time // when the event was that it began with; zero for none
}

// Messages are what a model gets of a context.
func Messages(all []Placed) []Message {
	out := make([]Message, len(all))
	for i := range all {
		out[i] = all[i].Message
	}
	return out
}

// asUser is a message that the builder writes in the user's name.
func asUser(text string, k Kind, z Zone) Placed {
	return Placed{Message: Message{Role: llm.User, Text: text}, Kind: k, Zone: z}
}

// asSystem is a message of the system.
func asSystem(text string) Placed {
	return Placed{Message: Message{Role: llm.System, Text: text}}
}

// unplaced are messages of which only the roles are known.
func unplaced(messages []Message) []Placed {
	out := make([]Placed, len(messages))
	for i, m := range messages {
		out[i].Message = m
	}
	return out
}

// note is a message of the engine that stands for iterations which are not shown,
// or none for an empty text.
func note(label, text string) []Placed {
	if text == "" {
		return nil
	}
	return []Placed{asUser(label+"\n"+inert.Text(text), KindSummary, ZoneSummary)}
}

// same reports whether two messages are byte for byte the same to a prompt
// cache.
func same(a, b Message) bool {
	if a.Role != b.Role || a.Text != b.Text || !slices.Equal(a.Reasoning, b.Reasoning) {
		return false
	}
	if (a.Result == nil) != (b.Result == nil) || a.Result != nil && *a.Result != *b.Result {
		return false
	}
	return slices.EqualFunc(a.Calls, b.Calls, func(x, y llm.Call) bool {
		return x.ID == y.ID && x.Tool == y.Tool && string(x.Input) == string(y.Input)
	})
}
