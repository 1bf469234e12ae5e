package capture

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/terms"
)

// Outcome is how a request ended.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"     // something was changed or run, and nothing is left that failed
	Answered Outcome = "answered" // nothing was changed or run
	Failing  Outcome = "failing"  // what failed last has not succeeded since
	Stopped  Outcome = "stopped"  // there was no answer, or the user refused the last call
)

// Request is one thing that the user asked for, and what came of it: until they
// asked for the next. What follows a bare "go on" belongs to it.
type Request struct {
	Seq    int64     `json:"seq"` // of its prompt in the journal
	At     time.Time `json:"at,omitzero"`
	Ended  time.Time `json:"ended,omitzero"` // when something was last said or done for it
	Title  string    `json:"title"`          // its first sentence that says something
	Asked  string    `json:"asked"`
	Branch string    `json:"branch,omitempty"`

	Changed   []FileTouched `json:"changed,omitempty"` // most touched first
	Read      []FileTouched `json:"read,omitempty"`
	VCS       []string      `json:"vcs,omitempty"` // the last ten questions to version control
	Commands  []Ran         `json:"commands,omitempty"`
	Failures  []Failure     `json:"failures,omitempty"`
	Commits   []string      `json:"commits,omitempty"`
	Checked   bool          `json:"checked,omitempty"` // a test, build or lint ran behind the last change
	Decisions []string      `json:"decisions,omitempty"`
	Warnings  []string      `json:"warnings,omitempty"` // signs of going round in circles

	Outcome Outcome `json:"outcome"`
	Answer  string  `json:"answer,omitempty"` // the last one

	from, to int      // its actions in the run
	attempts []string // how its commands went, in words
	first    bool     // of the session
	language string   // of what is told of it
}

// FileTouched is a file and how often it was touched.
type FileTouched struct {
	Name  string `json:"name"` // below the working directory, where it lies there
	Times int    `json:"times"`
}

// Ran is one run of a command.
type Ran struct {
	Seq     int64          `json:"seq"`
	Command string         `json:"command"` // as it was given, at most 2,000 bytes
	About   string         `json:"about"`   // without what only makes ready or shortens what it prints
	Check   activity.Check `json:"check,omitempty"`
	Result  Result         `json:"result"`
	Looks   bool           `json:"looks,omitempty"` // it only looks: failing, it found nothing
}

// Result is how a command went.
type Result string

// The results.
const (
	Passed  Result = "ok"
	Failed  Result = "failed"
	Refused Result = "refused" // by the user
	Unknown Result = "unknown" // nothing was told of it
)

// Bounds of a request.
const (
	maxAsked  = 2000 // characters
	maxAnswer = 2000
	maxLine   = 2000 // bytes of a command
)

// Requests are what the user asked for in a session, each with its own outcome, in
// order, and what mended what in it.
func Requests(r *Run) ([]Request, []Fix) {
	prompts := requests(r.Prompts)
	if len(prompts) == 0 {
		return nil, nil
	}
	// What a transcript told after the hooks stands behind in the journal.
	slices.SortStableFunc(prompts, func(a, b Said) int { return Order(a.At, a.Seq, b.At, b.Seq) })
	script := cmp.Or(r.Script, scriptOf(prompts))
	starts := make([]moment, len(prompts))
	for i := range prompts {
		starts[i] = moment{prompts[i].At, prompts[i].Seq}
	}
	actions := slices.Clone(r.Actions)
	slices.SortStableFunc(actions, func(a, b activity.Action) int { return own(a.At, a.Seq).compare(own(b.At, b.Seq)) })
	history := newHistory(r.CWD, actions)
	fixes := history.fixes()
	out := make([]Request, len(prompts))
	for i := range prompts {
		q := &out[i]
		*q = Request{Seq: prompts[i].Seq, At: prompts[i].At, Ended: prompts[i].At, Title: title(prompts[i].Text), Asked: clip(prose(prompts[i].Text), maxAsked), Branch: oneLine(r.Branch), first: i == 0}
		during := func(m moment) bool {
			return (i == 0 || !m.before(starts[i])) && (i+1 == len(prompts) || m.before(starts[i+1]))
		}
		q.from = slices.IndexFunc(actions, func(a activity.Action) bool { return during(own(a.At, a.Seq)) })
		for q.to = max(q.from, 0); q.from >= 0 && q.to < len(actions) && during(own(actions[q.to].At, actions[q.to].Seq)); q.to++ {
		}
		var said, answers []Said
		for _, p := range r.Prompts {
			if during(moment{p.At, p.Seq}) && p.Speaker == "" {
				said = append(said, p)
			}
		}
		for _, a := range r.Answers {
			if during(moment{a.At, a.Seq}) && !ByClient(a.Text) {
				answers = append(answers, a)
			}
		}
		q.language = cmp.Or(r.Language, terms.LangLike(q.Asked, script))
		q.of(history, fixes, wordsFor(q.language))
		q.Decisions = decisions(answers, requests(said), maxDecisions)
		if n := len(answers); n > 0 {
			q.Answer, q.Ended = clipText(answers[n-1].Text, maxAnswer), later(q.Ended, answers[n-1].At)
		}
		q.Outcome = q.outcome(actions[max(q.from, 0):q.to], len(answers) > 0)
	}
	return out, fixes
}

// scriptOf is the Chinese script of messages, empty where none tells it.
func scriptOf(said []Said) string {
	var all strings.Builder
	for i := range said {
		all.WriteString(said[i].Text + "\n")
	}
	return terms.Script(all.String())
}

// of tells what was done for a request.
func (q *Request) of(h *history, fixes []Fix, w words) {
	if q.from < 0 {
		return
	}
	run := Run{CWD: h.cwd, Actions: h.actions[q.from:q.to]}
	for i := range run.Actions {
		a := &run.Actions[i]
		q.Ended = later(later(q.Ended, a.At), a.Ended)
		if ours(a) {
			continue
		}
		if a.Command != "" {
			q.Commands = append(q.Commands, ranOf(a))
		}
	}
	changed := run.touched(activity.Editing)
	q.Checked = run.checked()
	q.Changed, q.Read = named(changed), named(run.touched(activity.Reading))
	q.VCS = run.questions(maxShown)
	for _, c := range activity.Commits(run.Actions) {
		q.Commits = append(q.Commits, oneLine(c.Subject))
	}
	q.Failures = h.failures(q.from, q.to, fixes)
	q.attempts = h.attempts(q.from, q.to, w)
	q.Warnings = h.warnings(q.from, q.to, changed, w)
}

// outcome tells how a request ended.
func (q *Request) outcome(actions []activity.Action, answered bool) Outcome {
	last := len(actions) - 1
	acts := len(q.Changed) > 0 || slices.ContainsFunc(q.Commands, func(c Ran) bool { return !c.Looks })
	switch {
	case !answered, last >= 0 && actions[last].Done && actions[last].Failed && actions[last].Refused():
		return Stopped
	case slices.ContainsFunc(q.Failures, func(f Failure) bool { return f.Open }):
		return Failing
	case acts:
		return Done
	}
	return Answered
}

// Acts reports whether anything was done for a request, or decided.
func (q *Request) Acts() bool { return q.from >= 0 && q.to > q.from || len(q.Decisions) > 0 }

func ranOf(a *activity.Action) Ran {
	r := Ran{Seq: a.Seq, Command: strings.ToValidUTF8(a.Command[:min(len(a.Command), maxLine)], ""), About: clip(oneLine(a.Line().Essence()), maxCommand), Check: a.Line().Check(), Looks: a.Looks(), Result: Passed}
	switch {
	case !a.Done:
		r.Result = Unknown
	case a.Failed && a.Refused():
		r.Result = Refused
	case a.Failed, a.Broke():
		r.Result = Failed
	}
	return r
}

func named(files []activity.File) []FileTouched {
	var out []FileTouched
	for _, f := range files {
		out = append(out, FileTouched{f.Name, f.Times})
	}
	return out
}

// clipText is as much of a text as n characters hold, its lines kept.
func clipText(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), halfway+"\n") + "…"
	}
	return s
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// moment is when something was said or done, and its place in the journal, which
// decides where times do not.
type moment struct {
	at  time.Time
	seq int64
}

// Order compares when two things were said or done: by their times, else by their
// places in the journal.
func Order(at time.Time, seq int64, other time.Time, otherSeq int64) int {
	return own(at, seq).compare(own(other, otherSeq))
}

func own(at time.Time, seq int64) moment { return moment{at, seq} }

func (m moment) before(o moment) bool { return m.compare(o) < 0 }

func (m moment) compare(o moment) int {
	if !m.at.IsZero() && !o.at.IsZero() {
		if c := m.at.Compare(o.at); c != 0 {
			return c
		}
	}
	switch {
	case m.seq < o.seq:
		return -1
	case m.seq > o.seq:
		return 1
	}
	return 0
}
