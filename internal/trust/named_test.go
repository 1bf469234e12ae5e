package trust_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/trust"
)

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// repository is a folder with a script, beside one that is not its own.
func repository(t *testing.T) (folder, outside string) {
	t.Helper()
	folder, outside = t.TempDir(), t.TempDir()
	put(t, filepath.Join(folder, "tools", "check"), "echo one\n")
	put(t, filepath.Join(folder, "工具", "檢查.sh"), "echo 二\n")
	put(t, filepath.Join(outside, "evil"), "echo evil\n")
	return folder, outside
}

func TestWhatASettingNamesIsReadFromTheFolderAlone(t *testing.T) {
	folder, outside := repository(t)
	check := filepath.Join(folder, "tools", "check")
	for _, c := range []struct {
		words []string
		want  []string // files
		whole []string // words
	}{
		{[]string{"tools/check", "docs"}, []string{"tools/check"}, []string{check, "docs"}},
		{[]string{"sh", "./tools/../tools/check"}, []string{"tools/check"}, []string{"sh", check}},
		{[]string{"sh", check}, []string{"tools/check"}, []string{"sh", check}},
		{[]string{"node", "--script=tools/check"}, []string{"tools/check"}, []string{"node", "--script=" + check}},
		{[]string{"sh", "工具/檢查.sh", "tools/check"}, []string{"工具/檢查.sh", "tools/check"}, []string{"sh", filepath.Join(folder, "工具", "檢查.sh"), check}},
		{[]string{"tools", ".", "", "=", "--x="}, nil, []string{"tools", ".", "", "=", "--x="}},
		{[]string{"../" + filepath.Base(outside) + "/evil", filepath.Join(outside, "evil")}, nil, []string{"../" + filepath.Base(outside) + "/evil", filepath.Join(outside, "evil")}},
		{[]string{"tools/check/more", "gone", strings.Repeat("x", 5000), "a\x00b"}, nil, []string{"tools/check/more", "gone", strings.Repeat("x", 5000), "a\x00b"}},
	} {
		n, err := trust.ReadNamed(folder, "setting", c.words)
		if err != nil || n.Hash == "" {
			t.Errorf("%q: %v", c.words, err)
		}
		if diff := cmp.Diff(c.want, n.Files) + cmp.Diff(c.whole, n.Words); diff != "" {
			t.Errorf("%q: %s", c.words, diff)
		}
		if strings.Contains(n.Text, "evil\n") || strings.Contains(n.Text, "echo one") != strings.Contains(strings.Join(n.Files, " "), "tools/check") {
			t.Errorf("%q: the person would read %s", c.words, n.Text)
		}
	}
	if n, err := trust.ReadNamed("", "setting", []string{check}); err != nil || n.Files != nil {
		t.Errorf("without a folder: %+v, %v", n, err)
	}
	if _, err := trust.ReadNamed(filepath.Join(folder, "gone"), "setting", []string{"x"}); err == nil {
		t.Error("a folder that is not there was read")
	}
}

func TestWhatCannotBeShownIsNotAccepted(t *testing.T) {
	folder, outside := repository(t)
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Skipf("SKIPPED: no symlinks here: %v", err)
		}
	}
	link(filepath.Join(outside, "evil"), "link")
	link(outside, "out")
	link("tools/check", "within")
	link("gone", "dangling")
	put(t, filepath.Join(folder, "large"), string(bytes.Repeat([]byte("x"), 1<<20+1)))
	for word, want := range map[string]string{"link": "leads out", "out/evil": "leads out", "--script=link": "leads out", "large": "larger than"} {
		if n, err := trust.ReadNamed(folder, "setting", []string{"sh", "tools/check", word}); err == nil || n.Hash != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", word, n, err)
		}
	}
	n, err := trust.ReadNamed(folder, "setting", []string{"within", "dangling"})
	if err != nil || len(n.Files) != 1 || !strings.Contains(n.Text, "echo one") {
		t.Errorf("a symlink within the folder: %+v, %v", n, err)
	}
}

func TestAnAcceptanceCoversAllThatWouldRun(t *testing.T) {
	folder, _ := repository(t)
	hash := func(setting string, words ...string) string {
		t.Helper()
		n, err := trust.ReadNamed(folder, setting, words)
		if err != nil {
			t.Fatal(err)
		}
		return n.Hash
	}
	first := hash("a", "tools/check", "x y")
	for name, other := range map[string]string{
		"another setting": hash("b", "tools/check", "x y"), "other words": hash("a", "tools/check", "x", "y"),
		"another file": hash("a", "工具/檢查.sh", "x y"),
	} {
		if other == first {
			t.Errorf("%s is accepted with the first", name)
		}
	}
	if again := hash("a", "tools/check", "x y"); again != first {
		t.Error("the same is asked about again")
	}
	put(t, filepath.Join(folder, "x y"), "")
	if hash("a", "tools/check", "x y") == first {
		t.Error("a file that has come to be is accepted")
	}
	if err := os.Remove(filepath.Join(folder, "x y")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "tools", "check"), "echo two\n")
	if hash("a", "tools/check", "x y") == first {
		t.Error("another content is accepted")
	}
}
