package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/backup"
	"orihon/memory"
)

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func packed(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := backup.Write(t.Context(), &b, nil, backup.Folder{Name: "home", Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOnlyWholeLinesAreTaken(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 200<<10)
	for text, want := range map[string]string{
		"{\"a\":1}\n{\"b\":":                   "{\"a\":1}\n",
		"{\"a\":1}\n":                          "{\"a\":1}\n",
		"{\"a\":1}":                            "{\"a\":1}", // as an editor leaves it
		"{\"a\":":                              "",
		"":                                     "",
		"{\"字\":\"" + long + "\"}\n{\"" + long: "{\"字\":\"" + long + "\"}\n",
	} {
		put(t, filepath.Join(dir, "l.jsonl"), text)
		into := filepath.Join(t.TempDir(), "into")
		file := put(t, filepath.Join(t.TempDir(), "b"), string(packed(t, dir)))
		if _, err := backup.Restore(t.Context(), file, &backup.RestoreOptions{Into: map[string]backup.Place{"home": {Dir: into}}, Now: time.Now}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(into, "l.jsonl"))
		if err != nil || string(got) != want {
			t.Errorf("%.20q becomes %.20q, %v; want %.20q", text, got, err, want)
		}
	}
}

// archive makes one by hand, with a manifest that fits unless change breaks it.
func archive(t *testing.T, headers []tar.Header, change func(*backup.Manifest)) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	m := backup.Manifest{V: 1}
	text := "{\"a\":1}\n"
	write := func(h *tar.Header, text string) {
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(text))
		}
		h.Mode = 0o600
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range headers {
		write(&headers[i], text)
		m.Files = append(m.Files, backup.File{Name: headers[i].Name, Size: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))})
	}
	if change != nil {
		change(&m)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	write(&tar.Header{Typeflag: tar.TypeReg, Name: "manifest.json"}, string(data))
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return put(t, filepath.Join(t.TempDir(), "b.tar.gz"), b.String())
}

func TestWhatLeadsElsewhereOrDoesNotFitIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	regular := func(names ...string) (list []tar.Header) {
		for _, n := range names {
			list = append(list, tar.Header{Typeflag: tar.TypeReg, Name: n})
		}
		return list
	}
	for name, tt := range map[string]struct {
		file string
		want error
	}{
		"a good one":         {archive(t, regular("home/a", "home/b/c"), nil), nil},
		"a way up":           {archive(t, regular("home/../../evil"), nil), memory.ErrRefused},
		"a way up at first":  {archive(t, regular("../evil"), nil), memory.ErrRefused},
		"an absolute path":   {archive(t, regular("/tmp/evil"), nil), memory.ErrRefused},
		"a drive":            {archive(t, regular("home/C:/evil"), nil), memory.ErrRefused},
		"a backslash":        {archive(t, regular(`home\..\evil`), nil), memory.ErrRefused},
		"no folder":          {archive(t, regular("evil"), nil), memory.ErrRefused},
		"a symlink":          {archive(t, []tar.Header{{Typeflag: tar.TypeSymlink, Name: "home/l", Linkname: "/etc"}}, nil), memory.ErrRefused},
		"a hard link":        {archive(t, []tar.Header{{Typeflag: tar.TypeLink, Name: "home/l", Linkname: "home/a"}}, nil), memory.ErrRefused},
		"a folder":           {archive(t, []tar.Header{{Typeflag: tar.TypeDir, Name: "home/d"}}, nil), memory.ErrRefused},
		"the same one twice": {archive(t, regular("home/a", "home/a"), nil), memory.ErrInvalid},
		"another hash":       {archive(t, regular("home/a"), func(m *backup.Manifest) { m.Files[0].SHA256 = "00" }), memory.ErrInvalid},
		"one too few":        {archive(t, regular("home/a"), func(m *backup.Manifest) { m.Files = nil }), memory.ErrInvalid},
		"another version":    {archive(t, regular("home/a"), func(m *backup.Manifest) { m.V = 9 }), memory.ErrInvalid},
		"no archive":         {put(t, filepath.Join(t.TempDir(), "b"), "hello"), memory.ErrInvalid},
		"nothing":            {filepath.Join(t.TempDir(), "none"), memory.ErrNotFound},
	} {
		parent := t.TempDir()
		_, err := backup.Restore(context.Background(), tt.file, &backup.RestoreOptions{
			Into: map[string]backup.Place{"home": {Dir: filepath.Join(parent, "home")}}, Force: true, Now: time.Now,
		})
		if !errors.Is(err, tt.want) || (tt.want == nil && err != nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		left, _ := os.ReadDir(parent)
		if err != nil && len(left) > 0 {
			t.Errorf("%s: %v was written", name, left)
		}
	}
}

func TestEveryDamagedByteIsNoticed(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.jsonl"), "{\"a\":\"部署\"}\n")
	put(t, filepath.Join(dir, "notes", "n.md"), "# Notes\n")
	good := packed(t, dir)
	for i := range good {
		if i == 4 || i == 5 || i == 6 || i == 7 || i == 8 || i == 9 {
			continue // time, level and system in the head of gzip say nothing of the content
		}
		bad := bytes.Clone(good)
		bad[i] ^= 0x40
		file := put(t, filepath.Join(t.TempDir(), "b"), string(bad))
		if m, err := backup.Verify(t.Context(), file); err == nil && string(packedNames(m)) != "home/a.jsonl home/notes/n.md " {
			t.Errorf("byte %d: the damage is not noticed: %+v", i, m)
		}
	}
	for _, n := range []int{0, 1, len(good) / 2, len(good) - 1} {
		file := put(t, filepath.Join(t.TempDir(), "b"), string(good[:n]))
		if _, err := backup.Verify(t.Context(), file); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

func packedNames(m *backup.Manifest) (out []byte) {
	for _, f := range m.Files {
		out = append(append(out, f.Name...), ' ')
	}
	return out
}

func TestSymlinksAreNotPackedAndNotWrittenThrough(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, filepath.Join(dir, "memory", "a.md"), "a\n")
	file := put(t, filepath.Join(t.TempDir(), "b"), string(packed(t, dir)))
	into := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(into, "memory")); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	_, err := backup.Restore(t.Context(), file, &backup.RestoreOptions{Into: map[string]backup.Place{"home": {Dir: into}}, Now: time.Now})
	if left, _ := os.ReadDir(outside); !errors.Is(err, memory.ErrRefused) || len(left) > 0 {
		t.Errorf("%v, written %v", err, left)
	}
	put(t, filepath.Join(outside, "secret"), "x")
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	again := put(t, filepath.Join(t.TempDir(), "b"), string(packed(t, dir)))
	if m, err := backup.Verify(t.Context(), again); err != nil || len(m.Files) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

func FuzzVerify(f *testing.F) {
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte("{}\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := backup.Write(context.Background(), &b, nil, backup.Folder{Name: "home", Dir: dir}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	out := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(out, "b")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := backup.Verify(context.Background(), file)
		if (m == nil) == (err == nil) {
			t.Fatalf("%v, %v", m, err)
		}
	})
}
