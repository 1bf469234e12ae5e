package guard

import (
	"path"
	"slices"
	"strings"
)

// EscalationRule is the name of the rule about fixes that do not help.
const EscalationRule = "escalation"

// After how many fixes that changed nothing a review is asked for, and after how
// many the user.
const (
	reviewAfter = 2
	pauseAfter  = 3
)

func escalation() Rule {
	return Rule{
		Name:     EscalationRule,
		Reason:   "the same failure after a second fix, with nothing gained in between, is rarely found by a third of the same kind",
		Settings: "none",
		Cost:     "linear in the output of a command, against at most 6 failures that are open",
		On:       []Kind{Acted},
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
	Kin     []string `json:"kin,omitempty"`
	Name    string   `json:"name,omitempty"`
	Failure failure  `json:"failure"`
	Runs    int      `json:"runs"`            // that failed
	Tries   int      `json:"tries,omitempty"` // fixes that changed nothing
	Edited  bool     `json:"edited,omitempty"`
	Files   []string `json:"files,omitempty"` // changed since it began
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
	case c.Edits && !c.Failed:
		m.edited(e)
	case c.Command && !c.Looks && (c.Failed || failsPlainly(c.Output)):
		if f := readFailure(c.Output); !f.empty() {
			return m.failed(e, f)
		}
	case c.Command && !c.Failed && !c.Looks:
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
		a.Edited = true
		for _, file := range e.Call.Files {
			if !slices.Contains(a.Files, file) && len(a.Files) < maxFiles {
				a.Files = append(a.Files, file)
			}
		}
	}
}

// worked forgets what a success settles: the same call, or another of its kind.
func (m *attempts) worked(e *Event) {
	m.Open = slices.DeleteFunc(m.Open, func(a attempt) bool {
		return a.Agent == e.Agent && (a.Subject == e.Call.Subject || len(a.Kin) > 0 && subset(a.Kin, e.Call.Kin))
	})
}

func (m *attempts) failed(e *Event, f failure) Verdict {
	at := slices.IndexFunc(m.Open, func(a attempt) bool { return a.Agent == e.Agent && a.Failure.touches(&f) })
	if at < 0 {
		// What the same call failed at before is mended.
		m.Open = slices.DeleteFunc(m.Open, func(a attempt) bool { return a.Agent == e.Agent && a.Subject == e.Call.Subject })
		m.Open = last(append(m.Open, attempt{Agent: e.Agent, Subject: e.Call.Subject, Kin: e.Call.Kin, Name: e.Call.Name, Failure: f, Runs: 1}), maxOpen)
		return Verdict{}
	}
	a := m.Open[at]
	m.Open = append(slices.Delete(m.Open, at, at+1), a)
	now := &m.Open[len(m.Open)-1]
	same := now.Failure.within(&f)
	now.Runs++
	switch {
	case !same: // something was gained
		now.Tries, now.Runs, now.Files = 0, 1, nil
	case now.Edited:
		now.Tries++
	}
	if !same || len(f.Lines) > 0 {
		now.Failure = f
	}
	fixed := now.Edited
	now.Edited = false
	if !same || !fixed || now.Tries < reviewAfter {
		return Verdict{}
	}
	now.Told = true
	cause := EscalationRule + " " + now.key()
	why := now.Name + " failed " + times(now.Runs) + " at " + now.Failure.Head + ", changed in between: " + strings.Join(now.Files, ", ")
	if now.Tries >= pauseAfter {
		return Verdict{Do: Say, Cause: "pause " + cause, Why: why, Text: e.worded("pause", now.Name, now.Tries)}
	}
	return Verdict{Do: Say, Cause: cause, Why: why, Text: e.worded("review", now.Name, now.Runs, now.Failure.Head, named(now.Files))}
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
