package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	_ "embed"
)

// How two of the programs keep a text, in the form of [element].
var (
	//go:embed secrets/claude-code.txt
	asClaudeCode string
	//go:embed secrets/chatgpt.txt
	asChatGPT string
)

// foreignForm writes texts as another program keeps them.
type foreignForm struct {
	name, file string
	write      func(texts []string) string
}

// list joins what an element makes of each text.
func list(format string) func([]string) string {
	return func(texts []string) string {
		var parts []string
		for i, t := range texts {
			parts = append(parts, element(format, i, t))
		}
		return strings.Join(parts, ",")
	}
}

// lineOf is list with a line for each.
func lineOf(format string) func([]string) string {
	return func(texts []string) string {
		var b strings.Builder
		for i, t := range texts {
			b.WriteString(element(format, i, t) + "\n")
		}
		return b.String()
	}
}

// element puts a number where N stands and a text, quoted as JSON does it, where
// TEXT stands.
func element(format string, n int, text string) string {
	quoted, _ := json.Marshal(text) // strings always encode
	return strings.NewReplacer("§N", fmt.Sprint(n), "§TEXT", string(quoted)).Replace(format)
}

func within(before, after string, inner func([]string) string) func([]string) string {
	return func(texts []string) string { return before + inner(texts) + after }
}

// foreignForms are the forms that can be imported.
func foreignForms() []foreignForm {
	return []foreignForm{
		{"claude-code", "11111111-aaaa-4bbb-8ccc-000000000001.jsonl", lineOf(strings.TrimSpace(asClaudeCode))},
		{"chatgpt", "conversations.json", within("[", "]", list(strings.TrimSpace(asChatGPT)))},
		{"claude-mem", "export.json", within(
			`{"exportedAt":"2026-05-01T00:00:00Z","query":"all","observations":[`, `],"sessions":[],"summaries":[],"prompts":[]}`,
			list(`{"id":§N,"memory_session_id":"s-1","type":"bugfix","title":§TEXT,"narrative":§TEXT,"concepts":["x"],"created_at_epoch":1767225600000}`))},
		{"claude-memory", "memory/testing.md", notesOf("---\nname: Testing\ndescription: how we test\ntype: feedback\n---\n")},
		{"cogx", "memories.jsonl", lineOf(`{"id":"m§N","text":§TEXT,"created_at":"2026-06-02T00:00:00Z"}`)},
		{"engram", "export.json", within(
			`{"version":"1","exported_at":"2026-05-01T00:00:00Z","sessions":[],"observations":[`, `],"prompts":[]}`,
			list(`{"id":§N,"sync_id":"obs-§N","session_id":"s-1","type":"decision","title":§TEXT,"content":§TEXT,"created_at":"2026-05-01 08:00:00"}`))},
		{"gemini-cli", "session-1.json", within(`{"sessionId":"g-1","projectHash":"abc","startTime":"2026-01-15T20:00:00Z","messages":[`, `]}`, list(`{"id":"m§N","timestamp":"2026-01-15T20:00:01Z","type":"user","content":§TEXT},{"id":"k§N","timestamp":"2026-01-15T20:00:02Z","type":"gemini","content":§TEXT,"model":"x"}`))},
		{"letta", "new.af", within(`{"agents":[{"id":"agent-7","name":"helper","messages":[`, `]}],"blocks":[]}`, list(`{"id":"m§N","role":"assistant","content":§TEXT,"created_at":"2026-04-01T00:00:00Z"}`))},
		{"markdown", "notes/deploy.md", notesOf("# Deploying\n\n")},
		{"mcp-memory", "memory.jsonl", lineOf(`{"type":"entity","name":"Ann §N","entityType":"person","observations":[§TEXT]}`)},
		{"mem0", "a.json", within("[", "]", list(`{"id":"3f2504e0-§N","memory":§TEXT,"user_id":"ann"}`))},
		{"orihon", "export.jsonl", lineOf(`{"v":1,"id":"01939f00-0000-7000-8000-0§N","kind":"semantic","topic":"fact","content":§TEXT,"scope":"personal:ann","metadata":{"created_at":"2026-11-20T09:30:00Z","confidence":0.9,"tags":[§TEXT]}}`)},
		{"zep", "graph.json", within(`{"episodes":[`, `],"nodes":[],"edges":[]}`, list(`{"uuid":"e§N","content":§TEXT,"role":"Ann","role_type":"user","session_id":"z-1","created_at":"2026-02-01T00:00:00Z"}`))},
	}
}

// notesOf writes the texts as paragraphs behind a head.
func notesOf(head string) func([]string) string {
	return func(texts []string) string { return head + strings.Join(texts, "\n\n") + "\n" }
}

func (b *bench) imported(f foreignForm, all []planted) error {
	path := filepath.Join(b.dir, "foreign", filepath.FromSlash(f.file))
	cwd, err := json.Marshal(b.project)
	if err != nil {
		return err
	}
	if err := b.write(path, strings.ReplaceAll(f.write(texts(all)), `"§CWD"`, string(cwd))); err != nil {
		return err
	}
	if f.name == "cogx" {
		manifest := filepath.Join(filepath.Dir(path), "manifest.json")
		if err := os.WriteFile(manifest, []byte(`{"format":"cogx","version":"0.1"}`), 0o600); err != nil {
			return err
		}
	}
	report, err := b.m.Transfer().Import(b.ctx, filepath.Join(b.dir, "foreign"), nil)
	if err := b.see(report, err); err != nil {
		return err
	}
	if report.Items.New+report.Items.Confirmed+report.Sessions.New == 0 {
		return fmt.Errorf("nothing was imported: %v", report)
	}
	if report.Formats[f.name] == 0 {
		return fmt.Errorf("it was taken for another form: %v", report.Formats)
	}
	return b.recalled("deploying")
}
