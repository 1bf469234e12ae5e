package journal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/memory"
)

// FileKind is the [memory.File] kind of journals.
const FileKind = "journal"

// Confidence of a passage by who said it: a person's word counts as much as what
// is read from code, an answer as much as an import.
const (
	userConfidence      = memory.InferredConfidence
	assistantConfidence = memory.ImportedConfidence
)

// Near texts reach this far, in turns and in characters.
const (
	nearTurns = 2
	nearChars = 400
)

// leastInterim is how long something is, in bytes, that an assistant says on the way and
// that is worth finding: "Let me run the tests." is not.
const leastInterim = 100

// ChangesOptions tune [Changes]. Nil means the zero value.
type ChangesOptions struct {
	User   string       // speaker of the user's turns; empty is "user"
	Scope  memory.Scope // of all passages; empty is personal:<User>, or global without one
	Logger *slog.Logger // hears of what cannot be read; nil discards
}

// mark is what [memory.File.Mark] holds of a journal: how to go on. Turns change
// the neighbours of the two before them, and an answer may still grow, so the
// last three turns are read again.
type mark struct {
	Resume int64    `json:"resume"`           // offset of the third last turn
	Line   int      `json:"line"`             // number of the line before it
	Before []string `json:"before,omitempty"` // near texts of the two turns before it
	IDs    []byte   `json:"ids,omitempty"`    // identities before it
	Sum    string   `json:"sum"`              // fingerprint of the file before File.Offset
	Purges string   `json:"purges,omitempty"` // content of the purges file
}

// Changes returns the passages of every journal in the folders below
// sessionsDir that is new or has changed since known, which maps paths
// ("sessions/<id>/journal.jsonl") to what an index remembers of them. A journal
// of the same size and time is not opened; of one that grew only the end is
// read. Journals of known that are gone come back in Gone.
//
// A journal that cannot be read is logged and left as the index has it. Its
// [memory.File.Hash] stays empty: the mark does that work.
func Changes(ctx context.Context, sessionsDir string, known map[string]memory.File, o *ChangesOptions) (memory.Batch, error) {
	opt := ChangesOptions{}
	if o != nil {
		opt = *o
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Scope == "" {
		opt.Scope = memory.Global
		if opt.User != "" {
			opt.Scope = memory.Personal(opt.User)
		}
	}
	opt.User = cmp.Or(opt.User, RoleUser)

	entries, err := os.ReadDir(sessionsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return memory.Batch{}, err
	}
	var batch memory.Batch
	there := map[string]bool{}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return memory.Batch{}, err
		}
		session := entry.Name()
		path := "sessions/" + session + "/" + fileName
		// ReadDir and Lstat do not follow symlinks: nothing outside is read.
		info, packed, err := stat(filepath.Join(sessionsDir, session, fileName), os.Lstat)
		if !entry.IsDir() || errors.Is(err, fs.ErrNotExist) || (err == nil && !info.Mode().IsRegular()) {
			continue
		}
		there[path] = true
		old, has := known[path]
		// A compressed journal has the time of the one that it stands for.
		if err == nil && has && (old.Size == info.Size() || packed) && old.MTime.Equal(info.ModTime()) {
			continue
		}
		s := source{dir: filepath.Join(sessionsDir, session), session: session, path: path, info: info, packed: packed, o: opt}
		if err == nil {
			err = s.changes(ctx, &batch, old, has)
		}
		if ctx.Err() != nil {
			return memory.Batch{}, ctx.Err()
		}
		if err != nil {
			opt.Logger.Warn("journal left as indexed", "file", path, "error", err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(known)) {
		if known[path].Kind == FileKind && !there[path] {
			batch.Gone = append(batch.Gone, path)
		}
	}
	return batch, nil
}

// source is one journal being read for an index.
type source struct {
	dir, session, path string
	info               fs.FileInfo
	packed             bool
	o                  ChangesOptions
	imported           bool // nobody here has heard what is said in it
}

// changes adds what is new in the journal to the batch, or nothing when it
// fails.
func (s *source) changes(ctx context.Context, batch *memory.Batch, old memory.File, has bool) error {
	times, err := purges(s.dir)
	if err != nil {
		return err
	}
	var m mark
	grown := has && s.resumable(old, times, &m)
	if !grown {
		m = mark{Purges: times}
	}
	s.imported = wasImported(filepath.Join(s.dir, fileName))
	r := turnReader{dir: s.dir, log: s.o.Logger, line: m.Line, ids: unpackIdentities(m.IDs)}
	end, err := r.read(ctx, m.Resume)
	if err != nil {
		return err
	}
	if m.Sum, err = fingerprint(filepath.Join(s.dir, fileName), end); err != nil {
		return err
	}
	if has && !grown {
		batch.Replace = append(batch.Replace, s.path)
	}
	if !grown || r.last >= old.Offset {
		batch.Put = append(batch.Put, s.passages(m.Before, r.turns)...)
	}
	m.moveOn(answers(r.turns), r.ids)
	// A mark of strings and numbers always encodes.
	text, _ := json.Marshal(m)
	batch.Files = append(batch.Files, memory.File{
		Path: s.path, Kind: FileKind, Size: s.info.Size(), MTime: s.info.ModTime(), Offset: end, Mark: string(text),
	})
	return nil
}

// resumable reads the mark and reports whether the journal has only grown since.
func (s *source) resumable(old memory.File, times string, m *mark) bool {
	if json.Unmarshal([]byte(old.Mark), m) != nil || m.Purges != times {
		return false
	}
	// The same size at another time: touched, or edited in place.
	if s.packed || s.info.Size() == old.Size || s.info.Size() < old.Offset || m.Resume < 0 || m.Resume > old.Offset {
		return false
	}
	sum, err := fingerprint(filepath.Join(s.dir, fileName), old.Offset)
	return err == nil && sum == m.Sum
}

// fingerprint hashes up to a KiB before an offset.
func fingerprint(path string, offset int64) (string, error) {
	f, err := open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	from := max(0, offset-1024)
	if at, ok := f.(io.Seeker); ok {
		_, err = at.Seek(from, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, f, from)
	}
	h := sha256.New()
	if err == nil {
		_, err = io.CopyN(h, f, offset-from)
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// moveOn makes the mark point to the third last turn.
func (m *mark) moveOn(turns []turn, ids []uint64) {
	i := max(0, len(turns)-nearTurns-1)
	if len(turns) == 0 {
		return
	}
	before := m.Before
	for _, t := range turns[max(0, i-nearTurns):i] {
		before = append(before, nearText(t.Text))
	}
	m.Before = before[max(0, len(before)-nearTurns):]
	m.Resume, m.Line = turns[i].offset, turns[i].line-1
	m.IDs = packIdentities(ids[:turns[i].known])
}

// passages makes passages of turns that stand behind others, of which only the
// near texts are known.
func (s *source) passages(before []string, turns []turn) []memory.Passage {
	near := slices.Clone(before)
	for _, t := range answers(turns) {
		near = append(near, nearText(t.Text))
	}
	var out []memory.Passage
	i := len(before)
	for _, t := range turns {
		var around []memory.Neighbour
		if !t.interim {
			around = neighbours(near, i, t.Role == RoleAssistant)
			i++
		}
		if t.Role == RoleUser && tooSmall(t.Text) || t.interim && len(t.Text) < leastInterim {
			continue
		}
		for n, text := range chunks(t.Text) {
			p := s.passage(t, text, n)
			p.Near = around
			out = append(out, p)
		}
	}
	return out
}

func (s *source) passage(t turn, text string, n int) memory.Passage {
	id := fmt.Sprintf("%s/%d", s.session, t.Seq)
	if n > 0 {
		id = fmt.Sprintf("%s.%d", id, n+1)
	}
	p := memory.Passage{
		ID: id,
		Item: memory.Item{
			ID: id, Kind: memory.Note, Scope: s.o.Scope, Content: text,
			Metadata: memory.Metadata{
				CreatedAt: t.TS, UpdatedAt: t.TS, Session: s.session,
				Source: memory.FromUser, Confidence: userConfidence,
			},
		},
		Source: s.path, Line: t.line, EndLine: t.endLine,
		Speaker: s.o.User, Population: memory.UserTurns,
	}
	if t.Role == RoleAssistant {
		p.Item.Metadata.Source, p.Item.Metadata.Confidence = memory.FromAgent, assistantConfidence
		p.Speaker, p.Population = RoleAssistant, memory.AgentTurns
	}
	if t.speaker != "" {
		p.Speaker = t.speaker
	}
	if t.interim {
		p.Item.Metadata.Tags = []string{memory.InterimTag}
	}
	if s.imported {
		p.Item.Metadata.Source = memory.Imported
		p.Item.Metadata.Confidence = min(p.Item.Metadata.Confidence, memory.ImportedConfidence)
	}
	return p
}

// wasImported reports whether a journal begins with an import. The first line of
// such a journal is short.
func wasImported(path string) bool {
	f, err := open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	var e Event
	var run Run
	return json.Unmarshal(line, &e) == nil && e.Type == RunStarted && json.Unmarshal(e.Payload, &run) == nil && run.Source == SourceImport
}

// neighbours of the turn at i, nearest first, the earlier one before the later. An
// answer belongs to what stands before it: what comes after it counts as one further.
func neighbours(near []string, i int, answer bool) []memory.Neighbour {
	var out []memory.Neighbour
	for d := 1; d <= nearTurns; d++ {
		later := i + d
		if answer {
			later--
		}
		for _, k := range [2]int{i - d, later} {
			if k >= 0 && k < len(near) && k != i {
				out = append(out, memory.Neighbour{Text: near[k], Distance: d})
			}
		}
	}
	return out
}

func nearText(s string) string {
	head, more := firstChars(s, nearChars)
	if more {
		head = strings.TrimSpace(head)
	}
	return head
}
