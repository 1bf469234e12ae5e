package agent

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"orihon/follow"
	"orihon/internal/child"
	"orihon/internal/redact"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
)

// Options of [New]. Definition, Model and Runs are required.
type Options struct {
	Definition *Definition
	Model      llm.Model // one that streams is streamed from
	// Runs is the folder with one folder for each run; Folder, where it is not
	// nil, says where the run with an ID lies instead.
	Runs   string
	Folder func(id string) string
	// Work is where tools work; empty is the working directory.
	Work string
	// Tools are tools in Go, besides those of the definition.
	Tools []Tool
	// Memory is asked for what bears on each turn; nil is none.
	Memory Memory
	// Session makes a run a session of memory, which notices what is worth keeping
	// of it; nil leaves that out. *follow.Session is one.
	Session func(ctx context.Context, run string) (Session, error)
	// Flush keeps in memory what a run has said and done so far. It is called in the
	// background when the window comes within FlushTokens of its end, 20,000, and when
	// folding has taken something out of view, every ten iterations at most; nil is never.
	Flush       func(ctx context.Context, run string) error
	FlushTokens int
	// Memory is asked with the newest of at most ShortMessages, 50, and ShortTokens of
	// them, 20,000; a definition says how many.
	ShortMessages, ShortTokens int
	// Installed finds the folder of an installed agent, @scope/name; nil finds none.
	Installed func(name string) (dir string, err error)
	// Observe is told what happens, by one goroutine at a time; nil tells nobody.
	Observe func(Event)
	// Env is the environment from which tools get what their definition names; nil
	// is that of this process.
	Env []string
	// Redact takes secrets out of what the journal gets; nil applies all rules.
	Redact func(string) string
	// PluginHost is the command that runs a context builder in JavaScript, see
	// window.PluginOptions.
	PluginHost []string
	// WindowTokens bounds the window besides the definition's limit; 0 does not.
	WindowTokens int
	// Patience is the longest wait before a model is asked again; 2 minutes.
	Patience time.Duration
	Now      func() time.Time // nil is time.Now
	Logger   *slog.Logger     // nil discards

	// Of a sub-agent:
	depth  int    // how many agents stand above it
	parent string // the journal of the one above, which its tools may read
	extra  string // stands behind the system prompt
	check  func(answer string) error
}

// Memory is what an agent asks of long-term memory. *orihon.Memory is one.
type Memory interface {
	Recall(ctx context.Context, q memory.Query) (*memory.Recollection, error)
}

// Session follows a run for memory. It may write the events it is told of into the
// run's journal, with the identities that [journal.Open] knows them by.
type Session interface {
	Begin(ctx context.Context, source string) (follow.Injection, error)
	Prompt(ctx context.Context, id, text string) (follow.Injection, error)
	Answer(ctx context.Context, prompt, text string) error
	End(ctx context.Context, reason string) error
}

// Agent runs tasks by one definition. It may be used by several goroutines, each
// with a run of its own.
type Agent struct {
	o    Options
	def  *Definition
	work string // the working directory
	// below makes the tool of a sub-agent.
	below func(r *run, def *ToolDef) (Tool, error)
}

// New prepares an agent. Nothing is asked, started or written yet.
func New(o Options) (*Agent, error) {
	if o.Definition == nil || o.Model == nil || o.Runs == "" && o.Folder == nil {
		return nil, fmt.Errorf("%w agent: it needs a definition, a model and a folder for its runs", memory.ErrInvalid)
	}
	if o.Folder == nil {
		o.Folder = func(id string) string { return filepath.Join(o.Runs, filepath.Base(id)) }
	}
	if o.Redact == nil {
		o.Redact = func(text string) string { text, _ = redact.Text(text); return text }
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if tell := o.Observe; o.depth == 0 {
		// Sub-agents that run side by side tell of themselves, too.
		var one sync.Mutex
		o.Observe = func(e Event) {
			one.Lock()
			defer one.Unlock()
			tell(e)
		}
	}
	if o.Env == nil {
		o.Env = child.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.FlushTokens = cmp.Or(max(o.FlushTokens, 0), flushTokens)
	o.ShortMessages, o.ShortTokens = cmp.Or(max(o.ShortMessages, 0), shortMessages), cmp.Or(max(o.ShortTokens, 0), shortTokens)
	o.Patience = cmp.Or(max(o.Patience, 0), 2*time.Minute)
	work, err := workFolder(o.Work)
	if err != nil {
		return nil, err
	}
	below := func(r *run, def *ToolDef) (Tool, error) { return newSubAgent(r, def, runOne) }
	return &Agent{o, o.Definition, work, below}, nil
}

// Summarize runs a standard summariser over the journal that a request names.
func Summarize(ctx context.Context, name string, r window.SummaryRequest, o SummaryOptions) (window.SummaryResult, error) {
	o.run = runOne
	return summarize(ctx, name, r, o)
}

// runOne runs an agent for one task.
func runOne(ctx context.Context, o Options, task Task) (Outcome, error) {
	a, err := New(o)
	if err != nil {
		return Outcome{}, err
	}
	return a.Run(ctx, task)
}

// Task is what a run is to do.
type Task struct {
	Text string // required, but for a run that goes on with what it was at
	// Run is the run's ID; empty makes one.
	Run string
	// Resume goes on with a run that is there, where it ended or was cut off. Calls
	// that were under way are not repeated.
	Resume bool
	// ContinueFrom is the folder of another run's journal: this one begins with
	// what that one's folds and report say, and may read it.
	ContinueFrom string
}

// Run works on a task. Each turn it recalls from memory what bears on the last
// messages, builds the context, asks the model, and runs the tools that the answer
// calls, in parallel; all of it goes into the journal before the next step depends
// on it. It ends with an answer that calls nothing, at a limit, or when ctx ends.
// Whatever ends it leaves a run that can be resumed.
//
// The error is one of the set-up, or of the run's own files; how a run ended, also
// when no model could be asked, is told by the [Outcome].
func (a *Agent) Run(ctx context.Context, task Task) (Outcome, error) {
	if task.Run == "" && !task.Resume {
		id, err := uuid.NewV7()
		if err != nil {
			return Outcome{}, err
		}
		task.Run = id.String()
	}
	r, err := a.open(ctx, task)
	if err != nil {
		return Outcome{}, err
	}
	defer r.close()
	ctx, cancel := r.limited(ctx)
	defer cancel()
	for {
		if reason, detail := r.over(ctx); reason != "" {
			return r.end(ctx, reason, detail)
		}
		messages, err := r.build(ctx, r.recall(ctx))
		if err != nil {
			return r.broken(ctx, err)
		}
		answer, err := r.ask(ctx, messages)
		if err != nil {
			return r.broken(ctx, err)
		}
		if err := r.note(ctx, &answer); err != nil {
			return r.broken(ctx, err)
		}
		switch calls := answer.Message.Calls; {
		case len(calls) > 0:
			if err := r.act(ctx, calls); err != nil {
				return r.broken(ctx, err)
			}
			r.complete(ctx)
		default:
			if reason, detail := r.final(ctx, &answer); reason != "" {
				return r.end(ctx, reason, detail)
			}
		}
	}
}
