package follow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/extract"
	"orihon/internal/jsonl"
	"orihon/internal/session"
	"orihon/items"
	"orihon/memory"
)

// Peeked is what was captured lately.
type Peeked struct {
	// Items are those that sessions left, the newest first.
	Items []memory.Item `json:"items"`
	// Session is the one with the newest event, Hot what models took from it for
	// itself.
	Session string          `json:"session,omitempty"`
	Hot     []session.Entry `json:"hot"`
	Calls   []SessionCall   `json:"calls"` // the newest first
}

// SessionCall is what a model was asked for a session.
type SessionCall struct {
	Session string `json:"session"`
	extract.Call
}

// Peek tells what was captured lately, and what models were asked for that; at most
// so many items and calls, 0 for all. It changes nothing and asks nobody.
func (f *Sessions) Peek(ctx context.Context, most int) (*Peeked, error) {
	all, err := items.New(f.v.Home).List(ctx, memory.Filter{Kinds: []memory.Kind{memory.Semantic, memory.Procedural, memory.Episodic}})
	if err != nil {
		return nil, err
	}
	out := &Peeked{Items: []memory.Item{}, Hot: []session.Entry{}, Calls: []SessionCall{}}
	for i := range all {
		if it := all[i].Item; it.Metadata.Session != "" {
			out.Items = append(out.Items, it)
		}
	}
	slices.SortStableFunc(out.Items, func(a, b memory.Item) int { return b.Metadata.CreatedAt.Compare(a.Metadata.CreatedAt) })
	if most > 0 {
		out.Items = out.Items[:min(len(out.Items), most)]
	}
	dirs, err := os.ReadDir(f.v.Project.Sessions())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var newest time.Time
	for _, d := range dirs {
		dir := filepath.Join(f.v.Project.Sessions(), d.Name())
		state, err := session.Load(dir)
		if err != nil || !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		if state.Last.After(newest) {
			newest, out.Session = state.Last, state.ID
			h, err := session.LoadHot(dir)
			if err != nil {
				f.v.Log.Warn("peek: hot cache left out", "session", state.ID, "err", err)
			}
			out.Hot = append([]session.Entry{}, h.Entries...)
		}
		calls, err := callsOf(dir, state.ID)
		if err != nil {
			return nil, err
		}
		out.Calls = append(out.Calls, calls...)
	}
	slices.SortStableFunc(out.Calls, func(a, b SessionCall) int { return b.At.Compare(a.At) })
	if most > 0 {
		out.Calls = out.Calls[:min(len(out.Calls), most)]
	}
	return out, nil
}

// callsOf are the calls for a session. Lines that cannot be read are passed over.
func callsOf(dir, id string) (out []SessionCall, err error) {
	_, err = jsonl.Read(filepath.Join(dir, session.CallsName), 0, func(line []byte, _ int64, _ int) error {
		c := SessionCall{Session: id}
		if json.Unmarshal(line, &c.Call) == nil {
			out = append(out, c)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}

// Captured is what looking through a session by hand came to.
type Captured struct {
	Messages int       `json:"messages"`
	Noticed  []Noticed `json:"noticed"`
	// Learned are provisional statements that a model took from the whole session.
	Learned []memory.Item `json:"learned"`
	// Left says what models would read, where they are not asked.
	Left string `json:"left,omitempty"`
}

// Capture looks by hand through what the user said in a session, by its ID, in the
// newest when it is empty, or in a file that [Memory.Import] reads. Where language
// models are configured they are asked, about a session within its budget; a dry run
// asks none.
func (f *Sessions) Capture(ctx context.Context, source string, o NoticeOptions) (*Captured, error) {
	if source == "" {
		run, err := f.v.Runs().Session(ctx, "")
		if err != nil {
			return nil, err
		}
		source = run.Name
	}
	messages, err := f.Messages(ctx, source)
	if err != nil {
		return nil, err
	}
	out := &Captured{Messages: len(messages), Learned: []memory.Item{}}
	state, err := session.Load(f.v.Project.Session(f.v.CleanID(source)))
	if err == nil && o.Models && !o.DryRun {
		s, err := f.Open(ctx, state.ID, Client{Name: state.Client, CWD: state.CWD, Branch: state.Branch})
		if err != nil {
			return nil, err
		}
		unlock, err := jsonl.Lock(ctx, workLockPath(s.dir))
		if err != nil {
			return nil, err
		}
		defer unlock()
		o.session = s
	}
	if o.DryRun && o.Models && f.asksModels() {
		out.Left = fmt.Sprintf("a dry run asks no model: what is to ask about would be put to %s", strings.Join(f.asking(), ", "))
	}
	if out.Noticed, err = f.Notice(ctx, messages, &o); err != nil || o.session == nil {
		return out, err
	}
	out.Learned, err = o.session.readWhole(ctx)
	return out, err
}

// asking are the models that may be asked.
func (f *Sessions) asking() (out []string) {
	for _, m := range f.v.Config.Models {
		if m.Enabled {
			out = append(out, m.Name)
		}
	}
	return out
}

// readWhole reads the whole session as at its end, and returns what memory learned.
func (s *Session) readWhole(ctx context.Context) ([]memory.Item, error) {
	learned := []memory.Item{}
	if !s.sessions().studies() || !s.v.Config.Extract.Consolidation {
		return learned, nil
	}
	began := s.v.Now()
	if err := s.whole(ctx, s.sessions().consultation(s).x); err != nil {
		return learned, err
	}
	all, err := items.New(s.v.Home).List(ctx, memory.Filter{Tags: []string{extractedTag}})
	for i := range all {
		if m := &all[i].Item.Metadata; m.Session == s.start.ID && !m.CreatedAt.Before(began.UTC()) {
			learned = append(learned, all[i].Item)
		}
	}
	return learned, err
}
