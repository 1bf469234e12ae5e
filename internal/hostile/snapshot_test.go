package hostile

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// snapshot is every file below a folder with what it is and holds; the folders
// in leave are left out.
func snapshot(root string, leave ...string) map[string]string {
	out := map[string]string{}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if slices.Contains(leave, path) {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(rel)] = describe(path, info)
		return nil
	})
	return out
}

// describe is the kind, the mode and the content of a file. Of folders the
// names that come and go are seen by themselves; of large files the size stands
// for the content.
func describe(path string, info fs.FileInfo) string {
	kind := info.Mode().String()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(path)
		return kind + " → " + target
	case !info.Mode().IsRegular():
		return kind
	}
	const most = 1 << 20
	if info.Size() > most {
		return fmt.Sprint(kind, " ", info.Size(), " bytes, ", info.ModTime())
	}
	f, err := os.Open(path)
	if err != nil {
		return kind + " " + err.Error()
	}
	defer f.Close()
	h := sha256.New()
	_, _ = io.Copy(h, f)
	return fmt.Sprintf("%s %d bytes, %x", kind, info.Size(), h.Sum(nil)[:6])
}

// changes words what is different between two snapshots.
func changes(before, after map[string]string) []string {
	var out []string
	for name, was := range before {
		switch now, ok := after[name]; {
		case !ok:
			out = append(out, "removed "+name)
		case now != was:
			out = append(out, "changed "+name+": "+was+", now "+now)
		}
	}
	for name, now := range after {
		if _, ok := before[name]; !ok {
			out = append(out, "created "+name+": "+now)
		}
	}
	slices.Sort(out)
	return out
}

func TestASnapshotSeesEveryChange(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"kept", "changed", "gone", "mode", "left/inside"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, "left")
	before := snapshot(dir, left)
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "changed"), []byte("b"), 0o600),
		os.Remove(filepath.Join(dir, "gone")),
		os.Chmod(filepath.Join(dir, "mode"), 0o644),
		os.WriteFile(filepath.Join(left, "new"), nil, 0o600),
		os.Symlink("nowhere", filepath.Join(dir, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, c := range changes(before, snapshot(dir, left)) {
		verb, rest, _ := strings.Cut(c, " ")
		name, _, _ := strings.Cut(rest, ":")
		got = append(got, verb+" "+name)
	}
	want := []string{"changed changed", "changed mode", "created link", "removed gone"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
