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
	"orihon/internal/session"
	"orihon/internal/terms"
	"orihon/memory"
)

// UserSaid reports whether a prompt of the user's seemed to change an item lately, and
// says what it is to say now: its numbers, names and most of its words stand in the
// prompt or in the item as it was. A nil one is that the item is to go: then it is also
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

// disowned reports whether one of the latest prompts asks to forget something, and a part
// of it names an item: "forget the heap rule. the same for the sample interval".
func (f *Sessions) disowned(ctx context.Context, it *memory.Item) bool {
	const latest = 3 // prompts
	says := meaning.Builtin().Said(terms.Index(it.Title + "\n" + it.Content))
	prompts := session.LatestPrompts(f.v.Project.Sessions(), f.v.Now())
	for _, p := range prompts[:min(len(prompts), latest)] {
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
