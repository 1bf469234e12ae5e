package follow

import (
	"context"
	"slices"
	"time"

	"orihon/internal/asks"
	"orihon/internal/capture"
	"orihon/internal/extract"
	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/revise"
	"orihon/internal/session"
	"orihon/internal/terms"
	"orihon/memory"
)

// UserSaid reports whether a prompt of the user's seemed to change an item lately, and
// says what it is to say now: its numbers, names and most of its words stand in the
// prompt or in the item as it was. Where no prompt seemed to, one of the latest may still
// say it, see [Sessions.reworded]. A nil one is that the item is to go: then it is also
// enough that one of the prompts behind the one that brought it into memory takes that
// back, or that a request to forget names it. See [items.Said] for the prompt.
func (f *Sessions) UserSaid(ctx context.Context, old, now *memory.Item) (prompt string, said bool) {
	if now != nil && now.Content == old.Content {
		return "", false
	}
	dir, seq, changed := session.Changed(f.v.Project.Sessions(), old.ID, f.v.Now())
	if now == nil {
		return "", changed || f.takenBack(ctx, old) || f.disowned(ctx, old)
	}
	if text, ok := messageAt(ctx, dir, seq); changed && ok && extract.Stands(now.Content, text+"\n"+old.Content) {
		return promptAt(dir, seq), true
	}
	if at, ok := f.reworded(ctx, old.Content, now.Content); ok {
		f.noteChange(ctx, old, at)
		return promptAt(at.Dir, at.Seq), true
	}
	prompt, _ = f.SaidIn(ctx, now.Content)
	return prompt, false
}

// takenBack reports whether one of the prompts right behind the one that brought an item
// into memory takes back what was said: "oops, wrong window".
func (f *Sessions) takenBack(ctx context.Context, it *memory.Item) bool {
	const atLeast = 0.25 // docs/benchmarks.md says what it finds from there
	return slices.ContainsFunc(session.Since(f.v.Project.Sessions(), it.ID, f.v.Now()), func(p session.PromptAt) bool {
		text, ok := messageAt(ctx, p.Dir, p.Seq)
		return ok && asks.TakesBack(reader.Prepare(capture.Typed(capture.Said{Text: text}))) >= atLeast
	})
}

// latestRead is how many of the latest prompts are read for what an agent does at the
// user's word.
const latestRead = 3

// picked is how likely a prompt changes a statement that an agent has picked, at least.
const picked = 0.1

// reworded finds the prompt among the latest that makes one statement of another: it may
// change the old one, all that is new stands in it, and the new one leaves out no part of
// the old that it does not touch. The agent has picked the statement, so that less is
// asked of the prompt than where nobody has.
func (f *Sessions) reworded(ctx context.Context, old, now string) (session.PromptAt, bool) {
	if !f.v.Config.Capture.Changes {
		return session.PromptAt{}, false
	}
	for _, p := range f.latest() {
		text, ok := messageAt(ctx, p.Dir, p.Seq)
		if ok = ok && extract.Adds(now, old, dated(text, p.At)) && !revise.SaysMore(old, now+"\n"+text); !ok {
			continue
		}
		if c := changesTold(text, []string{old}); len(c) > 0 && c[0].P >= picked {
			return p, true
		}
	}
	return session.PromptAt{}, false
}

// noteChange notes that a prompt changes an item, as if the agent had been told of it: what
// waits of the two is settled by that.
func (f *Sessions) noteChange(ctx context.Context, it *memory.Item, at session.PromptAt) {
	if _, err := session.Update(ctx, at.Dir, f.options(), func(st *session.State) error {
		st.Offer([]memory.Item{*it}, at.Seq, f.v.Now())
		return nil
	}); err != nil {
		f.v.Log.Warn("session: a change is not noted", "item", it.ID, "err", err)
	}
}

func (f *Sessions) latest() []session.PromptAt {
	all := session.LatestPrompts(f.v.Project.Sessions(), f.v.Now())
	return all[:min(len(all), latestRead)]
}

// dated is a prompt with what is read in it, of which the days have their dates: an agent
// writes them so.
func dated(text string, at time.Time) string {
	for _, s := range capture.State(text, at) {
		text += "\n" + s.Text
	}
	return text
}

// ToldIn finds the prompts that say what an agent keeps, "<session>/<event>", the one that
// says it first. Beside that of [Sessions.SaidIn] it is one whose days have their dates, or
// one that goes on from those right before it: "no, five", of which they name the subject.
func (f *Sessions) ToldIn(ctx context.Context, content string) []string {
	if at, ok := f.SaidIn(ctx, content); ok {
		return []string{at}
	}
	all := f.latest()
	for i, p := range all {
		text, _ := messageAt(ctx, p.Dir, p.Seq)
		text = dated(text, p.At)
		if extract.Stands(content, text) {
			return []string{promptAt(p.Dir, p.Seq)}
		}
		prompts, before := []string{promptAt(p.Dir, p.Seq)}, ""
		for _, b := range all[i+1:] {
			if b.Dir != p.Dir {
				break
			}
			told, _ := messageAt(ctx, b.Dir, b.Seq)
			before += "\n" + told
			prompts = append(prompts, promptAt(b.Dir, b.Seq))
			if extract.Continues(content, text, before) {
				return prompts
			}
		}
	}
	return nil
}

// disowned reports whether one of the latest prompts asks to forget something, and a part
// of it names an item: "forget the heap rule. the same for the sample interval".
func (f *Sessions) disowned(ctx context.Context, it *memory.Item) bool {
	says := meaning.Builtin().Said(terms.Index(it.Title + "\n" + it.Content))
	for _, p := range f.latest() {
		text, ok := messageAt(ctx, p.Dir, p.Seq)
		if text = capture.Typed(capture.Said{Text: text}); ok && asksToForget(text) && names(text, says) {
			return true
		}
	}
	return false
}

func asksToForget(prompt string) bool {
	for _, s := range capture.State(prompt, time.Time{}) {
		if s.Kind == reader.Forget && s.P >= capture.ForgetLikely {
			return true
		}
	}
	return false
}

// names reports whether what a part of a prompt says stands in an item.
func names(prompt string, item *meaning.Said) bool {
	const atLeast = 0.7 // of what the part says
	for _, p := range reader.Pieces(prompt) {
		part := meaning.Builtin().Said(terms.Query(prompt[p.From:p.To]))
		if exact, near := part.In(item); exact+near >= atLeast*max(1, part.Total) {
			return true
		}
	}
	return false
}
