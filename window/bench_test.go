package window_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"orihon/journal"
	"orihon/window"
)

var foldsOut = flag.String("folds", "", "write the folds of the probes to this file")

// benchDir is where the benchmark data lie when they are present: they do not
// travel with the code.
func benchDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "bench", "dev")
	if _, err := os.Stat(filepath.Join(dir, "fold_probes.jsonl")); err != nil {
		t.Skip("SKIPPED: no benchmark data here:", err)
	}
	return dir
}

type probeSet struct {
	ID         string `json:"id"`
	File       string `json:"file"`
	Start, End int
	Probes     []probe `json:"probes"`
}

type probe struct {
	Type  string   `json:"type"`
	Text  string   `json:"text"`
	Words []string `json:"words"`
}

func readProbes(t testing.TB, dir string) (all []probeSet) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "fold_probes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	for {
		var p probeSet
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// transcriptLines reads the lines of a packed transcript.
func transcriptLines(t testing.TB, path string) (lines [][]byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		lines = append(lines, bytes.Clone(s.Bytes()))
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func viewOf(t testing.TB, lines [][]byte) *journal.View {
	t.Helper()
	in, err := journal.FromTranscript(context.Background(), bytes.NewReader(bytes.Join(lines, []byte{'\n'})))
	if err != nil {
		t.Fatal(err)
	}
	return journal.NewView(in.Events...)
}

// The scorer of the benchmark, so that its floors hold here as well.
type foldScorer struct{ space, word *regexp.Regexp }

func newFoldScorer() foldScorer {
	return foldScorer{regexp.MustCompile(`\s+`), regexp.MustCompile(`[a-z0-9_]+`)}
}

func (s foldScorer) score(e probeSet, fold string, budget int) map[string]float64 {
	if runes := []rune(fold); len(runes) > budget*4 {
		fold = string(runes[:budget*4])
	}
	text := s.space.ReplaceAllString(fold, " ")
	words := map[string]bool{}
	for _, w := range s.word.FindAllString(strings.ToLower(text), -1) {
		words[w] = true
	}
	kept, all := map[string]float64{}, map[string]float64{}
	for _, p := range e.Probes {
		all[p.Type]++
		if p.Type == "prompt" {
			n := 0
			for _, w := range p.Words {
				if words[w] {
					n++
				}
			}
			if float64(n) >= 0.6*float64(len(p.Words)) {
				kept[p.Type]++
			}
		} else if strings.Contains(text, s.space.ReplaceAllString(p.Text, " ")) {
			kept[p.Type]++
		}
	}
	for k := range all {
		kept[k] /= all[k]
	}
	for k := range all {
		if _, ok := kept[k]; !ok {
			kept[k] = 0
		}
	}
	return kept
}

func TestFoldsKeepWhatTheWorkNeeds(t *testing.T) {
	dir := benchDir(t)
	const budget = 2000
	scorer := newFoldScorer()
	lines := map[string][][]byte{}
	sum, events := map[string]float64{}, map[string]float64{}
	var out bytes.Buffer
	for _, e := range readProbes(t, dir) {
		if lines[e.File] == nil {
			lines[e.File] = transcriptLines(t, filepath.Join(dir, "transcripts", e.File))
		}
		fold := window.Fold(viewOf(t, lines[e.File][e.Start:e.End]), budget, "")
		line, err := json.Marshal(map[string]string{"id": e.ID, "fold": fold})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
		for kind, s := range scorer.score(e, fold, budget) {
			sum[kind] += s
			events[kind]++
			t.Logf("%s %s %.2f (%d chars)", e.ID, kind, s, len(fold))
		}
	}
	if *foldsOut != "" {
		if err := os.WriteFile(*foldsOut, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for kind, floor := range map[string]float64{"file": 1, "commit": 1, "todo": 1, "error": 1, "prompt": 1, "ident": 0.80} {
		got := sum[kind] / events[kind]
		t.Logf("%s: %.3f over %.0f", kind, got, events[kind])
		if got < floor {
			t.Errorf("%s: %.3f kept, want at least %.2f", kind, got, floor)
		}
	}
}
