package orihon_test

import (
	"path/filepath"
	"testing"

	"orihon/internal/jsonl"
)

func TestAnIndexThatIsBeingSyncedIsNotCalledWhole(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "The staging host is called marmot")
	mustSync(t, m)
	for _, busy := range []bool{true, false} {
		unlock := func() {}
		if busy {
			var free bool
			var err error
			if unlock, free, err = jsonl.TryLock(filepath.Join(m.Project().Index, "index.db.sync")); err != nil || !free {
				t.Fatal(free, err)
			}
		}
		got, err := m.Health().Examine(t.Context())
		unlock()
		if err != nil || got.Index != "" || got.Busy != busy {
			t.Errorf("while another syncs (%v): %+v, %v", busy, got, err)
		}
	}
}
