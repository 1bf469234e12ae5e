package eval

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// leaks are the plants of which something stands where it must not.
func (b *bench) leaks(all []planted) (left []*planted, err error) {
	texts := [][]byte{b.shown.Bytes()}
	err = filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(path, b.home()) {
			texts = append(texts, []byte(path))
		}
		if d.IsDir() || slices.Contains(b.own, path) {
			return nil
		}
		data, err := os.ReadFile(path)
		texts = append(texts, data)
		if r, gerr := gzip.NewReader(bytes.NewReader(data)); gerr == nil {
			plain, _ := io.ReadAll(r) // a torn archive is read as far as it goes
			texts = append(texts, plain)
		}
		return err
	})
	for i := range all {
		if all[i].inAny(texts) {
			left = append(left, &all[i])
		}
	}
	return left, err
}

func (p *planted) inAny(texts [][]byte) bool {
	return slices.ContainsFunc(p.needles, func(needle string) bool {
		return slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Contains(t, []byte(needle)) })
	})
}
