package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"orihon/internal/session"
)

func TestRecent(t *testing.T) {
	sessions := t.TempDir()
	begin := func(id string) string {
		t.Helper()
		dir, _, err := session.Open(context.Background(), sessions, nil, session.Start{ID: id, Client: id})
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	first := func(want string) []string {
		t.Helper()
		got, err := session.Recent(sessions)
		if err != nil || len(got) == 0 || filepath.Base(got[0]) != want {
			t.Fatalf("the latest are %v, %v, want %s first", got, err, want)
		}
		return got
	}
	one := begin("one")
	begin("two")
	first("two")

	// A session that goes on is the latest again, whatever its folder says.
	if err := session.Latest(context.Background(), one); err != nil {
		t.Fatal(err)
	}
	if got := first("one"); len(got) != 2 {
		t.Errorf("the latest are %v, want both once", got)
	}

	// What others put there is seen: the list is made anew, by the folders' times.
	time.Sleep(20 * time.Millisecond)
	if err := os.Mkdir(filepath.Join(sessions, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	first("other")

	// And a list that is gone or broken.
	list := filepath.Join(sessions, ".locks", "recent")
	if err := os.WriteFile(list, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	first("other")
	if err := os.Remove(list); err != nil {
		t.Fatal(err)
	}
	first("other")

	for i := range 80 {
		begin(fmt.Sprint("many", i))
	}
	if got := first("many79"); len(got) != 64 {
		t.Errorf("%d are listed, want 64", len(got))
	}
}

// A list says nothing of places outside of the folder of all sessions.
func TestRecentElsewhere(t *testing.T) {
	sessions := t.TempDir()
	if _, _, err := session.Open(context.Background(), sessions, nil, session.Start{ID: "one"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(sessions)
	if err != nil {
		t.Fatal(err)
	}
	list := fmt.Sprintf(`{"changed":%q,"names":["one","../elsewhere",".locks",""]}`, info.ModTime().Format(time.RFC3339Nano))
	if err := os.WriteFile(filepath.Join(sessions, ".locks", "recent"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := session.Recent(sessions)
	if err != nil || len(got) != 1 || filepath.Base(got[0]) != "one" {
		t.Errorf("the latest are %v, %v, want the one session", got, err)
	}
}
