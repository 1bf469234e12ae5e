package follow

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/capture"
	"orihon/internal/jsonl"
	"orihon/internal/session"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/memory"
)

// recordNow is the format of a record.
const recordNow = 2

// record is what was done in a session, request by request.
type record struct {
	Version  int               `json:"version"`
	Session  string            `json:"session"`
	Size     int64             `json:"size"`   // of the journal when it was made
	Tokens   int               `json:"tokens"` // that were said in it, estimated
	Requests []capture.Request `json:"requests"`
	Fixes    []capture.Fix     `json:"fixes,omitempty"`

	page string
}

// asked is the request in which an event of the journal stands.
func (r *record) asked(seq int64) string {
	text := ""
	for i := range r.Requests {
		if r.Requests[i].Seq <= seq {
			text = r.Requests[i].Asked
		}
	}
	return text
}

// makeRecord reads the whole journal of a session, whose user writes a Chinese script;
// empty for unknown.
func (f *Sessions) makeRecord(ctx context.Context, id, script string, j *journal.Journal) (*record, error) {
	info, err := journal.Stat(j.Dir())
	if errors.Is(err, fs.ErrNotExist) {
		return &record{Version: recordNow, Session: id}, nil
	}
	if err != nil {
		return nil, err
	}
	run, err := capture.ReadRun(ctx, j)
	if err != nil {
		return nil, err
	}
	root := f.v.Project.Root
	if below := activity.Relative(root, run.CWD); run.CWD == "" || root != "" && below != run.CWD {
		run.CWD = root // files are named below the project's folder
	}
	run.Language, run.Script = f.v.Language(""), script
	r := &record{Version: recordNow, Session: id, Size: info.Size()}
	r.Requests, r.Fixes = capture.Requests(&run)
	for _, said := range slices.Concat(run.Prompts, run.Answers) {
		r.Tokens += tokens.Estimate(said.Text)
	}
	r.page = capture.Page(&run, r.Requests)
	return r, nil
}

// write keeps the record and its page in the session's folder.
func (r *record) write(dir string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := jsonl.WriteFile(filepath.Join(dir, session.RecordName), append(data, '\n')); err != nil {
		return err
	}
	return jsonl.WriteFile(filepath.Join(dir, session.PageName), []byte(r.page))
}

// readRecord reads the record in a session's folder; nil where there is none that
// is in keeping with the journal.
func readRecord(dir string) *record {
	path := filepath.Join(dir, session.RecordName)
	data, err := jsonl.ReadFile(path)
	if err != nil {
		return nil
	}
	of, err := journal.Stat(dir)
	var r record
	if err != nil || json.Unmarshal(data, &r) != nil || r.Version != recordNow {
		return nil
	}
	if of.Packed { // it kept its time, and not its size
		made, err := os.Stat(path)
		if err != nil || made.ModTime().Before(of.ModTime()) {
			return nil
		}
	} else if r.Size != of.Size() {
		return nil
	}
	return &r
}

// recordOf is the record of a session: as it was kept, else made anew, and kept
// where nobody is at the session.
func (f *Sessions) recordOf(ctx context.Context, dir string) (*record, error) {
	if r := readRecord(dir); r != nil {
		return r, nil
	}
	j, err := journal.Open(dir, &journal.Options{Now: f.v.Now, Logger: f.v.Log})
	if err != nil {
		return nil, err
	}
	id, script, over := filepath.Base(dir), "", false
	if state, err := session.Load(dir); err == nil {
		id, script, over = state.ID, state.Script, state.Status == session.Ended
	}
	r, err := f.makeRecord(ctx, id, script, j)
	if err != nil || !over {
		return r, err
	}
	if err := r.write(dir); err != nil {
		f.v.Log.Warn("session: record not kept", "session", id, "err", err)
	}
	return r, nil
}

// records are those of all sessions of the project; what cannot be read is left out.
func (f *Sessions) records(ctx context.Context) ([]*record, error) {
	dirs, err := os.ReadDir(f.v.Project.Sessions())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []*record
	for _, d := range dirs {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		r, err := f.recordOf(ctx, filepath.Join(f.v.Project.Sessions(), d.Name()))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			f.v.Log.Warn("session: left out", "session", d.Name(), "err", err)
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

// Told is a session as it is told to people.
type Told struct {
	Session  string            `json:"session"`
	Requests []capture.Request `json:"requests"`
	Fixes    []capture.Fix     `json:"fixes"`
	Page     string            `json:"page"` // as Markdown
}

// Told tells what was done in a session, by its ID or the beginning of it; empty is
// the one with the newest event. The error wraps [memory.ErrNotFound] when there is
// none, and [memory.ErrInvalid] when there are several.
func (f *Sessions) Told(ctx context.Context, name string) (*Told, error) {
	run, err := f.v.Runs().Session(ctx, name)
	if err != nil {
		return nil, err
	}
	dir := f.v.Project.Session(run.Name)
	if _, err := os.Stat(dir); err != nil {
		return nil, memory.ErrNotFound
	}
	j, err := journal.Open(dir, &journal.Options{Now: f.v.Now, Logger: f.v.Log})
	if err != nil {
		return nil, err
	}
	script := ""
	if state, err := session.Load(dir); err == nil {
		script = state.Script
	}
	r, err := f.makeRecord(ctx, run.Name, script, j)
	if err != nil {
		return nil, err
	}
	return &Told{Session: run.Name, Requests: notNil(r.Requests), Fixes: notNil(r.Fixes), Page: r.page}, nil
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Listed is a session in a list.
type Listed struct {
	Session  string    `json:"session"`
	At       time.Time `json:"at,omitzero"` // of its first request
	Requests int       `json:"requests"`
	Changed  int       `json:"changed"` // files
	Failing  int       `json:"failing"` // requests that ended with something failing
	Title    string    `json:"title"`   // of the first request
}

// List lists the sessions in which something was asked for, the newest first.
func (f *Sessions) List(ctx context.Context) ([]Listed, error) {
	records, err := f.records(ctx)
	if err != nil {
		return nil, err
	}
	out := []Listed{}
	for _, r := range records {
		if len(r.Requests) == 0 {
			continue
		}
		l := Listed{Session: r.Session, At: r.Requests[0].At, Title: r.Requests[0].Title, Requests: len(r.Requests)}
		files := make(map[string]bool)
		for i := range r.Requests {
			for _, c := range r.Requests[i].Changed {
				files[c.Name] = true
			}
			if r.Requests[i].Outcome == capture.Failing {
				l.Failing++
			}
		}
		l.Changed = len(files)
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b Listed) int { return b.At.Compare(a.At) })
	return out, nil
}
