package follow

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
	"orihon/internal/wording"
	"orihon/journal"
	"orihon/memory"
)

// Messages are the user's messages of a session, by its ID, or of a transcript or
// another file that [Memory.Import] reads, in their order, without secrets and
// private spans. The error wraps [memory.ErrNotFound] when there is neither.
func (f *Sessions) Messages(ctx context.Context, source string) ([]UserMessage, error) {
	if _, err := os.Stat(source); err == nil {
		return f.heardInFile(ctx, source)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	unknown := fmt.Errorf("capture %s: %w: no file and no session of this project", source, memory.ErrNotFound)
	if source == "" || filepath.Base(source) != source || strings.HasPrefix(source, ".") {
		return nil, unknown
	}
	dir := f.v.Project.Session(f.v.CleanID(source))
	if _, err := os.Stat(dir); err != nil {
		return nil, unknown
	}
	log, err := journal.Open(dir, &journal.Options{Now: f.v.Now, Logger: f.v.Log})
	if err != nil {
		return nil, err
	}
	turns, _, err := log.Turns(ctx, 0)
	if err != nil {
		return nil, err
	}
	return heardIn(source, turns), nil
}

func (f *Sessions) heardInFile(ctx context.Context, path string) ([]UserMessage, error) {
	var out []UserMessage
	_, err := importer.Read(ctx, path, &importer.Options{}, func(r importer.Record) error {
		if e := r.Event; e != nil && e.Type == journal.UserMessage {
			text, _ := f.v.Redactor.Text(redact.Private(wording.WithoutInjected(e.Text)))
			out = append(out, UserMessage{Session: e.Session, At: e.At, Text: text})
		}
		return nil
	})
	return out, err
}
