package trust_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"orihon/internal/trust"
)

func now() time.Time { return time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC) }

func open(t *testing.T, path string) *trust.Book {
	t.Helper()
	return trust.Open(path, "ann", now)
}

func TestAnAcceptanceHoldsForItsContentAndSurvivesTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "trust.jsonl")
	b := open(t, path)
	if b.Accepted("aa") || b.All() {
		t.Error("something is accepted before anybody said so")
	}
	if err := b.Accept(t.Context(), "aa", "bb", ""); err != nil {
		t.Fatal(err)
	}
	if err := b.Accept(t.Context(), "aa"); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*trust.Book{b, open(t, path)} {
		if !b.Accepted("aa") || !b.Accepted("bb") || b.Accepted("cc") || b.Accepted("") {
			t.Error("accepted are not just aa and bb")
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"v":1,"op":"accept","hash":"aa","at":"2026-11-22T08:00:00Z","by":"ann"}
{"v":1,"op":"accept","hash":"bb","at":"2026-11-22T08:00:00Z","by":"ann"}
`
	if string(data) != want {
		t.Errorf("the record is\n%s\nwant\n%s", data, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestTrustFromNowOnIsTakenBackAndWhatWasAcceptedStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.jsonl")
	b := open(t, path)
	epoch := func() string {
		t.Helper()
		e, err := b.Epoch()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := epoch()
	if err := b.Accept(t.Context(), "aa"); err != nil {
		t.Fatal(err)
	}
	if epoch() != first {
		t.Error("one more content makes everything be read again")
	}
	// Another process trusts the repository meanwhile.
	if err := open(t, path).Trust(t.Context()); err != nil {
		t.Fatal(err)
	}
	if epoch() == first || !b.Accepted("zz") || !b.All() {
		t.Error("trust given by another process is not seen")
	}
	trusted := epoch()
	if err := b.Untrust(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := epoch(); e == trusted || b.Accepted("zz") || b.All() || !b.Accepted("aa") {
		t.Error("trust is not taken back, or takes the accepted content along")
	}
}

func TestABrokenRecordAcceptsNothingItDoesNotSay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.jsonl")
	text := "{\"v\":1,\"op\":\"accept\",\"hash\":\"aa\"}\nnot json\n{\"v\":9,\"op\":\"trust\"}\n{\"v\":1,\"op\":\"trust\",\"torn"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, path)
	if !b.Accepted("aa") || b.Accepted("bb") || b.All() {
		t.Error("want aa accepted and nothing else")
	}
	folder := open(t, t.TempDir())
	if _, err := folder.Epoch(); err == nil || folder.Accepted("aa") {
		t.Error("a folder in the place of the record accepts, or is not named")
	}
}

func TestManyAcceptAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.jsonl")
	shared := open(t, path)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			b := shared
			if i%2 == 0 {
				b = open(t, path)
			}
			if err := b.Accept(t.Context(), string(rune('a'+i))); err != nil {
				t.Error(err)
			}
			b.Accepted("a")
		})
	}
	wg.Wait()
	b := open(t, path)
	for i := range 8 {
		if h := string(rune('a' + i)); !b.Accepted(h) {
			t.Errorf("%s is lost", h)
		}
	}
}

func TestARejectionOutlastsTrustAndIsTakenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.jsonl")
	b := open(t, path)
	is := func(accepted, rejected bool) {
		t.Helper()
		for _, b := range []*trust.Book{b, open(t, path)} {
			if b.Accepted("aa") != accepted || b.Rejected("aa") != rejected {
				t.Errorf("accepted %t, rejected %t; want %t, %t", b.Accepted("aa"), b.Rejected("aa"), accepted, rejected)
			}
		}
	}
	last := ""
	for _, step := range []struct {
		do                 func() error
		accepted, rejected bool
	}{
		{func() error { return b.Reject(t.Context(), "aa", "") }, false, true},
		{func() error { return b.Trust(t.Context()) }, false, true},
		{func() error { return b.Accept(t.Context(), "aa") }, true, false},
		{func() error { return b.Reject(t.Context(), "aa") }, false, true},
		{func() error { return b.Untrust(t.Context()) }, false, true},
		{func() error { return b.Unreject(t.Context(), "aa") }, false, false},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		is(step.accepted, step.rejected)
		if e, err := b.Epoch(); err != nil || e == last {
			t.Errorf("what was read before is not judged again: epoch %s, %v", e, err)
		} else {
			last = e
		}
	}
}
