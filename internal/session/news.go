package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/jsonl"
)

// newsName is the file, beside the sessions of a project, with the items that were
// kept while nobody was there to be told.
const newsName = ".news"

// AddNews notes items of which the user is to be told.
func AddNews(ctx context.Context, sessions string, items ...string) error {
	if len(items) == 0 {
		return nil
	}
	unlock, err := jsonl.Lock(ctx, newsLock(sessions))
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(filepath.Join(sessions, newsName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(items, "\n") + "\n")
	return errors.Join(err, f.Close())
}

// TakeNews are the items of which the user is to be told now: each is given once.
func TakeNews(ctx context.Context, sessions string) ([]string, error) {
	path := filepath.Join(sessions, newsName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nearly always
	}
	unlock, err := jsonl.Lock(ctx, newsLock(sessions))
	if err != nil {
		return nil, err
	}
	defer unlock()
	data, err := jsonl.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(data)), os.Remove(path)
}

func newsLock(sessions string) string { return filepath.Join(sessions, locksName, "news") }
