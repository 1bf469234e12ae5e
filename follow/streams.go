package follow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"orihon/internal/capture"
	"orihon/internal/extract"
	"orihon/internal/learn"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/internal/verbs"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
)

// When the streams read.
const (
	quickChars = 100 // of an answer
	turnsChars = 500 // that are new
	wholeChars = 100 // that are new when the session ends
	turnsEvery = 120 * time.Second
)

// study lets models read what was said since the last time: the last answer at once,
// a stretch of the conversation when it is long enough, all of it when the session is
// over. Where a model gives no answer, what it was to read waits for the next time.
func (s *Session) study(ctx context.Context, x *extract.Extractor) error {
	e := &s.v.Config.Extract
	if e.Quick {
		if err := s.quick(ctx, x); err != nil {
			return err
		}
	}
	if e.Turns || e.Deep {
		if err := s.latest(ctx, x); err != nil {
			return err
		}
	}
	if e.Consolidation && s.state.Status == session.Ended {
		return s.whole(ctx, x)
	}
	return nil
}

// quick reads the last answer. It is read once, whatever comes of it: what it misses
// the stretch finds.
func (s *Session) quick(ctx context.Context, x *extract.Extractor) error {
	turns, next, err := s.conversation(ctx, s.state.Extracted.Quick)
	if err != nil || len(turns) == 0 {
		return err
	}
	if err := s.quietly(ctx, func(st *session.State) { st.Extracted.Quick = next }); err != nil {
		return err
	}
	answer := turns[len(turns)-1]
	if answer.Role != journal.RoleAssistant || utf8.RuneCountInString(answer.Text) < quickChars {
		return nil
	}
	turns = turns[len(turns)-1:]
	pieces, err := s.read(ctx, x, extract.QuickStream(), turns)
	if err != nil {
		return nil
	}
	return s.heat(ctx, stretchOf(extract.Quick, turns), pieces, nil)
}

// latest reads what was said since the last stretch: the small model for memory, the
// larger one for the hot cache, where its version takes the place of the quick one.
func (s *Session) latest(ctx context.Context, x *extract.Extractor) error {
	now := s.v.Now()
	if since := now.Sub(s.state.Extracted.TurnsAt); since >= 0 && since < turnsEvery {
		return nil
	}
	turns, next, err := s.conversation(ctx, s.state.Extracted.Turns)
	if err != nil || length(turns) < turnsChars || !s.settled(ctx) {
		return err
	}
	if turns[len(turns)-1].Role == journal.RoleUser && s.state.Status != session.Ended {
		// The prompt's own hook may be about to keep what it says. Its answer comes
		// with more work.
		return nil
	}
	// A run that is killed is not begun again before its time.
	if err := s.quietly(ctx, func(st *session.State) { st.Extracted.TurnsAt = now.UTC() }); err != nil {
		return err
	}
	if s.v.Config.Extract.Turns {
		pieces, err := s.read(ctx, x, extract.TurnStream(), turns)
		if err != nil {
			return nil
		}
		if err := s.teach(ctx, x, stretchOf(extract.Turns, turns), pieces); err != nil {
			return err
		}
	}
	if s.v.Config.Extract.Deep {
		if pieces, err := s.read(ctx, x, extract.DeepStream(), turns); err == nil {
			if err := s.heat(ctx, stretchOf(extract.Deep, turns), pieces, nil); err != nil {
				return err
			}
		}
	}
	return s.quietly(ctx, func(st *session.State) { st.Extracted.Turns = next })
}

// whole reads all of a session that is over, for what nothing has found yet.
func (s *Session) whole(ctx context.Context, x *extract.Extractor) error {
	fresh, next, err := s.conversation(ctx, s.state.Extracted.Whole)
	if err != nil || length(fresh) < wholeChars {
		return err
	}
	turns, _, err := s.conversation(ctx, 0)
	if err != nil || !s.settled(ctx) {
		return err
	}
	pieces, err := s.read(ctx, x, extract.EndStream(), turns)
	if err != nil {
		return nil
	}
	if err := s.teach(ctx, x, stretchOf(extract.Consolidation, turns), pieces); err != nil {
		return err
	}
	return s.quietly(ctx, func(st *session.State) { st.Extracted.Whole = next })
}

// settled reports whether all that the user said was looked through for statements. A
// prompt that came meanwhile comes with work of its own: a stream that read it first
// would keep in its words what then waits in the user's.
func (s *Session) settled(ctx context.Context) bool {
	if !s.sessions().consults() {
		return true
	}
	turns, _, err := s.log.Turns(ctx, s.state.Extracted.Said)
	return err == nil && !slices.ContainsFunc(turns, func(t journal.Turn) bool { return t.Role == journal.RoleUser })
}

// conversation is what the user and the agent said from a place in the journal on, and
// the place at which to go on: without what clients and this program put there.
func (s *Session) conversation(ctx context.Context, from int64) ([]journal.Turn, int64, error) {
	turns, next, err := s.log.Turns(ctx, from)
	for i := range turns {
		switch t := &turns[i]; {
		case t.Role == journal.RoleUser:
			t.Text = capture.Typed(capture.Said{Text: t.Text})
		case capture.ByClient(t.Text):
			t.Text = ""
		}
	}
	return slices.DeleteFunc(turns, func(t journal.Turn) bool { return t.Text == "" }), next, err
}

// read asks one stream about turns. What is in memory already is told to the model,
// and left out of what it says.
func (s *Session) read(ctx context.Context, x *extract.Extractor, stream extract.Stream, turns []journal.Turn) ([]extract.Piece, error) {
	known, err := s.taught(ctx)
	if err != nil {
		return nil, err
	}
	talk := make([]extract.Said, len(turns))
	for i, t := range turns {
		talk[i] = extract.Said{User: t.Role == journal.RoleUser, Text: t.Text}
	}
	given, err := s.given(ctx)
	if err != nil {
		return nil, err
	}
	pieces, err := x.Knowledge(ctx, stream, talk, known)
	pieces = slices.DeleteFunc(pieces, func(p extract.Piece) bool {
		return extract.Stands(p.Content, given...) || slices.ContainsFunc(known, func(k string) bool { return learn.Same(k, p.Content) })
	})
	return pieces[:min(len(pieces), stream.Most)], err
}

// given is what memory put before the agent in this session. An agent that says it again
// makes it no truer.
func (s *Session) given(ctx context.Context) (texts []string, err error) {
	var ids []string
	for e, err := range s.log.Events(ctx, 1) {
		var broken *journal.Problem
		switch {
		case errors.As(err, &broken):
			continue
		case err != nil:
			return nil, err
		}
		var r journal.Recall
		if e.Type == journal.Recalled && s.log.Decode(e, &r) == nil {
			ids = append(ids, r.Passages...)
		}
	}
	for _, sp := range s.v.Spaces() {
		index, err := sp.Reader(ctx)
		if err != nil || index == nil || len(ids) == 0 {
			continue
		}
		found, err := index.Fetch(ctx, memory.Filter{Scopes: s.v.Viewer().Scopes(), Superseded: true}, ids...)
		if err != nil {
			return nil, err
		}
		for i := range found {
			texts = append(texts, found[i].Item.Content)
		}
	}
	return texts, nil
}

// taught is what this session has taught memory so far, by whatever way, and what of it
// waits for a person: neither is to come a second time.
func (s *Session) taught(ctx context.Context) ([]string, error) {
	all, err := items.New(s.v.Home).List(ctx, memory.Filter{Kinds: []memory.Kind{memory.Semantic, memory.Procedural}})
	var out []string
	for i := range all {
		if it := &all[i].Item; it.Metadata.Session == s.start.ID && it.FailedAt() == "" {
			out = append(out, it.Content)
		}
	}
	for _, sp := range s.v.Spaces() {
		waiting, cerr := sp.Text.Candidates(ctx)
		err = errors.Join(err, cerr)
		for i := range waiting {
			if q := &waiting[i]; q.Kind == memory.QuestionKeep && q.Item.Metadata.Session == s.start.ID {
				out = append(out, q.Item.Content)
			}
		}
	}
	return out, err
}

// extractedTag marks items that a model took from a conversation.
const extractedTag = "extracted"

// teach keeps pieces as provisional statements, in the hot cache too.
func (s *Session) teach(ctx context.Context, x *extract.Extractor, of stretch, pieces []extract.Piece) error {
	if len(pieces) == 0 {
		return nil
	}
	if err := s.v.Register(ctx); err != nil {
		return err
	}
	scope := memory.Personal(s.v.User)
	sp, err := s.v.SpaceOf(scope)
	if err != nil {
		return err
	}
	said := make([]learn.Statement, len(pieces))
	for i, p := range pieces {
		said[i] = learn.Statement{
			Text: p.Content, Topic: memory.Topic(p.Type), Scope: scope, Tags: []string{extractedTag}, Source: memory.FromAgent,
			Session: s.start.ID, Evidence: []string{fmt.Sprintf("%s/%d", s.start.ID, of.to)},
			Confidence: memory.SingleConfidence, Tier: memory.Provisional,
		}
	}
	related := (&consultation{v: s.v, x: x}).relate(ctx, sp, said)
	asked := s.state.Extracted.Asked
	kept, err := s.learnAll(ctx, sp, related, said, &asked)
	if err != nil {
		return err
	}
	ids := make(map[string]string)
	var news []string
	for i := range kept {
		if kept[i].Action == learn.Added {
			ids[kept[i].Item.Content] = kept[i].Item.ID
			news = append(news, kept[i].Item.ID)
		}
	}
	if err := s.quietly(ctx, func(st *session.State) { st.Extracted.Asked = asked }); err != nil {
		return err
	}
	if err := session.AddNews(ctx, s.v.Project.Sessions(), news...); err != nil {
		return err
	}
	return s.heat(ctx, of, pieces, ids)
}

// learnAll takes what a model found, of one space, through the steps. asked counts how many a
// person is asked about, of which a session has few.
func (s *Session) learnAll(ctx context.Context, sp *space.Space, related relations, said []learn.Statement, asked *int) ([]learn.Outcome, error) {
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	find, err := verbs.LookupNow(ctx, sp, said[0].Scope)
	if err != nil {
		return nil, err
	}
	o := s.v.Learning(sp, find)
	o.Related, o.Judged = related.of, "worth keeping, says a model that read the conversation"
	ask := o.Candidates
	o.Candidates = func(ctx context.Context, questions ...memory.Question) error {
		questions = questions[:min(len(questions), max(0, mostAsked-*asked))]
		*asked += len(questions)
		return ask(ctx, questions...)
	}
	out, err := learn.New(o).LearnAll(ctx, said)
	if err != nil && !learn.Refused(err) {
		return out, err
	}
	return out, sp.Follow(ctx, said[0].Scope)
}

// stretch is the part of the journal that a stream read, by the numbers of its first
// and last turn.
type stretch struct {
	stream   string
	from, to int64
}

func stretchOf(stream string, turns []journal.Turn) stretch {
	return stretch{stream, turns[0].Seq, turns[len(turns)-1].Seq}
}

// heat puts pieces into the hot cache. What they say better goes, and before those of
// the deep stream all that was read of the same stretch and is not in memory. items
// are those that are, by their words.
func (s *Session) heat(ctx context.Context, of stretch, pieces []extract.Piece, items map[string]string) error {
	if len(pieces) == 0 {
		return nil
	}
	if items == nil {
		items = make(map[string]string)
	}
	return session.UpdateHot(ctx, s.dir, func(h *session.Hot) {
		injected := make(map[string]bool)
		h.Entries = slices.DeleteFunc(h.Entries, func(e session.Entry) bool {
			better := slices.IndexFunc(pieces, func(p extract.Piece) bool { return learn.Same(e.Text, p.Content) })
			if better >= 0 && e.Injected {
				injected[pieces[better].Content] = true
			}
			if better >= 0 && items[pieces[better].Content] == "" {
				items[pieces[better].Content] = e.Item
			}
			return better >= 0 || of.stream == extract.Deep && e.Seq >= of.from && e.Item == ""
		})
		for _, p := range pieces {
			h.Entries = append(h.Entries, session.Entry{
				Text: p.Content, Topic: p.Type, Stream: of.stream, Seq: of.to, At: s.v.Now().UTC(), Item: items[p.Content], Injected: injected[p.Content],
			})
		}
	})
}

// length is how long turns are, in characters.
func length(turns []journal.Turn) int {
	n := 0
	for i := range turns {
		n += utf8.RuneCountInString(turns[i].Text)
	}
	return n
}
