package extract_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"orihon/internal/extract"
	"orihon/llm"
	"orihon/llm/llmtest"
)

// Notes that people made of prompts pass for what was said there, in nearly all cases;
// those that they made of other people's prompts do not.
func TestNotesPassForWhatWasSaid(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "reader", "train", "data", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	note := ""
	x := asking(&llmtest.Script{Answer: func(llm.Request) (llm.Message, error) {
		answer, err := json.Marshal(map[string]any{"pieces": []any{map[string]string{"type": "fact", "content": note}}})
		return llm.Message{Text: string(answer)}, err
	}}, nil)
	passes := func(text, n string) bool {
		note = n
		pieces, err := x.Knowledge(t.Context(), extract.EndStream(), []extract.Said{{User: true, Text: text}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(pieces) == 1
	}
	own, strange, all := 0, 0, 0
	var before []string // notes of the person before
	for _, file := range files {
		var notes []string
		for _, p := range prompts(t, file) {
			for _, k := range p.Keep {
				const most = 150 // characters that are asked for
				if k.Note == "" || utf8.RuneCountInString(k.Note) > most {
					continue
				}
				notes = append(notes, k.Note)
				if len(before) == 0 {
					continue
				}
				all++
				if passes(p.Text, k.Note) {
					own++
				}
				if passes(p.Text, before[len(notes)%len(before)]) {
					strange++
				}
			}
		}
		before = notes
	}
	t.Logf("of %d notes %d pass for what was said, of other people's %d", all, own, strange)
	if own*100 < all*93 || strange*100 > all {
		t.Errorf("of %d notes %d pass, of other people's %d", all, own, strange)
	}
}

type prompt struct {
	Text string
	Keep []struct{ Note string }
}

func prompts(t *testing.T, file string) (out []prompt) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p prompt
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(file, err)
		}
		out = append(out, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(file, err)
	}
	return out
}
