package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// Options are the choices of a [Guard]; nil means all defaults.
type Options struct {
	Off      []string // names of rules that are switched off
	StopGate bool     // switch the stop gate on
	// Tokens is how much all reminders of a session may cost; 0 is [Tokens],
	// negative nothing. Blocks and their reasons are not counted.
	Tokens int
	// Estimate is what a text costs, in tokens; nil counts a character of CJK
	// as one and four of the others as one.
	Estimate func(text string) int
	// Stands reports whether a document still states a name; nil believes what
	// an event said.
	Stands func(document, name string) bool
	// Limit is how long one rule may take; 0 is [Limit].
	Limit time.Duration

	rules []Rule // for tests; nil is all
}

// Defaults of [Options].
const (
	Tokens = 400
	Limit  = 250 * time.Millisecond
)

// Rule is one thing the guardian watches for.
type Rule struct {
	Name     string // as in the setting guard.off
	Reason   string // why it is there
	Settings string // what configures it, besides guard.off
	Cost     string // of one event
	On       []Kind // the events it looks at

	judge func(o *Options, e *Event, memory []byte) (Verdict, []byte, error)
}

// Guard judges the events of sessions. It keeps nothing of them and is safe for
// several goroutines.
type Guard struct {
	o     Options
	rules []Rule
}

// New makes a guard.
func New(o *Options) *Guard {
	g := &Guard{}
	if o != nil {
		g.o = *o
	}
	if g.o.Tokens == 0 {
		g.o.Tokens = Tokens
	}
	if g.o.Limit <= 0 {
		g.o.Limit = Limit
	}
	if g.o.Estimate == nil {
		g.o.Estimate = estimate
	}
	all := g.o.rules
	if all == nil {
		all = Rules()
	}
	for _, r := range all {
		if !slices.Contains(g.o.Off, r.Name) && (r.Name != StopGateRule || g.o.StopGate) {
			g.rules = append(g.rules, r)
		}
	}
	return g
}

// State is what is remembered of a session.
type State struct {
	Rules  map[string]json.RawMessage `json:"rules,omitempty"` // what each rule remembers
	Said   []string                   `json:"said,omitempty"`  // causes, latest last
	Tokens int                        `json:"tokens,omitempty"`
}

// Bounds of what is remembered: causes, and bytes of a rule.
const (
	maxSaid   = 128
	maxMemory = 512 << 10
)

// mend takes out what no guard has left there: reading it would cost each hook its
// time.
func (s *State) mend() (wrong []error) {
	for rule, memory := range s.Rules {
		if len(memory) > maxMemory {
			wrong = append(wrong, fmt.Errorf("guard: rule %s: it remembers %d bytes, more than it can; it begins afresh", rule, len(memory)))
			delete(s.Rules, rule)
		}
	}
	s.Said, s.Tokens = last(s.Said, maxSaid), max(s.Tokens, 0)
	return wrong
}

// Decision is what comes of an event.
type Decision struct {
	Say    []Verdict // to the agent, the most urgent first
	Block  *Verdict  // keeps what is about to happen from happening; nil for nothing
	Tell   []Verdict // to the user
	Failed []error   // rules that could not judge, or lost what they remember; one error each
}

// Spoke are all verdicts that somebody is told.
func (d *Decision) Spoke() []Verdict {
	out := slices.Concat(d.Say, d.Tell)
	if d.Block != nil {
		out = append(out, *d.Block)
	}
	return out
}

// Judge lets every rule look at an event, and chooses what is said: once for
// each cause, the most urgent first, as long as the session's tokens last.
func (g *Guard) Judge(ctx context.Context, e *Event, st *State) Decision {
	var d Decision
	d.Failed = st.mend()
	e.failure = sync.OnceValue(func() failure { return readFailure(e.Call.Output) })
	e.plainly = sync.OnceValue(func() bool { return failsPlainly(e.Call.Output) })
	for i := range g.rules {
		r := &g.rules[i]
		if !slices.Contains(r.On, e.Kind) {
			continue
		}
		v, memory, err := g.ask(ctx, r, e, st.Rules[r.Name])
		if err != nil {
			d.Failed = append(d.Failed, fmt.Errorf("guard: rule %s: %w", r.Name, err))
			continue
		}
		st.remember(r.Name, memory)
		for _, v := range append([]Verdict{v}, v.More...) {
			v.Rule, v.More = r.Name, nil
			g.take(&d, v, st)
		}
	}
	return d
}

// take adds a verdict to the decision, if it may be said.
func (g *Guard) take(d *Decision, v Verdict, st *State) {
	v.Text, v.Why = oneLine(v.Text), oneLine(v.Why)
	if v.Text == "" {
		return
	}
	switch v.Do {
	case Block:
		if d.Block == nil {
			d.Block = &v
		}
	case Tell:
		d.Tell = append(d.Tell, v)
	case Say:
		cost := g.o.Estimate(v.Text)
		causes := []string{digest(v.Cause)}
		for _, c := range v.Also {
			causes = append(causes, digest(c))
		}
		if meet(causes, st.Said) || st.Tokens+cost > g.o.Tokens {
			return
		}
		st.Tokens += cost
		st.Said = last(append(st.Said, causes...), maxSaid)
		d.Say = append(d.Say, v)
	}
}

func (s *State) remember(rule string, memory []byte) {
	if len(memory) == 0 || string(memory) == "{}" {
		delete(s.Rules, rule)
		return
	}
	if s.Rules == nil {
		s.Rules = make(map[string]json.RawMessage)
	}
	s.Rules[rule] = memory
}

var errLate = errors.New("it took too long")

// ask lets a rule judge by itself, so that neither its panic nor its endless
// loop reaches anybody. One that does not come back is left alone.
func (g *Guard) ask(ctx context.Context, r *Rule, e *Event, memory []byte) (Verdict, []byte, error) {
	type answer struct {
		v      Verdict
		memory []byte
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		a := answer{err: errors.New("it ended without an answer")}
		defer func() {
			if p := recover(); p != nil {
				a = answer{err: fmt.Errorf("panic: %v", p)}
			}
			done <- a
		}()
		a.v, a.memory, a.err = r.judge(&g.o, e, memory)
	}()
	late := time.NewTimer(g.o.Limit)
	defer late.Stop()
	select {
	case a := <-done:
		return a.v, a.memory, a.err
	case <-late.C:
		return Verdict{}, nil, errLate
	case <-ctx.Done():
		return Verdict{}, nil, ctx.Err()
	}
}

func estimate(text string) int {
	wide := 0
	for _, r := range text {
		if r >= 0x2E80 {
			wide++
		}
	}
	return wide + (utf8.RuneCountInString(text)-wide+3)/4
}
