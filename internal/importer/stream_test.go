package importer_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"orihon/internal/importer"
)

// big writes a file of about size bytes: head, pieces, tail.
func big(t *testing.T, name string, size int, head, tail string, piece func(i int) string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	n, _ := w.WriteString(head)
	for i := 0; n < size; i++ {
		m, _ := w.WriteString(piece(i))
		n += m
	}
	if _, err := w.WriteString(tail); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLargeInputIsNotHeldInMemory(t *testing.T) {
	const size, most = 24 << 20, 8 << 20
	long := strings.Repeat("lorem ipsum 長文 ", 4000)
	for _, path := range []string{
		big(t, "t.jsonl", size, "", "", func(i int) string {
			return fmt.Sprintf(`{"type":"user","sessionId":"s","uuid":"u%d","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}}`+"\n", i, i, long)
		}),
		big(t, "conversations.json", size, "[\n", `{"id":"last","mapping":{}}]`, func(i int) string {
			return fmt.Sprintf(`{"id":"c%d","current_node":"n","mapping":{"n":{"id":"n","message":{"id":"m","author":{"role":"user"},"content":{"parts":[%q]}}}}},`+"\n", i, long)
		}),
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			records, peak := 0, uint64(0)
			_, err := importer.Read(context.Background(), path, nil, func(importer.Record) error {
				if records++; records%100 == 0 {
					runtime.GC()
					runtime.ReadMemStats(&now)
					peak = max(peak, now.HeapAlloc)
				}
				return nil
			})
			if err != nil || records < 100 {
				t.Fatalf("%d records, %v", records, err)
			}
			if peak > before.HeapAlloc+most {
				t.Errorf("%d MB of a file of %d MB are held", (peak-before.HeapAlloc)>>20, size>>20)
			}
		})
	}
}

func TestABrokenDocumentKeepsWhatCameBefore(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, line string }{
		"cut.json":   {"{\"results\":[\n {\"memory\":\"one thing\"},\n {\"mem", "cut.json:3: "},
		"wrong.json": {"{\"results\":[\n {\"memory\":\"one thing\"},\n nonsense]}", "wrong.json:3: "},
		"odd.json":   {"{\"results\":[\n {\"memory\":\"one thing\"},\n 7, {\"memory\":null}]}", "odd.json:3: "},
		"deep.json":  {"{\"results\":[{\"memory\":\"one thing\"}]," + strings.Repeat(`"a":{`, 5000), "deep.json:1: "},
		"more.json":  {"{\"results\":[{\"memory\":\"one thing\"}]}\n{}", "more.json:2: "},
	} {
		path := filepath.Join(dir, name)
		put(t, path, []byte(tt.text))
		got, r, err := read(t, path, &importer.Options{Format: importer.Mem0})
		if err != nil || strings.Count(got, "one thing") != 1 {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if len(r.Problems) == 0 || !strings.HasPrefix(r.Problems[0], tt.line) {
			t.Errorf("%s: problems %q, want one at %s", name, r.Problems, tt.line)
		}
	}
}

func TestALineThatIsTooLongIsLeftOut(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: writes 65 MB")
	}
	path := big(t, "m.jsonl", 65<<20, `{"type":"entity","name":"a","observations":["first thing"]}`+"\n"+`{"type":"entity","name":"`, "\"}\n"+`{"type":"entity","name":"b","observations":["last thing"]}`, func(int) string { return strings.Repeat("x", 1<<20) })
	got, r, err := read(t, path, nil)
	if err != nil || r.Broken != 1 || !strings.HasPrefix(r.Problems[0], "m.jsonl:2: ") {
		t.Errorf("%v %q", err, r.Problems)
	}
	if !strings.Contains(got, "first thing") || !strings.Contains(got, "last thing") {
		t.Errorf("%q", got)
	}
}
