package items

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/space"
	"orihon/memory"
)

// Why something is taken back, as a class: what it says of the one who
// remembered it, see [ExtractorTrust].
const (
	ReasonWrong     = "wrong"
	ReasonOutdated  = "outdated"
	ReasonDuplicate = "duplicate"
	ReasonPrivate   = "private"
	ReasonNoise     = "noise"
)

// UndoReasons lists the classes.
func UndoReasons() []string {
	return []string{ReasonWrong, ReasonOutdated, ReasonDuplicate, ReasonPrivate, ReasonNoise}
}

// Undo says what to take back; exactly one of ID, Last and Session is given.
type Undo struct {
	ID      string // the last decision about this item
	Last    bool   // the last decision of a person or an agent in this project, whatever it was about
	Session string // all that a session decided, by its ID or a part that names it, except what was decided about since
	Reason  string // one of [UndoReasons]; empty says nothing of who decided
	// Redo takes back the last undo of the item instead; only with ID.
	Redo bool
}

// Undone is a decision that was taken back.
type Undone struct {
	Decision memory.AuditRecord // what was taken back; of a redo, the undo
	Item     memory.Item        // as it stands now, or stood
	// Lives, Archived or neither, when the item is as good as forgotten.
	Lives, Archived bool
	With            []string // items that a superseding one had replaced and that hold again
	// Waits says that what was approved or rejected waits for an answer again.
	Waits bool
}

// UndoResult is what [Items.Undo] did.
type UndoResult struct {
	Undone []Undone
	// Left are decisions of the session about items that were decided about
	// since: take those back first.
	Left []memory.AuditRecord
}

// Undo takes decisions back: what was added is forgotten, what was changed,
// confirmed or superseded is as it was before, what was archived or forgotten
// lives again. Undoing again goes back further, and [Undo.Redo] returns. It
// goes by the audit trail, which says what was decided, and by the text, which
// keeps the versions; so it can be undone itself and nothing is erased. The
// error wraps [memory.ErrNotFound] when there is nothing to take back, and
// [memory.ErrInvalid] for an unknown reason.
func (t *Items) Undo(ctx context.Context, u Undo) (UndoResult, error) {
	var out UndoResult
	if u.Reason != "" && !slices.Contains(UndoReasons(), u.Reason) {
		return out, fmt.Errorf("%w reason %q: want one of %s", memory.ErrInvalid, u.Reason, strings.Join(UndoReasons(), ", "))
	}
	unlock, err := t.everyTurn(ctx)
	if err != nil {
		return out, err
	}
	defer unlock()
	all, _, err := t.decisions(ctx)
	if err != nil {
		return out, err
	}
	open := slices.Clone(all)
	if u.ID != "" {
		if open, err = t.about(ctx, open, &u); err != nil {
			return out, err
		}
	}
	if t.agent != nil {
		if err := t.agent.mayUndo(open, &u); err != nil {
			return out, err
		}
	}
	if u.Session != "" {
		if u.Session, err = sessionOf(open, u.Session); err != nil {
			return out, err
		}
	}
	elsewhere := 0
	if u.Last {
		open = slices.DeleteFunc(open, func(d decision) bool {
			if d.Project != "" && d.Project != t.h.Project.ID {
				elsewhere++
				return true
			}
			return d.By == string(memory.FromSystem) // an episode, or what the code still shows, is nobody's decision
		})
	}
	switch {
	case u.Redo && u.ID != "":
		out.Undone, err = t.redoBoth(ctx, u)
		return out, err
	case u.Session != "":
		return t.undoSession(ctx, open, &u)
	case u.Redo || u.ID == "" && !u.Last:
		return out, fmt.Errorf("%w undo: want an id, the last decision, or a session", memory.ErrInvalid)
	case len(open) == 0 && elsewhere > 0:
		return out, fmt.Errorf("decision of this project to take back: %w: what holds in all projects was decided in another one: take it back there, or by its id", memory.ErrNotFound)
	case len(open) == 0:
		return out, fmt.Errorf("decision to take back: %w", memory.ErrNotFound)
	}
	both := []decision{open[len(open)-1]}
	if other := counterpart(all, &both[0].AuditRecord); other != nil {
		both = append(both, *other)
	}
	for _, d := range both {
		done, err := t.undo(ctx, d, u.Reason)
		if err != nil {
			return out, err
		}
		out.Undone = append(out.Undone, done)
	}
	return out, nil
}

// decision is one that stands, and can be taken back.
type decision struct {
	sp *space.Space
	memory.AuditRecord
}

// decisions lists what stands of the audit trail, oldest first, as far as the
// user may see it, and what was taken back and can be redone, the last of an item
// behind the others.
func (t *Items) decisions(ctx context.Context) (out, redoable []decision, err error) {
	visible := t.h.Visible(nil)
	for _, sp := range t.h.Spaces() {
		var open []decision
		last := func(id string) int {
			for i, d := range slices.Backward(open) {
				if d.ID == id {
					return i
				}
			}
			return -1
		}
		var taken []decision // by undos that were not redone
		for r, err := range sp.Text.Audits(ctx, nil) {
			switch {
			case ctx.Err() != nil:
				return nil, nil, ctx.Err()
			case err != nil:
				continue
			case r.Op == memory.AuditUndo && r.Other != "" && !isBulletOf(r.Other, r.ID):
				// Of an item that came along with another.
			case r.Op == memory.AuditUndo && r.To > r.From: // a redo
				if i := slices.IndexFunc(taken, func(d decision) bool { return d.ID == r.ID }); i >= 0 {
					open, taken = append(open, taken[i]), slices.Delete(taken, i, i+1)
				}
			case r.Op == memory.AuditUndo:
				id := r.ID
				if isBulletOf(r.Other, r.ID) {
					id = r.Other // an undo of a new text, which had an ID of its own
				}
				if i := last(id); i >= 0 {
					taken = slices.Insert(taken, 0, open[i])
					open = slices.Delete(open, i, i+1)
				}
			case r.Op == memory.AuditPurge:
				open = slices.DeleteFunc(open, func(d decision) bool { return d.ID == r.ID })
				taken = slices.DeleteFunc(taken, func(d decision) bool { return d.ID == r.ID })
			case r.ID != "" && (decides(r.Op) || turnsDown(&r)):
				taken = slices.DeleteFunc(taken, func(d decision) bool { return d.ID == r.ID })
				open = append(open, decision{sp, r})
			}
		}
		slices.Reverse(taken)
		redoable = append(redoable, taken...)
		scopes, err := scopes(ctx, sp)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range open {
			if scope, known := scopes[d.ID]; !known || slices.Contains(visible, scope) {
				out = append(out, d)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b decision) int { return a.TS.Compare(b.TS) })
	return out, redoable, nil
}

// turnsDown reports whether a record is a person's no to what waited for one.
func turnsDown(r *memory.AuditRecord) bool {
	return r.Op == memory.AuditReject && r.Question != "" && r.By != string(memory.FromAgent) && r.By != string(memory.FromSystem)
}

func isBulletOf(id, other string) bool {
	a, _, x := strings.Cut(id, "#")
	b, _, y := strings.Cut(other, "#")
	return x && y && a == b && id != other
}

// scopes of the items of a space.
func scopes(ctx context.Context, sp *space.Space) (map[string]memory.Scope, error) {
	out := make(map[string]memory.Scope)
	for s, err := range sp.Text.Scan(ctx) {
		if err != nil {
			return nil, err
		}
		out[s.Item.ID] = s.Item.Scope
		if atom, _, bullet := strings.Cut(s.Item.ID, "#"); bullet {
			out[atom] = s.Item.Scope
		}
	}
	return out, nil
}

// about keeps the decisions about one item, whose full ID it notes. An atom of
// bullets, and what is gone from the text, are known by their whole ID, and what a
// person answered by that of the question, too.
func (t *Items) about(ctx context.Context, all []decision, u *Undo) ([]decision, error) {
	if i := slices.IndexFunc(all, func(d decision) bool { return d.Question == u.ID }); i >= 0 {
		u.ID = all[i].ID
	}
	if !slices.ContainsFunc(all, func(d decision) bool { return d.ID == u.ID }) {
		s, err := t.Get(ctx, u.ID)
		if err != nil {
			return nil, err
		}
		u.ID = s.Item.ID
	}
	return slices.DeleteFunc(all, func(d decision) bool { return d.ID != u.ID }), nil
}

// sessionOf is the session among those that decided which a name stands for.
func sessionOf(open []decision, name string) (string, error) {
	var found []string
	for _, d := range open {
		if d.Session == name {
			return name, nil
		}
		if memory.Abbreviates(name, d.Session) && !slices.Contains(found, d.Session) {
			found = append(found, d.Session)
		}
	}
	switch len(found) {
	case 0:
		return name, nil // which decided nothing
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%w session %s: %d sessions match it, give more of it", memory.ErrInvalid, name, len(found))
}

func (t *Items) undoSession(ctx context.Context, open []decision, u *Undo) (out UndoResult, err error) {
	later := make(map[string]bool) // items with a decision that stays
	for _, d := range slices.Backward(open) {
		switch {
		case d.Session != u.Session:
			later[d.ID] = true
		case later[d.ID]:
			out.Left = append(out.Left, d.AuditRecord)
		default:
			done, err := t.undo(ctx, d, u.Reason)
			if err != nil {
				return out, err
			}
			out.Undone = append(out.Undone, done)
		}
	}
	if len(out.Left)+len(out.Undone) == 0 {
		return out, fmt.Errorf("decision of session %s: %w", u.Session, memory.ErrNotFound)
	}
	return out, nil
}

// undo takes one decision back, the last that stands about its item.
func (t *Items) undo(ctx context.Context, d decision, reason string) (Undone, error) {
	out := Undone{Decision: d.AuditRecord}
	why := "took back: " + string(d.Op)
	switch {
	case d.Op == memory.AuditUpdate && isBulletOf(d.Other, d.ID):
		return t.undoBullet(ctx, d, reason, why)
	case d.Op == memory.AuditReject:
		return t.undoReject(ctx, d, reason, why)
	}
	sp := d.sp
	versions, at, err := standing(ctx, sp, d.ID)
	if err != nil {
		return out, err
	}
	record := memory.AuditRecord{ID: d.ID, Reason: reason, Why: why, From: at, To: before(versions, at, d.Op)}
	if err := t.become(ctx, sp, versions, record.To, why); err != nil {
		return out, err
	}
	if out.Waits, err = askAgain(ctx, sp, d.Question); err != nil {
		return out, err
	}
	if out.Waits {
		record.Question = d.Question
	}
	records := []memory.AuditRecord{record}
	out.see(versions, record.To)
	old := replacedBy(versions, at, record.To)
	if d.Op == memory.AuditAdd || old != "" && d.Op != memory.AuditRestore { // to come back ends nothing
		yielded, err := yielding(ctx, sp, d.ID, false)
		if err != nil {
			return out, err
		}
		for _, id := range withOld(yielded, old) {
			undone, err := t.reinstate(ctx, sp, id, d.ID)
			if err != nil {
				return out, err
			}
			if undone.ID == "" {
				continue
			}
			if records = append(records, undone); id == old {
				out.With = append(out.With, id)
			}
		}
	}
	return out, t.decided(ctx, sp, out.Item.Scope, records...)
}

// askAgain lets a question wait again; of a merge the item that went into the other is
// back. What is unknown, or waits already, is passed over.
func askAgain(ctx context.Context, sp *space.Space, question string) (waits bool, err error) {
	if question == "" {
		return false, nil
	}
	q, err := sp.Text.Reopen(ctx, question)
	if errors.Is(err, memory.ErrNotFound) {
		return false, nil
	}
	if err == nil && q.Kind == memory.QuestionMerge {
		if _, err = sp.Text.Restore(ctx, q.Item.ID); errors.Is(err, memory.ErrNotFound) {
			err = nil
		}
	}
	return err == nil, err
}

// before is the version that held before a decision made another one hold. What
// was added goes as a whole, also when something else ended it since.
func before(versions []memory.Version, at int, op memory.AuditOp) int {
	to := max(0, at-1)
	if op != memory.AuditAdd && op != memory.AuditSupersede {
		return to
	}
	for to > 0 && versions[to-1].Op != memory.VersionRetired {
		to--
	}
	return to
}

// see notes how the item stands.
func (u *Undone) see(versions []memory.Version, to int) {
	if to == 0 {
		u.Item = versions[0].Item
		return
	}
	v := &versions[to-1]
	u.Item, u.Archived = v.Item, v.Op == memory.VersionArchived
	u.Lives = v.Op == memory.VersionWritten || v.Op == memory.VersionRestored
}

// standing returns the versions of an item and which of them holds: the last,
// unless undoing went back to an earlier one.
func standing(ctx context.Context, sp *space.Space, id string) (versions []memory.Version, at int, err error) {
	if versions, err = sp.Text.Versions(ctx, id); err != nil {
		return nil, 0, err
	}
	at = len(versions)
	for r, err := range sp.Text.Audits(ctx, &memory.AuditFilter{ID: id}) {
		switch {
		case ctx.Err() != nil:
			return nil, 0, ctx.Err()
		case err != nil || r.ID != id:
		case r.Op == memory.AuditUndo && r.To <= len(versions):
			at = r.To
		case decides(r.Op), r.Op == memory.AuditConflict, r.Op == memory.AuditPurge:
			at = len(versions)
		}
	}
	return versions, at, nil
}

// become writes an item as it stood at one of its versions; 0 is before it was.
// What only management may change, as it stands or stood, is refused.
func (t *Items) become(ctx context.Context, sp *space.Space, versions []memory.Version, to int, why string) error {
	for _, v := range []int{len(versions), max(to, 1)} {
		if err := t.h.MayChange(ctx, &versions[v-1].Item); err != nil {
			return err
		}
	}
	id := versions[0].Item.ID
	if to == 0 {
		return sp.Text.Remove(ctx, id, why, t.h.Now().UTC())
	}
	v := &versions[to-1]
	switch v.Op {
	case memory.VersionRetired:
		if _, err := sp.Text.Get(ctx, id); errors.Is(err, memory.ErrNotFound) {
			// It may be archived, which is another way not to be there.
			if _, err := sp.Text.Unarchive(ctx, id); err != nil && !errors.Is(err, memory.ErrNotFound) {
				return err
			}
		}
		return sp.Text.Remove(ctx, id, v.Why, t.h.Now().UTC())
	case memory.VersionArchived:
		if _, err := sp.Text.Get(ctx, id); errors.Is(err, memory.ErrNotFound) {
			if err := sp.Text.Put(ctx, v.Item); err != nil {
				return err
			}
		}
		leaving := []memory.Leaving{{ID: id, Why: v.Why}}
		t.meanings(ctx, sp, leaving)
		_, err := sp.Text.Archive(ctx, t.h.Now().UTC(), leaving...)
		return err
	}
	// A file of the archive comes back before it is changed.
	if _, err := sp.Text.Restore(ctx, id); err != nil && !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	if now, err := sp.Text.Get(ctx, id); err == nil && len(differing(&now, &v.Item)) == 0 && now.Metadata.UpdatedAt.Equal(v.Item.Metadata.UpdatedAt) {
		return nil
	}
	return sp.Text.Put(ctx, v.Item)
}

// yielding lists the items about which it was noted last that they are at odds with
// another, or with back, that this was taken back.
func yielding(ctx context.Context, sp *space.Space, to string, back bool) (ids []string, err error) {
	stand := make(map[string][]memory.AuditRecord) // what was not taken back
	for r, err := range sp.Text.Audits(ctx, nil) {
		all := stand[r.ID]
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
		case r.Op == memory.AuditUndo && r.Other == "" && r.From > r.To:
			for i, d := range slices.Backward(all) {
				if decides(d.Op) || d.Op == memory.AuditUndo && d.Other == "" { // the latter a redo
					stand[r.ID] = slices.Delete(all, i, i+1)
					break
				}
			}
		case decides(r.Op), r.Op == memory.AuditConflict, r.Op == memory.AuditUndo:
			stand[r.ID] = append(all, r)
		}
	}
	for id, all := range stand {
		if len(all) == 0 {
			continue
		}
		r := all[len(all)-1]
		if r.Other == to && !decides(r.Op) && back == (r.Op == memory.AuditUndo && r.From > r.To) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// withOld adds the item that was replaced, when there is one.
func withOld(ids []string, old string) []string {
	if old == "" || slices.Contains(ids, old) {
		return ids
	}
	return append(ids, old)
}

// replacedBy is the item that a version superseded and the one before did not.
func replacedBy(versions []memory.Version, from, to int) string {
	if from == 0 || from > len(versions) {
		return ""
	}
	old := versions[from-1].Item.Relations.Supersedes
	if to > 0 && versions[to-1].Item.Relations.Supersedes == old && versions[to-1].Op != memory.VersionRetired {
		return ""
	}
	return old
}

// reinstate lets an item hold again that ended when another replaced it, or be
// believed again as before the other contradicted it. The record is empty when that
// was not noted in it.
func (t *Items) reinstate(ctx context.Context, sp *space.Space, id, by string) (memory.AuditRecord, error) {
	versions, at, err := standing(ctx, sp, id)
	if errors.Is(err, memory.ErrNotFound) {
		return memory.AuditRecord{}, nil
	}
	if err != nil || at < 2 {
		return memory.AuditRecord{}, err
	}
	now, before := &versions[at-1].Item, &versions[at-2].Item
	ended := !now.ValidTo.IsZero() && before.ValidTo.IsZero()
	lowered := now.Metadata.Confidence < before.Metadata.Confidence
	if !ended && !lowered || versions[at-1].Op != memory.VersionWritten || versions[at-2].Op == memory.VersionRetired || versions[at-2].Op == memory.VersionArchived {
		return memory.AuditRecord{}, nil
	}
	why := "took back what replaced it"
	if err := t.become(ctx, sp, versions, at-1, why); err != nil {
		return memory.AuditRecord{}, err
	}
	return memory.AuditRecord{ID: id, Other: by, Why: why, From: at, To: at - 1}, nil
}

// undoBullet gives a bullet its text of before, and so its ID.
func (t *Items) undoBullet(ctx context.Context, d decision, reason, why string) (Undone, error) {
	out := Undone{Decision: d.AuditRecord}
	versions, err := d.sp.Text.Versions(ctx, d.Other)
	if err != nil {
		return out, err
	}
	it := versions[len(versions)-1].Item
	out.Item, out.Lives = it, true
	it.ID = d.ID
	if err := d.sp.Text.Put(ctx, it); err != nil {
		return out, err
	}
	return out, t.decided(ctx, d.sp, it.Scope, memory.AuditRecord{ID: d.Other, Other: d.ID, Reason: reason, Why: why})
}

// undoReject lets wait again what was turned down, and brings back what was taken out
// by that.
func (t *Items) undoReject(ctx context.Context, d decision, reason, why string) (Undone, error) {
	out := Undone{Decision: d.AuditRecord, Waits: true}
	q, err := d.sp.Text.Reopen(ctx, d.Question)
	if err != nil {
		return out, err
	}
	out.Item = q.Item
	record := memory.AuditRecord{ID: d.ID, Reason: reason, Why: why, Question: d.Question}
	versions, at, err := standing(ctx, d.sp, d.ID)
	switch {
	case errors.Is(err, memory.ErrNotFound), err == nil && (at < 2 || versions[at-1].Op != memory.VersionRetired):
	case err != nil:
		return out, err
	default:
		record.From, record.To = at, at-1
		if err := t.become(ctx, d.sp, versions, record.To, why); err != nil {
			return out, err
		}
		out.see(versions, record.To)
	}
	return out, t.decided(ctx, d.sp, q.Item.Scope, record)
}

// redoBoth is redo, also of the decision that went with the one that was taken back.
func (t *Items) redoBoth(ctx context.Context, u Undo) ([]Undone, error) {
	done, err := t.redo(ctx, u)
	if err != nil {
		return nil, err
	}
	both := []Undone{done}
	open, redoable, err := t.decisions(ctx)
	if err != nil {
		return both, err
	}
	for _, d := range slices.Backward(open) {
		if d.ID != u.ID {
			continue
		}
		if other := counterpart(redoable, &d.AuditRecord); other != nil {
			done, err = t.redo(ctx, Undo{ID: other.ID, Reason: u.Reason, Redo: true})
			both = append(both, done)
		}
		break
	}
	return both, err
}

// redo takes the last undo of an item back.
func (t *Items) redo(ctx context.Context, u Undo) (Undone, error) {
	for _, sp := range t.h.Spaces() {
		var stack []memory.AuditRecord
		for r, err := range sp.Text.Audits(ctx, &memory.AuditFilter{ID: u.ID}) {
			switch {
			case err != nil || r.ID != u.ID:
			case r.Op == memory.AuditUndo && r.Other != "":
			case r.Op == memory.AuditUndo && r.To > r.From && len(stack) > 0:
				stack = stack[:len(stack)-1]
			case r.Op == memory.AuditUndo && r.From > r.To:
				stack = append(stack, r)
			case decides(r.Op), r.Op == memory.AuditPurge:
				stack = nil
			}
		}
		if len(stack) == 0 {
			continue
		}
		last := stack[len(stack)-1]
		out := Undone{Decision: last}
		versions, at, err := standing(ctx, sp, u.ID)
		if err != nil {
			return out, err
		}
		if last.From > len(versions) {
			return out, fmt.Errorf("item %s: %w: its version %d is gone from the text", u.ID, memory.ErrRefused, last.From)
		}
		if err := t.become(ctx, sp, versions, last.From, "took an undo back"); err != nil {
			return out, err
		}
		out.see(versions, last.From)
		if last.Question != "" {
			err := sp.Text.Settle(ctx, last.Question, string(memory.AuditApprove), "", t.h.User)
			if err != nil && !errors.Is(err, memory.ErrNotFound) {
				return out, err
			}
		}
		records := []memory.AuditRecord{{ID: u.ID, Reason: u.Reason, Why: "took an undo back", From: at, To: last.From}}
		yielded, err := yielding(ctx, sp, u.ID, true)
		if err != nil {
			return out, err
		}
		for _, id := range withOld(yielded, replacedBy(versions, last.From, at)) {
			again, err := t.endAgain(ctx, sp, id, u.ID)
			if err != nil {
				return out, err
			}
			if again.ID != "" {
				records = append(records, again)
			}
		}
		return out, t.decided(ctx, sp, out.Item.Scope, records...)
	}
	return Undone{}, fmt.Errorf("undo of %s to take back: %w", u.ID, memory.ErrNotFound)
}

// endAgain undoes reinstate.
func (t *Items) endAgain(ctx context.Context, sp *space.Space, id, by string) (memory.AuditRecord, error) {
	var last memory.AuditRecord
	for r, err := range sp.Text.Audits(ctx, &memory.AuditFilter{ID: id}) {
		if err == nil && r.ID == id && (decides(r.Op) || r.Op == memory.AuditUndo) {
			last = r
		}
	}
	if last.Op != memory.AuditUndo || last.Other != by || last.From < last.To {
		return memory.AuditRecord{}, nil
	}
	versions, at, err := standing(ctx, sp, id)
	if err != nil || last.From > len(versions) {
		return memory.AuditRecord{}, err
	}
	why := "what replaced it is back"
	if err := t.become(ctx, sp, versions, last.From, why); err != nil {
		return memory.AuditRecord{}, err
	}
	return memory.AuditRecord{ID: id, Other: by, Why: why, From: at, To: last.From}, nil
}

// decided audits undos, and lets the index follow.
func (t *Items) decided(ctx context.Context, sp *space.Space, scope memory.Scope, records ...memory.AuditRecord) error {
	for i := range records {
		records[i].Op = memory.AuditUndo
	}
	return t.audited(ctx, sp, []memory.Scope{scope}, records...)
}
