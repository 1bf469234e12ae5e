package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/journal"
)

// record is what a stretch of a run tells of its work: what was said, what was
// done, and how that went. Summaries and indexes are made of it and invent
// nothing.
type record struct {
	prompts []saying // by the user, without what clients put in their place
	spoken  []saying // by the assistant, answers and what it said on the way
	thought []saying
	earlier []saying // summaries of what came before the stretch
	acts    []activity.Action
	cwd     string
	later   []activity.Action // behind the stretch, as far as the run is known
	known   *facts            // once they were asked for
	became  *activity.Outcomes
}

// saying is one message.
type saying struct {
	iter   int
	seq    int64
	at     time.Time
	text   string
	answer bool // ends a round: the user got it
}

// readRecord reads events in their order.
func readRecord(v *journal.View, events []journal.Event) record {
	var r record
	if began := v.ByType(journal.RunStarted); len(began) > 0 && len(events) > 0 && began[0].Seq < events[0].Seq {
		var p journal.Run
		if v.Decode(began[0], &p) == nil {
			r.cwd = p.CWD
		}
	}
	var calls activity.Log
	for _, e := range events {
		switch e.Type {
		case journal.RunStarted:
			var p journal.Run
			if v.Decode(e, &p) == nil && r.cwd == "" {
				r.cwd = p.CWD
			}
		case journal.UserMessage:
			if text := Typed(v, e); text != "" {
				r.prompts = append(r.prompts, saying{e.Iter, e.Seq, e.TS, text, false})
			}
		case journal.AssistantMessage, journal.Thought:
			var m journal.Message
			if v.Decode(e, &m) != nil || strings.TrimSpace(m.Text) == "" {
				continue
			}
			s := saying{e.Iter, e.Seq, e.TS, m.Text, e.Type == journal.AssistantMessage}
			if journal.IsReasoning(e, m) {
				r.thought = append(r.thought, s)
			} else {
				r.spoken = append(r.spoken, s)
			}
		case journal.Summary:
			var t told
			if v.Decode(e, &t) == nil && t.Kind == "" { // a strategy's own tells nothing new
				r.earlier = said(r.earlier, v, e)
			}
		case journal.Compacted:
			var c journal.Compaction
			if v.Decode(e, &c) == nil && c.Summary != "" {
				r.earlier = append(r.earlier, saying{iter: e.Iter, seq: e.Seq, at: e.TS, text: c.Summary})
			}
		case journal.ActionRequest:
			var a journal.Action
			if v.Decode(e, &a) != nil {
				continue
			}
			calls.Call(e.ID, actOf(e, a))
		case journal.ActionResult:
			var p journal.Result
			if v.Decode(e, &p) == nil {
				calls.Result(e.ID, activity.Action{Iter: e.Iter, Tool: p.Tool, Files: p.Files, Output: p.Output, Failed: p.Error})
			}
		}
	}
	r.acts = calls.Actions
	return r
}

func said(to []saying, v *journal.View, e journal.Event) []saying {
	var m journal.Message
	if v.Decode(e, &m) != nil || strings.TrimSpace(m.Text) == "" {
		return to
	}
	return append(to, saying{e.Iter, e.Seq, e.TS, m.Text, false})
}

func actOf(e journal.Event, a journal.Action) activity.Action {
	out := activity.New(a.Tool, a.Input, a.Files)
	out.Iter = e.Iter
	return out
}

// nameOf is how a person would call an act, in at most n characters.
func nameOf(a *activity.Action, n int) string {
	switch {
	case a.Command != "":
		return "`" + clip(oneLine(a.Line().Essence()), n) + "`"
	case len(a.Files) > 0:
		return a.Tool + " " + activity.Base(a.Files[0])
	}
	if s := a.Telling(); s != "" {
		return a.Tool + " " + clip(oneLine(s), n)
	}
	return a.Tool
}

// touched counts the files on which acts had an effect, newest first.
func (r *record) touched(e activity.Effect) []activity.File {
	out := activity.Touched(r.cwd, r.acts, e)
	slices.SortStableFunc(out, func(a, b activity.File) int { return b.Last - a.Last })
	return out
}

// decisions are the sentences that state one, the user's before the
// assistant's, each once.
func (r *record) decisions() []string {
	var out []string
	seen := map[string]bool{}
	for _, from := range [...][]saying{r.spoken, r.prompts} {
		for _, s := range from {
			for _, sentence := range sentences(s.text) {
				if key := terms.Fold(sentence); decides(sentence) && !seen[key] {
					seen[key] = true
					out = append(out, clip(sentence, 200))
				}
			}
		}
	}
	return out
}

// milestones are what the assistant said is done, and what it told a tool that is
// named for milestones, each once.
func (r *record) milestones() []string {
	var out []string
	for i := range r.acts {
		if a := &r.acts[i]; a.Done && !a.Failed && marksMilestone(a.Tool) {
			out = append(out, cmp.Or(oneLine(a.Telling()), oneLine(a.Text("summary")), oneLine(a.Text("name")), a.Tool))
		}
	}
	for _, s := range r.spoken {
		for _, sentence := range sentences(s.text) {
			if wordCount(sentence) >= leastTitle && saysDone(sentence) {
				out = append(out, clip(sentence, 200))
			}
		}
	}
	return distinct(out)
}

// failure is an act that failed, and what came of it.
type failure struct {
	*activity.Action
	settled int    // iteration in which the same succeeded; 0 for never
	fix     string // what was changed in between
	again   int    // later failures with the same words
	retried bool   // the same was tried again
}

// failures are the acts that failed, oldest first, those of which the same is told
// once.
func (r *record) failures(told func(output string) string) []failure {
	var out []failure
	at := map[string]int{}
	for i := range r.acts {
		a := &r.acts[i]
		if !a.Failed || a.Refused() {
			continue
		}
		head := clip(oneLine(told(a.Output)), 60)
		if j, ok := at[head]; ok {
			out[j].again++
			continue
		}
		at[head] = len(out)
		success, edit, retried := r.outcomes().Settled(i)
		f := failure{Action: a, retried: retried}
		if success != nil {
			f.settled = success.Iter
		}
		if edit != nil {
			f.fix = activity.Base(edit.Files[0])
		}
		out = append(out, f)
	}
	return out
}

// errors are the last n failures that still stand and the last n that were mended,
// each with what came of it.
func (r *record) errors(n int) (open, mended []string) {
	for _, f := range r.failures(whole) {
		bare := *f.Action
		bare.Output = withoutFrames(f.Output[:min(len(f.Output), maxTraced)])
		if f.Action = &bare; f.settled > 0 {
			mended = append(mended, f.line(40, 110))
		} else {
			open = append(open, f.line(40, 110))
		}
	}
	return newest(open, n), newest(mended, n)
}

// outcomes say what became of the acts, by what followed in the stretch and behind it.
func (r *record) outcomes() *activity.Outcomes {
	if r.became == nil {
		r.became = activity.NewOutcomes(r.cwd, slices.Concat(r.acts, r.later))
	}
	return r.became
}

// lookBehind lets a stretch with failures know what the run did next, up to an
// iteration: what is told of them holds on when the stretch is folded.
func (r *record) lookBehind(v *journal.View, from, upto int) {
	if from <= upto && slices.ContainsFunc(r.acts, func(a activity.Action) bool { return a.Failed }) {
		behind := readRecord(v, v.Range(from, upto))
		r.later = behind.acts
	}
}

// line is lineIn English.
func (f *failure) line(name, head int) string {
	l := english()
	return f.lineIn(name, head, &l)
}

// lineIn tells of a failure in so many characters of the act's name and of its
// message.
func (f *failure) lineIn(name, head int, l *words) string {
	end := l.notSettled
	switch {
	case f.settled > 0 && f.fix != "":
		end = fmt.Sprintf(l.fixed, f.fix)
	case f.settled > 0:
		end = l.okLater
	case !f.retried:
		end = l.notRetried
	}
	if f.again > 0 {
		end += fmt.Sprintf(l.times, f.again+1)
	}
	return fmt.Sprintf("%s: %s → %s", nameOf(f.Action, name), cut(oneLine(f.Output), head), end)
}

// marksMilestone reports a tool that is named for milestones.
func marksMilestone(tool string) bool { return strings.Contains(strings.ToLower(tool), "milestone") }

// whole is all of an output.
func whole(output string) string { return output }
