package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// ledgerLines are lines on their way to a ledger.
type ledgerLines struct {
	entry entry
	lines [][]byte
}

// add appends a version of an item. Top-level keys of its line before that are
// not ours, nor among those to leave out, go along.
func (l *ledgerLines) add(it memory.Item, before []byte, but ...string) error {
	line, err := encode(struct {
		V int `json:"v"`
		memory.Item
	}{ledgerVersion, it})
	if err != nil {
		return err
	}
	l.lines = append(l.lines, withForeign(line, before, but...))
	return nil
}

func (l *ledgerLines) retire(id, why string, at time.Time) error {
	return l.archive(id, why, at, "")
}

// archive retires an item into a part of the archive.
func (l *ledgerLines) archive(id, why string, at time.Time, part string) error {
	line, err := encode(struct {
		V       int       `json:"v"`
		Op      string    `json:"op"`
		ID      string    `json:"id"`
		At      time.Time `json:"at,omitzero"`
		Why     string    `json:"why,omitempty"`
		Archive string    `json:"archive,omitempty"`
	}{ledgerVersion, "retire", id, at, why, part})
	l.lines = append(l.lines, line)
	return err
}

// withForeign adds the top-level keys of the line before that are not ours, nor
// among those to leave out.
func withForeign(line, before []byte, but ...string) []byte {
	var all map[string]json.RawMessage
	if len(before) == 0 || json.Unmarshal(before, &all) != nil {
		return line
	}
	var keys []string
	for k := range all {
		switch k {
		case "v", "op", "at", "why", "id", "kind", "topic", "title", "content", "scope", "tier", "metadata", "relations",
			"triggers", "aliases", "audience", "valid_from", "valid_to":
		default:
			if !slices.Contains(but, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	line = line[:len(line)-1]
	for _, k := range keys {
		name, err := encode(k)
		if err != nil {
			continue
		}
		line = append(append(append(append(line, ','), name...), ':'), all[k]...)
	}
	return append(line, '}')
}

// appendLedger writes the lines durably. A ledger that is a symlink would lead
// the write elsewhere and is refused.
func (s *Store) appendLedger(ctx context.Context, l *ledgerLines) error {
	if info, err := os.Lstat(l.entry.file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w: is %s where a ledger belongs: move it away", l.entry.file, memory.ErrRefused, describe(info))
	}
	_, err := s.appendTo(ctx, l.entry.file, &jsonl.Options{Sync: true, Logger: s.log}, l.lines...)
	return err
}
