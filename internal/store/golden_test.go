package store_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/store"
	"orihon/memory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update if it should:\n%s", name, diff)
	}
}

// What a team sees in a pull request when an agent adds something.
func TestAWrittenAtomLooksLikeThis(t *testing.T) {
	s := openSpace(t)
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	put(t, s, memory.Item{
		ID: "01939f00-0000-7000-8000-000000000001", Kind: memory.Procedural, Topic: memory.Pitfall,
		Title: "部署前: run the migration", Content: "先跑資料庫遷移，再部署。\n\nOtherwise the old schema answers for a minute.",
		Scope: memory.Shared, Tier: memory.Observed, Triggers: []string{"deploy", "部署"}, Audience: "decision",
		Metadata:  memory.Metadata{Confidence: 0.9, Source: memory.FromUser, CreatedAt: at, UpdatedAt: at, Tags: []string{"db"}, Session: "s-1"},
		Relations: memory.Relations{Supersedes: "01939f00-0000-7000-8000-000000000000"}, ValidFrom: at,
	})
	golden(t, "atom.md", s.read("shared/部署前-run-the-migration-00000001.md"))
	if err := s.Remove(t.Context(), "01939f00-0000-7000-8000-000000000001", "outdated: 不再需要", at); err != nil {
		t.Fatal(err)
	}
	golden(t, "atom-retired.md", s.read("shared/部署前-run-the-migration-00000001.md"))
}

func TestALedgerLooksLikeThis(t *testing.T) {
	s := openSpace(t)
	it := fact("01939f00-0000-7000-8000-000000000002", "回答用繁體中文, with <code> as it is.")
	it.Topic, it.Metadata.CreatedAt = memory.Preference, time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	put(t, s, it)
	if err := s.Remove(t.Context(), it.ID, "wrong", it.Metadata.CreatedAt.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	golden(t, "ledger.jsonl", s.read("personal/semantic.jsonl"))
}

func TestADailyLogLooksLikeThis(t *testing.T) {
	s := openSpace(t)
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.FixedZone("", 8*3600))
	for range 2 { // a repeated call changes nothing
		if err := s.AppendLog(t.Context(), at, "s-1", []store.LogTurn{
			{User: true, Text: "我們從哪裡部署？"},
			{Text: "From main.\n\n## Conversation Log - of yesterday\n**USER**: is not what I am\n<!-- session: x -->\n\\## Conversation Log - twice"},
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AppendLog(t.Context(), at.Add(time.Hour), "s-2", []store.LogTurn{{User: true, Text: "Again."}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "2026-11-21.md", s.read("personal/2026-11-21.md"))
}

// A hand-written atom with everything a person may do to it, and the passages
// that become of it.
func TestAnAtomIsReadAsThesePassages(t *testing.T) {
	s := openSpace(t)
	raw, err := os.ReadFile("testdata/handwritten.md")
	if err != nil {
		t.Fatal(err)
	}
	s.write("role/art/colours.md", string(raw))
	b, problems := s.changes(nil, memory.FullLook)
	golden(t, "handwritten.txt", describePassages(b.Put, problems))
}

func describePassages(passages []memory.Passage, problems []memory.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "! %s\n", p)
	}
	for _, p := range passages {
		fmt.Fprintf(&b, "\n%s\n  %s:%d-%d  %s\n  kind=%s topic=%s tier=%s confidence=%g scope=%s parent=%s retired=%v tags=%q\n",
			p.ID, p.Source, p.Line, p.EndLine, p.Heading, p.Item.Kind, p.Item.Topic, p.Item.Tier, p.Item.Metadata.Confidence, p.Item.Scope, p.Parent, p.Retired, p.Item.Metadata.Tags)
		for _, l := range strings.Split(p.Item.Content, "\n") {
			fmt.Fprintf(&b, "  | %s\n", l)
		}
	}
	return b.String()
}

func TestNotesAreCutAtHeadingsAndBlocksAndOverlap(t *testing.T) {
	s := openSpace(t)
	var b strings.Builder
	b.WriteString("# Guide\n\n")
	for i := range 12 {
		if i == 6 {
			b.WriteString("## 第二部分\n\n")
		}
		for j := range 6 {
			fmt.Fprintf(&b, "Paragraph %d, sentence %d tells about deploys, ports and 資料庫.\n", i, j)
		}
		b.WriteString("\n")
	}
	s.write("docs/guide.md", b.String())
	s.write("docs/long.md", strings.Repeat("這一句話沒有換行，很長。", 200))
	s.write("docs/short.md", "---\ntitle: Short\n---\nOne line.\n")
	batch, problems := s.changes(nil, memory.FullLook)
	if len(problems) > 0 {
		t.Error(problems)
	}
	var lines strings.Builder
	for _, p := range batch.Put {
		first, last := p.Item.Content, p.Item.Content
		if len(first) > 40 {
			first = strings.ToValidUTF8(first[:40], "")
			last = strings.ToValidUTF8(last[len(last)-40:], "")
		}
		fmt.Fprintf(&lines, "%s %d-%d [%s] %q … %q\n", p.ID, p.Line, p.EndLine, p.Heading, first, last)
	}
	golden(t, "chunks.txt", lines.String())
}
