// Package review is what waits for a person: statements of which memory is not
// sure, pairs that are at odds, shared items that management must accept, and
// text that came with a repository.
package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"orihon/internal/home"
	"orihon/internal/learn"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/memory"
)

// Review is what waits for a person: statements of which it is not sure that
// they are worth keeping, pairs that are at odds, changes that are proposed,
// and shared items that management must accept.
type Review struct{ h *home.Home }

// New is what waits in a home; programs call orihon.Memory.Review.
func New(h *home.Home) *Review { return &Review{h} }

// CandidateShared is the kind of a shared item that waits for management. The
// others are those of the store.
const CandidateShared memory.QuestionKind = "shared"

// Pending is one thing to decide on.
type Pending struct {
	ID   string              `json:"id"`
	Kind memory.QuestionKind `json:"kind"`
	// Item is what would be written.
	Item memory.Item `json:"item"`
	// Other is the item it is weighed against; nil when there is none any more.
	Other *memory.Item `json:"other,omitempty"`
	Why   string       `json:"why,omitempty"`
	At    time.Time    `json:"at,omitzero"`
	By    string       `json:"by,omitempty"`
	// Refused says why this user may not decide on it; empty when they may.
	Refused string `json:"refused,omitempty"`
	// Against are statements that hold now and speak against it, see [Review.Weigh].
	Against []memory.Item `json:"against,omitempty"`

	beside string   // the ID of Other
	twins  []string // IDs of questions that ask the same of the two
}

// List returns what waits, oldest first, and what could not be read.
func (r *Review) List(ctx context.Context) (out []Pending, problems []string, err error) {
	for _, sp := range r.h.Spaces() {
		found, err := r.open(ctx, sp)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range found {
			if w.Kind == memory.QuestionEverywhere && w.Other == nil {
				if here, err := r.h.Personal.Text.Get(ctx, w.beside); err == nil {
					w.Other = &here
				}
			}
			out = append(out, w)
		}
	}
	shared, bad := r.h.Personal.Text.Submissions(ctx, r.h.Project.PendingReview(), memory.Shared)
	for _, p := range bad {
		problems = append(problems, p.String())
	}
	refused := ""
	if len(shared) > 0 && !r.h.Standing().Management {
		refused = r.h.NotManagement()
	}
	for _, s := range shared {
		w := Pending{ID: s.Item.ID, Kind: CandidateShared, Item: s.Item, Why: home.WhySensitive(&s.Item), At: s.Item.Metadata.CreatedAt, By: s.By, Refused: refused}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b Pending) int { return a.At.Compare(b.At) })
	return out, problems, nil
}

// Count is how many things wait that this user may decide on.
func (r *Review) Count(ctx context.Context) int {
	n := 0
	for _, sp := range r.h.Spaces() {
		found, err := r.open(ctx, sp)
		if err != nil {
			r.h.Log.Warn("review left out", "space", sp.Name, "err", err)
		}
		n += len(found)
	}
	if r.h.Standing().Management {
		shared, _ := r.h.Personal.Text.Submissions(ctx, r.h.Project.PendingReview(), memory.Shared)
		n += len(shared)
	}
	return n
}

// Find returns what waits by its ID, or by the beginning or end of it.
func (r *Review) Find(ctx context.Context, id string) (Pending, error) {
	all, _, err := r.List(ctx)
	if err != nil {
		return Pending{}, err
	}
	var found []Pending
	for _, w := range all {
		if w.ID == id {
			return w, nil
		}
		if memory.Abbreviates(id, w.ID) {
			found = append(found, w)
		}
	}
	switch len(found) {
	case 0:
		return Pending{}, fmt.Errorf("review %s: %w: nothing of that id waits", id, memory.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return Pending{}, fmt.Errorf("%w id %s: %d things that wait match it, give more of it", memory.ErrInvalid, id, len(found))
}

// Approval tunes [Review.Approve]; the zero value accepts as proposed.
type Approval struct {
	Text string // instead of what was proposed
	// Both keeps the other item of a conflict too.
	Both bool
	// Into merges the statement into the item with this ID instead of adding
	// it: the wording becomes Text, or the proposed one, and nothing is lost of
	// tags and triggers.
	Into string
}

// Approve carries out what waits and returns the item as it is then. What only
// management may decide is refused to others with [memory.ErrRefused].
func (r *Review) Approve(ctx context.Context, id string, o Approval) (memory.Item, error) {
	w, err := r.Find(ctx, id)
	if err != nil {
		return memory.Item{}, err
	}
	if w.Refused != "" {
		return memory.Item{}, fmt.Errorf("review %s: %w: %s", w.ID, memory.ErrRefused, w.Refused)
	}
	if o.Text != "" {
		w.Item.Content = o.Text
	}
	r.h.CleanItem(&w.Item)
	sp, err := r.h.SpaceOf(w.Item.Scope)
	if err != nil {
		return memory.Item{}, err
	}
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return memory.Item{}, err
	}
	written, err := r.carryOut(ctx, sp, w, o)
	unlock()
	if err != nil {
		return memory.Item{}, err
	}
	it := written[len(written)-1]
	if w.Kind == memory.QuestionEverywhere {
		if err := r.leaves(ctx, w.beside, it.ID); err != nil {
			return it, err
		}
	}
	was := ""
	if w.Other != nil {
		was = w.Other.Content
	}
	// Before the approval: it is the last decision.
	if err := r.Followed(ctx, was, &it, w.ID); err != nil {
		return it, err
	}
	return it, r.settle(ctx, sp, w, verdict{op: memory.AuditApprove, item: it, noted: string(w.Kind)})
}

// Ends is the item that approving what waits would end; nil for none.
func (r *Review) Ends(ctx context.Context, w Pending, o Approval) (*memory.Item, error) {
	sp, err := r.h.SpaceOf(w.Item.Scope)
	if err != nil {
		return nil, err
	}
	w.Item.Content = cmp.Or(o.Text, w.Item.Content)
	return r.ends(ctx, sp, &w, o)
}

// carryOut writes what an approval means; the item itself comes last.
func (r *Review) carryOut(ctx context.Context, sp *space.Space, w Pending, o Approval) ([]memory.Item, error) {
	now := r.h.Now().UTC()
	it := confirmed(w.Item, now)
	var written []memory.Item
	switch {
	case w.Kind == memory.QuestionMerge && w.Other != nil && !o.Both:
		return r.mergeInto(ctx, sp, w, o, now)
	case o.Into != "":
		into, err := sp.Text.Get(ctx, o.Into)
		if err != nil {
			return nil, err
		}
		written = []memory.Item{merged(into, it, now)}
	case w.Kind == memory.QuestionUpdate && w.Other != nil:
		written = []memory.Item{merged(*w.Other, it, now)}
	case w.Kind == memory.QuestionPromote:
		now, err := sp.Text.Get(ctx, it.ID)
		if err != nil {
			return nil, err
		}
		now.Tier, now.Metadata.UpdatedAt = nextTier(now.Tier), it.Metadata.UpdatedAt
		written = []memory.Item{now}
	case w.Kind == memory.QuestionConflict || w.Kind == memory.QuestionFrozen || w.Kind == memory.QuestionKeep:
		over, err := r.ends(ctx, sp, &w, o)
		if err != nil {
			return nil, err
		}
		if over != nil {
			over.ValidTo, over.Metadata.UpdatedAt = now, now
			it.Relations.Supersedes, it.ValidFrom = over.ID, now
			written = append(written, *over)
		}
		written = append(written, it)
	case w.Kind == CandidateShared && it.Relations.Supersedes != "":
		other, err := sp.Known(ctx, it.Relations.Supersedes)
		if err != nil {
			return nil, err
		}
		if other != nil && other.ValidTo.IsZero() {
			other.ValidTo, other.Metadata.UpdatedAt = now, now
			written = append(written, *other)
		}
		written = append(written, it)
	default:
		written = []memory.Item{it}
	}
	return written, sp.Text.Put(ctx, written...)
}

// mergeInto makes one item of two that are both kept: the other one, in the words that
// were given, else those that say more. The one that goes can be restored.
func (r *Review) mergeInto(ctx context.Context, sp *space.Space, w Pending, o Approval, now time.Time) ([]memory.Item, error) {
	goes, err := sp.Text.Get(ctx, w.Item.ID)
	if err != nil {
		return nil, err
	}
	if text := w.Other.Content; o.Text == "" && utf8.RuneCountInString(text) > utf8.RuneCountInString(w.Item.Content) {
		w.Item.Content = text
	}
	w.Item.Metadata.Evidence = slices.Clone(goes.Metadata.Evidence)
	if said := goes.Metadata.Session; said != "" {
		w.Item.Metadata.Evidence = append(w.Item.Metadata.Evidence, said)
	}
	one := merged(*w.Other, w.Item, now)
	if err := sp.Text.Put(ctx, one); err != nil {
		return nil, err
	}
	return []memory.Item{one}, sp.Text.Remove(ctx, goes.ID, "merged into "+one.ID, now)
}

// leaves takes an item that now holds in all projects out of the one in which it was said,
// which is seldom another than this.
func (r *Review) leaves(ctx context.Context, id, to string) error {
	const most = 50 // projects
	if gone, err := r.leave(ctx, r.h.Personal, id, to); gone || err != nil {
		return err
	}
	for _, sp := range r.h.Others(most) {
		if gone, err := r.leave(ctx, sp, id, to); gone || err != nil {
			return err
		}
	}
	return nil
}

// leave is leaves for one space; gone is whether it held the item.
func (r *Review) leave(ctx context.Context, sp *space.Space, id, to string) (gone bool, err error) {
	it, err := sp.Known(ctx, id)
	if err != nil || it == nil {
		return false, err
	}
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return false, err
	}
	why := "holds in all projects now: " + to
	err = sp.Text.Remove(ctx, id, why, r.h.Now().UTC())
	unlock()
	if err != nil {
		return false, err
	}
	return true, audited(ctx, r.h, sp, it.Scope, memory.AuditRecord{Op: memory.AuditRetire, ID: id, Other: to, Why: why})
}

// confirmed is an item that a person has said yes to: it is believed as what they state.
func confirmed(it memory.Item, now time.Time) memory.Item {
	const gain = 0.2
	m := &it.Metadata
	m.Confidence = max(min(1, m.Confidence+gain), memory.StatedConfidence)
	m.Confirmations++
	m.UpdatedAt = now
	m.Tags = slices.DeleteFunc(slices.Clone(m.Tags), func(t string) bool { return t == learn.FrozenTag })
	if it.Tier == "" || it.Tier == memory.Provisional {
		it.Tier = memory.Observed
	}
	if it.ValidFrom.IsZero() {
		it.ValidFrom = now
	}
	it.ValidTo = time.Time{}
	return it
}

// merged is an item with the wording and the marks of another.
func merged(into, from memory.Item, now time.Time) memory.Item {
	into = into.Clone()
	into.Content = from.Content
	for _, list := range []struct {
		to   *[]string
		more []string
	}{
		{&into.Metadata.Tags, from.Metadata.Tags}, {&into.Triggers, from.Triggers}, {&into.Aliases, from.Aliases}, {&into.NeededWhen, from.NeededWhen},
		{&into.Metadata.Evidence, from.Metadata.Evidence}, {&into.Relations.RelatedTo, from.Relations.RelatedTo},
	} {
		for _, text := range list.more {
			if !slices.Contains(*list.to, text) {
				*list.to = append(*list.to, text)
			}
		}
	}
	return confirmed(into, now)
}

func nextTier(t memory.Tier) memory.Tier {
	if t == memory.Observed || t == memory.Settled {
		return memory.Settled
	}
	return memory.Observed
}

// Reject turns down what waits; the reason stays in the trail and, of a shared
// item, beside it. What was only proposed was never in force; an item that is
// already stored, because a conflict with it was found later, is taken out.
func (r *Review) Reject(ctx context.Context, id, why string) (Pending, error) {
	why = r.h.CleanReason(why)
	w, err := r.Find(ctx, id)
	if err != nil {
		return w, err
	}
	if w.Refused != "" {
		return w, fmt.Errorf("review %s: %w: %s", w.ID, memory.ErrRefused, w.Refused)
	}
	sp, err := r.h.SpaceOf(w.Item.Scope)
	if err != nil {
		return w, err
	}
	if w.Kind == memory.QuestionConflict || w.Kind == memory.QuestionFrozen {
		if stored, err := sp.Known(ctx, w.Item.ID); err != nil {
			return w, err
		} else if stored != nil {
			if err := sp.Text.Remove(ctx, stored.ID, "review: "+why, r.h.Now().UTC()); err != nil {
				return w, err
			}
		}
	}
	return w, r.settle(ctx, sp, w, verdict{op: memory.AuditReject, item: w.Item, why: why, noted: strings.TrimSpace(string(w.Kind) + " " + why)})
}

// Overtaken closes questions that an agent has answered by what it kept or changed at the
// user's word. Why stands in the trail.
func (r *Review) Overtaken(ctx context.Context, why string, which func(*Pending) bool) error {
	all, _, err := r.List(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		w := &all[i]
		if w.Kind == CandidateShared || !which(w) {
			continue
		}
		sp, err := r.h.SpaceOf(w.Item.Scope)
		if err != nil {
			return err
		}
		v := verdict{op: memory.AuditReject, item: w.Item, why: why, noted: why, by: string(memory.FromAgent)}
		if err := r.settle(ctx, sp, *w, v); err != nil && !errors.Is(err, memory.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Followed closes questions about what an item says by now, but for those of some IDs:
// whoever kept it, changed it or approved it has answered them. was is what it said before,
// empty for nothing.
func (r *Review) Followed(ctx context.Context, was string, it *memory.Item, but ...string) error {
	return r.Overtaken(ctx, "settled by what was kept of it", func(w *Pending) bool {
		return w.Kind == memory.QuestionKeep && w.Item.Scope == it.Scope && !slices.Contains(but, w.ID) && w.settledBy(was, it)
	})
}

// verdict is what a person said of what waits.
type verdict struct {
	op    memory.AuditOp // approve or reject
	item  memory.Item    // as it is then
	why   string         // of a rejection
	noted string         // why, for the audit trail
	by    string         // who said it, where that is not the user
}

// settle closes a question and notes in the trail how.
func (r *Review) settle(ctx context.Context, sp *space.Space, w Pending, v verdict) error {
	if err := r.answer(ctx, sp, w, v); err != nil {
		return err
	}
	record := memory.AuditRecord{Op: v.op, ID: v.item.ID, Why: v.noted, Score: v.item.Metadata.Confidence, By: v.by}
	if w.Other != nil {
		record.Other = w.Other.ID
	} else if w.Kind == memory.QuestionKeep && v.op == memory.AuditApprove {
		record.Other = v.item.Relations.Supersedes // what it ended
	}
	if w.Kind != CandidateShared {
		record.Question = w.ID
	}
	return audited(ctx, r.h, sp, v.item.Scope, record)
}

// answer closes the question itself.
func (r *Review) answer(ctx context.Context, sp *space.Space, w Pending, v verdict) error {
	if w.Kind != CandidateShared {
		for _, id := range append([]string{w.ID}, w.twins...) {
			if err := sp.Text.Settle(ctx, id, string(v.op), v.why, cmp.Or(v.by, r.h.User)); err != nil {
				return err
			}
		}
		return nil
	}
	all, _ := sp.Text.Submissions(ctx, r.h.Project.PendingReview(), memory.Shared)
	for _, s := range all {
		if s.Item.ID != w.Item.ID {
			continue
		}
		var rejected *store.Rejection
		if v.op == memory.AuditReject {
			rejected = &store.Rejection{Dir: r.h.Project.RejectedReview(), Why: v.why, By: r.h.User, At: r.h.Now()}
		}
		if err := sp.Text.Withdraw(ctx, s, rejected); err != nil {
			return err
		}
	}
	return nil
}

// audited notes what the user decided now, and lets the index follow.
func audited(ctx context.Context, h *home.Home, sp *space.Space, scope memory.Scope, record memory.AuditRecord) error {
	record.TS, record.By = h.Now().UTC(), cmp.Or(record.By, h.User)
	if err := sp.Text.Audit(ctx, record); err != nil {
		return err
	}
	if err := sp.Follow(ctx, scope); err != nil {
		h.Log.Warn("review: the index lags behind", "err", err)
	}
	return nil
}

// InitRoles makes the folders of the roles, the user's own list and, where there is
// none, the project's: with the user as management, and accepted.
func (r *Review) InitRoles(ctx context.Context, roles []string) (made []string, err error) {
	_, before, _ := r.h.Project.RolesList()
	made, err = r.h.Project.InitRoles(r.h.User, roles)
	if err != nil || before != "" {
		return made, err
	}
	_, hash, err := r.h.Project.RolesList()
	if err != nil {
		return made, err
	}
	return made, r.h.Book().Accept(ctx, hash)
}
