package items_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"orihon"
	"orihon/items"
	"orihon/memory"
)

// A decision that turns out to be wrong is taken back; undoing again would go back
// further, and nothing is erased.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "items")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	m, err := orihon.Open(ctx, &orihon.Options{
		Home: dir + "/home", Dir: dir, User: "ann",
		Now: func() time.Time { return time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	out, err := m.Remember(ctx, orihon.Statement{Text: "The nightly import starts at three"})
	if err != nil {
		log.Fatal(err)
	}
	edited, err := m.Items().Edit(ctx, out.Item.ID, func(it *memory.Item) error {
		it.Content = "The nightly import starts at four"
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("changed:", edited.Changed)

	if _, err := m.Items().Undo(ctx, items.Undo{ID: out.Item.ID, Reason: items.ReasonWrong}); err != nil {
		log.Fatal(err)
	}
	stored, err := m.Items().Get(ctx, out.Item.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored.Item.Content)
	// Output:
	// changed: [content]
	// The nightly import starts at three
}
