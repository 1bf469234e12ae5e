package importer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"orihon/internal/importer"
)

// fuzz reads any bytes as one format; the fixtures of all formats are the seeds.
func fuzz(f *testing.F, format importer.Format) {
	cases, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range cases {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if file.Name != "want" {
				f.Add(file.Data)
			}
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "in.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := importer.Read(context.Background(), path, &importer.Options{Format: format}, func(r importer.Record) error {
			if (r.Fact == nil) == (r.Event == nil) {
				t.Fatal("a record is one of both")
			}
			if fact := r.Fact; fact != nil && (fact.Text == "" || !utf8.ValidString(fact.Text) || strings.Contains(fact.Text, "\x00")) {
				t.Fatalf("text %q", fact.Text)
			}
			if e := r.Event; e != nil && (e.Type == "" || e.Session == "") {
				t.Fatalf("event %+v", e)
			}
			return nil
		})
		if err != nil && format != "" {
			t.Fatal(err)
		}
		for _, p := range r.Problems {
			if strings.Contains(p, "\n") || !strings.HasPrefix(p, "in.jsonl") {
				t.Fatalf("problem %q", p)
			}
		}
	})
}

func FuzzAnyShape(f *testing.F)     { fuzz(f, "") }
func FuzzClaudeCode(f *testing.F)   { fuzz(f, importer.ClaudeCode) }
func FuzzClaudeMemory(f *testing.F) { fuzz(f, importer.ClaudeMemory) }
func FuzzGeminiCLI(f *testing.F)    { fuzz(f, importer.GeminiCLI) }
func FuzzMCPMemory(f *testing.F)    { fuzz(f, importer.MCPMemory) }
func FuzzMem0(f *testing.F)         { fuzz(f, importer.Mem0) }
func FuzzZep(f *testing.F)          { fuzz(f, importer.Zep) }
func FuzzLetta(f *testing.F)        { fuzz(f, importer.Letta) }
func FuzzClaudeMem(f *testing.F)    { fuzz(f, importer.ClaudeMem) }
func FuzzEngram(f *testing.F)       { fuzz(f, importer.Engram) }
func FuzzCOGX(f *testing.F)         { fuzz(f, importer.COGX) }
func FuzzChatGPT(f *testing.F)      { fuzz(f, importer.ChatGPT) }
func FuzzMessages(f *testing.F)     { fuzz(f, importer.Messages) }
func FuzzMarkdown(f *testing.F)     { fuzz(f, importer.Markdown) }
func FuzzOrihon(f *testing.F)       { fuzz(f, importer.Orihon) }
