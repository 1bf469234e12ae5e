package orihon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/importer"
	"orihon/internal/redact"
	"orihon/journal"
	"orihon/memory"
)

// Heard are the user's messages of a session, by its ID, or of a transcript or
// another file that [Memory.Import] reads, in their order, without secrets and
// private spans. The error wraps [memory.ErrNotFound] when there is neither.
func (m *Memory) Heard(ctx context.Context, source string) ([]Heard, error) {
	if _, err := os.Stat(source); err == nil {
		return m.heardInFile(ctx, source)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	unknown := fmt.Errorf("capture %s: %w: no file and no session of this project", source, memory.ErrNotFound)
	if source == "" || filepath.Base(source) != source || strings.HasPrefix(source, ".") {
		return nil, unknown
	}
	dir := m.project.Session(m.cleanID(source))
	if _, err := os.Stat(dir); err != nil {
		return nil, unknown
	}
	log, err := journal.Open(dir, &journal.Options{Now: m.now, Logger: m.log})
	if err != nil {
		return nil, err
	}
	turns, _, err := log.Turns(ctx, 0)
	if err != nil {
		return nil, err
	}
	return heardIn(source, turns), nil
}

func (m *Memory) heardInFile(ctx context.Context, path string) ([]Heard, error) {
	var out []Heard
	_, err := importer.Read(ctx, path, &importer.Options{}, func(r importer.Record) error {
		if e := r.Event; e != nil && e.Type == journal.UserMessage {
			text, _ := m.redactor.Text(redact.Private(withoutInjected(e.Text)))
			out = append(out, Heard{Session: e.Session, At: e.At, Text: text})
		}
		return nil
	})
	return out, err
}
