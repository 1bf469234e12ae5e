package jsonl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/jsonl"
	"orihon/memory"
)

func TestLinesComeBackInOrderWithTheirOffsets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "log.jsonl")
	var want []string
	var offsets []int64
	for _, group := range [][]string{{`{"n":1}`}, {`{"n":2}`, `{"n":"繁體"}`}, {`{"n":"简体"}`}} {
		off := mustAppend(t, path, nil, group...)
		offsets = append(offsets, off)
		want = append(want, group...)
	}
	if diff := cmp.Diff(want, readAll(t, path)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{0, 8, 8 + 8 + 15}, offsets); diff != "" {
		t.Error(diff)
	}
	if runtime.GOOS != "windows" {
		checkMode(t, path, 0o600)
		checkMode(t, filepath.Dir(path), os.ModeDir|0o700)
	}
}

func TestFileCutAtEveryByteReopensCleanly(t *testing.T) {
	var whole bytes.Buffer
	for i := range 4 {
		fmt.Fprintf(&whole, "{\"n\":%d,\"text\":\"記憶 memory\"}\n", i)
	}
	const added = `{"n":"new"}`
	for at := 0; at <= whole.Len(); at++ {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		before := whole.Bytes()[:at]
		writeRaw(t, path, before)
		mustAppend(t, path, nil, added)

		lines := bytes.SplitAfter(before, []byte{'\n'})
		rest := string(lines[len(lines)-1])
		var want []string
		for _, l := range lines[:len(lines)-1] {
			want = append(want, strings.TrimSuffix(string(l), "\n"))
		}
		torn := rest != "" && !strings.HasSuffix(rest, "}")
		if rest != "" && !torn {
			want = append(want, rest)
		}
		if diff := cmp.Diff(append(want, added), readAll(t, path)); diff != "" {
			t.Fatalf("cut at byte %d: %s", at, diff)
		}
		aside, err := os.ReadFile(path + ".torn-1")
		if torn && (err != nil || string(aside) != rest) {
			t.Fatalf("cut at byte %d: aside holds %q (%v), want %q", at, aside, err, rest)
		}
		if !torn && !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("cut at byte %d: nothing was torn, but there is an aside %q", at, aside)
		}
	}
}

func TestTornTailsAreNumberedAndWarnedOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	var log bytes.Buffer
	o := &jsonl.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	for i, torn := range []string{`{"a":`, "\x00\x00\x00", `12`} {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(torn); err != nil {
			t.Fatal(err)
		}
		f.Close()
		mustAppend(t, path, o, `{}`)
		if got, _ := os.ReadFile(fmt.Sprintf("%s.torn-%d", path, i+1)); string(got) != torn {
			t.Errorf("aside %d holds %q, want %q", i+1, got, torn)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 3 {
		t.Errorf("%d warnings, want 3:\n%s", n, &log)
	}
	if diff := cmp.Diff([]string{`{}`, `{}`, `{}`}, readAll(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestEightProcessesLoseAndTearNothing(t *testing.T) {
	dir := t.TempDir()
	var procs []*exec.Cmd
	for w := range 8 {
		c := exec.Command(os.Args[0], fmt.Sprintf("w%d", w))
		c.Env = append(os.Environ(), writerEnv+"="+dir)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		procs = append(procs, c)
	}
	for _, c := range procs {
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	next := map[string]int{}
	for _, line := range readAll(t, filepath.Join(dir, "log.jsonl")) {
		var v struct {
			Writer string
			N      int
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("torn line %q: %v", line, err)
		}
		if v.N != next[v.Writer] {
			t.Fatalf("writer %s: line %d where %d was due", v.Writer, v.N, next[v.Writer])
		}
		next[v.Writer]++
	}
	for w := range 8 {
		if n := next[fmt.Sprintf("w%d", w)]; n != linesPerWriter {
			t.Errorf("writer %d: %d lines, want %d", w, n, linesPerWriter)
		}
	}
}

func TestFailingDiskLeavesTheAcknowledgedLinesAndNoHalfLine(t *testing.T) {
	full := errors.New("no space left")
	for name, tt := range map[string]struct {
		fault jsonl.Fault
		sync  bool
	}{
		"write fails at once":         {fault: jsonl.Fault{Write: full}},
		"write fails in the middle":   {fault: jsonl.Fault{Write: full, Short: 12}},
		"write fails behind line one": {fault: jsonl.Fault{Write: full, Short: 16}},
		"write is short in silence":   {fault: jsonl.Fault{Silent: true, Short: 5}},
		"sync fails":                  {fault: jsonl.Fault{Sync: full}, sync: true},
		"close fails":                 {fault: jsonl.Fault{Close: full}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log.jsonl")
			mustAppend(t, path, nil, `{"kept":"already here"}`)
			_, err := jsonl.Append(context.Background(), path, jsonl.Failing(tt.fault, tt.sync), []byte(`{"lost":"so 1"}`), []byte(`{"lost":"so 2"}`))
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v does not name %s", err, path)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(raw), "{\"kept\":\"already here\"}\n"; got != want {
				t.Errorf("file holds %q, want %q", got, want)
			}
			mustAppend(t, path, nil, `{"next":1}`)
			if diff := cmp.Diff([]string{`{"kept":"already here"}`, `{"next":1}`}, readAll(t, path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnsyncedAppendNeverWaitsForTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	o := jsonl.Failing(jsonl.Fault{Sync: errors.New("must not be called")}, false)
	if _, err := jsonl.Append(context.Background(), path, o, []byte(`{}`)); err != nil {
		t.Error(err)
	}
}

func TestFoldersAndFilesInTheWrongPlaceAreNamed(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder.jsonl")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain")
	writeRaw(t, plain, []byte("x"))

	for _, path := range []string{folder, filepath.Join(plain, "log.jsonl"), filepath.Join(plain, "deeper", "log.jsonl")} {
		culprit := folder
		if path != folder {
			culprit = plain
		}
		if _, err := jsonl.Append(context.Background(), path, nil, []byte(`{}`)); err == nil || !strings.Contains(err.Error(), culprit) {
			t.Errorf("append to %s: error %v does not name %s", path, err, culprit)
		}
		if err := jsonl.WriteFile(path, nil); err == nil || !strings.Contains(err.Error(), culprit) {
			t.Errorf("write %s: error %v does not name %s", path, err, culprit)
		}
		if _, err := jsonl.Read(path, 0, func([]byte, int64, int) error { return nil }); err == nil {
			t.Errorf("read %s: no error", path)
		}
	}
}

func TestReadOnlyFolderIsReported(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("SKIPPED: permissions do not bind this user")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "log.jsonl")
	if _, err := jsonl.Append(context.Background(), path, nil, []byte(`{}`)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("append: %v, want a permission error", err)
	}
	if err := jsonl.WriteFile(path, nil); !errors.Is(err, os.ErrPermission) {
		t.Errorf("write: %v, want a permission error", err)
	}
}

func TestWhatIsNoLineIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	for _, bad := range []string{"", "  \t", "{}\n", "{\n}"} {
		_, err := jsonl.Append(context.Background(), path, nil, []byte(`{}`), []byte(bad))
		if !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", bad, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file exists: %v", err)
	}
}

func TestCancelledAppendWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := jsonl.Append(ctx, path, nil, []byte(`{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file exists: %v", err)
	}
}

func BenchmarkAppendToTenMegabytes(b *testing.B) {
	path := filepath.Join(b.TempDir(), "log.jsonl")
	line := []byte(`{"text":"` + strings.Repeat("x", 1000) + `"}`)
	lines := make([][]byte, 10_000)
	for i := range lines {
		lines[i] = line
	}
	if _, err := jsonl.Append(b.Context(), path, nil, lines...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := jsonl.Append(b.Context(), path, nil, line); err != nil {
			b.Fatal(err)
		}
	}
}

func mustAppend(t *testing.T, path string, o *jsonl.Options, lines ...string) int64 {
	t.Helper()
	raw := make([][]byte, len(lines))
	for i, l := range lines {
		raw[i] = []byte(l)
	}
	off, err := jsonl.Append(context.Background(), path, o, raw...)
	if err != nil {
		t.Fatal(err)
	}
	return off
}

func readAll(t *testing.T, path string) []string {
	t.Helper()
	var out []string
	if _, err := jsonl.Read(path, 0, func(line []byte, _ int64, _ int) error {
		out = append(out, string(line))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func writeRaw(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func checkMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != want {
		t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
	}
}
