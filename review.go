package orihon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/learn"
	"orihon/internal/project"
	"orihon/memory"
)

// Review is what waits for a person: statements of which it is not sure that
// they are worth keeping, pairs that are at odds, changes that are proposed,
// and shared items that management must accept.
type Review struct{ m *Memory }

// Review is the part of the handle for what waits for a person.
func (m *Memory) Review() *Review { return &Review{m} }

// CandidateShared is the kind of a shared item that waits for management. The
// others are those of the store.
const CandidateShared = "shared"

// Waiting is one thing to decide on.
type Waiting struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // keep, conflict, update, promote, frozen or shared
	// Item is what would be written.
	Item memory.Item `json:"item"`
	// Other is the item it is weighed against; nil when there is none any more.
	Other *memory.Item `json:"other,omitempty"`
	Why   string       `json:"why,omitempty"`
	At    time.Time    `json:"at,omitzero"`
	By    string       `json:"by,omitempty"`
	// Refused says why this user may not decide on it; empty when they may.
	Refused string `json:"refused,omitempty"`
}

// List returns what waits, oldest first, and what could not be read.
func (r *Review) List(ctx context.Context) (out []Waiting, problems []string, err error) {
	for _, sp := range r.spaces() {
		found, err := sp.text.Candidates(ctx)
		if err != nil {
			return nil, nil, err
		}
		others := make([]string, 0, len(found))
		for _, c := range found {
			if c.Other != "" {
				others = append(others, c.Other)
			}
		}
		known, err := sp.text.Living(ctx, others...)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range found {
			w := Waiting{ID: c.ID, Kind: c.Kind, Item: c.Item, Why: c.Why, At: c.At, By: string(c.Item.Metadata.Source)}
			if other, ok := known[c.Other]; ok {
				w.Other = &other
			}
			out = append(out, w)
		}
	}
	shared, bad := r.m.personal.text.Submissions(ctx, r.m.project.PendingReview(), memory.Shared)
	for _, p := range bad {
		problems = append(problems, p.String())
	}
	refused := ""
	if len(shared) > 0 && !r.m.standing().Management {
		refused = r.m.notManagement()
	}
	for _, s := range shared {
		w := Waiting{ID: s.Item.ID, Kind: CandidateShared, Item: s.Item, Why: whySensitive(&s.Item), At: s.Item.Metadata.CreatedAt, By: s.By, Refused: refused}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b Waiting) int { return a.At.Compare(b.At) })
	return out, problems, nil
}

// count is how many things wait that this user may decide on. A session begins
// with it, so that the items they are weighed against are not looked up.
func (r *Review) count(ctx context.Context) int {
	n := 0
	for _, sp := range r.spaces() {
		found, err := sp.text.Candidates(ctx)
		if err != nil {
			r.m.log.Warn("review left out", "space", sp.name, "err", err)
		}
		n += len(found)
	}
	if r.m.standing().Management {
		shared, _ := r.m.personal.text.Submissions(ctx, r.m.project.PendingReview(), memory.Shared)
		n += len(shared)
	}
	return n
}

func (r *Review) spaces() []*space { return []*space{r.m.personal, r.m.global} }

// known is an item as it is now; nil without an ID, or when it is gone.
func (sp *space) known(ctx context.Context, id string) (*memory.Item, error) {
	if id == "" {
		return nil, nil
	}
	it, err := sp.text.Get(ctx, id)
	if errors.Is(err, memory.ErrNotFound) {
		return nil, nil
	}
	return &it, err
}

// shortestCandidate is the least of an ID that names what waits.
const shortestCandidate = 4

// Find returns what waits by its ID, or by the beginning or end of it.
func (r *Review) Find(ctx context.Context, id string) (Waiting, error) {
	all, _, err := r.List(ctx)
	if err != nil {
		return Waiting{}, err
	}
	var found []Waiting
	for _, w := range all {
		if w.ID == id {
			return w, nil
		}
		if len(id) >= shortestCandidate && (strings.HasPrefix(w.ID, id) || strings.HasSuffix(w.ID, id)) {
			found = append(found, w)
		}
	}
	switch len(found) {
	case 0:
		return Waiting{}, fmt.Errorf("review %s: %w: nothing of that id waits", id, memory.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return Waiting{}, fmt.Errorf("%w id %s: %d things that wait match it, give more of it", memory.ErrInvalid, id, len(found))
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
	r.m.cleanItem(&w.Item)
	sp, err := r.m.spaceOf(w.Item.Scope)
	if err != nil {
		return memory.Item{}, err
	}
	unlock, err := sp.turn(ctx)
	if err != nil {
		return memory.Item{}, err
	}
	written, err := r.carryOut(ctx, sp, w, o)
	unlock()
	if err != nil {
		return memory.Item{}, err
	}
	it := written[len(written)-1]
	if err := r.settle(ctx, sp, w, "approve", ""); err != nil {
		return it, err
	}
	return it, r.record(ctx, sp, memory.AuditApprove, it, otherID(w), w.Kind)
}

// carryOut writes what an approval means; the item itself comes last.
func (r *Review) carryOut(ctx context.Context, sp *space, w Waiting, o Approval) ([]memory.Item, error) {
	now := r.m.now().UTC()
	it := confirmed(w.Item, now)
	var items []memory.Item
	switch {
	case o.Into != "":
		into, err := sp.text.Get(ctx, o.Into)
		if err != nil {
			return nil, err
		}
		items = []memory.Item{merged(into, it, now)}
	case w.Kind == memory.QuestionUpdate && w.Other != nil:
		items = []memory.Item{merged(*w.Other, it, now)}
	case w.Kind == memory.QuestionPromote:
		now, err := sp.text.Get(ctx, it.ID)
		if err != nil {
			return nil, err
		}
		now.Tier, now.Metadata.UpdatedAt = nextTier(now.Tier), it.Metadata.UpdatedAt
		items = []memory.Item{now}
	case (w.Kind == memory.QuestionConflict || w.Kind == memory.QuestionFrozen) && w.Other != nil && !o.Both:
		other := *w.Other
		other.ValidTo, other.Metadata.UpdatedAt = now, now
		it.Relations.Supersedes, it.ValidFrom = other.ID, now
		items = []memory.Item{other, it}
	case w.Kind == CandidateShared && it.Relations.Supersedes != "":
		other, err := sp.known(ctx, it.Relations.Supersedes)
		if err != nil {
			return nil, err
		}
		if other != nil && other.ValidTo.IsZero() {
			other.ValidTo, other.Metadata.UpdatedAt = now, now
			items = append(items, *other)
		}
		items = append(items, it)
	default:
		items = []memory.Item{it}
	}
	return items, sp.text.Put(ctx, items...)
}

// confirmed is an item that a person has said yes to.
func confirmed(it memory.Item, now time.Time) memory.Item {
	const gain = 0.2
	m := &it.Metadata
	m.Confidence = min(1, m.Confidence+gain)
	m.Confidence = max(m.Confidence, memory.InjectConfidence)
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
	into = clone(into)
	into.Content = from.Content
	for _, list := range []struct {
		to   *[]string
		more []string
	}{
		{&into.Metadata.Tags, from.Metadata.Tags}, {&into.Triggers, from.Triggers}, {&into.Aliases, from.Aliases},
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
func (r *Review) Reject(ctx context.Context, id, why string) (Waiting, error) {
	why = r.m.cleanReason(why)
	w, err := r.Find(ctx, id)
	if err != nil {
		return w, err
	}
	if w.Refused != "" {
		return w, fmt.Errorf("review %s: %w: %s", w.ID, memory.ErrRefused, w.Refused)
	}
	sp, err := r.m.spaceOf(w.Item.Scope)
	if err != nil {
		return w, err
	}
	if w.Kind == memory.QuestionConflict || w.Kind == memory.QuestionFrozen {
		if stored, err := sp.known(ctx, w.Item.ID); err != nil {
			return w, err
		} else if stored != nil {
			if err := sp.text.Remove(ctx, stored.ID, "review: "+why, r.m.now().UTC()); err != nil {
				return w, err
			}
		}
	}
	if err := r.settle(ctx, sp, w, "reject", why); err != nil {
		return w, err
	}
	return w, r.record(ctx, sp, memory.AuditReject, w.Item, otherID(w), strings.TrimSpace(w.Kind+" "+why))
}

// settle closes the question itself.
func (r *Review) settle(ctx context.Context, sp *space, w Waiting, verdict, why string) error {
	if w.Kind != CandidateShared {
		return sp.text.Settle(ctx, w.ID, verdict, why, r.m.user)
	}
	all, _ := sp.text.Submissions(ctx, r.m.project.PendingReview(), memory.Shared)
	for _, s := range all {
		if s.Item.ID != w.Item.ID {
			continue
		}
		rejected := ""
		if verdict == "reject" {
			rejected = r.m.project.RejectedReview()
		}
		if err := sp.text.Withdraw(ctx, s, rejected, why, r.m.user, r.m.now()); err != nil {
			return err
		}
	}
	return nil
}

func (r *Review) record(ctx context.Context, sp *space, op memory.AuditOp, it memory.Item, other, why string) error {
	if err := sp.text.Audit(ctx, memory.AuditRecord{TS: r.m.now().UTC(), Op: op, ID: it.ID, Other: other, By: r.m.user, Why: why, Score: it.Metadata.Confidence}); err != nil {
		return err
	}
	if err := sp.follow(ctx, it.Scope); err != nil {
		r.m.log.Warn("review: the index lags behind", "err", err)
	}
	return nil
}

func otherID(w Waiting) string {
	if w.Other == nil {
		return ""
	}
	return w.Other.ID
}

// propose puts what learning is not sure of before a person.
func (sp *space) propose(ctx context.Context, asked []memory.Question) error {
	for i := range asked {
		asked[i].Session = asked[i].Item.Metadata.Session
	}
	_, err := sp.text.Propose(ctx, asked...)
	return err
}

// pends says of a statement that it waits, when it does.
func (m *Memory) pends(ctx context.Context, out *Outcome) {
	switch out.Action {
	case learn.Added, learn.Updated, learn.Superseded, learn.Merged:
		if m.waits(ctx, &out.Item) {
			out.Action, out.Why = learn.Pending, "a shared "+string(out.Item.Topic)+" waits until management approves it: orihon review"
		}
	}
}

// standing is what the user may do on the project. Lists that cannot be read
// give nothing away.
func (m *Memory) standing() project.Standing {
	st, err := m.project.Standing(m.user, m.accepts)
	if err != nil {
		m.log.Warn("roles left out", "err", err)
	}
	return st
}

// Standing is what the user may do on the project.
func (m *Memory) Standing() (project.Standing, error) { return m.project.Standing(m.user, m.accepts) }

// notManagement says what is missing, and where.
func (m *Memory) notManagement() string {
	switch st := m.standing(); {
	case st.Claims && !st.Listed:
		return fmt.Sprintf("%s is not listed under %s in %s", m.user, project.Management, m.project.RolesFile())
	case st.Listed && !st.Claims:
		return fmt.Sprintf("%s does not say - %s", m.project.OwnRolesFile(), project.Management)
	}
	return fmt.Sprintf("only %s decides on it: see %s", project.Management, m.project.RolesFile())
}

// InitRoles makes the folders and lists of roles, see [project.Project.InitRoles].
// A list that the user makes is theirs and accepted.
func (m *Memory) InitRoles(ctx context.Context, roles []string) (made []string, err error) {
	_, before, _ := m.project.RolesList()
	made, err = m.project.InitRoles(m.user, roles)
	if err != nil || before != "" {
		return made, err
	}
	_, hash, err := m.project.RolesList()
	if err != nil {
		return made, err
	}
	return made, m.book.Accept(ctx, hash)
}
