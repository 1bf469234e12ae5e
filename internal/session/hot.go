package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// HotName is the file in a session's folder with what models took from this very
// session: the hot cache.
const HotName = "hot_cache.json"

// maxHot is how many entries a hot cache holds; the oldest go first.
const maxHot = 60

// Hot is what is known of a session besides its journal.
type Hot struct {
	Version int     `json:"version"`
	Entries []Entry `json:"entries"`
}

// Entry is one piece of knowledge.
type Entry struct {
	Text   string    `json:"text"`
	Topic  string    `json:"topic"`
	Stream string    `json:"stream"` // what took it: quick, turns, deep …
	Seq    int64     `json:"seq"`    // of the journal, up to which was read for it
	At     time.Time `json:"at"`
	Item   string    `json:"item,omitempty"` // what it is in memory
	// Injected says that the agent was given it.
	Injected bool `json:"injected"`
}

// LoadHot reads the hot cache in a session's folder; one that is missing or broken is
// empty, since all of it is derived.
func LoadHot(dir string) (*Hot, error) {
	h := &Hot{Version: version}
	data, err := jsonl.ReadFile(filepath.Join(dir, HotName))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	if json.Unmarshal(data, h) != nil || h.Version != version {
		return &Hot{Version: version}, fmt.Errorf("%w hot cache in %s", memory.ErrInvalid, dir)
	}
	return h, nil
}

// UpdateHot changes the hot cache under the session's lock. fn must be quick.
func UpdateHot(ctx context.Context, dir string, fn func(*Hot)) error {
	unlock, err := lock(ctx, dir)
	if err != nil {
		return err
	}
	defer unlock()
	h, err := LoadHot(dir)
	if err != nil && !errors.Is(err, memory.ErrInvalid) {
		return err
	}
	before, err := json.Marshal(h)
	if err != nil {
		return err
	}
	fn(h)
	h.Entries = last(h.Entries, maxHot)
	after, err := json.Marshal(h)
	if err != nil || slices.Equal(before, after) {
		return err
	}
	return jsonl.WriteFile(filepath.Join(dir, HotName), append(after, '\n'))
}
