package review_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"orihon"
	"orihon/memory"
	"orihon/review"
)

// What an agent says against the user's word waits for the user.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "review")
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

	for _, s := range []orihon.Statement{
		{Text: "The API listens on port 8080"},
		{Text: "The API listens on port 9090", Source: memory.FromAgent},
	} {
		if _, err := m.Remember(ctx, s); err != nil {
			log.Fatal(err)
		}
	}
	waiting, _, err := m.Review().List(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range waiting {
		fmt.Printf("%s: %s\n", w.Kind, w.Item.Content)
	}
	it, err := m.Review().Approve(ctx, waiting[0].ID, review.Approval{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("holds now:", it.Content)
	// Output:
	// conflict: The API listens on port 9090
	// holds now: The API listens on port 9090
}
