package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// archiveDir is the folder of a root that recall does not read.
const archiveDir = "archive"

// monthLayout names the parts of an archive: 2026_11.jsonl.gz for the items of
// ledgers, 2026_11/ for atoms.
const monthLayout = "2006_01"

// Archive takes items out of the living memory: the items of ledgers are
// written to the compressed part of their month, the files of atoms moved into
// its folder. It returns those that left. Forgotten and archived ones stay as
// they are; an unknown ID is [memory.ErrNotFound], and a bullet is refused with
// [memory.ErrRefused], since only a file can be moved; both before anything is
// written. A zero time is the present.
//
// An item is never in neither place. The part is on disk before the ledger says
// that the item left, and a record of an item that the ledger still calls
// living does not count; a moved file is in either folder. A ledger keeps the
// lines of what left it.
func (s *Store) Archive(ctx context.Context, at time.Time, leaving ...memory.Leaving) ([]memory.Item, error) {
	if len(leaving) == 0 {
		return nil, nil
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	defer unlock()
	if at.IsZero() {
		at = s.now()
	}
	a := &archiving{Store: s, at: at.UTC(), leaving: make(map[*ledgerLines][]memory.Item), why: make(map[string]string)}
	if err := a.plan(ctx, leaving); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if err := a.carryOut(ctx); err != nil {
		return a.gone, fmt.Errorf("archive: %w", err)
	}
	return a.gone, nil
}

// archiving is one run of Archive.
type archiving struct {
	*Store
	at      time.Time
	parts   fileLines // of the archive
	ledgers fileLines
	leaving map[*ledgerLines][]memory.Item
	atoms   []place
	why     map[string]string // of atoms
	gone    []memory.Item
}

// plan decides where everything goes, and writes nothing.
func (a *archiving) plan(ctx context.Context, leaving []memory.Leaving) error {
	ids := make([]string, len(leaving))
	for i := range leaving {
		ids[i] = leaving[i].ID
	}
	places, err := a.find(ctx, ids...)
	if err != nil {
		return err
	}
	planned := make(map[string]bool)
	for i := range leaving {
		l := &leaving[i]
		p, ok := places[l.ID]
		switch {
		case !ok:
			return fmt.Errorf("item %s: %w", l.ID, memory.ErrNotFound)
		case p.fact != "":
			return fmt.Errorf("item %s: %w: it is a bullet of %s: archive the whole file by %s", l.ID, memory.ErrRefused, p.entry.path, l.ID[:strings.LastIndexByte(l.ID, '#')])
		case p.retired || planned[l.ID]:
			continue
		}
		planned[l.ID] = true
		if p.entry.kind != kindLedger {
			a.atoms, a.why[l.ID] = append(a.atoms, p), l.Why
			continue
		}
		if err := a.planItem(&p, l); err != nil {
			return err
		}
	}
	return nil
}

func (a *archiving) planItem(p *place, l *memory.Leaving) error {
	name := a.at.Format(monthLayout) + partSuffix
	file := filepath.Join(p.entry.root.Dir, archiveDir, name)
	line, err := encodeArchived(p, l, a.at)
	if err != nil {
		return fmt.Errorf("item %s: %w", l.ID, err)
	}
	part := a.parts.of(entry{root: p.entry.root, file: file})
	part.lines = append(part.lines, line)
	out := a.ledgers.of(p.entry)
	a.leaving[out] = append(a.leaving[out], p.item)
	return out.archive(l.ID, l.Why, a.at, name)
}

func (a *archiving) carryOut(ctx context.Context) error {
	for _, part := range a.parts {
		if err := a.addPart(part); err != nil {
			return err
		}
	}
	for _, ledger := range a.ledgers {
		if err := a.appendLedger(ctx, ledger); err != nil {
			return err
		}
		a.gone = append(a.gone, a.leaving[ledger]...)
	}
	for i := range a.atoms {
		p := &a.atoms[i]
		dir := filepath.Join(p.entry.root.Dir, archiveDir, a.at.Format(monthLayout))
		rel, err := filepath.Rel(p.entry.root.Dir, p.entry.file)
		if err == nil && !filepath.IsLocal(rel) {
			rel = filepath.Base(rel) // the root itself is reached by a symlink
		}
		if err == nil {
			err = a.keepPast(ctx, *p)
		}
		if err == nil {
			err = a.moveAtom(p.entry.root, p.entry.file, filepath.Join(dir, rel))
		}
		if err != nil {
			return fmt.Errorf("item %s: %w", p.item.ID, err)
		}
		if err := a.keepArchived(ctx, *p, a.why[p.item.ID], a.at); err != nil {
			a.log.Warn("archive: the past of an atom was not noted", "id", p.item.ID, "err", err)
		}
		a.gone = append(a.gone, p.item)
	}
	return nil
}

// addPart adds lines to a compressed file, which is replaced as a whole.
func (s *Store) addPart(part *ledgerLines) error {
	file := part.entry.file
	if err := confined(part.entry.root.Dir, filepath.Dir(file)); err != nil {
		return err
	}
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w: is %s where an archive belongs: move it away", file, memory.ErrRefused, describe(info))
	}
	before, err := jsonl.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	member, err := compress(part.lines)
	if err != nil {
		return err
	}
	return s.replace(file, append(before, member...))
}

// moveAtom moves a file within a root; a name that is taken gets a number.
func (s *Store) moveAtom(root *Root, from, to string) error {
	dir := filepath.Dir(to)
	if err := confined(root.Dir, dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		if to, err = freeName(dir, strings.TrimSuffix(filepath.Base(to), filepath.Ext(to))); err != nil {
			return err
		}
	}
	return s.move(from, to)
}
