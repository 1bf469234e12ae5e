package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
)

func TestAllVersionsOfAnItemAreKeptInOrder(t *testing.T) {
	s := openSpace(t)
	it, other := fact("a", "Deploys go through make ship."), fact("ab", "別的事。")
	put(t, s, it, other)
	it.Content, it.Metadata.UpdatedAt = "部署用 make ship。", s.now.Add(time.Hour)
	put(t, s, it)
	if err := s.Remove(t.Context(), "a", "outdated", s.now.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	s.write("personal/semantic.jsonl", s.read("personal/semantic.jsonl")+"{broken \"a\"\n")
	it.Content = "Back, and changed."
	put(t, s, it)

	versions, err := s.Versions(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range versions {
		got = append(got, fmt.Sprintf("%s:%d %s %s %q", v.Path, v.Line, v.Op, v.Item.Content, v.Why))
	}
	if diff := cmp.Diff([]string{
		`personal/semantic.jsonl:1 version Deploys go through make ship. ""`,
		`personal/semantic.jsonl:3 version 部署用 make ship。 ""`,
		`personal/semantic.jsonl:4 retire 部署用 make ship。 "outdated"`,
		`personal/semantic.jsonl:5 restore 部署用 make ship。 ""`,
		`personal/semantic.jsonl:7 version Back, and changed. ""`,
	}, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if at := versions[2].At; !at.Equal(s.now.Add(2 * time.Hour)) {
		t.Errorf("retired at %v", at)
	}
}

func TestABulletHasOnlyItsPresentVersion(t *testing.T) {
	s := openSpace(t)
	s.write("shared/a.md", "---\nid: a\nkind: semantic\ncreated_at: 2026-11-20T09:30:00Z\n---\n\n- 主機是 db1。\n- The port is 8080.\n")
	var id string
	for st, err := range s.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		id = st.Item.ID // the last
	}
	if err := s.Remove(t.Context(), id, "wrong", s.now); err != nil {
		t.Fatal(err)
	}
	versions, err := s.Versions(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range versions {
		got = append(got, string(v.Op)+" "+v.Item.Content+" "+v.Why)
	}
	if diff := cmp.Diff([]string{"version The port is 8080. ", "retire The port is 8080. wrong"}, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if _, err := s.Versions(t.Context(), "nobody"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("versions of what is not there: %v, want ErrNotFound", err)
	}
}
