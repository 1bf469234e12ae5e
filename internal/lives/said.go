package lives

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/memory"
)

// Voice is a person with prompts, and those of them that hold nothing to keep, by language.
type Voice struct {
	Name    string
	Prompts []Marked
	Idle    map[string][]string
}

// Marked is a prompt in which statements worth keeping are marked.
type Marked struct {
	Text string      `json:"text"`
	Keep []Statement `json:"keep"`
}

// Statement is what a prompt says for later.
type Statement struct {
	Span string `json:"span"` // the part that says it
	Kind string `json:"kind"`
	Note string `json:"note"` // as a careful note-taker would put it
}

// ReadVoices reads a folder of prompts in which statements are marked, one file a
// person, as package reader is trained on: JSON Lines, gzipped or not.
func ReadVoices(folder string) ([]Voice, error) {
	var out []Voice
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl*"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("%s: %w: no prompts in which statements are marked", folder, memory.ErrNotFound)
	}
	for _, name := range names {
		v, err := readVoice(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, v)
	}
	return out, nil
}

func readVoice(name string) (Voice, error) {
	v := Voice{Idle: make(map[string][]string)}
	v.Name, _, _ = strings.Cut(filepath.Base(name), ".")
	in, err := open(name)
	if err != nil {
		return v, err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p Marked
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return v, err
		}
		v.Prompts = append(v.Prompts, p)
		if len(p.Keep) == 0 {
			language := terms.Lang(p.Text)
			v.Idle[language] = append(v.Idle[language], p.Text)
		}
	}
	return v, lines.Err()
}

// open opens a file, and what is in it where its name ends in .gz.
func open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return f, err
	}
	in, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{in, f}, nil
}

// said is how a memory was first put.
func (m *Memory) said() string {
	if m.Said != "" {
		return m.Said
	}
	return m.Text
}

// saidInSession is how many prompts of a session say something; as many others hold
// nothing to keep.
const saidInSession = 4

// Said is a life in which nothing is remembered on purpose: what its developer told is
// typed as they first put it, in sessions before all others, beside as many prompts of
// other people that hold nothing to keep. Those are drawn by the name of the life.
func (l *Life) Said(voices []Voice) (Life, error) {
	out := *l
	out.Memories = slices.Clone(l.Memories)
	out.Past = nil
	idle := make(map[string][]string)
	for _, v := range voices {
		if v.Name != l.Author {
			for language, prompts := range v.Idle {
				idle[language] = append(idle[language], prompts...)
			}
		}
	}
	name := fnv.New64a()
	name.Write([]byte(l.Name))
	random := rand.New(rand.NewPCG(name.Sum64(), 0))
	drawn := make(map[string]int)
	for i := range out.Memories {
		m := &out.Memories[i]
		m.Text, m.typed = m.said(), true
		language := terms.Lang(m.Text)
		prompts := idle[language]
		if len(prompts) == 0 {
			return out, fmt.Errorf("life %s: %w: no prompt in %s that holds nothing to keep", l.Name, memory.ErrNotFound, language)
		}
		n := drawn[language]
		if n%len(prompts) == 0 {
			random.Shuffle(len(prompts), func(i, j int) { prompts[i], prompts[j] = prompts[j], prompts[i] })
		}
		drawn[language]++
		if i%saidInSession == 0 {
			out.Past = append(out.Past, PastSession{ID: fmt.Sprint("said-", len(out.Past)+1)})
		}
		s := &out.Past[len(out.Past)-1]
		s.Turns = append(s.Turns, typed(m.ID, m.Text)...)
		s.Turns = append(s.Turns, typed("", prompts[n%len(prompts)])...)
	}
	out.Past = append(out.Past, l.Past...)
	return out, nil
}

const done = "Done."

// typed is a prompt, which an ID makes one that later prompts may need, and an answer
// that says nothing.
func typed(id, text string) []Turn {
	t := Turn{Who: byUser, Prompt: Prompt{ID: id, Text: text}}
	if id != "" {
		t.Key = text
	}
	return []Turn{t, {Who: byAssistant, Prompt: Prompt{Text: done}}}
}
