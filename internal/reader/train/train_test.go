package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/reader"
)

// voices writes small voices that all speak alike.
func voices(t *testing.T, dir string) {
	t.Helper()
	type part struct {
		Span string `json:"span"`
		Kind string `json:"kind,omitempty"`
		Why  string `json:"why,omitempty"`
	}
	for v := range 4 {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for i := range 12 {
			fact := fmt.Sprintf("the %s box listens on port %d", []string{"mail", "build", "log"}[i%3], 8000+i)
			task := fmt.Sprintf("please rename file %d", i)
			line := map[string]any{"text": task + ". " + fact, "keep": []part{{Span: fact, Kind: "fact"}}, "not": []part{{Span: task, Why: "task"}}}
			if i%2 == 0 {
				line = map[string]any{"text": task + ". then run the tests", "keep": []part{}, "not": []part{}}
			}
			if err := json.NewEncoder(z).Encode(line); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("v%d.jsonl.gz", v)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTrain(t *testing.T) {
	dir := t.TempDir()
	voices(t, dir)
	var models [2][]byte
	for i := range models {
		out := filepath.Join(dir, "model.bin")
		var report bytes.Buffer
		if err := run([]string{"-data", dir, "-plain", "", "-o", out, "-epochs", "8"}, &report); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(report.String(), "calibration error") {
			t.Errorf("the report says only %q", report.String())
		}
		var err error
		if models[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the same data and seed give another model")
	}
	m := reader.Open(string(models[0]))
	list := m.Read("please rename file 7. the build box listens on port 9001")
	if len(list) != 1 || list[0].Text != "the build box listens on port 9001" || list[0].Kind != reader.Fact {
		t.Errorf("found %+v, want the port", list)
	}
	if len(list) == 1 && list[0].P < 0.5 {
		t.Errorf("the port is at %.2f only", list[0].P)
	}
	for _, s := range m.Read("please rename file 7. then run the tests") {
		if s.P > 0.3 {
			t.Errorf("a task is kept: %+v", s)
		}
	}
}

func TestDataMustFit(t *testing.T) {
	for name, line := range map[string]string{
		"no such part":      `{"text": "a b", "not": [{"span": "c", "why": "task"}]}`,
		"no such statement": `{"text": "a b", "keep": [{"span": "a", "kind": "rumour"}]}`,
		"invalid":           `{`,
	} {
		if _, err := parse([]byte(line)); err == nil || !strings.Contains(err.Error()+"invalid", name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run([]string{"-data", t.TempDir()}, io.Discard); err == nil || !strings.Contains(err.Error(), "no data") {
		t.Errorf("without data: %v", err)
	}
}

func TestWorth(t *testing.T) {
	p, err := parse([]byte(`{"text": "hm. ci runs on egret, since march. the key is in vault 7, rename the job",
		"keep": [{"span": "ci runs on egret, since march", "kind": "fact"}, {"span": "the key is in vault 7", "kind": "fact"}],
		"not": [{"span": "rename the job", "why": "task"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct {
		worth float64
		told  int
	}{
		"ci runs on egret, since march":                        {worthSame, 1},
		"ci runs on egret, since march. the key is in vault 7": {worthSame, 2},
		"ci runs on egret, since march. the key is in vault":   {worthSame, 1}, // and the other without its number
		"ci runs on egret, since march. the":                   {worthSame, 1},
		"ci runs on egret":                                     {worthBegun, 1},
		"runs on egret, since march":                           {worthTorn, 1},
		"on egret, since march":                                {worthTorn, 1},
		"since march. the key is in vault 7":                   {worthAround, 1},
		"the key is in vault 7, rename the job":                {worthBehind * worthAmong, 1},
		"since march. the key is in vault 7, rename the job":   {worthAround * worthAmong, 1},
		"rename the job":                                       {worthNone, 0},
	} {
		from := strings.Index(p.Text, text)
		if worth, told := p.worth(reader.Span{From: from, To: from + len(text)}); math.Abs(worth-want.worth) > 1e-9 || told != want.told {
			t.Errorf("%q is worth %.2f and tells %d, want %v", text, worth, told, want)
		}
	}
}
