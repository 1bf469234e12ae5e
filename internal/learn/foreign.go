package learn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"orihon/memory"
)

// Known means that a statement from elsewhere changed nothing.
const Known Action = "known"

// Foreign is a statement that was kept elsewhere, with the times it had there.
type Foreign struct {
	Statement
	// Key tells it apart from the others of its source for good; empty takes
	// title and text. The same key in the same scope is the same item.
	Key string

	Created, Updated   time.Time // zero is now
	ValidFrom, ValidTo time.Time

	// Own is the whole item when it comes from an export of ours that the user
	// trusts: it is kept as it is, with its ID.
	Own *memory.Item
}

// Intake takes many statements from elsewhere into one store. What it takes is
// believed up to [memory.ImportedConfidence] until a person confirms it, and
// taking the same again changes nothing. It reads the store once, so others who
// write meanwhile may make a duplicate, but no loss.
type Intake struct {
	b     *batch
	ids   map[string]memory.Stored
	texts map[string]string // what an item says in its scope, to its ID
}

// Intake begins to take statements in.
func (l *Learner) Intake(ctx context.Context) (*Intake, error) {
	in := &Intake{b: l.batch(), ids: make(map[string]memory.Stored), texts: make(map[string]string)}
	for s, err := range l.o.Store.Scan(ctx) {
		if err != nil {
			return nil, err
		}
		in.know(s)
	}
	return in, nil
}

func (in *Intake) know(s memory.Stored) {
	in.ids[s.Item.ID] = s
	if !s.Retired && s.Item.Kind != memory.Episodic && s.Item.Kind != memory.Note {
		in.texts[says(&s.Item)] = s.Item.ID
	}
}

// says is what makes two statements the same.
func says(it *memory.Item) string {
	return string(it.Scope) + "\x00" + normal(it.Title) + "\x00" + normal(it.Content)
}

// Take decides what becomes of a statement. Nothing is written before
// [Intake.Flush]. The errors are those of [Learner.Learn].
func (in *Intake) Take(f Foreign) (Outcome, error) {
	s, rules, err := in.b.l.clean(f.Statement)
	if err != nil {
		return Outcome{Redacted: rules}, err
	}
	f.Statement = s
	it := in.item(f)
	out := Outcome{Action: Added, Item: it, Redacted: rules}
	if old, found := in.ids[it.ID]; found {
		dated := f.Own != nil || !f.Created.IsZero() || !f.Updated.IsZero()
		newer := dated && it.Metadata.UpdatedAt.After(old.Item.Metadata.UpdatedAt)
		if old.Retired || !newer || old.Item.Scope != it.Scope || says(&it) == says(&old.Item) {
			// Forgotten stays forgotten, and an edit by hand stays, too.
			out.Action, out.Item = Known, old.Item
			return out, nil
		}
		out.Action = Updated
		it.Metadata.CreatedAt, it.Metadata.Confirmations = old.Item.Metadata.CreatedAt, old.Item.Metadata.Confirmations
		out.Item = it
	} else if id, found := in.texts[says(&it)]; found && it.Kind != memory.Episodic {
		out.Item = in.ids[id].Item
		if !in.confirm(&out.Item, s.Evidence) {
			out.Action = Known
			return out, nil
		}
		out.Action = Confirmed
	}
	in.put(out)
	return out, nil
}

// confirm adds where else an item stands. That is a confirmation, but no reason
// to believe it more: nobody here said so. It reports whether it is news.
func (in *Intake) confirm(it *memory.Item, evidence []string) bool {
	if strings.Contains(it.ID, "#") {
		return false // a bullet has no place for it
	}
	news := slices.DeleteFunc(slices.Clone(evidence), func(e string) bool { return slices.Contains(it.Metadata.Evidence, e) })
	if len(news) == 0 {
		return false
	}
	it.Metadata.Evidence = union(slices.Clone(it.Metadata.Evidence), news)
	it.Metadata.Confirmations++
	it.Metadata.UpdatedAt = in.b.l.o.Now().UTC()
	return true
}

func (in *Intake) item(f Foreign) memory.Item {
	if f.Own != nil {
		it := *f.Own
		it.Scope, it.Title, it.Content = f.Scope, f.Title, f.Text
		it.Triggers, it.Aliases, it.NeededWhen = f.Triggers, f.Aliases, f.NeededWhen
		it.Metadata.Tags, it.Metadata.Session, it.Metadata.Evidence = f.Tags, f.Session, f.Evidence
		return it
	}
	f.Source = memory.Imported
	if f.Confidence <= 0 || f.Confidence > memory.ImportedConfidence {
		f.Confidence = memory.ImportedConfidence
	}
	f.Tier = ""
	id := f.ID
	if id == "" {
		id = foreignID(string(f.Scope), f.Key, f.Title, f.Text)
	}
	it := in.b.l.item(f.Statement, id)
	if !f.Created.IsZero() {
		it.Metadata.CreatedAt, it.Metadata.UpdatedAt, it.ValidFrom = f.Created, f.Created, f.Created
	}
	if !f.Updated.IsZero() {
		it.Metadata.UpdatedAt = f.Updated
	}
	if !f.ValidFrom.IsZero() {
		it.ValidFrom = f.ValidFrom
	}
	if it.ValidTo = f.ValidTo; !it.ValidTo.IsZero() && it.ValidTo.Before(it.ValidFrom) {
		it.ValidFrom = time.Time{} // that it ended is known, when it began is not
	}
	return it
}

// foreignID is a UUID made of what tells a statement apart, so that it is the
// same the next time.
func foreignID(scope, key, title, text string) string {
	if key == "" {
		key = title + "\x00" + text
	}
	sum := sha256.Sum256([]byte("orihon import\x00" + scope + "\x00" + key))
	id := uuid.UUID(sum[:16])
	id[6] = id[6]&0x0f | 0x80 // version 8: of our own making
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

func (in *Intake) put(out Outcome) {
	id := out.Item.ID
	in.b.put(out.Item)
	if old, found := in.ids[id]; found && in.texts[says(&old.Item)] == id {
		delete(in.texts, says(&old.Item))
	}
	in.know(memory.Stored{Item: out.Item})
	d := memory.AuditRecord{
		TS: in.b.l.o.Now().UTC(), Op: memory.AuditOp(out.Action), ID: id, By: string(memory.Imported), Session: out.Item.Metadata.Session,
		Score: out.Item.Metadata.Confidence, Why: "imported",
	}
	if n := len(out.Item.Metadata.Evidence); n > 0 {
		d.Why = "imported from " + out.Item.Metadata.Evidence[n-1]
	}
	in.b.decisions = append(in.b.decisions, d)
	if len(out.Redacted) > 0 {
		d.Op, d.Why = memory.AuditRedact, "secrets taken out: "+strings.Join(out.Redacted, ", ")
		in.b.decisions = append(in.b.decisions, d)
	}
}

// Has reports whether an item with this ID is known, forgotten or not.
func (in *Intake) Has(id string) bool {
	_, found := in.ids[id]
	return found
}

// Waiting is how many items [Intake.Flush] would write.
func (in *Intake) Waiting() int { return len(in.b.order) }

// Flush writes what was taken, all durable when it returns.
func (in *Intake) Flush(ctx context.Context) error {
	n := in.Waiting()
	if n == 0 {
		return nil
	}
	if err := in.b.flush(ctx); err != nil {
		return fmt.Errorf("%d imported items: %w", n, err)
	}
	clear(in.b.items)
	return nil
}
