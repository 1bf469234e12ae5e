package project

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"unicode"

	"orihon/memory"
)

func FuzzReadIndex(f *testing.F) {
	entry := func(name string) string {
		e := strings.Repeat("\x00", 24) + "\x00\x00\x81\xa4" + strings.Repeat("\x00", 12+20) + "\x00" + string(rune(len(name))) + name + "\x00"
		return e + strings.Repeat("\x00", (8-len(e)%8)%8)
	}
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x02"+entry("a.go")+entry("sub/b.go")), 20)
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+strings.Repeat("\x00", 62)+"\xff\xff\xff\x7fa\x00"), 20)
	f.Add([]byte("DIRC\x00\x00\x00\x03\xff\xff\xff\xff"), 32)
	f.Fuzz(func(t *testing.T, data []byte, hash int) {
		if hash != 20 {
			hash = 32
		}
		n := 0
		err := readIndex(bytes.NewReader(data), hash, func(name string) bool {
			if !fs.ValidPath(name) {
				t.Errorf("name %q", name)
			}
			n++
			return n < 10
		})
		if err != nil && !errors.Is(err, memory.ErrInvalid) {
			t.Error(err)
		}
		if n > len(data)/8 {
			t.Errorf("%d names in %d bytes", n, len(data))
		}
	})
}

func FuzzTouched(f *testing.F) {
	f.Add("1700000000 Ann\x00\n:100644 100644 aa bb M\x00a.go\x00:000000 100644 00 bb A\x00b\x001600000000 B\x00")
	f.Add("1 \u202ex\x00\n:D\x00\x00")
	f.Fuzz(func(t *testing.T, text string) {
		err := touched(strings.NewReader(text), func(_ string, _ bool, by Committer) bool {
			if len([]rune(by.Name)) > maxAuthor || strings.ContainsFunc(by.Name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("name %q", by.Name)
			}
			return true
		})
		if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("error %q", err)
		}
	})
}

func FuzzPatched(f *testing.F) {
	f.Add("\x001700000000 Ann\n\ndiff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-- old\n+- new\n")
	f.Add("\x001700000000 Ann\ndiff --cc a.md\n@@@ -1,1 -1,1 +1,2 @@@\n++both\n+ one\n")
	f.Add("\x00x\ndiff --git a/a.md b/a.md\n@@@@@@@@\n+\n")
	f.Fuzz(func(t *testing.T, text string) {
		heads := map[string]string{"diff --git a/a.md b/a.md": "a.md", "diff --cc a.md": "a.md"}
		if err := patched(strings.NewReader(text), heads, func(l Line, by Committer, _ []string) bool {
			if l.File != "a.md" || !strings.Contains(text, l.Text) || strings.ContainsFunc(by.Name, unicode.IsControl) {
				t.Errorf("%+v by %+v", l, by)
			}
			return true
		}); err != nil {
			t.Error(err)
		}
	})
}
