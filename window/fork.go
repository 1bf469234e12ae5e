package window

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/memory"
)

// Piece is one thing a main agent could hand to a sub-agent.
type Piece struct {
	Name string // a path, a heading
	Text string
	// Full is the whole file of which Text is what one needs to know; it is
	// handed on only when the task names it.
	Full string
}

// AgentSummary is what another agent said of its work: see [Report].
type AgentSummary struct {
	Agent string // its id
	Text  string
}

// Main is what a main agent has. [Fork] hands on parts of it.
type Main struct {
	Rules       string  // global rules, for every agent
	Conventions string  // of the code
	Context     []Piece // of the project
	Files       []Piece // paths, with what is known of them
	Agents      []AgentSummary
	// View is the main agent's run. Nothing of it is handed on but one line on
	// what it is for, and LastError.
	View      *journal.View
	LastError string // of the attempt before, when this is another
}

// Task is what a sub-agent is to do.
type Task struct {
	ID        string   // of letters, digits, - and _; names its folder
	Text      string   // the specification
	DependsOn []string // ids of agents whose summaries it needs
	Retry     bool     // LastError is handed on
}

// ForkOptions tune [Fork]. Nil means the zero value, and zero the default named.
type ForkOptions struct {
	Budget int // tokens of what is shared; 30,000
	// Relevance of a text to the task, from 0 to 1; pieces of 0 stay out. Nil
	// is the share of the task's terms that stand in the text.
	Relevance func(task, text string) float64
	Tokens    func(string) int // as in [Input]
}

// Shared is what a sub-agent may read. It holds texts and nothing that leads to
// the main agent, and has no method that changes it: the permissions are what
// the type can do.
type Shared struct {
	sections []sharedSection
	tokens   int
	left     []string
}

type sharedSection struct{ title, text string }

// SubAgent is the context of one sub-agent: what it shares, and a journal view of
// its own that begins with nothing.
type SubAgent struct {
	Task   Task
	Shared Shared
	View   *journal.View // isolated: its own messages and tools
}

// Fork gives a sub-agent its context. Shared are the task, the rules and
// conventions, the relevant files and pieces of the project, the summaries of
// agents it depends on, and on a retry the error; of the conversation one line.
// The task and the rules always enter, the rest by relevance to the task while
// the budget lasts. It fails with [ErrBudget] when not even the task and the
// rules fit.
func Fork(main Main, task Task, o *ForkOptions) (*SubAgent, error) {
	if !validID(task.ID) || strings.TrimSpace(task.Text) == "" {
		return nil, fmt.Errorf("%w task %q: it needs an id of letters, digits, - and _, and a text", memory.ErrInvalid, task.ID)
	}
	f := forking{main: main, task: task}
	if o != nil {
		f.o = *o
	}
	f.o = f.o.withDefaults()
	s, err := f.shared()
	if err != nil {
		return nil, err
	}
	task.DependsOn = slices.Clone(task.DependsOn)
	return &SubAgent{Task: task, Shared: s, View: journal.NewView()}, nil
}

func (o ForkOptions) withDefaults() ForkOptions {
	o.Budget = cmp.Or(max(o.Budget, 0), 30_000)
	if o.Relevance == nil {
		o.Relevance = termOverlap
	}
	if o.Tokens == nil {
		o.Tokens = tokens.Estimate
	}
	return o
}

func validID(id string) bool {
	return id != "" && len(id) <= 100 && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// termOverlap is the share of the task's terms that stand in a text.
func termOverlap(task, text string) float64 {
	wanted := terms.Query(task)
	if len(wanted) == 0 {
		return 0
	}
	has := map[string]bool{}
	for _, t := range terms.Index(text) {
		has[t] = true
	}
	n := 0
	for _, t := range wanted {
		if has[t] {
			n++
		}
	}
	return float64(n) / float64(len(wanted))
}

type forking struct {
	main Main
	task Task
	o    ForkOptions
}

// candidatePiece is what may enter, in the section it would stand in.
type candidatePiece struct {
	title, text string
	worth       float64
}

func (f *forking) shared() (Shared, error) {
	var s Shared
	for _, part := range []sharedSection{
		{"Task", f.task.Text}, {"Global rules", f.main.Rules}, {"Coding conventions", f.main.Conventions},
	} {
		if strings.TrimSpace(part.text) != "" {
			f.add(&s, part)
		}
	}
	if f.task.Retry && f.main.LastError != "" {
		f.add(&s, sharedSection{"The attempt before failed", tokens.Fit(f.main.LastError, f.o.Budget/10)})
	}
	if s.tokens > f.o.Budget {
		return Shared{}, fmt.Errorf("%w: the task and the rules have %d tokens, the budget is %d", ErrBudget, s.tokens, f.o.Budget)
	}
	for _, c := range f.candidates() {
		part := sharedSection{c.title, c.text}
		if s.tokens+f.cost(part) > f.o.Budget {
			s.left = append(s.left, c.title)
			continue
		}
		f.add(&s, part)
	}
	return s, nil
}

func (f *forking) cost(p sharedSection) int { return f.o.Tokens("## "+p.title+"\n"+p.text+"\n\n") + 1 }

func (f *forking) add(s *Shared, p sharedSection) {
	s.sections = append(s.sections, p)
	s.tokens += f.cost(p)
}

// candidates are what bears on the task, the most relevant first.
func (f *forking) candidates() []candidatePiece {
	var out []candidatePiece
	add := func(title, text string, worth float64) {
		if worth > 0 && strings.TrimSpace(text) != "" {
			out = append(out, candidatePiece{title, text, worth})
		}
	}
	for _, a := range f.main.Agents {
		if slices.Contains(f.task.DependsOn, a.Agent) {
			add("Summary of agent "+a.Agent, a.Text, 2) // asked for: before what is only likely
		}
	}
	if line := f.purpose(); line != "" {
		add("What the main agent works on", line, 1.5)
	}
	for _, p := range f.main.Files {
		worth := f.o.Relevance(f.task.Text, p.Name+"\n"+p.Text)
		if p.Name != "" && strings.Contains(f.task.Text, p.Name) {
			worth = 1 + worth
			if p.Full != "" {
				add("File "+p.Name, p.Full, worth)
				continue
			}
		}
		add("File "+p.Name, cmp.Or(strings.TrimSpace(p.Text), p.Name), worth)
	}
	for _, p := range f.main.Context {
		add("Project: "+p.Name, p.Text, f.o.Relevance(f.task.Text, p.Name+"\n"+p.Text))
	}
	slices.SortStableFunc(out, func(a, b candidatePiece) int {
		return cmp.Compare(b.worth, a.worth)
	})
	return out
}

// purpose is the conversation's task on one line: all of it that is handed on.
func (f *forking) purpose() string {
	if f.main.View == nil {
		return ""
	}
	last, _ := lastRequest(f.main.View, math.MaxInt)
	return clip(oneLine(Typed(f.main.View, last)), 300)
}

// Tokens is what is shared, in tokens.
func (s Shared) Tokens() int { return s.tokens }

// LeftOut names what bore on the task and found no room, the most relevant
// first.
func (s Shared) LeftOut() []string { return slices.Clone(s.left) }

// Text is what is shared, as the sub-agent reads it.
func (s Shared) Text() string {
	var b strings.Builder
	for _, p := range s.sections {
		fmt.Fprintf(&b, "## %s\n%s\n\n", p.title, p.text)
	}
	return strings.TrimSpace(b.String())
}

// Input is what a builder makes the sub-agent's context of.
func (a *SubAgent) Input(limit int) Input {
	return Input{System: a.Shared.Text() + "\n\n" + reportPrompt, Task: a.Task.Text, View: a.View, Limit: limit}
}
