package follow

import (
	"context"
	"errors"
	"slices"
	"strings"

	"orihon/internal/extract"
	"orihon/internal/learn"
	"orihon/internal/session"
	"orihon/internal/wording"
	"orihon/items"
	"orihon/llm"
	"orihon/memory"
)

// mostPhrased is how many statements a session's work asks a model about at a time,
// and how many of them it keeps in mind.
const (
	mostPhrased = 3 * extract.PhrasesBatch
	keptPhrased = 500
)

// Unphrased are the statements of the user's own in this project that have no phrases
// by which they may be looked for, newest first. Episodes, notes and what failed are
// none.
func (f *Sessions) Unphrased(ctx context.Context) ([]memory.Item, error) {
	all, err := items.New(f.v.Home).List(ctx, memory.Filter{
		Scopes: []memory.Scope{memory.Personal(f.v.User)}, Kinds: []memory.Kind{memory.Semantic, memory.Procedural},
	})
	var out []memory.Item
	for i := range all {
		it := &all[i].Item
		if len(it.NeededWhen) == 0 && it.FailedAt() == "" && it.Metadata.Source != memory.FromRepository && !strings.Contains(it.ID, "#") {
			out = append(out, *it)
		}
	}
	slices.SortStableFunc(out, func(a, b memory.Item) int { return b.Metadata.CreatedAt.Compare(a.Metadata.CreatedAt) })
	return out, err
}

// Phrase asks a model for phrases by which statements may be looked for, and adds them;
// it returns how many statements got some. Where no model answers the error wraps
// [llm.ErrUnavailable], and what was added stays.
func (f *Sessions) Phrase(ctx context.Context, statements []memory.Item) (int, error) {
	return f.phrase(ctx, f.consultation(nil).x, "", statements)
}

func (f *Sessions) phrase(ctx context.Context, x *extract.Extractor, by string, statements []memory.Item) (done int, err error) {
	agent := items.New(f.v.Home).ForAgent(by, nil)
	for batch := range slices.Chunk(statements, extract.PhrasesBatch) {
		texts := make([]string, len(batch))
		for i := range batch {
			texts[i] = batch[i].Content
		}
		given, err := x.Phrases(ctx, texts)
		if err != nil {
			return done, err
		}
		for i, phrases := range given {
			if len(phrases) == 0 {
				continue
			}
			edited, err := agent.Edit(ctx, batch[i].ID, func(it *memory.Item) error {
				it.NeededWhen = phrases
				return nil
			})
			if err != nil && !learn.Refused(err) {
				return done, err
			}
			if err == nil && len(edited.Changed) > 0 {
				done++
			}
		}
	}
	return done, nil
}

// phraseOwn asks for phrases for what this session taught, each statement once. Where
// no model answers, it waits for the next time.
func (s *Session) phraseOwn(ctx context.Context) error {
	if !s.sessions().phrases() {
		return nil
	}
	x := s.sessions().consultation(s).x
	all, err := s.sessions().Unphrased(ctx)
	if err != nil {
		return err
	}
	tried := s.state.Extracted.Phrased
	all = slices.DeleteFunc(all, func(it memory.Item) bool {
		return it.Metadata.Session != s.start.ID || slices.Contains(tried, it.ID)
	})
	all = all[:min(len(all), mostPhrased)]
	if len(all) == 0 {
		return nil
	}
	if _, err := s.sessions().phrase(ctx, x, s.start.ID, all); err != nil {
		s.v.Log.Debug("session: no phrases", "session", s.start.ID, "err", err)
		if errors.Is(err, llm.ErrUnavailable) || ctx.Err() != nil {
			return nil
		}
	}
	return s.quietly(ctx, func(st *session.State) {
		for i := range all {
			st.Extracted.Phrased = append(st.Extracted.Phrased, all[i].ID)
		}
		st.Extracted.Phrased = st.Extracted.Phrased[max(0, len(st.Extracted.Phrased)-keptPhrased):]
	})
}

// wanted tells the agent what a prompt brought into memory that is found by its own
// words alone until the agent gives it phrases; nothing where the agent has no tool
// for that or a model is asked behind the session.
func (s *Session) wanted(ctx context.Context, news []memory.Item) Injection {
	const most = 3
	news = slices.DeleteFunc(slices.Clone(news), func(it memory.Item) bool {
		return len(it.NeededWhen) > 0 || it.Scope != memory.Personal(s.v.User)
	})
	if len(news) == 0 || s.tool == "" || !s.v.Config.Capture.Phrases || s.sessions().phrases() {
		return Injection{}
	}
	return s.tell(ctx, wording.PhrasesText(s.language(ctx, news[0].Content), s.toolNamed("memory_update"), news[:min(len(news), most)]), 0)
}
