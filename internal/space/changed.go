package space

import "orihon/memory"

// MostChanged bounds how many changed statements are held against the rest
// after one sync. A whole memory that comes in at once is an import, and not a
// change to what is known.
const MostChanged = 500

// note keeps the shared statements of a batch for [Space.TakeChanged]. Private
// ones were weighed when they were written, and a first index has nothing to be
// at odds with.
func (sp *Space) note(b memory.Batch, first bool) {
	if first || sp.readOnly {
		return
	}
	for i := range b.Put {
		p := &b.Put[i]
		if p.Population == memory.Statements && !p.Item.Scope.Private() && p.Item.Kind != memory.Note && p.Item.Metadata.Source != memory.FromRepository && !p.Retired && len(sp.changed) <= MostChanged {
			sp.changed = append(sp.changed, p.Item.ID)
		}
	}
}

// TakeChanged returns what was noted, once.
func (sp *Space) TakeChanged() []string {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	changed := sp.changed
	sp.changed = nil
	return changed
}
