package window_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/window"
)

func newFolder(t testing.TB) *window.Folder {
	t.Helper()
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// prepared goes through a file, as between two processes.
func prepared(t testing.TB, v *journal.View) window.Prepared {
	t.Helper()
	p, err := newFolder(t).Prepare(context.Background(), window.Input{View: v, Limit: 6000})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var out window.Prepared
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatIsPreparedIsWhatWouldBeFolded(t *testing.T) {
	ctx := context.Background()
	v := onDisk(t, t.TempDir(), coding(t, 14))
	n := len(v.Events())
	p := prepared(t, v)
	if len(v.Events()) != n || len(p.Plans) == 0 {
		t.Fatalf("%d events, had %d; %d plans", len(v.Events()), n, len(p.Plans))
	}
	at := journal.NewView(v.Events()...)
	in := window.Input{View: at, Limit: 6000}
	want := build(t, newFolder(t), in)

	// A prompt and what memory recalled for it come between.
	recalled, err := journal.New(journal.Recalled, "", journal.Recall{Query: "rounding", Passages: []string{"p"}})
	if err != nil {
		t.Fatal(err)
	}
	next, err := journal.New(journal.UserMessage, "p99", journal.Message{Text: "Go on."})
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []*journal.View{v, at} {
		if _, err := view.Append(ctx, next, recalled); err != nil {
			t.Fatal(err)
		}
	}
	f := newFolder(t)
	if done, err := f.Commit(ctx, v, p); err != nil || !done {
		t.Fatalf("committed: %v, %v", done, err)
	}
	if diff := cmp.Diff(window.Blocks(at), window.Blocks(v)); diff != "" {
		t.Errorf("blocks (-folded +prepared):\n%s", diff)
	}
	got := build(t, f, window.Input{View: v, Limit: 6000})
	if len(got) <= len(want) {
		t.Errorf("%d messages, want the %d of before and the prompt", len(got), len(want))
	}
	if done, err := newFolder(t).Commit(ctx, v, p); err != nil || done {
		t.Errorf("committed a second time: %v, %v", done, err)
	}
}

func TestAPreparationIsLeftWhenTheFoldsHaveChanged(t *testing.T) {
	ctx := context.Background()
	for name, change := range map[string]func(t *testing.T, v *journal.View) *journal.View{
		"folded by hand": func(t *testing.T, v *journal.View) *journal.View {
			if _, err := newFolder(t).FoldRange(ctx, window.Input{View: v}, 3, 10); err != nil {
				t.Fatal(err)
			}
			return v
		},
		"bookmarked": func(t *testing.T, v *journal.View) *journal.View {
			if _, err := v.Append(ctx, journal.Event{Type: journal.Bookmark, Payload: []byte(`{"text":"keep","iteration":3}`)}); err != nil {
				t.Fatal(err)
			}
			return v
		},
		"another journal": func(t *testing.T, _ *journal.View) *journal.View { return journal.NewView(coding(t, 2)...) },
	} {
		v := journal.NewView(coding(t, 14)...)
		p := prepared(t, v)
		v = change(t, v)
		n := len(v.Events())
		if done, err := newFolder(t).Commit(ctx, v, p); err != nil || done || len(v.Events()) != n {
			t.Errorf("%s: committed %v, %v, %d events, had %d", name, done, err, len(v.Events()), n)
		}
	}
}
