package follow

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/session"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
)

// Bounds of what one session leaves in memory. All of it stands in its record.
const (
	mostEpisodes = 40
	mostFailures = 6
	// Of a burst of failures so many are kept, and none for a while after it.
	mostOfBurst = 2
	coolDown    = 180 * time.Second
)

// sumUp tells what each request of the session came to: in its record, as episodes,
// and as pitfalls what failed and how it was mended. A session that goes on gets
// new versions of those that changed.
func (s *Session) sumUp(ctx context.Context) error {
	c := &s.v.Config.Capture
	if !c.Enabled || !c.Episodes && !c.Failures {
		return nil
	}
	r, err := s.sessions().makeRecord(ctx, s.start.ID, s.script(), s.log)
	if err != nil {
		return err
	}
	if err := r.write(s.dir); err != nil {
		return err
	}
	if c.Episodes {
		if err := s.writeEpisodes(ctx, r.Requests); err != nil {
			return err
		}
	}
	if c.Failures {
		return s.writeFailures(ctx, r)
	}
	return nil
}

// writeEpisodes keeps an episode for each request for which something was done.
func (s *Session) writeEpisodes(ctx context.Context, all []capture.Request) error {
	type told struct {
		request *capture.Request
		learn.Statement
	}
	var changed []told
	for _, q := range telling(all) {
		sum, worth := capture.Episode(q)
		if !worth {
			continue
		}
		st := learn.Statement{
			Title: sum.Title, Text: sum.Text, Kind: memory.Episodic, Topic: memory.Fact, Tags: sum.Tags,
			Source: memory.FromSystem, Session: s.start.ID, Confidence: memory.InferredConfidence, At: q.Ended,
			Evidence: []string{fmt.Sprintf("%s/%d", s.start.ID, q.Seq)},
		}
		if s.state.Episodes[q.Seq].Digest != digestOf(&st) {
			changed = append(changed, told{q, st})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	known := s.state.Episodes
	// Their IDs are noted before the items are written, so that a crash between
	// the two makes no second episode.
	if err := s.quietly(ctx, func(st *session.State) {
		for _, t := range changed {
			if st.Episodes[t.request.Seq].ID == "" {
				id := s.v.NewID()
				if st.EpisodeID != "" && len(st.Episodes) == 0 {
					id = st.EpisodeID // that of the whole session, as it was once written
				}
				st.Told(t.request.Seq, id, "")
			}
		}
	}); err != nil {
		return err
	}
	var statements []learn.Statement
	for _, t := range changed {
		t.ID = s.state.Episodes[t.request.Seq].ID
		if (known[t.request.Seq].ID != "" || t.ID == s.state.EpisodeID) && s.forgotten(ctx, t.ID) {
			continue
		}
		statements = append(statements, t.Statement)
	}
	if _, err := s.v.RememberAll(ctx, statements); err != nil {
		return err
	}
	return s.quietly(ctx, func(st *session.State) {
		for _, t := range changed {
			st.Told(t.request.Seq, st.Episodes[t.request.Seq].ID, digestOf(&t.Statement))
		}
	})
}

// telling are the requests that get an episode: of very many those that changed
// something, and of these the last ones.
func telling(all []capture.Request) []*capture.Request {
	var out []*capture.Request
	for i := range all {
		if all[i].Acts() {
			out = append(out, &all[i])
		}
	}
	for over := len(out) - mostEpisodes; over > 0; over-- {
		i := slices.IndexFunc(out, func(q *capture.Request) bool { return len(q.Changed)+len(q.Commits) == 0 })
		out = slices.Delete(out, max(i, 0), max(i, 0)+1)
	}
	return out
}

// forgotten reports whether a person forgot an item.
func (s *Session) forgotten(ctx context.Context, id string) bool {
	known, err := items.New(s.v.Home).Get(ctx, id)
	return err == nil && known.Retired && !known.Archived
}

func digestOf(st *learn.Statement) string {
	return journal.Digest(strings.Join(append([]string{st.Title, st.Text}, st.Tags...), "\x00"))
}

// writeFailures keeps what failed and how it was mended, once for each session in
// which it did.
func (s *Session) writeFailures(ctx context.Context, r *record) error {
	var statements []learn.Statement
	var noted []string
	for _, f := range lasting(r) {
		id := failureID(s.v.Project.ID, &f)
		if slices.Contains(s.state.Failures, id) {
			continue
		}
		noted = append(noted, id)
		st := learn.Statement{
			ID: id, Title: f.Failed, Text: f.Pitfall(s.language(ctx, r.asked(f.Seq))), Kind: memory.Semantic, Topic: memory.Pitfall,
			Tags: []string{memory.FailureTag, memory.FailureTag + ":" + f.About, string(f.How)}, Source: memory.FromSystem, Session: s.start.ID,
			Evidence:   []string{fmt.Sprintf("%s/%d", s.start.ID, f.Seq), fmt.Sprintf("%s/%d", s.start.ID, f.Until)},
			Confidence: memory.InferredConfidence, At: f.At,
		}
		old, err := items.New(s.v.Home).Get(ctx, id)
		if err == nil && old.Retired && !old.Archived {
			continue // a person forgot it
		}
		if err == nil && old.Item.Metadata.Session != s.start.ID {
			st.Confidence = min(memory.CertainConfidence, old.Item.Metadata.Confidence+memory.SeenAgain)
		}
		statements = append(statements, st)
	}
	if len(noted) == 0 {
		return nil
	}
	if _, err := s.v.RememberAll(ctx, statements); err != nil {
		return err
	}
	return s.quietly(ctx, func(state *session.State) { state.Failures = append(state.Failures, noted...) })
}

// lasting are the mended failures that are worth keeping: no slips of the work under
// way, few of each burst and of a session, each error once.
func lasting(r *record) []capture.Fix {
	var out []capture.Fix
	var burst time.Time
	ofBurst := 0
	for _, f := range r.Fixes {
		same := func(g capture.Fix) bool { return errorOf(&g) == errorOf(&f) }
		switch {
		case f.Slip, slices.ContainsFunc(out, same):
			continue
		case f.At.Sub(burst) >= coolDown:
			burst, ofBurst = f.At, 0
		case ofBurst >= mostOfBurst:
			continue
		}
		if ofBurst++; len(out) < mostFailures {
			out = append(out, f)
		}
	}
	return out
}

// errorOf is what a mended failure is known by: its words, with the ports and codes that
// tell it from others with the same words.
func errorOf(f *capture.Fix) string {
	return strings.Join(append([]string{f.Signature()}, activity.Codes(f.Said)...), "\x00")
}

// failureID names what failed in a project, so that the same failure is the same
// item whenever it comes back.
func failureID(project string, f *capture.Fix) string {
	sum := sha256.Sum256([]byte("failure\x00" + project + "\x00" + errorOf(f)))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of one's own making
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
