package session

import (
	"iter"
	"slices"
	"time"

	"orihon/memory"
)

// Change is an item that a prompt seems to change.
type Change struct {
	Item string    `json:"item"`
	Seq  int64     `json:"seq"` // the prompt's event in the journal
	At   time.Time `json:"at"`
}

const (
	maxChanges   = 16            // of a session are held
	changeStands = 2 * time.Hour // an agent may follow the user's words so long
	lookedAt     = 8             // sessions, the latest
)

// Change notes that a prompt seems to change an item.
func (s *State) Change(c Change) {
	s.Changes = slices.DeleteFunc(s.Changes, func(o Change) bool { return o.Item == c.Item })
	s.Changes = last(append(s.Changes, c), maxChanges)
}

// Offer notes that a prompt seems to change items.
func (s *State) Offer(changed []memory.Item, seq int64, now time.Time) {
	for i := range changed {
		s.Change(Change{Item: changed[i].ID, Seq: seq, At: now.UTC()})
	}
}

// Keep notes that a prompt brought an item into memory.
func (s *State) Keep(c Change) { s.Kept = last(append(s.Kept, c), maxChanges) }

// JustTold are the items that one of the latest two prompts before the one at a place
// brought into memory, or seemed to change.
func (s *State) JustTold(seq int64) (ids []string) {
	const before = 2
	first, n := seq, 0
	for _, p := range slices.Backward(s.Latest) {
		if p.Seq < seq && n < before {
			first, n = p.Seq, n+1
		}
	}
	for _, c := range slices.Concat(s.Kept, s.Changes) {
		if c.Seq >= first && c.Seq < seq && !slices.Contains(ids, c.Item) {
			ids = append(ids, c.Item)
		}
	}
	return ids
}

// Changed finds the prompt that seemed to change an item lately, in the latest of all
// sessions: the folder of its session and its place in the journal there.
func Changed(sessions, item string, now time.Time) (dir string, seq int64, ok bool) {
	for dir, s := range looked(sessions) {
		i := slices.IndexFunc(s.Changes, func(c Change) bool { return c.Item == item })
		if i >= 0 && now.Sub(s.Changes[i].At).Abs() <= changeStands {
			return dir, s.Changes[i].Seq, true
		}
	}
	return "", 0, false
}

// Since are the prompts behind the one that brought an item into memory lately: none where
// they are many, for those are no answer to it.
func Since(sessions, item string, now time.Time) (out []PromptAt) {
	const prompts = 4
	for dir, s := range looked(sessions) {
		i := slices.IndexFunc(s.Kept, func(c Change) bool { return c.Item == item && now.Sub(c.At).Abs() <= changeStands })
		if i < 0 {
			continue
		}
		for _, p := range s.Latest {
			if p.Seq > s.Kept[i].Seq {
				out = append(out, PromptAt{dir, p.Seq, p.At})
			}
		}
		if len(out) <= prompts {
			return out
		}
		out = nil
	}
	return nil
}

// looked are the states of the latest of all sessions, by their folders.
func looked(sessions string) iter.Seq2[string, *State] {
	return func(yield func(string, *State) bool) {
		dirs, err := Recent(sessions)
		if err != nil {
			return
		}
		for _, dir := range dirs[:min(len(dirs), lookedAt)] {
			if s, err := Load(dir); err == nil && !yield(dir, s) {
				return
			}
		}
	}
}
