package lives_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orihon/internal/lives"
	"orihon/memory"
)

// voices is a folder of two of them, the second one gzipped.
func voices(t *testing.T) []lives.Voice {
	t.Helper()
	dir := t.TempDir()
	const mia = `{"text": "run the tests", "keep": []}
{"text": "we never merge on Fridays", "keep": [{"span": "we never merge on Fridays"}]}
{"text": "幫我看一下這個錯誤", "keep": []}
`
	f, err := os.Create(filepath.Join(dir, "tom.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	_, err = fmt.Fprintln(z, `{"text": "rename this variable", "keep": []}`)
	if err := errors.Join(err, z.Close(), f.Close(), os.WriteFile(filepath.Join(dir, "mia.jsonl"), []byte(mia), 0o600)); err != nil {
		t.Fatal(err)
	}
	out, err := lives.ReadVoices(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestVoicesAreTheirPromptsThatHoldNothingToKeep(t *testing.T) {
	want := []lives.Voice{
		{Name: "mia", Idle: map[string][]string{"en": {"run the tests"}, "zh-Hant": {"幫我看一下這個錯誤"}}},
		{Name: "tom", Idle: map[string][]string{"en": {"rename this variable"}}},
	}
	if diff := cmp.Diff(want, voices(t), cmpopts.IgnoreFields(lives.Voice{}, "Prompts")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := lives.ReadVoices(t.TempDir()); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("an empty folder: %v", err)
	}
}

// saidLife is of mia, whose own prompts are not among the idle ones.
func saidLife() lives.Life {
	l := lives.Life{Name: "dome", Author: "mia", Prompts: []lives.Prompt{
		{Text: "when does it build", Need: []string{"m1"}}, {Text: "which lamp is it", Need: []string{"m5"}}, {Text: "what is a parsec"},
	}}
	for i := 1; i <= 5; i++ {
		l.Memories = append(l.Memories, lives.Memory{ID: fmt.Sprint("m", i), Text: fmt.Sprintf("Lamp %d of the dome stays on at night, for the cleaners.", i)})
	}
	l.Memories[0].Said = "ugh, the night build runs at 03:40, who wants the mail that early"
	return l
}

func TestWhatWasSaidIsTypedAndNotRemembered(t *testing.T) {
	l := saidLife()
	said, err := l.Said(voices(t))
	if err != nil {
		t.Fatal(err)
	}
	if l.Memories[0].Text == said.Memories[0].Text || len(l.Past) != 0 {
		t.Error("the life itself has changed")
	}
	p := &program{answers: map[string]string{
		"when does it build": given("- ugh, the night build runs at 03:40, who wants the mail that early (today; the user said by the way)"),
		"which lamp":         given("- run the tests (today)"),
	}}
	r, err := lives.Run(t.Context(), []lives.Life{said}, &lives.Options{Dir: t.TempDir(), Program: p.run})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.told) != 0 || r.All.Need != .5 || r.All.Precision != .5 || r.All.Junk != 0 {
		t.Errorf("told %q; need %v, precision %v, junk %v", p.told, r.All.Need, r.All.Precision, r.All.Junk)
	}
	var typed []string
	for _, e := range p.events {
		_, e, _ = strings.Cut(e, " UserPromptSubmit ")
		switch name, _, _ := strings.Cut(e, "{"); {
		case strings.HasPrefix(name, "ugh"), strings.HasPrefix(name, "Lamp"):
			typed = append(typed, "said")
		case name == "rename this variable":
			typed = append(typed, "idle")
		case name == "run the tests":
			t.Error("a prompt of the developer's own is idle")
		}
	}
	if got, want := strings.Join(typed, " "), strings.TrimSpace(strings.Repeat("said idle ", 5)); got != want {
		t.Errorf("typed: %s", got)
	}
	ends := 0
	for _, e := range p.events {
		if strings.Contains(e, "SessionEnd") {
			ends++
		}
	}
	if ends != 2 {
		t.Errorf("%d sessions ended, want 2: eight prompts, then two", ends)
	}
}

func TestIdlePromptsAreInTheLanguageOfWhatIsSaid(t *testing.T) {
	l := lives.Life{Name: "dome", Memories: []lives.Memory{{ID: "m1", Text: "星表更新要先停掉後台的同步工作，否則索引會壞掉。"}}}
	said, err := l.Said(voices(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := said.Past[0].Turns[2].Text; got != "幫我看一下這個錯誤" {
		t.Errorf("beside it stands %q", got)
	}
	l.Author = "mia"
	if _, err := l.Said(voices(t)); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("without one in its language: %v", err)
	}
}
