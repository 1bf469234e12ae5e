package learn

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/memory"
)

// batch is what statements under way have decided and not written yet. Later
// ones of the same batch see it.
type batch struct {
	l *Learner

	items     map[string]memory.Item // the version to be written, or written in this batch
	order     []string               // not written yet
	decisions []memory.AuditRecord
	proposals []memory.Question

	fresh map[string][]string // term in its scope, to the items of this batch
	taken map[string]*reading // texts taken apart already, in a batch of many
}

func (l *Learner) batch() *batch {
	return &batch{l: l, items: make(map[string]memory.Item)}
}

// get returns an item as it is now, decided changes included.
func (b *batch) get(ctx context.Context, id string) (memory.Item, error) {
	if it, ok := b.items[id]; ok {
		return it, nil
	}
	return b.l.o.Store.Get(ctx, id)
}

// read is [read], remembered in a batch of many, whose statements meet the same
// neighbours again and again.
func (b *batch) read(text string) *reading {
	if b.fresh == nil {
		return read(text)
	}
	const most = 16384
	r := b.taken[text]
	if r == nil {
		if len(b.taken) >= most || b.taken == nil {
			b.taken = make(map[string]*reading)
		}
		r = read(text)
		b.taken[text] = r
	}
	return r
}

// put decides that an item is to be written as it is now.
func (b *batch) put(it memory.Item) {
	_, known := b.items[it.ID]
	b.items[it.ID] = it
	if !slices.Contains(b.order, it.ID) {
		b.order = append(b.order, it.ID)
	}
	if b.fresh == nil || known {
		return
	}
	for _, t := range terms.Query(it.Content) {
		key := string(it.Scope) + "\x00" + t
		b.fresh[key] = append(b.fresh[key], it.ID)
	}
}

// alike finds items of this batch that share rare words with a text.
func (b *batch) alike(scope memory.Scope, text string) []string {
	if len(b.fresh) == 0 {
		return nil
	}
	const common, most = 64, 20 // a word that stands in more of the last items finds nothing
	weight := make(map[string]float64)
	var order []string
	for _, t := range slices.Concat(terms.Query(text), Probes(text)) {
		ids := b.fresh[string(scope)+"\x00"+t]
		for _, id := range ids[max(0, len(ids)-common):] {
			if _, seen := weight[id]; !seen {
				order = append(order, id)
			}
			weight[id] += 1 / float64(len(ids))
		}
	}
	slices.SortFunc(order, func(x, y string) int { return cmp.Or(cmp.Compare(weight[y], weight[x]), strings.Compare(x, y)) })
	return order[:min(most, len(order))]
}

// propose puts something before a person.
func (b *batch) propose(kind memory.QuestionKind, it memory.Item, other, why string) {
	b.proposals = append(b.proposals, memory.Question{Kind: kind, Item: it, Other: other, Why: why, At: b.l.o.Now().UTC()})
}

// audit decides that a line on an item goes to the audit trail, as the statement
// made it.
func (b *batch) audit(d memory.AuditRecord, it *memory.Item, s *Statement) {
	d.ID, d.Score, d.TS, d.Session = it.ID, it.Metadata.Confidence, b.l.o.Now().UTC(), s.Session
	if d.By = string(s.Source); d.By == "" {
		d.By = string(memory.FromUser)
	}
	b.decisions = append(b.decisions, d)
}

// note tells the audit trail what became of a statement.
func (b *batch) note(s Statement, out Outcome) {
	op := memory.AuditOp(out.Action)
	it, other := out.Item, ""
	switch out.Action {
	case Merged:
		op = memory.AuditUpdate
	case Superseded:
		op, other = memory.AuditAdd, out.Replaced.ID
		if it.Metadata.Confirmations > 0 { // it stood already, and prevails
			op = memory.AuditConfirm
		}
	case Pending:
		op = memory.AuditConflict
	}
	if len(out.Conflicts) > 0 && other == "" {
		other = out.Conflicts[0].ID
	}
	b.audit(memory.AuditRecord{Op: op, Other: other, Why: out.Why}, &it, &s)
	for _, c := range out.Conflicts {
		if out.Action != Pending {
			b.audit(memory.AuditRecord{Op: memory.AuditConflict, Other: c.ID, Why: c.Why}, &it, &s)
		}
	}
	if len(out.Redacted) > 0 {
		b.audit(memory.AuditRecord{Op: memory.AuditRedact, Why: "secrets taken out: " + strings.Join(out.Redacted, ", ")}, &it, &s)
	}
}
