package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/redact"
	"orihon/memory"
)

const (
	auditName = "audit.jsonl"
	usageName = "usage.jsonl"
)

// Audit appends records durably. A record without a time gets the present one.
func (s *Store) Audit(ctx context.Context, records ...memory.AuditRecord) error {
	lines := make([][]byte, len(records))
	for i, r := range records {
		r.V = ledgerVersion
		for _, field := range []*string{&r.By, &r.Why, &r.Session, &r.Reason} {
			*field, _ = s.redactor.Text(redact.Private(*field))
		}
		if r.TS.IsZero() {
			r.TS = s.now()
		}
		var err error
		if lines[i], err = jsonl.Encode(r); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if _, err := s.appendTo(ctx, filepath.Join(s.state, auditName), &jsonl.Options{Sync: true, Logger: s.log}, lines...); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Audits yields the records that match, oldest first; nil matches all. A line
// that does not parse is yielded as an error that names it, and the next ones
// follow.
func (s *Store) Audits(ctx context.Context, f *memory.AuditFilter) iter.Seq2[memory.AuditRecord, error] {
	if f == nil {
		f = &memory.AuditFilter{}
	}
	return each(ctx, filepath.Join(s.state, auditName), f.Match)
}

// Use notes a use without waiting for the disk. It touches no other text.
func (s *Store) Use(ctx context.Context, u memory.Usage) error {
	if u.Op != memory.UsageInjected && u.Op != memory.UsageAccessed && u.Op != memory.UsagePassed {
		return fmt.Errorf("usage: %w op %q: want %s, %s or %s", memory.ErrInvalid, u.Op, memory.UsageInjected, memory.UsageAccessed, memory.UsagePassed)
	}
	u.V = ledgerVersion
	if u.TS.IsZero() {
		u.TS = s.now()
	}
	line, err := jsonl.Encode(u)
	if err == nil {
		_, err = s.appendTo(ctx, filepath.Join(s.state, usageName), &jsonl.Options{Logger: s.log}, line)
	}
	if err != nil {
		return fmt.Errorf("usage: %w", err)
	}
	return nil
}

// Uses yields the usage log since a time, oldest first. Broken lines are
// yielded as errors, as with [Store.Audits].
func (s *Store) Uses(ctx context.Context, since time.Time) iter.Seq2[memory.Usage, error] {
	return each(ctx, filepath.Join(s.state, usageName), func(u *memory.Usage) bool { return !u.TS.Before(since) })
}

// UsesFrom calls fn for the uses from a byte offset of the log on, oldest first,
// and returns where to go on later. Lines that cannot be read are passed over.
// A log that is shorter than the offset was rewritten: [memory.ErrInvalid].
func (s *Store) UsesFrom(offset int64, fn func(memory.Usage)) (end int64, err error) {
	end, err = jsonl.Read(filepath.Join(s.state, usageName), offset, func(line []byte, _ int64, _ int) error {
		var u memory.Usage
		if json.Unmarshal(line, &u) == nil {
			fn(u)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return end, err
}

var errStop = errors.New("stop")

// each reads the lines of a log one by one; a missing log is empty.
func each[T any](ctx context.Context, file string, match func(*T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		_, err := jsonl.Read(file, 0, func(line []byte, _ int64, number int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var v T
			if err := json.Unmarshal(line, &v); err != nil {
				if !yield(none, fmt.Errorf("%s:%d: not a line of this log (%s): mend or delete it", file, number, oneLine(err.Error()))) {
					return errStop
				}
				return nil
			}
			if match(&v) && !yield(v, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) && !errors.Is(err, fs.ErrNotExist) {
			yield(none, err)
		}
	}
}

// readUses reads the accesses from an offset of the usage log on.
func (y *catchUp) readUses(r *reading, from int64) (end int64, err error) {
	end, err = jsonl.Read(r.entry.file, from, func(line []byte, _ int64, number int) error {
		var u memory.Usage
		if err := json.Unmarshal(line, &u); err != nil {
			y.problems = append(y.problems, memory.Problem{
				Path: r.entry.path, Line: r.mark.Lines + number,
				Text: fmt.Sprintf("is not a line of the usage log (%s): delete it", oneLine(err.Error())),
			})
			return nil
		}
		if u.Op == memory.UsageAccessed {
			for _, id := range slices.Compact(u.IDs) {
				r.uses = append(r.uses, memory.Use{ID: id, At: u.TS})
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, errGone
	}
	return end, err
}
