package jsonl_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/jsonl"
	"orihon/memory"
)

func TestForeignBytesPassThrough(t *testing.T) {
	huge := strings.Repeat("長", 10<<20/3)
	for name, tt := range map[string]struct {
		raw  string
		want []string
	}{
		"empty file":             {"", nil},
		"only a BOM":             {"\ufeff\n", nil},
		"BOM and CRLF":           {"\ufeff{\"a\":1}\r\n{\"b\":2}\r\n", []string{`{"a":1}`, `{"b":2}`}},
		"BOM inside":             {"{}\n\ufeff{}\n", []string{"{}", "\ufeff{}"}},
		"NUL bytes":              {"\x00{\"a\x00\"}\x00\n", []string{"\x00{\"a\x00\"}\x00"}},
		"invalid UTF-8":          {"{\"a\":\"\xff\xfe\"}\n", []string{"{\"a\":\"\xff\xfe\"}"}},
		"blank lines":            {"\n{}\n\r\n  \n{}\n", []string{"{}", "{}"}},
		"torn tail":              {"{}\n{\"a\":", []string{"{}"}},
		"object without newline": {"{}\n{}", []string{"{}"}},
		"ten megabytes":          {huge + "\n{}\n", []string{huge, "{}"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log.jsonl")
			writeRaw(t, path, []byte(tt.raw))
			got := readAll(t, path)
			if len(got) != len(tt.want) {
				t.Fatalf("%d lines, want %d", len(got), len(tt.want))
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("line %d differs (%d bytes, want %d)", i+1, len(got[i]), len(tt.want[i]))
				}
			}
		})
	}
}

func TestHugeLineIsAppendedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	huge := `{"text":"` + strings.Repeat("x", 10<<20) + `"}`
	mustAppend(t, path, nil, huge)
	off := mustAppend(t, path, nil, `{}`)
	if want := int64(len(huge) + 1); off != want {
		t.Errorf("second line at %d, want %d", off, want)
	}
	if got := readAll(t, path); len(got) != 2 || got[0] != huge {
		t.Errorf("the huge line came back changed")
	}
}

func TestReadGoesOnWhereItStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	writeRaw(t, path, []byte("{\"n\":1}\n{\"n\":2}\n{\"n\":"))
	type seen struct {
		Line   string
		Offset int64
		Number int
	}
	var got []seen
	read := func(from int64) int64 {
		t.Helper()
		end, err := jsonl.Read(path, from, func(line []byte, offset int64, number int) error {
			got = append(got, seen{string(line), offset, number})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return end
	}
	end := read(0)
	if end != 16 {
		t.Fatalf("end %d, want 16: the torn tail does not count", end)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("3}\n"); err != nil {
		t.Fatal(err)
	}
	end = read(end)
	if again := read(end); again != end {
		t.Errorf("reading on at the end moved from %d to %d", end, again)
	}
	want := []seen{{`{"n":1}`, 0, 1}, {`{"n":2}`, 8, 2}, {`{"n":3}`, 16, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadStopsAtTheLineThatWasNotTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	writeRaw(t, path, []byte("{}\n[]\n{}\n"))
	stop := errors.New("stop")
	end, err := jsonl.Read(path, 0, func(line []byte, _ int64, _ int) error {
		if string(line) == "[]" {
			return stop
		}
		return nil
	})
	if err != stop || end != 3 {
		t.Errorf("end %d, error %v; want 3 and the callback's own error", end, err)
	}
}

func TestReadingBehindTheEndIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	writeRaw(t, path, []byte("{}\n"))
	for _, from := range []int64{-1, 4} {
		if _, err := jsonl.Read(path, from, nil); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("from %d: %v, want ErrInvalid", from, err)
		}
	}
	if _, err := jsonl.Read(path+".absent", 0, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v, want ErrNotExist", err)
	}
}

func TestRepairIsNeededOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if aside, err := jsonl.Repair(path); aside != "" || err != nil {
		t.Errorf("absent file: %q, %v", aside, err)
	}
	writeRaw(t, path, []byte("{}\n{\"a\""))
	aside, err := jsonl.Repair(path)
	if err != nil || aside != path+".torn-1" {
		t.Fatalf("aside %q, %v", aside, err)
	}
	if aside, err := jsonl.Repair(path); aside != "" || err != nil {
		t.Errorf("a second repair: %q, %v", aside, err)
	}
	writeRaw(t, path, []byte("{}\n{\"手\":\"寫\"}"))
	if aside, err := jsonl.Repair(path); aside != "" || err != nil {
		t.Errorf("object without newline: %q, %v", aside, err)
	}
	if diff := cmp.Diff([]string{"{}", `{"手":"寫"}`}, readAll(t, path)); diff != "" {
		t.Error(diff)
	}
}

// Whatever bytes stand in a file, appending keeps every complete line, adds the
// new one, and what was cut off is found beside.
func FuzzAppendToForeignFile(f *testing.F) {
	for _, seed := range []string{"", "\n", "{}", "{}\n{", "\ufeff{}", "\ufeff", "\x00\x00", "{}\r\n{}\r", "記\n憶", "{}\n12", "\xff\n\xff", "{} {}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		writeRaw(t, path, raw)
		before := readAll(t, path)
		off, err := jsonl.Append(context.Background(), path, nil, []byte(`{"new":1}`))
		if err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(after[off:]) != "{\"new\":1}\n" {
			t.Errorf("at offset %d stands %q", off, after[off:])
		}
		aside, _ := os.ReadFile(path + ".torn-1")
		kept := string(after[:off]) + string(aside)
		if kept != string(raw) && kept != string(raw)+"\n" {
			t.Errorf("kept %q and %q of %q", after[:off], aside, raw)
		}
		lines := readAll(t, path)
		if !slices.Equal(before, lines[:len(before)]) {
			t.Errorf("lines %q became %q", before, lines)
		}
	})
}
