package instincts

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/habit"
	"orihon/internal/activity"
	"orihon/internal/jsonl"
	"orihon/internal/meaning"
	"orihon/internal/terms"
	"orihon/memory"
)

// What a hook needs of the instincts lies in one derived file, so that it need not
// read them all: those that are injected, with what their triggers are told by.

// cue is an instinct as a hook sees it.
type cue struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	Confidence float64   `json:"confidence"`
	Words      []string  `json:"words,omitempty"` // of the trigger
	Spans      []string  `json:"spans,omitempty"` // in its code spans: commands and patterns of files
	Mends      bool      `json:"mends,omitempty"` // it says what helps against an error
	Codes      []string  `json:"codes,omitempty"` // of that error
	Evidence   []string  `json:"evidence"`
	Last       time.Time `json:"last,omitzero"`
}

// cues is the file.
type cues struct {
	Version int                  `json:"version"`
	Made    map[string]time.Time `json:"made"` // when the folders were changed last
	Cues    []cue                `json:"cues"`
}

const (
	cuesNow  = 2
	cuesName = "instincts.json"
)

func (t *Instincts) cuesPath() string {
	return filepath.Join(t.h.Project.Index(), cuesName)
}

// folders are the times at which the folders of instincts were changed last.
func (t *Instincts) folders() map[string]time.Time {
	out := make(map[string]time.Time)
	for _, dir := range []string{t.h.Project.Private().Instincts(), t.h.Global.Dir.Instincts()} {
		if info, err := os.Stat(dir); err == nil {
			out[dir] = info.ModTime()
		}
	}
	return out
}

// refresh makes the file anew.
func (t *Instincts) refresh() error {
	_, err := t.freshCues(t.folders())
	return err
}

// freshCues makes the file anew, of folders as they were changed last.
func (t *Instincts) freshCues(made map[string]time.Time) ([]cue, error) {
	all, err := t.cuesOf()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(cues{cuesNow, made, all})
	if err != nil {
		return nil, err
	}
	return all, jsonl.Place(t.cuesPath(), data)
}

// cues are those of the file, which is made anew where a folder was changed since.
func (t *Instincts) cues() ([]cue, error) {
	made := t.folders()
	if len(made) == 0 {
		return nil, nil
	}
	var c cues
	data, err := jsonl.ReadFile(t.cuesPath())
	if err == nil && json.Unmarshal(data, &c) == nil && c.Version == cuesNow && len(c.Made) == len(made) {
		same := true
		for dir, at := range made {
			same = same && c.Made[dir].Equal(at)
		}
		if same {
			return c.Cues, nil
		}
	}
	all, err := t.freshCues(made)
	if all != nil {
		err = nil // one that cannot be kept is made each time
	}
	return all, err
}

func (t *Instincts) cuesOf() ([]cue, error) {
	all, _, err := t.List()
	if err != nil {
		return nil, err
	}
	out := []cue{}
	for i := range all {
		in := &all[i]
		if in.Confidence < memory.InjectConfidence {
			break // the surest come first
		}
		c := cue{ID: in.ID, Text: Sentence(in.Trigger, in.Action), Confidence: in.Confidence, Words: terms.Query(plain(in.Trigger)), Spans: spans(in.Trigger), Last: in.Last()}
		if c.Mends = in.Kind == habit.Fix; c.Mends {
			c.Codes = activity.Codes(in.Trigger)
		}
		for k := range in.Evidence {
			c.Evidence = append(c.Evidence, in.Evidence[k].Place())
		}
		out = append(out, c)
	}
	return out, nil
}

// Sentence is what an instinct says: its trigger, then its action.
func Sentence(trigger, action string) string {
	r := []rune(trigger)
	if len(r) > 0 && 'a' <= r[0] && r[0] <= 'z' {
		r[0] += 'A' - 'a'
	}
	sign := ": "
	if terms.Lang(trigger+action) != "en" {
		sign = "："
	}
	return string(r) + sign + action
}

// spans are what stands in code spans.
func spans(text string) (out []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 && strings.TrimSpace(part) != "" {
			out = append(out, strings.TrimSpace(part))
		}
	}
	return out
}

// plain is a text with its code spans as words.
func plain(text string) string { return strings.ReplaceAll(text, "`", " ") }

// Doing is what a trigger may fit: what was asked for, or what is about to be done.
type Doing struct {
	Prompt   string
	Commands [][]string // the words of each
	Files    []string   // below the project
	Error    string     // what a call came to
}

// Fitting are the instincts of 0.5 and above whose trigger fits, the surest first;
// those of 0.7 and above are rules.
func (t *Instincts) Fitting(d *Doing) ([]memory.Habit, error) {
	all, err := t.cues()
	if err != nil {
		return nil, err
	}
	var out []memory.Habit
	var words []string
	if d.Prompt != "" {
		words = terms.Query(d.Prompt)
	}
	if d.Error != "" {
		words = terms.Query(d.Error)
		for _, c := range d.Commands {
			words = append(words, terms.Query(strings.Join(c, " "))...)
		}
	}
	for i := range all {
		if c := &all[i]; c.fits(d, words) {
			out = append(out, c.habit())
		}
	}
	return out, nil
}

// Standing are those that apply by themselves, from 0.7 on, the surest first.
func (t *Instincts) Standing() ([]memory.Habit, error) {
	all, err := t.cues()
	var out []memory.Habit
	for i := range all {
		if all[i].Confidence >= memory.ApplyConfidence {
			out = append(out, all[i].habit())
		}
	}
	return out, err
}

func (c *cue) habit() memory.Habit {
	return memory.Habit{ID: c.ID, Text: c.Text, Rule: c.Confidence >= memory.ApplyConfidence, Evidence: c.Evidence, Last: c.Last}
}

// fits reports whether a trigger is met: of words, when half of what they say is in
// the prompt; of a command or a file, when one that is at hand is meant by a span. Once a
// call has failed, what mends an error fits by the words of the error and its codes alone.
func (c *cue) fits(d *Doing, words []string) bool {
	if c.Mends && d.Error != "" {
		now := activity.Codes(d.Error)
		other := slices.ContainsFunc(c.Codes, func(code string) bool { return !slices.Contains(now, code) })
		return !other && c.said(words)
	}
	for _, s := range c.Spans {
		if slices.ContainsFunc(d.Commands, func(words []string) bool { return begins(words, s) }) || slices.ContainsFunc(d.Files, func(f string) bool { return meant(f, s) }) {
			return true
		}
	}
	return c.said(words)
}

// said reports words that hold half of what the trigger says.
func (c *cue) said(words []string) bool {
	if len(words) == 0 || len(c.Words) == 0 {
		return false
	}
	const share, least = 0.5, 2
	all, both, n := 0.0, 0.0, 0
	for _, w := range c.Words {
		x := 0.2 + meaning.Builtin().Rarity(w)
		all += x
		if slices.Contains(words, w) {
			both += x
			n++
		}
	}
	return both >= share*all && n >= min(least, len(c.Words))
}

// begins reports whether a command is one that a span names: its words stand in the
// span in order, flags anywhere.
func begins(words []string, span string) bool {
	want := strings.Fields(span)
	if len(want) == 0 || len(words) == 0 || path.Base(words[0]) != path.Base(want[0]) {
		return false
	}
	at := 0
	for _, w := range words {
		if at < len(want) && (w == want[at] || path.Base(w) == want[at]) {
			at++
		}
	}
	return at == len(want)
}

// meant reports whether a pattern such as *.proto or docs/*.md names a file.
func meant(file, pattern string) bool {
	if file == pattern {
		return true
	}
	if !strings.Contains(pattern, "*") {
		return false
	}
	if ok, err := path.Match(pattern, file); err == nil && ok {
		return true
	}
	ok, err := path.Match(pattern, path.Base(file))
	return err == nil && ok && !strings.Contains(pattern, "/")
}
