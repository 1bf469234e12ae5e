package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Named is a setting that has something run, with the files of the project's
// folder that it names. What such a file loads in turn is not looked at.
type Named struct {
	Hash  string   // of the setting and of what the files hold: what a person accepts
	Text  string   // the same for the person to read
	Words []string // those of the setting, files of the project by their whole paths
	Files []string // these, within the folder
}

// maxNamed bounds a file that is accepted by its content, in bytes.
const maxNamed = 1 << 20

// ReadNamed reads the files of a project's folder that the words of a setting name:
// by a path from the folder or a whole one, also behind a "=". The error says why
// nobody can accept it: a file cannot be shown, or a symlink leads out of the
// folder. Without a folder no file is named.
func ReadNamed(folder, setting string, words []string) (Named, error) {
	n := Named{Words: append([]string(nil), words...)}
	text := strings.Builder{}
	text.WriteString(setting + "\n")
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\x00%q\x00", setting, words)
	if folder != "" {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return n, errors.New("the project's folder cannot be read")
		}
		defer root.Close()
		for i, w := range words {
			flag, value, _ := strings.Cut(w, "=")
			for _, word := range []string{w, value} {
				name, ok := local(folder, word)
				if !ok {
					continue
				}
				content, found, err := readNamed(root, name)
				if err != nil {
					return n, fmt.Errorf("%s %w", word, err)
				}
				if !found {
					continue
				}
				n.Files = append(n.Files, filepath.ToSlash(name))
				fmt.Fprintf(sum, "%q\x00%x\x00", filepath.ToSlash(name), sha256.Sum256(content))
				fmt.Fprintf(&text, "\n%s:\n%s\n", word, content)
				if n.Words[i] = filepath.Join(folder, name); word != w {
					n.Words[i] = flag + "=" + n.Words[i]
				}
			}
		}
	}
	n.Text, n.Hash = text.String(), hex.EncodeToString(sum.Sum(nil))
	return n, nil
}

// local is a word as a path within the folder; false for any other word.
func local(folder, word string) (name string, ok bool) {
	name = filepath.Clean(filepath.FromSlash(word))
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(folder, name)
		if err != nil {
			return "", false
		}
		name = rel
	}
	return name, word != "" && filepath.IsLocal(name)
}

// readNamed reads a file; found is false for a folder and for what is not there.
func readNamed(root *os.Root, name string) (content []byte, found bool, err error) {
	info, err := root.Stat(name)
	if err != nil {
		if _, err := os.Stat(filepath.Join(root.Name(), name)); err == nil {
			return nil, false, errors.New("leads out of the project's folder")
		}
		return nil, false, nil
	}
	switch {
	case info.IsDir():
		return nil, false, nil
	case !info.Mode().IsRegular():
		return nil, false, errors.New("is no regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, false, errors.New("cannot be read")
	}
	defer f.Close()
	content, err = io.ReadAll(io.LimitReader(f, maxNamed+1))
	if err != nil {
		return nil, false, errors.New("cannot be read")
	}
	if len(content) > maxNamed {
		return nil, false, fmt.Errorf("is larger than %d bytes, which nobody reads before accepting it", maxNamed)
	}
	return content, true, nil
}
