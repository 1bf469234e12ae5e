package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// recordVersion is the version of the record's format. A record of another
// version counts as none: uninstalling then goes by our hooks alone.
const recordVersion = 1

// record remembers one settings file as it was before us.
type record struct {
	Version  int      `json:"version"`
	Settings string   `json:"settings"`
	Command  string   `json:"command"`
	Written  string   `json:"written"` // SHA-256 of what we wrote, hex
	Created  bool     `json:"created"` // the file was not there
	Dirs     []string `json:"dirs,omitempty"`
	Original []byte   `json:"original"` // base64
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func recordPath(dir, settings string) string {
	return filepath.Join(dir, "claude-code-"+digest([]byte(settings))[:16]+".json")
}

// loadRecord returns the record of a settings file. One that cannot be read is
// as good as none.
func loadRecord(dir, settings string) (record, bool) {
	data, err := jsonl.ReadFile(recordPath(dir, settings))
	if err != nil {
		return record{}, false
	}
	var r record
	if json.Unmarshal(data, &r) != nil || r.Version != recordVersion || r.Settings != settings {
		return record{}, false
	}
	return r, true
}

func (r record) save(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return jsonl.WriteFile(recordPath(dir, r.Settings), append(data, '\n'))
}

func (r record) drop(dir string) error {
	if r.Settings == "" {
		return nil
	}
	if err := os.Remove(recordPath(dir, r.Settings)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// stagingFile is what writing a file needs of one.
type stagingFile interface {
	io.Writer
	Sync() error
	Close() error
}

// replace writes the settings as a whole and keeps their mode; whoever reads
// them sees the old ones or the new.
func (s *settings) replace(o *Options, data []byte) error {
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".settings-*.tmp")
	if err != nil {
		return err
	}
	var f stagingFile = tmp
	if o.wrap != nil {
		f = o.wrap(tmp)
	}
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil && runtime.GOOS != "windows" {
		err = os.Chmod(tmp.Name(), s.mode)
	}
	if err == nil {
		err = s.unchanged()
	}
	if err == nil {
		err = os.Rename(tmp.Name(), s.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", s.path, err), os.Remove(tmp.Name()))
	}
	return nil
}

// unchanged makes sure that nobody wrote the file since we read it: the client
// and editors take no lock.
func (s *settings) unchanged() error {
	now, err := jsonl.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) && !s.exists {
		return nil
	}
	if err != nil {
		return err
	}
	if !s.exists || digest(now) != digest(s.data) {
		return fmt.Errorf("%w: %s was changed by somebody else just now; try again", memory.ErrRefused, s.path)
	}
	return nil
}

// Place is a settings file that was installed in, with the folders that were made
// for it.
type Place struct {
	Settings string
	Dirs     []string
}

// Installed lists the places that the records tell of.
func Installed(recordDir string) []Place {
	entries, _ := os.ReadDir(recordDir)
	var out []Place
	for _, e := range entries {
		var r record
		data, err := jsonl.ReadFile(filepath.Join(recordDir, e.Name()))
		if err == nil && json.Unmarshal(data, &r) == nil && r.Settings != "" && recordPath(recordDir, r.Settings) == filepath.Join(recordDir, e.Name()) {
			out = append(out, Place{r.Settings, r.Dirs})
		}
	}
	return out
}

// Recorded reports whether there is a record of a settings file.
func Recorded(recordDir, settings string) bool {
	_, ok := loadRecord(recordDir, settings)
	return ok
}
