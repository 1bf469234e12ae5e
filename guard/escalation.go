package guard

import (
	"path"
	"slices"
	"strings"
)

// EscalationRule is the name of the rule about fixes that do not help.
const EscalationRule = "escalation"

// After how many fixes that changed nothing a review is asked for, and after how
// many the user; and after how many in a row that left no fewer tests failing.
const (
	reviewAfter = 2
	pauseAfter  = 3
	noFewer     = 4
)

// mostOfAFix is how many files a fix changes; more of them are a piece of work,
// behind which a failure counts as a new one.
const mostOfAFix = 4

func escalation() Rule {
	return Rule{
		Name:     EscalationRule,
		Reason:   "the same failure after a second fix, with nothing gained in between, is rarely found by a third of the same kind",
		Settings: "none",
		Cost:     "linear in the output of a command, against at most 6 failures that are open",
		On:       []Kind{Asked, Acted},
		judge:    remembering(escalate),
	}
}

// attempts are the failures that are being mended.
type attempts struct {
	Open []attempt `json:"open,omitempty"` // latest last
}

// attempt is one failure, and what was tried against it.
type attempt struct {
	Agent   string   `json:"agent,omitempty"`
	Subject string   `json:"subject"`
	Others  []string `json:"others,omitempty"` // subjects of other calls that failed at it
	Kin     []string `json:"kin,omitempty"`
	Name    string   `json:"name,omitempty"`
	Failure failure  `json:"failure"`
	Runs    int      `json:"runs"`             // that failed at it
	Tries   int      `json:"tries,omitempty"`  // fixes after which it is still all there
	Best    int      `json:"best,omitempty"`   // fewest tests that failed
	Rounds  int      `json:"rounds,omitempty"` // fixes in a row that left no fewer
	Since   []string `json:"since,omitempty"`  // files changed since it was seen last
	Files   []string `json:"files,omitempty"`  // changed since it began
	Told    bool     `json:"told,omitempty"`
}

// Bounds of what is remembered.
const (
	maxOpen  = 6
	maxFiles = 8
)

func escalate(_ *Options, e *Event, m *attempts) Verdict {
	c := &e.Call
	switch {
	case e.Kind == Asked:
		m.asked()
	case c.Edits && !c.Failed:
		m.edited(e)
	case c.Command != "" && !c.Looks && (c.Failed || e.plainly()):
		if f := e.failure(); !f.empty() {
			return m.failed(e, f)
		}
	case c.Command != "" && !c.Failed && !c.Looks:
		m.worked(e)
	}
	return Verdict{}
}

func (m *attempts) edited(e *Event) {
	for i := range m.Open {
		a := &m.Open[i]
		if a.Agent != e.Agent {
			continue
		}
		for _, file := range e.Call.Files {
			if len(a.Failure.Tests) > 0 && testFile(file) {
				continue // a test that is being written fails until the code is there
			}
			a.Files = among(a.Files, file)
			a.Since = among(a.Since, file)
		}
	}
}

// among is a list with an entry, unless it is full.
func among(list []string, entry string) []string {
	if slices.Contains(list, entry) || len(list) == maxFiles {
		return list
	}
	return append(list, entry)
}

// asked begins to count anew: what a person says may point elsewhere.
func (m *attempts) asked() {
	for i := range m.Open {
		a := &m.Open[i]
		a.Tries, a.Rounds, a.Files, a.Since = 0, 0, nil, nil
	}
}

// worked forgets what a success settles: the same call, or another of its kind.
func (m *attempts) worked(e *Event) {
	m.Open = slices.DeleteFunc(m.Open, func(a attempt) bool {
		same := a.Subject == e.Call.Subject || slices.Contains(a.Others, e.Call.Subject)
		like := !e.Call.Narrow && len(a.Kin) > 0 && subset(a.Kin, e.Call.Kin)
		return a.Agent == e.Agent && (same || like)
	})
}

func (m *attempts) failed(e *Event, f failure) Verdict {
	at := m.find(e, &f)
	if at < 0 {
		c := &e.Call
		begun := attempt{Agent: e.Agent, Subject: c.Subject, Kin: c.Kin, Name: c.Name, Failure: f, Runs: 1, Best: len(f.Tests)}
		m.Open = last(append(m.Open, begun), maxOpen)
		return Verdict{}
	}
	// What the same command failed at before may come back: a fix that only put
	// another failure in its place is none.
	for i := range m.Open {
		a := &m.Open[i]
		same := a.Agent == e.Agent && a.Subject == e.Call.Subject
		if i != at && same && len(a.Failure.Tests) == 0 && len(a.Since) > 0 {
			a.Tries++
			a.Since = nil
		}
	}
	a := m.Open[at]
	m.Open = append(slices.Delete(m.Open, at, at+1), a)
	now := &m.Open[len(m.Open)-1]
	fixed := len(now.Since) > 0
	now.again(e, &f)
	if !fixed || now.Tries < reviewAfter && now.Rounds < noFewer {
		return Verdict{}
	}
	pause := now.Told && (now.Tries >= pauseAfter || now.Rounds > noFewer)
	now.Told = true
	cause := EscalationRule + " " + now.key()
	why := now.Name + " failed " + times(now.Runs) + " at " + now.Failure.Head + ", changed in between: " + strings.Join(now.Files, ", ")
	if pause {
		return Verdict{Do: Say, Cause: "pause " + cause, Why: why, Text: e.worded("pause", now.Name, max(now.Tries, now.Rounds))}
	}
	text, also := "review", []string(nil)
	if now.Tries < reviewAfter {
		text, also = "rounds", []string{EscalationRule + " " + now.Subject}
	}
	return Verdict{Do: Say, Cause: cause, Also: also, Why: why, Text: e.worded(text, now.Name, now.Runs, now.Failure.Head, named(now.Files))}
}

// find is the failure that a run fails at again: the very same one first, then
// one that shares something with it.
func (m *attempts) find(e *Event, f *failure) int {
	of := func(same func(a *attempt) bool) int {
		for i := len(m.Open) - 1; i >= 0; i-- {
			if a := &m.Open[i]; a.Agent == e.Agent && same(a) {
				return i
			}
		}
		return -1
	}
	if at := of(func(a *attempt) bool { return a.Failure.within(f) && a.Failure.touches(f) }); at >= 0 {
		return at
	}
	return of(func(a *attempt) bool { return a.Failure.touches(f) })
}

// again notes that a failure is still there, or some of it.
func (a *attempt) again(e *Event, f *failure) {
	a.Runs++
	if len(a.Since) == 0 {
		return // it was looked at again
	}
	// A run of fewer tests fails at no more than them.
	same := a.Failure.within(f) || a.Subject != e.Call.Subject && len(f.Tests) > 0 && subset(f.Tests, a.Failure.Tests)
	switch {
	case !same, len(a.Since) > mostOfAFix: // something was gained, or made
		a.Tries = 0
	default:
		a.Tries++
	}
	if a.Subject == e.Call.Subject && len(f.Tests) > 0 {
		switch {
		case a.Best == 0 || len(f.Tests) < a.Best:
			a.Best, a.Rounds = len(f.Tests), 0
		case len(a.Since) > mostOfAFix:
			a.Rounds = 0
		default:
			a.Rounds++
		}
	}
	if !same && a.Rounds == 0 {
		a.Runs, a.Files = 1, nil
	}
	if !same || len(f.Lines) > 0 {
		a.Failure = *f
	}
	if a.Since = nil; a.Subject != e.Call.Subject {
		a.Others = among(a.Others, e.Call.Subject)
	}
}

// key tells one failure from another.
func (a *attempt) key() string {
	if len(a.Failure.Tests) > 0 {
		return a.Failure.Tests[0]
	}
	return a.Subject
}

// named are the names of some files, without their folders.
func named(files []string) string {
	const most = 3
	var out []string
	for _, f := range files[:min(len(files), most)] {
		out = append(out, quoted(path.Base(strings.ReplaceAll(f, `\`, "/"))))
	}
	if len(files) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
