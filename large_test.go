package orihon_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"orihon/follow"
	"orihon/journal"
)

var journalMB = flag.Int64("journalmb", 50, "size of the journal of TestALargeJournalIsOpenedAndAppendedToByItsEnd")

func TestALargeJournalIsOpenedAndAppendedToByItsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a large file")
	}
	p := newPlace(t)
	p.prompt(t, "large", "first", "the lighthouse keeper is called Wilhelmina")
	m := p.open(t)
	path := filepath.Join(m.Project().Session("large"), "journal.jsonl")
	last := fill(t, path, *journalMB<<20)

	// What is read and kept must not grow with the file: a handle that read it
	// whole would allocate far more than this.
	const most = 8 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.do(t, "large", func(ctx context.Context, s *follow.Session) error {
		return s.Action(ctx, follow.Action{ID: "behind", Tool: "Bash", Output: "done 完成"})
	})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("opening a journal of %d MB and appending to it allocated %d MB, want at most %d", *journalMB, used>>20, most>>20)
	}
	j, err := journal.Open(filepath.Dir(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for e, err := range j.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.Seq != n {
			t.Fatalf("event %d stands where %d belongs", e.Seq, n)
		}
	}
	if n != last+2 {
		t.Errorf("%d events, want the %d there were and a call with its result", n, last)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < *journalMB<<20 {
		t.Errorf("the journal has become smaller: %v, %v", info, err)
	}
}

// fill appends events to a journal until it has a size, and returns the
// number of the last one.
func fill(t *testing.T, path string, size int64) (seq int64) {
	t.Helper()
	seq = int64(strings.Count(read(t, path), "\n"))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	output := strings.Repeat("output of a tool 工具的輸出 ", 100)
	for written := int64(0); written < size; {
		seq++
		n, err := fmt.Fprintf(w, `{"seq":%d,"ts":"2026-08-01T09:00:00Z","iter":%d,"type":"ACTION_RESULT","id":"call-%d","payload":{"tool":"Bash","output":%q}}`+"\n", seq, 1+seq/2, seq, output)
		if err != nil {
			t.Fatal(err)
		}
		written += int64(n)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return seq
}
