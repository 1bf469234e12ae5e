package journal_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/memory"
)

// closed is a journal of a closed session, with a body in io/, last written a
// month ago, and what is to be read of it.
func closed(t testing.TB) (dir string, want []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "s1")
	j := open(t, dir)
	mustAppend(t, j, user("p1", "Round the cart total half up."), event(journal.ActionRequest, "t1", journal.Action{Tool: "Read"}),
		event(journal.ActionResult, "t1", journal.Result{Tool: "Read", Output: strings.Repeat("合計 total ", 9000)}), assistant("a1", "The total is rounded."))
	old := start.AddDate(0, -1, 0)
	for _, path := range []string{j.Path(), dir} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	return dir, told(t, dir)
}

// told is all that a journal says, with whole bodies.
func told(t testing.TB, dir string) (out []string) {
	t.Helper()
	v, err := open(t, dir).View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range v.Events() {
		body, err := v.Body(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%d %d %s %s %s", e.Seq, e.Iter, e.Type, e.ID, body))
	}
	return out
}

func files(t testing.TB, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		name := d.Name()
		if filepath.Base(filepath.Dir(path)) == "io" {
			name = "io/…" + filepath.Ext(name)
		}
		out = append(out, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func pack(t testing.TB, dir string) {
	t.Helper()
	if err := open(t, dir).Pack(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestACompressedJournalReadsAsBefore(t *testing.T) {
	dir, want := closed(t)
	before, _ := open(t, dir).Last()
	turns, _, err := open(t, dir).Turns(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := journal.Changes(context.Background(), filepath.Dir(dir), nil, nil)
	if err != nil || len(batch.Files) != 1 {
		t.Fatal(batch.Files, err)
	}
	known := map[string]memory.File{batch.Files[0].Path: batch.Files[0]}
	info, err := journal.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}

	pack(t, dir)
	pack(t, dir) // a second time changes nothing
	if diff := cmp.Diff([]string{"io/….gz", "journal.jsonl.gz"}, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, told(t, dir)); diff != "" {
		t.Error(diff)
	}
	if after, _ := open(t, dir).Last(); after != before {
		t.Errorf("the last event is %d, was %d", after, before)
	}
	if again, _, err := open(t, dir).Turns(context.Background(), 0); err != nil || !cmp.Equal(turns, again) {
		t.Errorf("%v: %s", err, cmp.Diff(turns, again))
	}
	if again, err := journal.Changes(context.Background(), filepath.Dir(dir), nil, nil); err != nil || !cmp.Equal(batch.Put, again.Put) {
		t.Errorf("%v: %s", err, cmp.Diff(batch.Put, again.Put))
	}
	// What an index knows stays known: the time is the same.
	if again, err := journal.Changes(context.Background(), filepath.Dir(dir), known, nil); err != nil || len(again.Files)+len(again.Gone) > 0 {
		t.Errorf("%v: the index reads %v again and drops %v", err, again.Files, again.Gone)
	}
	packed, err := journal.Stat(dir)
	if err != nil || !packed.ModTime().Equal(info.ModTime()) || 5*packed.Size() > 4*info.Size() {
		t.Errorf("%v: %v, %d bytes of %d", err, packed.ModTime(), packed.Size(), info.Size())
	}
	if folder, err := os.Stat(dir); err != nil || folder.ModTime().After(start) {
		t.Errorf("%v: the folder looks new: %v", err, folder.ModTime())
	}
	for name, want := range map[string]string{"journal.jsonl": dir, "journal.jsonl.gz": dir} {
		if got := journal.Folder(filepath.Join(dir, name)); got != want {
			t.Errorf("the folder of %s is %s", name, got)
		}
	}
}

func TestASessionThatGoesOnIsUnpacked(t *testing.T) {
	dir, want := closed(t)
	before, err := journal.Changes(context.Background(), filepath.Dir(dir), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	j := open(t, dir)
	v, err := j.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	pack(t, dir)
	// The handles that were open before go on, too.
	got := mustAppend(t, j, user("p1", "told twice"), user("p2", "Do the same for discounts, please."))
	if len(got) != 1 || got[0].Seq != 5 {
		t.Fatalf("appended %v", got)
	}
	if err := v.Update(context.Background()); err != nil || len(v.Events()) != 5 {
		t.Errorf("an open view has %d events, %v", len(v.Events()), err)
	}
	if diff := cmp.Diff([]string{"io/….gz", "journal.jsonl"}, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, told(t, dir)[:4]); diff != "" {
		t.Error(diff)
	}
	after, err := journal.Changes(context.Background(), filepath.Dir(dir), map[string]memory.File{before.Files[0].Path: before.Files[0]}, nil)
	if err != nil || len(after.Files) != 1 || len(after.Replace) > 0 {
		t.Errorf("%v: the index reads all of it again: %v", err, after.Replace)
	}
	pack(t, dir)
	if len(told(t, dir)) != 5 {
		t.Error("the event after the first compression is lost")
	}
}

// Whatever step fails, all of the journal is there, and the next try finishes.
func TestWhateverFailsWhileCompressingNothingIsLost(t *testing.T) {
	full := errors.New("no space left")
	for _, way := range []string{"pack", "unpack"} {
		failed := 0
		for step := 0; ; step++ {
			dir, want := closed(t)
			do := func(j *journal.Journal) error { return j.Pack(context.Background()) }
			if way == "unpack" {
				pack(t, dir)
				do = func(j *journal.Journal) error {
					_, err := j.Append(context.Background(), user("p2", "one more"))
					return err
				}
			}
			j, err := journal.Open(dir, journal.FailSteps(journal.Options{Now: clock()}, step, full))
			if err != nil {
				t.Fatal(err)
			}
			err = do(j)
			// What a killed process leaves of a file that it was writing.
			if werr := os.WriteFile(filepath.Join(dir, ".journal.jsonl.gz.tmp-1"), []byte("half"), 0o600); werr != nil {
				t.Fatal(werr)
			}
			if diff := cmp.Diff(want, told(t, dir)[:4]); diff != "" {
				t.Fatalf("%s, step %d: %s", way, step, diff)
			}
			if err == nil {
				break
			}
			failed++
			if !errors.Is(err, full) {
				t.Fatalf("%s, step %d: %v", way, step, err)
			}
			if err := do(open(t, dir)); err != nil {
				t.Fatalf("%s, again after step %d: %v", way, step, err)
			}
			if diff := cmp.Diff(want, told(t, dir)[:4]); diff != "" {
				t.Fatalf("%s, again after step %d: %s", way, step, diff)
			}
		}
		if want := map[string]int{"pack": 6, "unpack": 3}[way]; failed != want {
			t.Errorf("%s: %d steps were seen to fail, want %d", way, failed, want)
		}
	}
}

func TestAKilledProcessLosesNothingWhileItCompresses(t *testing.T) {
	dir, want := closed(t)
	for round := range 25 {
		c := exec.Command(os.Args[0], packer)
		c.Env = append(os.Environ(), writerEnv+"="+dir)
		says, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(says).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it was killed
		now := told(t, dir)
		if diff := cmp.Diff(want, now[:min(len(want), len(now))]); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		for i, e := range now {
			if !strings.HasPrefix(e, fmt.Sprintf("%d ", i+1)) {
				t.Fatalf("round %d: event %d is %.60s", round, i+1, e)
			}
		}
		want = now
	}
	if len(want) < 10 {
		t.Errorf("only %d events were written: it was killed before it did anything", len(want))
	}
}

// A disk that writes less than it says leaves the file that was there.
func TestWhatDoesNotReadBackIsNotKept(t *testing.T) {
	for _, n := range []int{0, 5, 60, 200} {
		dir, want := closed(t)
		j, err := journal.Open(dir, journal.Silent(journal.Options{Now: clock()}, n))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Pack(context.Background()); err == nil {
			t.Errorf("%d bytes on disk: no error", n)
		}
		if diff := cmp.Diff(want, told(t, dir)); diff != "" {
			t.Errorf("%d bytes on disk: %s", n, diff)
		}
	}
}

func TestAPurgeReachesWhatIsCompressed(t *testing.T) {
	const secret = "合計 total"
	for _, way := range []string{"compressed", "both, as a crash leaves them"} {
		dir, _ := closed(t)
		plain, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		pack(t, dir)
		if way != "compressed" {
			if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), plain, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		n, err := open(t, dir).Purge(context.Background(), func(s string) (string, bool) {
			clean := strings.ReplaceAll(s, secret, "[gone]")
			return clean, clean != s
		})
		if err != nil || n != 1 {
			t.Fatalf("%s: %d, %v", way, n, err)
		}
		if text := strings.Join(told(t, dir), "\n"); strings.Contains(text, secret) || !strings.Contains(text, "[gone]") {
			t.Errorf("%s: it reads %.200s", way, text)
		}
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.Contains(unpacked(t, path), secret) {
				t.Errorf("%s: %s still holds it", way, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "journal.jsonl")); (err == nil) != (way != "compressed") {
			t.Errorf("%s: after the purge: %v", way, err)
		}
	}
}

func unpacked(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(strings.NewReader(string(data)))
	if err != nil {
		return string(data)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestADamagedCompressedJournalIsNamed(t *testing.T) {
	for name, cut := range map[string]func([]byte) []byte{
		"cut":      func(b []byte) []byte { return b[:len(b)/2] },
		"empty":    func([]byte) []byte { return nil },
		"not gzip": func([]byte) []byte { return []byte("{}\n") },
		"changed":  func(b []byte) []byte { b[len(b)/2] ^= 0x55; return b },
	} {
		dir, _ := closed(t)
		pack(t, dir)
		path := filepath.Join(dir, "journal.jsonl.gz")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, cut(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := journal.Open(dir, &journal.Options{Now: func() time.Time { return start }}); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A small file that somebody else made must not fill the memory.
func TestACompressedJournalIsBounded(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "journal.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip := gzip.NewWriter(f)
	zeros := make([]byte, 1<<20)
	for range 80 {
		if _, err := zip.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(dir, nil); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "a line is too long") {
		t.Errorf("80 MB in one line: %v", err)
	}
}
