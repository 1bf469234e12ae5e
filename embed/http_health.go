package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"orihon/internal/jsonl"
)

// A server that failed maxFailures times in a row is left alone for restTime.
const (
	maxFailures = 2
	restTime    = time.Minute
)

// maxHealth bounds the file, in bytes.
const maxHealth = 4 << 10

// Names of these files: embedder-<part of the embedder's digest>.json.
const (
	healthPrefix = "embedder-"
	healthSuffix = ".json"

	healthTemporary = ".embedder-*" // while one is written
)

// health is what is known of a server: how often it failed lately, and how long
// its vectors are. It is kept in a small file, since every hook is a process of
// its own and would else wait for a dead server again. Processes that write it
// at once overwrite each other, which costs one more attempt at worst; a file
// that cannot be read or written is as good as none.
type health struct {
	path string // empty keeps it in memory
	now  func() time.Time

	mu    sync.Mutex
	known vitals
}

type vitals struct {
	ID        string    `json:"id"`
	Dimension int       `json:"dimension,omitempty"`
	Failures  int       `json:"failures,omitempty"`
	Until     time.Time `json:"until,omitzero"`
	Why       string    `json:"why,omitempty"`
}

func newHealth(dir, id string, now func() time.Time) *health {
	h := &health{now: now, known: vitals{ID: id}}
	if h.now == nil {
		h.now = time.Now
	}
	if dir != "" {
		h.path = filepath.Join(dir, healthPrefix+digest(id)[:12]+healthSuffix)
	}
	return h
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// down says why the server is left alone at present; empty when it is not.
func (h *health) down() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.read()
	left := v.Until.Sub(h.now())
	// A clock that was set back must not switch the server off for years.
	if v.Failures < maxFailures || left <= 0 || left > restTime {
		return ""
	}
	return fmt.Sprintf("left alone for %d s after %d failures, the last: %s", int(left.Seconds())+1, v.Failures, v.Why)
}

// dimension is the length of the server's vectors; 0 when it has given none.
func (h *health) dimension() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.read().Dimension
}

// failed notes a failure.
func (h *health) failed(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.read()
	v.Failures++
	v.Why = err.Error()
	if r := []rune(v.Why); len(r) > 300 {
		v.Why = string(r[:300]) + "…"
	}
	if v.Failures >= maxFailures {
		v.Until = h.now().Add(restTime)
	}
	h.write(v)
}

// worked notes a success, and the length of its vectors.
func (h *health) worked(dim int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v := h.read(); v.Failures > 0 || v.Dimension != dim {
		h.write(vitals{ID: v.ID, Dimension: dim})
	}
}

// read looks at the file, since other processes write it too.
func (h *health) read() vitals {
	if h.path == "" {
		return h.known
	}
	f, err := jsonl.Open(h.path)
	if err != nil {
		return h.known
	}
	defer f.Close()
	var v vitals
	data, err := io.ReadAll(io.LimitReader(f, maxHealth))
	if err != nil || json.Unmarshal(data, &v) != nil || v.ID != h.known.ID || v.Dimension < 0 || v.Dimension > maxDimensions {
		return h.known
	}
	h.known = v
	return v
}

// write replaces the file, without waiting for the disk: a hook would wait.
func (h *health) write(v vitals) {
	h.known = v
	if h.path == "" {
		return
	}
	data, err := json.Marshal(v)
	if err != nil || os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(h.path), healthTemporary)
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil && cerr == nil && os.Rename(f.Name(), h.path) == nil {
		return
	}
	os.Remove(f.Name())
}
