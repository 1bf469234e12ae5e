package orihon_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"orihon"
	"orihon/memory"
)

// writerEnv makes the test binary a process that remembers: its value is the
// home, the arguments are the project and the writer's name.
const writerEnv = "ORIHON_TEST_MEMORY_WRITER"

const (
	writers        = 8
	itemsPerWriter = 20
)

// fact is what one writer says; its words tell it from all others.
func fact(writer string, i int) string {
	return fmt.Sprintf("Service %s%d listens on port %d", writer, i, 4000+i)
}

// rememberAndRecall is the life of one writer. Every other statement goes by
// way of a handle that only reads the index, as a hook's does.
func rememberAndRecall(home, dir, name string) error {
	ctx := context.Background()
	for i := range itemsPerWriter {
		m, err := orihon.Open(ctx, &orihon.Options{Home: home, Dir: dir, User: "ann", GitConfig: []string{}, ReadOnly: i%2 == 1})
		if err != nil {
			return err
		}
		if _, err := m.Remember(ctx, orihon.Statement{Text: fact(name, i)}); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		// Its own write at once, whatever the others are at.
		r, err := m.Recall(ctx, memory.Query{Text: fmt.Sprintf("which port does service %s%d listen on?", name, i)})
		switch {
		case err != nil:
			return err
		case len(r.Degraded) > 0:
			return fmt.Errorf("item %d: degraded: %v", i, r.Degraded)
		case !strings.Contains(r.Text, fact(name, i)):
			return fmt.Errorf("item %d: not found again in %q", i, r.Text)
		}
		if err := m.Close(); err != nil {
			return err
		}
	}
	return nil
}

func TestEightProcessesRememberAndRecallAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("starts eight processes")
	}
	p := newPlace(t)
	var wg sync.WaitGroup
	names := []string{"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron"}
	for _, name := range names[:writers] {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], p.dir, name)
			cmd.Env = append(os.Environ(), writerEnv+"="+p.home)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Errorf("%s: %v: %s", name, err, &out)
			}
		})
	}
	wg.Wait()
	seen := make(map[string]int)
	m := p.open(t)
	for _, text := range contents(list(t, m, memory.Filter{})) {
		seen[text]++
	}
	for _, name := range names[:writers] {
		for i := range itemsPerWriter {
			if n := seen[fact(name, i)]; n != 1 {
				t.Errorf("%q is there %d times", fact(name, i), n)
			}
		}
	}
	if len(seen) != writers*itemsPerWriter {
		t.Errorf("%d different items, want %d", len(seen), writers*itemsPerWriter)
	}
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := m.Health().Examine(t.Context())
	if err != nil || found.Index != "" || len(found.Text) > 0 {
		t.Errorf("examined: %+v, %v", found, err)
	}
}
