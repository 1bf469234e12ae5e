package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// candidatesName is the log of what waits for a person, in the state folder.
const candidatesName = "candidates.jsonl"

// candidateLine is a line of the log: a question, or with Op its end.
type candidateLine struct {
	V  int    `json:"v"`
	Op string `json:"op,omitempty"` // "settle", "reopen"
	memory.Question
	Verdict string `json:"verdict,omitempty"`
	Reason  string `json:"reason,omitempty"`
	By      string `json:"by,omitempty"`
}

// candidateID names a question.
func candidateID(c *memory.Question) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(c.Kind), string(c.Item.Scope), c.Other, strings.Join(strings.Fields(c.Item.Content), " ")}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// Propose puts questions before a person, durably. One that waits already, or
// was answered before, is not asked again. It returns how many are new.
func (s *Store) Propose(ctx context.Context, asked ...memory.Question) (int, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("propose: %w", err)
	}
	defer unlock()
	_, known, err := s.candidates(ctx)
	if err != nil {
		return 0, fmt.Errorf("propose: %w", err)
	}
	var lines [][]byte
	for _, c := range asked {
		c.ID = candidateID(&c)
		if known[c.ID] {
			continue
		}
		known[c.ID] = true
		if c.At.IsZero() {
			c.At = s.now()
		}
		line, err := jsonl.Encode(candidateLine{V: ledgerVersion, Question: c})
		if err != nil {
			return 0, fmt.Errorf("propose: %w", err)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return 0, nil
	}
	_, err = s.appendTo(ctx, s.candidatesPath(), &jsonl.Options{Sync: true, Logger: s.log}, lines...)
	return len(lines), err
}

// Candidates returns what waits for a person, oldest first.
func (s *Store) Candidates(ctx context.Context) ([]memory.Question, error) {
	open, _, err := s.candidates(ctx)
	return open, err
}

// Settle notes how a question was answered; it does not carry the answer out.
// The error wraps [memory.ErrNotFound] when nothing of that ID waits.
func (s *Store) Settle(ctx context.Context, id, verdict, reason, by string) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("settle %s: %w", id, err)
	}
	defer unlock()
	open, _, err := s.candidates(ctx)
	if err != nil {
		return fmt.Errorf("settle %s: %w", id, err)
	}
	if !slices.ContainsFunc(open, func(c memory.Question) bool { return c.ID == id }) {
		return fmt.Errorf("candidate %s: %w", id, memory.ErrNotFound)
	}
	line, err := jsonl.Encode(struct {
		V       int       `json:"v"`
		Op      string    `json:"op"`
		ID      string    `json:"id"`
		At      time.Time `json:"at"`
		Verdict string    `json:"verdict"`
		Reason  string    `json:"reason,omitempty"`
		By      string    `json:"by,omitempty"`
	}{ledgerVersion, "settle", id, s.now(), verdict, reason, by})
	if err == nil {
		_, err = s.appendTo(ctx, s.candidatesPath(), &jsonl.Options{Sync: true, Logger: s.log}, line)
	}
	return err
}

// Reopen takes an answer back: the question waits again as it did before. The error
// wraps [memory.ErrNotFound] when nothing of that ID was answered.
func (s *Store) Reopen(ctx context.Context, id string) (memory.Question, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return memory.Question{}, fmt.Errorf("reopen %s: %w", id, err)
	}
	defer unlock()
	open, settled, err := s.questions(ctx)
	if err != nil {
		return memory.Question{}, fmt.Errorf("reopen %s: %w", id, err)
	}
	q, known := settled[id]
	if !known || slices.ContainsFunc(open, func(c memory.Question) bool { return c.ID == id }) {
		return memory.Question{}, fmt.Errorf("answer to %s: %w", id, memory.ErrNotFound)
	}
	line, err := jsonl.Encode(struct {
		V  int       `json:"v"`
		Op string    `json:"op"`
		ID string    `json:"id"`
		At time.Time `json:"at"`
	}{ledgerVersion, "reopen", id, s.now()})
	if err == nil {
		_, err = s.appendTo(ctx, s.candidatesPath(), &jsonl.Options{Sync: true, Logger: s.log}, line)
	}
	return q.Question, err
}

// TurnedDown are the statements that a person did not want kept, as they were asked about:
// not those that came to nothing by themselves, nor what was asked about an item.
func (s *Store) TurnedDown(ctx context.Context) ([]memory.Item, error) {
	_, settled, err := s.questions(ctx)
	var out []memory.Item
	for _, a := range settled {
		person := a.By != string(memory.FromAgent) && a.By != string(memory.FromSystem)
		statement := a.Kind == memory.QuestionKeep || a.Kind == memory.QuestionConflict || a.Kind == memory.QuestionFrozen
		if person && statement && a.Verdict == string(memory.AuditReject) {
			out = append(out, a.Item)
		}
	}
	return out, err
}

func (s *Store) candidatesPath() string { return filepath.Join(s.state, candidatesName) }

// candidates reads the log: the open questions, and the IDs of all.
func (s *Store) candidates(ctx context.Context) (open []memory.Question, known map[string]bool, err error) {
	open, settled, err := s.questions(ctx)
	known = make(map[string]bool, len(open)+len(settled))
	for i := range open {
		known[open[i].ID] = true
	}
	for id := range settled {
		known[id] = true
	}
	return open, known, err
}

// answered is a question with its answer.
type answered struct {
	memory.Question
	Verdict, By string
}

// questions reads the log: the questions that wait, and those that were answered.
func (s *Store) questions(ctx context.Context) (open []memory.Question, settled map[string]answered, err error) {
	settled = make(map[string]answered)
	_, err = jsonl.Read(s.candidatesPath(), 0, func(line []byte, _ int64, number int) error {
		var c candidateLine
		if err := json.Unmarshal(line, &c); err != nil || c.ID == "" || c.V > ledgerVersion {
			s.log.Warn("candidate passed over", "at", fmt.Sprintf("%s:%d", candidatesName, number), "err", err)
			return ctx.Err()
		}
		at := slices.IndexFunc(open, func(o memory.Question) bool { return o.ID == c.ID })
		q, known := settled[c.ID]
		switch {
		case c.Op == "settle" && at >= 0:
			settled[c.ID] = answered{open[at], c.Verdict, c.By}
			open = slices.Delete(open, at, at+1)
		case c.Op == "reopen" && known:
			open = append(open, q.Question)
			delete(settled, c.ID)
		case c.Op == "" && at < 0 && !known:
			open = append(open, c.Question)
		}
		return ctx.Err()
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.SortStableFunc(open, func(a, b memory.Question) int { return a.At.Compare(b.At) })
	return open, settled, err
}
