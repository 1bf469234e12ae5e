package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	scripts "orihon/internal/planted"
	"orihon/internal/session"
	"orihon/journal"
)

// habits times the search for habits in many tool calls, and what a client waits for in
// a home that holds them, in turn with a home that holds nothing.
func (s *speed) habits(ctx context.Context) error {
	if s.Observations == 0 {
		return nil
	}
	s.Progress(fmt.Sprintf("writing %d tool calls", s.Observations))
	full, m, err := s.open(ctx, "habits")
	if err != nil {
		return err
	}
	sessions := m.Project().Sessions
	if err := errors.Join(m.Close(), s.script(ctx, sessions)); err != nil {
		return err
	}
	for _, what := range []string{"habits in %d tool calls, first", "habits in %d tool calls, later"} {
		what = fmt.Sprintf(what, s.Observations)
		s.Progress(what)
		took, peak, err := s.process(ctx, full, nil, true, "instinct", "learn", "--home", full.home)
		if err != nil {
			return err
		}
		s.figures = append(s.figures, Figure{Name: what, Process: true, Runs: 1, P50: took, P95: took, Peak: peak})
	}
	sides := []side{{place: full, name: fmt.Sprintf("%d tool calls", s.Observations)}}
	if s.Against != "" {
		other, err := s.other(ctx, full)
		if err != nil {
			return err
		}
		sides = append(sides, side{place: other, name: filepath.Base(other.program) + " with them"})
	}
	none, m, err := s.open(ctx, "no-habits")
	if err != nil {
		return err
	}
	if err := m.Close(); err != nil {
		return err
	}
	for _, b := range []place{full, none} {
		if _, _, err := s.process(ctx, b, nil, false, "sync", "--home", b.home); err != nil {
			return err
		}
	}
	return s.hooks(ctx, append(sides, side{place: none, name: "empty home"}), Prompts(64))
}

// script writes journals of scripted sessions, over and over with other words.
func (s *speed) script(ctx context.Context, dir string) error {
	authors, err := scripts.Read(s.Scripts)
	if err != nil {
		return err
	}
	at, done := s.Now().AddDate(-1, 0, 0), 0
	for round := 0; done < s.Observations; round++ {
		for i := range authors {
			for k := range authors[i].Sessions {
				if done >= s.Observations {
					return nil
				}
				at = at.Add(time.Hour)
				id := fmt.Sprintf("%s-%s-%d", authors[i].Name, authors[i].Sessions[k].Name, round)
				n, err := writeScript(ctx, filepath.Join(dir, id), id, &authors[i].Sessions[k], round, at)
				if err != nil {
					return err
				}
				done += n
			}
		}
	}
	return nil
}

// writeScript writes the journal of one session and tells of how many calls it is.
func writeScript(ctx context.Context, dir, id string, s *scripts.Session, round int, at time.Time) (calls int, err error) {
	start := at
	j, err := journal.Open(dir, &journal.Options{Now: func() time.Time { at = at.Add(time.Minute); return at }})
	if err != nil {
		return 0, err
	}
	put := func(t journal.Type, id string, payload any) {
		e, more := journal.New(t, id, payload)
		if more == nil {
			_, more = j.Append(ctx, e)
		}
		err = errors.Join(err, more)
	}
	put(journal.RunStarted, "", journal.Run{CWD: s.Project})
	for _, l := range s.Lines {
		name := fmt.Sprintf("%s:%d", s.Name, l.Number)
		switch {
		case l.User != "":
			put(journal.UserMessage, name, journal.Message{Role: "user", Text: otherWords(l.User, round)})
		case l.Tool != "":
			calls++
			put(journal.ActionRequest, name, journal.Action{Tool: l.Tool, Input: json.RawMessage(otherWords(string(l.Input), round))})
			put(journal.ActionResult, name, journal.Result{Tool: l.Tool, Output: otherWords(l.Out, round), Error: !l.OK})
		}
	}
	if err != nil {
		return calls, err
	}
	_, err = session.Update(ctx, dir, nil, func(state *session.State) error {
		state.ID, state.Status, state.Created = id, session.Ended, start
		return nil
	})
	return calls, err
}

// otherWords gives the longer words of a text an ending of its own in each round.
func otherWords(text string, round int) string {
	const long = 7
	if round == 0 {
		return text
	}
	ending := string([]rune{'a' + rune(round%26), 'a' + rune(round/26%26)})
	var b strings.Builder
	word := 0
	for _, r := range text {
		letter := r >= 'a' && r <= 'z'
		if !letter {
			if word >= long {
				b.WriteString(ending)
			}
			word = -1
		}
		b.WriteRune(r)
		word++
	}
	return b.String()
}
