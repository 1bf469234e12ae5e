package journal_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"orihon/journal"
)

// writerEnv makes the test binary a writer process: its value is the journal's
// folder, the argument behind it the writer's name.
const writerEnv = "ORIHON_TEST_JOURNAL_WRITER"

const eventsPerWriter = 50

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		write := writeEvents
		if os.Args[1] == packer {
			write = packForever
		}
		if err := write(dir, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeEvents appends events of the writer's own and one that all tell of.
func writeEvents(dir, name string) error {
	j, err := journal.Open(dir, nil)
	if err != nil {
		return err
	}
	for i := range eventsPerWriter {
		own := event(journal.Thought, fmt.Sprintf("%s-%d", name, i), journal.Message{Text: "想 " + name})
		all := event(journal.ActionResult, fmt.Sprintf("tool-%d", i), journal.Result{Tool: "Bash", Output: "ok"})
		if _, err := j.Append(context.Background(), own, all); err != nil {
			return err
		}
	}
	return nil
}

// packer is the name of the writer that compresses the journal and goes on, until
// it is killed. It says when it begins.
const packer = "packer"

func packForever(dir, _ string) error {
	j, err := journal.Open(dir, nil)
	fmt.Println("begins")
	for n := 0; err == nil; n++ {
		if err = j.Pack(context.Background()); err == nil {
			var seq int64
			seq, _ = j.Last()
			_, err = j.Append(context.Background(), user("", fmt.Sprint("event ", seq+1)))
		}
	}
	return err
}

func event(t journal.Type, id string, payload any) journal.Event {
	e, err := journal.New(t, id, payload)
	if err != nil {
		panic(err)
	}
	return e
}

func user(id, text string) journal.Event {
	return event(journal.UserMessage, id, journal.Message{Text: text})
}

func assistant(id, text string) journal.Event {
	return event(journal.AssistantMessage, id, journal.Message{Text: text})
}

var start = time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC)

// clock is a Now that moves on by a second.
func clock() func() time.Time {
	n := -1
	return func() time.Time { n++; return start.Add(time.Duration(n) * time.Second) }
}

func open(t testing.TB, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(dir, &journal.Options{Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func mustAppend(t testing.TB, j *journal.Journal, events ...journal.Event) []journal.Event {
	t.Helper()
	out, err := j.Append(context.Background(), events...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// replay returns the events and problems from seq on.
func replay(t testing.TB, j *journal.Journal, from int64) (events []journal.Event, problems []string) {
	t.Helper()
	for e, err := range j.Events(context.Background(), from) {
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		events = append(events, e)
	}
	return events, problems
}

func ids(events []journal.Event) (out []string) {
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}
