package store_test

import (
	"os"
	"strings"
	"testing"

	"orihon/memory"
)

// The examples of docs/FORMAT.md are read as what the page says they are.
func TestTheExamplesOfTheFormatPageAreValid(t *testing.T) {
	raw, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(raw), "\r\n", "\n")
	example := func(section, kind string) (out []string) {
		t.Helper()
		_, text, ok := strings.Cut(page, "\n## "+section+"\n")
		if !ok {
			t.Fatalf("no section %s", section)
		}
		if at := strings.Index(text, "\n## "); at >= 0 && kind == "json" {
			text = text[:at]
		}
		for i, part := range strings.Split(text, "```") {
			if body, ok := strings.CutPrefix(part, kind+"\n"); ok && i%2 == 1 {
				out = append(out, body)
			}
		}
		return out
	}
	s := openSpace(t)
	s.write("personal/semantic.jsonl", strings.Join(example("Ledger", "json"), ""))
	s.write("shared/deploys.md", example("Atom", "markdown")[0])
	s.write("personal/MEMORY.md", example("Notes and MEMORY.md", "markdown")[0])
	s.write("personal/2026-11-21.md", example("Daily log", "markdown")[0])
	s.write("state/audit.jsonl", strings.Join(example("Audit trail", "json"), ""))
	s.write("state/usage.jsonl", strings.Join(example("Usage log", "json"), ""))
	b, problems := s.changes(nil, memory.FullLook)
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	retired := 0
	for _, p := range b.Put {
		if p.Retired {
			retired++
		}
	}
	// The item of the ledger was forgotten, and then went into the archive.
	if len(b.Put) != 5 || retired != 0 || len(b.Uses) != 1 {
		t.Errorf("%d passages, %d retired, %d uses; want 5 (two bullets each of an atom and MEMORY.md, one conversation), 0, 1", len(b.Put), retired, len(b.Uses))
	}
	n := 0
	for _, err := range s.Audits(t.Context(), &memory.AuditFilter{Op: "add"}) {
		if n++; err != nil {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d audit records, want 1", n)
	}
}

// A bullet knows the paragraph that its atom begins with, and how much the atom holds.
func TestBulletsKnowWhatTheirAtomSaysInShort(t *testing.T) {
	const front = "---\nkind: semantic\ntitle: Webhooks\n---\n"
	long := strings.Repeat("A paragraph that sums up nothing. ", 30)
	for body, want := range map[string]string{
		"# Webhooks\n\nSigned and\nretried.\n\nMore.\n\n- one two three\n- four five six\n": "Signed and\nretried.",
		"- one two three\n\nSaid afterwards.\n\n- four five six\n":                          "",
		long + "\n\n- one two three\n":                                                      "",
		"Prose alone.\n":                                                                    "",
	} {
		s := openSpace(t)
		s.write("shared/webhooks.md", front+body)
		batch, _ := s.changes(nil, memory.FullLook)
		for _, p := range batch.Put {
			bullet := strings.HasPrefix(p.Item.Content, "one") || strings.HasPrefix(p.Item.Content, "four")
			if bullet && (p.Summary != want || (p.Whole > 0) != (want != "")) || !bullet && p.Summary != "" {
				t.Errorf("%q: %q has the summary %q of %d tokens, want %q", body, p.Item.Content, p.Summary, p.Whole, want)
			}
		}
	}
}
