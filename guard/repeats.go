package guard

import (
	"slices"
	"strconv"
	"strings"
)

// RepeatsRule is the name of the rule about mistakes that are made again.
const RepeatsRule = "repeats"

// How often something happens before it is a repetition.
const (
	sameError  = 3 // times
	sameFile   = 3 // changes of a file that a failure outlives
	backAndOut = 2 // changes that take back an earlier one
)

func repeats() Rule {
	return Rule{
		Name:     RepeatsRule,
		Reason:   "the third time is the time to look at why; what a session left is known to the next",
		Settings: "none",
		Cost:     "linear in the texts of a call, against at most 24 errors, 24 failures and 24 changes",
		On:       []Kind{Began, Asked, Acted},
		judge:    remembering(repeat),
	}
}

// mistakes are what may become a repetition.
type mistakes struct {
	Step    int       `json:"step,omitempty"` // calls that worked
	Errors  []mistake `json:"errors,omitempty"`
	Edits   []change  `json:"edits,omitempty"` // since the last prompt
	Broken  bool      `json:"broken,omitempty"`
	Live    []living  `json:"live,omitempty"`    // failures
	Changed []string  `json:"changed,omitempty"` // files, since the last failure
}

// mistake is an error of a call.
type mistake struct {
	Key   string `json:"key"`
	Head  string `json:"head"`
	Times int    `json:"times"`
	Step  int    `json:"step"` // when it was made last
}

// change is an edit, by what its texts are.
type change struct {
	File  string `json:"file"`
	Gone  string `json:"gone"`
	Added string `json:"added"`
	Back  int    `json:"back,omitempty"` // how often it was taken back
}

// living is a failure that has not gone away, with how often each file was
// changed and it still came.
type living struct {
	What  string         `json:"what"`
	Kin   []string       `json:"kin,omitempty"`
	Test  bool           `json:"test,omitempty"`
	Files map[string]int `json:"files,omitempty"`
}

// maxMistakes bounds each list.
const maxMistakes = 24

func repeat(_ *Options, e *Event, m *mistakes) Verdict {
	c := &e.Call
	switch {
	case e.Kind == Began:
		return e.past()
	case e.Kind == Asked:
		m.Edits, m.Broken = nil, false // what a person asks for may take back anything
		return Verdict{}
	case c.Edits && !c.Failed:
		m.Step++
		return m.change(e)
	case c.Command != "" && !c.Looks && !c.Failed && e.plainly():
		return m.check(e, e.failure())
	case !c.Failed:
		m.Step++
		m.Live = slices.DeleteFunc(m.Live, func(l living) bool { return !c.Narrow && len(l.Kin) > 0 && subset(l.Kin, c.Kin) })
		return Verdict{}
	case c.Looks:
		return Verdict{}
	}
	if head := misuse(c.Output); head != "" {
		return m.failed(e, head)
	}
	if f := e.failure(); c.Command != "" && !f.empty() {
		return m.check(e, f)
	}
	return Verdict{}
}

// misuse is the line that says that a call was no good itself, of output that
// says little else; empty where it is the work that failed, or where much is said.
func misuse(output string) string {
	const most = 4 // lines
	head, n := "", 0
	for line := range lines(output) {
		folded := strings.ToLower(line)
		if listed("noise", unnumbered(folded)) {
			continue
		}
		if n++; n > most {
			return ""
		}
		if head == "" && holds("misuse", folded) {
			head = line
		}
	}
	return clip(head, 100)
}

// failed counts the errors of calls by what they say. What fails together, before
// anything has worked in between, is one mistake.
func (m *mistakes) failed(e *Event, head string) Verdict {
	key := toolless(clip(unnumbered(strings.ToLower(head)), maxLine))
	at := slices.IndexFunc(m.Errors, func(x mistake) bool { return x.Key == key })
	if at < 0 {
		m.Errors = last(append(m.Errors, mistake{key, head, 1, m.Step}), maxMistakes)
		return Verdict{}
	}
	x := &m.Errors[at]
	if x.Step == m.Step {
		return Verdict{}
	}
	x.Times++
	x.Step = m.Step
	if x.Times < sameError {
		return Verdict{}
	}
	return Verdict{
		Do: Say, Cause: "again " + key, Why: e.Call.Name + ": " + x.Head + ", " + times(x.Times),
		Text: e.worded("again", x.Times, x.Head),
	}
}

// toolless is a line without what a shell sets before the error.
func toolless(line string) string {
	for _, lead := range [...]string{"bash: ", "sh: ", "zsh: ", "(eval):#: ", "(eval):", "line #: ", "/bin/sh: ", "/bin/bash: "} {
		line = strings.TrimPrefix(line, lead)
	}
	return strings.TrimPrefix(line, "line #: ")
}

// change notices a file that goes back and forth between two texts.
func (m *mistakes) change(e *Event) Verdict {
	for _, file := range e.Call.Files {
		if !slices.Contains(m.Changed, file) {
			m.Changed = last(append(m.Changed, file), maxMistakes)
		}
	}
	gone, added := strings.TrimSpace(e.Call.Gone), strings.TrimSpace(e.Call.Added)
	if len(e.Call.Files) != 1 || gone == "" || added == "" {
		return Verdict{}
	}
	now := change{File: e.Call.Files[0], Gone: digest(gone), Added: digest(added)}
	at := slices.IndexFunc(m.Edits, func(x change) bool {
		back := x.Gone == now.Added && x.Added == now.Gone
		again := x.Back > 0 && x.Gone == now.Gone && x.Added == now.Added
		return x.File == now.File && (back || again)
	})
	if at < 0 {
		m.Edits = last(append(m.Edits, now), maxMistakes)
		return Verdict{}
	}
	x := &m.Edits[at]
	if x.Back++; x.Back < backAndOut || !m.Broken {
		return Verdict{}
	}
	return Verdict{
		Do: Say, Cause: "flip " + x.File, Why: x.File + " changed back " + times(x.Back) + " since the last prompt",
		Text: e.worded("flip", quoted(x.File)),
	}
}

// check counts for each failure how often a file was changed and it came again.
func (m *mistakes) check(e *Event, f failure) Verdict {
	m.Broken = true
	what, test := f.Lines, false
	if len(f.Tests) > 0 {
		what, test = f.Tests, true
	}
	if !test && slices.ContainsFunc(m.Live, func(l living) bool { return l.Test && subset(l.Kin, e.Call.Kin) }) {
		return Verdict{} // it did not come to the tests
	}
	changed := m.Changed
	m.Changed = nil
	m.Live = slices.DeleteFunc(m.Live, func(l living) bool { return subset(l.Kin, e.Call.Kin) && !slices.Contains(what, l.What) })
	var v Verdict
	for _, w := range what {
		at := slices.IndexFunc(m.Live, func(l living) bool { return l.What == w })
		if at < 0 {
			m.Live = last(append(m.Live, living{What: w, Kin: e.Call.Kin, Test: test}), maxMistakes)
			continue
		}
		l := &m.Live[at]
		for _, file := range changed {
			if l.Files == nil {
				l.Files = make(map[string]int)
			}
			if _, known := l.Files[file]; !known && len(l.Files) >= maxFiles {
				continue
			}
			if l.Files[file]++; l.Files[file] >= sameFile && v.Do == Nothing {
				v = Verdict{
					Do: Say, Cause: EscalationRule + " " + l.cause(e), Also: []string{EscalationRule + " " + e.Call.Subject},
					Why:  file + " changed " + times(l.Files[file]) + ", and still: " + w,
					Text: e.worded("stuck", quoted(file), l.Files[file], w, e.Call.Name),
				}
			}
		}
	}
	return v
}

// cause is that of the review about the same failure, so that only one of the
// two is said.
func (l *living) cause(e *Event) string {
	if l.Test {
		return l.What
	}
	return e.Call.Subject
}

// past tells what earlier sessions left.
func (e *Event) past() Verdict {
	const most = 3
	var parts []string
	cause := "past"
	for _, t := range e.Past[:min(len(e.Past), most)] {
		if t.Rule == DriftRule {
			parts = append(parts, e.worded("past-drift", quoted(t.Where), quoted(t.What)))
		} else {
			parts = append(parts, e.worded("past-failure", t.Where, t.Times, t.What))
		}
		cause += " " + t.Where + " " + t.What
	}
	if len(parts) == 0 {
		return Verdict{}
	}
	words := "past"
	if slices.ContainsFunc(e.Past[:min(len(e.Past), most)], func(t Trouble) bool { return t.Older }) {
		words = "past-sessions"
	}
	text := e.worded(words, strings.Join(parts, "; "))
	return Verdict{Do: Say, Cause: cause, Why: text, Text: text}
}

func times(n int) string { return strconv.Itoa(n) + " times" }
