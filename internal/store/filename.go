package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"orihon/memory"
)

// Bounds of a file name: readable in a listing, legal everywhere with room
// for a number and the suffix.
const (
	slugRunes = 48
	slugBytes = 96
)

// slug makes a file name of the title, or of the first words of the content:
// letters and digits of any script, joined by dashes. The end of the ID keeps
// two branches that learn the same title apart.
func slug(it *memory.Item) string {
	from := it.Title
	if strings.TrimSpace(from) == "" {
		from = it.Content
	}
	var b strings.Builder
	n, dash := 0, false
	for _, r := range norm.NFC.String(strings.ToLower(from[:min(len(from), 1024)])) {
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			dash = b.Len() > 0
			continue
		}
		// Beyond half of the bound a word's end is a good place to stop.
		if b.Len()+utf8.RuneLen(r)+1 > slugBytes || n >= slugRunes || dash && n > slugRunes/2 && it.Title == "" {
			break
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		b.WriteRune(r)
		n++
	}
	name := b.String()
	switch {
	case name == "":
		name = "item"
	case reserved(name):
		name += "-item"
	}
	return name + "-" + shortID(it.ID)
}

// reserved names mean something else to this program or to Windows.
func reserved(name string) bool {
	switch name {
	case "memory", "con", "prn", "aux", "nul":
		return true
	}
	if _, isDay := logDay(name + ".md"); isDay {
		return true
	}
	device := strings.TrimRight(name, "0123456789")
	return (device == "com" || device == "lpt") && len(name) == 4
}

// freeName finds a file name that is not taken, also not in other letter case
// where the file system does not tell them apart.
func freeName(dir, base string) (string, error) {
	for n := 1; n < 100_000; n++ {
		name := base + ".md"
		if n > 1 {
			name = base + "-" + strconv.Itoa(n) + ".md"
		}
		file := filepath.Join(dir, name)
		switch _, err := os.Lstat(file); {
		case errors.Is(err, fs.ErrNotExist):
			return file, nil
		case err != nil:
			return "", err
		}
	}
	return "", fmt.Errorf("%w: no free name for %s.md in %s", memory.ErrRefused, base, dir)
}

// shortID is the end of an ID as a part of a file name: enough to keep two
// items with the same first words apart.
func shortID(id string) string {
	const most = 8
	s := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(id))
	return cmp.Or(s[max(0, len(s)-most):], "0")
}
