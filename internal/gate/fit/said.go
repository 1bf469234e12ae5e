package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"orihon"
	"orihon/internal/lives"
	"orihon/internal/reader"
	"orihon/internal/terms"
	"orihon/journal"
	"orihon/memory"
)

var data = filepath.Join("internal", "reader", "train", "data")

// collectSaid plays every life in several ways: with all of its memories only said,
// among prompts that hold nothing to keep; with half of them remembered; and with all
// remembered, where nothing was said but in its past sessions. Half of its prompts were
// typed before as well, and the other half is asked.
//
// How likely a turn holds something is said by a model that has not seen its writer:
// readers are two files of package reader, each made without a half of the voices.
func collectSaid(ctx context.Context, folders, readers []string) ([]set, error) {
	all, err := lives.Read(folders...)
	if err != nil {
		return nil, err
	}
	if len(readers) != 2 {
		return nil, errors.New("-readers: want the files of two models, made by go run ./internal/reader/train -half 0 and -half 1")
	}
	voices, err := lives.ReadVoices(data)
	if err != nil {
		return nil, err
	}
	var halves [2]half
	for i := range halves {
		model, err := os.ReadFile(readers[i])
		if err != nil {
			return nil, err
		}
		halves[i].read = reader.Open(string(model))
		halves[i].idle = idlePrompts(voices, i)
	}
	ways := []way{
		{"said among as many", 0, 1, 0}, {"said among three times as many", 0, 3, 1},
		{"half remembered", 2, 1, 0}, {"half remembered", 2, 1, 1}, {"remembered", 1, 0, 0}, {"remembered", 1, 0, 1},
	}
	return inParallel(len(all)*len(ways), func(i int) ([]set, error) {
		life := &all[i/len(ways)]
		return playSaid(ctx, life, &halves[reader.Half(life.Author)], ways[i%len(ways)])
	})
}

// way is a way to play a life.
type way struct {
	name  string
	known int // one memory of so many is remembered, 0 none; the others are said
	idle  int // prompts that hold nothing to everything said
	asked int // half of its prompts that is asked, 0 or 1; the other was typed before
}

// half is what lives of a half of the voices are played with.
type half struct {
	read *reader.Model
	idle map[string][]string // by language
}

// idlePrompts are those of the reader's data that hold nothing to keep, of the voices
// of a half, by language.
func idlePrompts(voices []lives.Voice, half int) map[string][]string {
	out := make(map[string][]string)
	for _, v := range voices {
		if reader.Half(v.Name) == half {
			for language, prompts := range v.Idle {
				out[language] = append(out[language], prompts...)
			}
		}
	}
	return out
}

// told is something that was said, and which memory it is, empty for none.
type told struct{ id, text string }

// playSaid has a life told in sessions of six prompts, in the order of chance, and
// asks it.
func playSaid(ctx context.Context, life *lives.Life, half *half, w way) (out []set, err error) {
	m, end, err := empty(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	random := rand.New(rand.NewPCG(mixed(life.Name), uint64(w.idle)))
	var statements []orihon.Statement
	var said []told
	for _, s := range life.Past {
		for _, t := range s.Turns {
			if t.Who == "user" {
				said = append(said, told{t.ID, t.Text})
			}
		}
	}
	for i, known := range life.Memories {
		switch {
		case w.known > 0 && i%w.known == 0:
			statements = append(statements, orihon.Statement{Text: known.Text, Source: memory.FromUser, Explicit: true})
		case known.Said != "":
			said = append(said, told{known.ID, known.Said})
		}
	}
	if _, err := m.RememberAll(ctx, statements); err != nil {
		return nil, err
	}
	for i := range w.idle * len(said) {
		of := half.idle[terms.Lang(said[i%len(said)].text)]
		said = append(said, told{text: of[random.IntN(len(of))]})
	}
	asked := *life
	asked.Prompts = nil
	for i, p := range life.Prompts {
		if i%2 == w.asked {
			asked.Prompts = append(asked.Prompts, p)
		} else {
			said = append(said, told{text: p.Text})
		}
	}
	random.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
	ids, err := tell(ctx, m, said)
	if err != nil {
		return nil, err
	}
	held := func(id string) bool { return slices.ContainsFunc(said, func(t told) bool { return t.id == id }) }
	return ask(ctx, m, &asked, w.name, memory.Query{Turns: true, Told: true}, held, func(h *memory.Hit) string {
		p := &h.Passage
		if p.Population == memory.UserTurns {
			h.Signals[toldSignal] = half.read.Tells(p.Item.Content)
		}
		return ids[fmt.Sprintf("%s:%d", p.Source, p.Line)]
	})
}

// tell writes the journals of sessions in which somebody said something over the last
// ninety days, and returns which memory stands at which line of them.
func tell(ctx context.Context, m *orihon.Memory, said []told) (map[string]string, error) {
	const perSession, days = 6, 90
	begin := time.Now().AddDate(0, 0, -days)
	ids := make(map[string]string)
	for n := 0; n*perSession < len(said); n++ {
		name := fmt.Sprintf("s%05d", n)
		j, err := journal.Open(m.Project().Session(name), nil)
		if err != nil {
			return nil, err
		}
		var events []journal.Event
		for i, s := range said[n*perSession : min(len(said), (n+1)*perSession)] {
			e, err := journal.New(journal.UserMessage, fmt.Sprint("t", i), journal.Message{Role: journal.RoleUser, Text: s.text})
			if err != nil {
				return nil, err
			}
			e.TS = begin.Add(time.Duration(n*perSession+i) * days * 24 * time.Hour / time.Duration(len(said)))
			events = append(events, e)
			ids[fmt.Sprintf("sessions/%s/%s:%d", name, filepath.Base(j.Path()), i+1)] = s.id
		}
		if _, err := j.Append(ctx, events...); err != nil {
			return nil, err
		}
	}
	_, err := m.Sync(ctx)
	return ids, err
}
