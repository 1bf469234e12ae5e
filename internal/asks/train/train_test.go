package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeVoices writes three voices of prompts that say alike what they ask.
func writeVoices(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for v := range 3 {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, "{\"text\":\"what did we say about part %d?\",\"label\":\"P\"}\n{\"text\":\"add a page for part %d\",\"label\":\"N\"}\n", i, i)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("w%d.jsonl", v)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTrain(t *testing.T) {
	dir := writeVoices(t)
	var models [2][]byte
	for i := range models {
		out := filepath.Join(dir, "model.bin")
		var report bytes.Buffer
		if err := run([]string{"-data", dir, "-lives", "none", "-o", out, "-epochs", "4"}, &report); err != nil {
			t.Fatal(err)
		}
		if want := "all            72     36      1.000    1.000  1.000"; !strings.Contains(report.String(), want) {
			t.Errorf("the report is\n%s", report.String())
		}
		model, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		models[i] = model
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the same data gave two models")
	}
}

func TestDataThatCannotBeRead(t *testing.T) {
	for name, line := range map[string]string{"no JSON": "what?", "no text": `{"label":"P"}`, "no label": `{"text":"what?"}`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "w.jsonl"), []byte("{\"text\":\"a\",\"label\":\"N\"}\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run([]string{"-data", dir}, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "w.jsonl:2: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run([]string{"-data", t.TempDir()}, new(bytes.Buffer)); err == nil {
		t.Error("an empty folder is no data")
	}
}

// A sheet of the rules for forgetting says by what is to go whether a prompt asks.
func TestSheetsOfWhatIsToBeForgotten(t *testing.T) {
	dir := t.TempDir()
	sheet := `{"memory": [{"id": "m1", "text": "x"}], "prompts": [{"text": "forget x", "forget": ["m1"]}, {"text": "use x", "forget": []}]}`
	if err := os.WriteFile(filepath.Join(dir, "f1-1.json"), []byte(sheet), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := labelled("forget", dir)
	if err != nil || len(data) != 2 || !data[0].Asks || data[1].Asks || data[0].Voice != "f1" {
		t.Errorf("%+v, %v", data, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f1-2.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := labelled("forget", dir); err == nil || !strings.Contains(err.Error(), "f1-2.json") {
		t.Errorf("broken: %v", err)
	}
}
