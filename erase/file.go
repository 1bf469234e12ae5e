package erase

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orihon/backup"
	"orihon/internal/copies"
	"orihon/internal/jsonl"
)

// scrub takes the texts of a purged item out of any file: a mark takes their
// place, and lines that are the item itself, as exports and copies of ledgers
// have them, are dropped. It looks into what is compressed with gzip, and into
// the tar archives in that, as backups are.
type scrub struct {
	id, mark string
	words    *copies.Words
}

// file erases in one file, while nobody appends to it, and reports whether it
// held anything. It is replaced as a whole.
func (s *scrub) file(ctx context.Context, file string) (changed bool, err error) {
	packed, err := isGzip(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if packed {
		return s.packed(ctx, file)
	}
	data, err := jsonl.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && strings.HasSuffix(file, ".md") && s.atom(data) {
		return true, os.Remove(file) // a copy of the item, not in a folder of memory
	}
	if err != nil || bytes.Equal(s.text(file, data), data) {
		return false, err
	}
	unlock, err := jsonl.Lock(ctx, filepath.Join(filepath.Dir(file), jsonl.LockName))
	if err != nil {
		return false, err
	}
	defer unlock()
	if data, err = jsonl.ReadFile(file); err != nil {
		return false, err
	}
	return true, jsonl.WriteFile(file, s.text(file, data))
}

// text is what is left of the text of a file.
func (s *scrub) text(name string, data []byte) []byte {
	if strings.Contains(path.Base(filepath.ToSlash(name)), ".jsonl") && bytes.Contains(data, []byte(s.id)) {
		data = s.lines(data)
	}
	return s.words.Clean(data, s.mark)
}

// lines drops the versions of the item from a file of lines.
func (s *scrub) lines(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for line := range bytes.Lines(data) {
		var head struct {
			ID      string `json:"id"`
			Op      string `json:"op"`
			Content string `json:"content"`
		}
		mine := bytes.Contains(line, []byte(s.id)) && json.Unmarshal(line, &head) == nil &&
			(head.ID == s.id || strings.HasPrefix(head.ID, s.id+"#")) && (head.Content != "" || head.Op == "retire" && !bytes.Contains(line, []byte(`"ts"`)))
		if !mine {
			out = append(out, line...)
		}
	}
	return out
}

// contents is what a file holds, unpacked when it is compressed, as far as it is
// sound.
func contents(file string) ([]byte, error) {
	data, err := jsonl.ReadFile(file)
	if err != nil || !bytes.HasPrefix(data, gzipMagic[:]) {
		return data, err
	}
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data, nil // it only looks like one
	}
	plain, _ := io.ReadAll(zip)
	return plain, nil
}

// gzipMagic begins what is compressed.
var gzipMagic = [3]byte{0x1f, 0x8b, 8}

func isGzip(file string) (bool, error) {
	f, err := jsonl.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var magic [3]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && magic == gzipMagic, nil
}

// packed erases in a compressed file. One that holds the text and is damaged
// ends where the damage begins.
func (s *scrub) packed(ctx context.Context, file string) (changed bool, err error) {
	pass := func(w io.Writer) error {
		f, err := jsonl.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		changed, err = s.repack(ctx, file, f, w)
		return err
	}
	if err = pass(io.Discard); err == nil && changed {
		err = jsonl.Rewrite(file, pass)
	}
	if err != nil {
		return false, fmt.Errorf("purge %s: %s: %w", s.id, file, err)
	}
	return changed, nil
}

// repack writes what is left of a gzip stream.
func (s *scrub) repack(ctx context.Context, name string, r io.Reader, w io.Writer) (changed bool, err error) {
	in, err := gzip.NewReader(r)
	if err != nil {
		return false, nil // it only looks like one
	}
	out := gzip.NewWriter(w)
	out.Name, out.ModTime = in.Name, in.ModTime
	head := make([]byte, 512)
	n, err := io.ReadFull(in, head)
	head = head[:n]
	body := io.MultiReader(bytes.NewReader(head), in)
	if err == nil && bytes.HasPrefix(head[257:], []byte("ustar")) {
		changed, err = s.repackTar(ctx, body, out)
	} else {
		data, _ := io.ReadAll(body) // as far as it is sound
		rest := s.text(strings.TrimSuffix(name, ".gz"), data)
		changed = !bytes.Equal(rest, data)
		_, err = out.Write(rest)
	}
	if err == nil {
		err = out.Close()
	}
	return changed, err
}

// repackTar writes what is left of a tar archive; the manifest of a backup, its
// last file, is that of what is left.
func (s *scrub) repackTar(ctx context.Context, r io.Reader, w io.Writer) (changed bool, err error) {
	in, out := tar.NewReader(r), tar.NewWriter(w)
	now := make(map[string][]byte) // what became of the files that changed
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		var data []byte
		if err == nil {
			data, err = io.ReadAll(in)
		}
		if err != nil {
			break // damaged from here on
		}
		left := data
		switch {
		case strings.Contains(h.Name, "/cache/embed/"), s.atom(data): // hashes of texts; the item itself, whose words are in its name
			changed, now[h.Name] = true, nil
			continue
		case path.Base(h.Name) == "state.json":
			left = s.text(h.Name, withoutTopics(data))
		case h.Name == "manifest.json" && len(now) > 0:
			left = manifestOf(data, now)
		case bytes.HasPrefix(data, gzipMagic[:]):
			var b bytes.Buffer
			did, err := s.repack(ctx, h.Name, bytes.NewReader(data), &b)
			if err != nil {
				return false, err
			}
			if did {
				left = b.Bytes()
			}
		default:
			left = s.text(h.Name, data)
		}
		if !bytes.Equal(left, data) {
			changed, now[h.Name], h.Size = true, append([]byte{}, left...), int64(len(left))
		}
		if err := out.WriteHeader(h); err != nil {
			return false, err
		}
		if _, err := out.Write(left); err != nil {
			return false, err
		}
	}
	return changed, out.Close()
}

// atom reports whether a file is the item's own.
func (s *scrub) atom(data []byte) bool {
	const front = 4 << 10 // bytes that may be front matter
	for line := range bytes.Lines(data[:min(len(data), front)]) {
		if id, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("id:")); ok && string(bytes.Trim(id, " \"'")) == s.id {
			return true
		}
	}
	return false
}

// withoutTopics drops from the state of a session in what words it asked, and what
// the guardian saw.
func withoutTopics(data []byte) []byte {
	state := make(map[string]json.RawMessage)
	if json.Unmarshal(data, &state) != nil || state["blind_topics"] == nil && state["guard"] == nil {
		return data
	}
	delete(state, "blind_topics")
	delete(state, "guard")
	out, err := json.Marshal(state)
	if err != nil {
		return data
	}
	return out
}

// manifestOf gives the files that changed their size and hash, and leaves out
// those of which nothing was kept.
func manifestOf(data []byte, now map[string][]byte) []byte {
	var m backup.Manifest
	if json.Unmarshal(data, &m) != nil {
		return data
	}
	m.Files = slices.DeleteFunc(m.Files, func(f backup.File) bool {
		left, changed := now[f.Name]
		return changed && left == nil
	})
	for i := range m.Files {
		if left, ok := now[m.Files[i].Name]; ok {
			sum := sha256.Sum256(left)
			m.Files[i].Size, m.Files[i].SHA256 = int64(len(left)), hex.EncodeToString(sum[:])
		}
	}
	out, err := json.MarshalIndent(&m, "", " ")
	if err != nil {
		return data
	}
	return out
}
