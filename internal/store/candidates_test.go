package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
)

func candidateStore(t *testing.T) *Store {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(&Options{
		Roots: []Root{{Name: "personal", Dir: filepath.Join(dir, "memory"), Scope: memory.Personal("ann")}, {Name: "shared", Dir: filepath.Join(dir, "shared"), Scope: memory.Shared}},
		State: dir, Now: func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func candidate(kind memory.QuestionKind, text, other string) memory.Question {
	return memory.Question{Kind: kind, Other: other, Item: memory.Item{
		ID: "new-" + text, Kind: memory.Semantic, Topic: memory.Fact, Content: text, Scope: memory.Personal("ann"), Metadata: memory.Metadata{Source: memory.FromAgent, Confidence: 0.3},
	}}
}

func waiting(t *testing.T, s *Store) []string {
	t.Helper()
	found, err := s.Candidates(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range found {
		out = append(out, string(c.Kind)+" "+c.Item.Content)
	}
	return out
}

func TestAQuestionIsAskedOnce(t *testing.T) {
	s, ctx := candidateStore(t), context.Background()
	propose := func(want int, asked ...memory.Question) {
		t.Helper()
		if n, err := s.Propose(ctx, asked...); err != nil || n != want {
			t.Errorf("%d are new, %v; want %d", n, err, want)
		}
	}
	propose(2, candidate(memory.QuestionKeep, "the port is 80", ""), candidate(memory.QuestionConflict, "the port is 80", "old"))
	propose(0, candidate(memory.QuestionKeep, "the  port is 80 ", ""))
	if diff := cmp.Diff([]string{"keep the port is 80", "conflict the port is 80"}, waiting(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	all, _ := s.Candidates(ctx)
	if err := s.Settle(ctx, all[0].ID, "reject", "noise", "ann"); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(ctx, all[0].ID, "approve", "", "ann"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("answered twice: %v", err)
	}
	if down, err := s.TurnedDown(ctx); err != nil || len(down) != 1 || down[0].Content != "the port is 80" {
		t.Errorf("turned down: %v, %v", down, err)
	}
	propose(0, candidate(memory.QuestionKeep, "the port is 80", ""))
	if diff := cmp.Diff([]string{"conflict the port is 80"}, waiting(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestABrokenLineCostsOneQuestion(t *testing.T) {
	s, ctx := candidateStore(t), context.Background()
	if _, err := s.Propose(ctx, candidate(memory.QuestionKeep, "first", ""), candidate(memory.QuestionKeep, "second", "")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.state, candidatesName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), `{"v":1`, `{"v":`, 1)+`{"torn`), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"keep second"}, waiting(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n, err := s.Propose(ctx, candidate(memory.QuestionKeep, "third", "")); n != 1 || err != nil {
		t.Errorf("%d, %v behind a torn line", n, err)
	}
}

func TestASubmissionWaitsOutsideMemory(t *testing.T) {
	s, ctx := candidateStore(t), context.Background()
	pending, rejected := filepath.Join(s.state, "_pending_review"), filepath.Join(s.state, "_rejected")
	for _, text := range []string{"Orders go through Kafka", "結帳服務改用 gRPC"} {
		it := candidate("", text, "").Item
		it.Scope, it.Audience = memory.Shared, "decision"
		if err := s.Submit(ctx, pending, it, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(pending, "broken.md"), []byte("no front matter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	subs, problems := s.Submissions(ctx, pending, memory.Shared)
	if len(subs) != 2 || len(problems) != 1 || subs[0].By != "ann" || subs[0].Item.Audience != "decision" {
		t.Fatalf("%+v, problems %v", subs, problems)
	}
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	if err := s.Withdraw(ctx, subs[0], &Rejection{Dir: rejected, Why: "not agreed", By: "ben", At: at}); err != nil {
		t.Fatal(err)
	}
	if err := s.Withdraw(ctx, subs[1], nil); err != nil {
		t.Fatal(err)
	}
	if left, _ := s.Submissions(ctx, pending, memory.Shared); len(left) != 0 {
		t.Errorf("still waiting: %+v", left)
	}
	gone, _ := os.ReadDir(rejected)
	if len(gone) != 1 {
		t.Fatalf("%d rejected files, want 1", len(gone))
	}
	data, _ := os.ReadFile(filepath.Join(rejected, gone[0].Name()))
	for _, want := range []string{"rejected_why: not agreed", "rejected_by: ben", "submitted_by: ann", subs[0].Item.Content} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the record lacks %q:\n%s", want, data)
		}
	}
}
