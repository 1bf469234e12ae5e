package orihon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon"
)

// Where nothing can be written beside the index, as on a full or a read-only
// disk, recall answers from it as it is, and knows what the ledgers gained.
func TestRecallAnswersWhereNothingCanBeWrittenBesideTheIndex(t *testing.T) {
	p := marmots(t)
	index := filepath.Join(p.private(t), "index", "index.db")
	// SQLite wants to write its shared memory here, whoever asks, root included;
	// and whoever would move it aside wants the lock.
	if err := os.Remove(index + ".lock"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{index + "-shm", index + ".lock"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for how, change := range map[string][]func(*orihon.Options){"writing": nil, "reading": {readOnly}} {
		m := p.open(t, change...)
		for range 2 {
			if r := recall(t, m, "what is the staging host called?"); !strings.Contains(r.Text, "marmot") || len(r.Degraded) > 0 {
				t.Errorf("%s: %q, degraded %v", how, r.Text, r.Degraded)
			}
		}
		if _, err := m.Sync(t.Context()); err == nil {
			t.Errorf("%s: a sync that cannot write says nothing", how)
		}
	}

	// Once there is room the same handle follows again.
	m := p.open(t)
	recall(t, m, "what is the staging host called?")
	for _, name := range []string{index + "-shm", index + ".lock"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	remember(t, m, "The production host is called heron")
	if r := recall(t, m, "what is the production host called?"); !strings.Contains(r.Text, "heron") {
		t.Errorf("afterwards: %q, degraded %v", r.Text, r.Degraded)
	}
}
