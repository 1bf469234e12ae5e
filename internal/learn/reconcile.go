package learn

import (
	"context"
	"errors"
	"slices"
	"strings"

	"orihon/memory"
)

// What a [Finding] is about.
const (
	InConflict = "conflict"       // two current items contradict each other
	Orphan     = "orphan"         // supersedes an item that does not exist
	StillValid = "no valid_to"    // superseded, and its end was not written
	Rivals     = "two successors" // two current items supersede the same one
)

// Finding is something that does not fit together among items that were
// merged, edited by hand or left half-written.
type Finding struct {
	Kind  string
	Item  memory.Item // the one that was looked at
	Other string      // ID of the other side
	Why   string

	// Mend is the version to write where that is safe: it takes nothing away.
	// Nil means that a person must decide.
	Mend *memory.Item
}

// Reconcile looks whether items that changed fit together with each other and
// with what is there: after a git pull that changed memory files, and at the
// start of a session. Contradictions are looked for among the neighbours of the
// given items alone, so that the cost grows with what changed. Nothing is
// written, see [Learner.Mend]; of a pair that contradicts itself a person
// decides, for nobody knows which text is the later one.
func (l *Learner) Reconcile(ctx context.Context, items []memory.Item) ([]Finding, error) {
	r := reconciling{l: l, b: l.batch(), items: make(map[string]memory.Item, len(items)), seen: make(map[string]bool)}
	for _, it := range items {
		r.items[it.ID] = it
	}
	for i := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.successor(ctx, &items[i]); err != nil {
			return nil, err
		}
		if err := r.contradictions(ctx, &items[i]); err != nil {
			return nil, err
		}
	}
	r.rivals(items)
	return r.found, nil
}

// Mend writes what the findings say can be mended safely, audited, and returns
// how many items that were.
func (l *Learner) Mend(ctx context.Context, found []Finding) (int, error) {
	b := l.batch()
	for i := range found {
		if f := &found[i]; f.Mend != nil {
			b.put(*f.Mend)
			b.audit(memory.AuditRecord{Op: memory.AuditUpdate, Other: f.Other, Why: "reconciled: " + f.Why}, f.Mend, &Statement{Source: memory.FromSystem})
		} else {
			b.propose(memory.QuestionConflict, f.Item, f.Other, f.Why)
			b.audit(memory.AuditRecord{Op: memory.AuditConflict, Other: f.Other, Why: f.Why}, &f.Item, &Statement{Source: memory.FromSystem})
		}
	}
	n := len(b.order)
	return n, b.flush(ctx)
}

type reconciling struct {
	l     *Learner
	b     *batch
	items map[string]memory.Item
	seen  map[string]bool // pairs told already
	found []Finding
}

func (r *reconciling) get(ctx context.Context, id string) (memory.Item, error) {
	if it, ok := r.items[id]; ok {
		return it, nil
	}
	return r.l.o.Store.Get(ctx, id)
}

// tell adds a finding, each pair of one kind once.
func (r *reconciling) tell(f Finding) {
	pair := []string{f.Item.ID, f.Other}
	slices.Sort(pair)
	key := f.Kind + "\x00" + strings.Join(pair, "\x00")
	if !r.seen[key] {
		r.seen[key] = true
		r.found = append(r.found, f)
	}
}

// successor looks at what an item says it replaced.
func (r *reconciling) successor(ctx context.Context, it *memory.Item) error {
	of := it.Relations.Supersedes
	if of == "" || of == it.ID {
		return nil
	}
	old, err := r.get(ctx, of)
	if errors.Is(err, memory.ErrNotFound) {
		r.tell(Finding{Kind: Orphan, Item: *it, Other: of, Why: "it replaces " + of + ", which is not here"})
		return nil
	}
	if err != nil {
		return err
	}
	if old.Scope.Private() && old.Scope != it.Scope {
		return nil // no other scope ends what is private
	}
	if old.ValidTo.IsZero() && !bullet(&old) {
		mended := old
		if mended.ValidTo = it.ValidFrom; mended.ValidTo.IsZero() {
			mended.ValidTo = it.Metadata.CreatedAt
		}
		if mended.ValidTo.Before(old.ValidFrom) {
			mended.ValidTo = old.ValidFrom
		}
		if mended.ValidTo.IsZero() {
			mended.ValidTo = r.l.o.Now().UTC()
		}
		r.tell(Finding{Kind: StillValid, Item: old, Other: it.ID, Why: "replaced by " + it.ID + ", but its end was not written", Mend: &mended})
	}
	return nil
}

// contradictions holds a current item against its neighbours.
func (r *reconciling) contradictions(ctx context.Context, it *memory.Item) error {
	if !comparable(it, it.Scope) || ended(it, r.l) {
		return nil
	}
	near, err := r.b.neighbours(ctx, Statement{Text: it.Content, Scope: it.Scope, Kind: it.Kind}, read(it.Content))
	if err != nil {
		return err
	}
	for i := range near {
		n := &near[i]
		if n.item.ID == it.ID {
			continue
		}
		if of := it.Relations.Supersedes; of != "" && n.item.Relations.Supersedes == of {
			r.tell(Finding{Kind: Rivals, Item: *it, Other: n.item.ID, Why: "both replace " + of})
			continue
		}
		if n.relation != Contradicts || n.item.Relations.Supersedes == it.ID || it.Relations.Supersedes == n.item.ID {
			continue
		}
		r.tell(Finding{Kind: InConflict, Item: *it, Other: n.item.ID, Why: n.why})
	}
	return nil
}

// rivals finds current items that replace the same one.
func (r *reconciling) rivals(items []memory.Item) {
	by := make(map[string]*memory.Item)
	for i := range items {
		it := &items[i]
		of := it.Relations.Supersedes
		if of == "" || ended(it, r.l) {
			continue
		}
		if first := by[of]; first != nil && first.ID != it.ID {
			r.tell(Finding{Kind: Rivals, Item: *first, Other: it.ID, Why: "both replace " + of})
			continue
		}
		by[of] = it
	}
}

func ended(it *memory.Item, l *Learner) bool {
	return !it.ValidTo.IsZero() && !it.ValidTo.After(l.o.Now())
}
