// Package lives measures what reaches an agent: lives of people, with what their
// agent was told and what they typed later, are played through a program by the
// events of its client, and what it prints is held against what an expert
// colleague would have wanted the agent to be given.
//
// It knows the program from outside only. Start with [Run].
package lives

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"orihon/memory"
)

// Life is one person's memory, and what they later type to their agent: what
// should reach it is told by hand.
type Life struct {
	Name     string        `json:"name"` // empty is that of the file
	Author   string        `json:"author"`
	Language string        `json:"language"`
	Memories []Memory      `json:"memories"`
	Past     []PastSession `json:"past"`
	Prompts  []Prompt      `json:"prompts"`
	Sessions []Session     `json:"sessions"`

	file string // it was read from
}

// Memory is something that was told to be remembered.
type Memory struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Kind string `json:"kind"`
	Said string `json:"said"` // how it was first put

	// NeededWhen is by what it may be looked for, as an agent gave it, see [Phrased].
	NeededWhen []string `json:"-"`

	typed bool // it stands in a past session, and is not remembered
}

// PastSession is a session that was over before the prompts.
type PastSession struct {
	ID    string `json:"id"`
	Turns []Turn `json:"turns"`
}

// Session is a session that is played.
type Session struct {
	ID     string `json:"id"`
	Branch string `json:"branch"`
	Turns  []Turn `json:"turns"`
}

// Who has a turn.
const (
	byUser      = "user"
	byAssistant = "assistant"
	byTool      = "tool"
)

// Turn is a prompt, an answer, or a tool call with what came of it.
type Turn struct {
	Who string `json:"who"`
	Prompt
	// Key is the part of a past turn's text that later prompts need.
	Key    string          `json:"key"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	Output string          `json:"output"`
	Failed bool            `json:"failed"`
}

// Prompt is what somebody types, and what an expert colleague would want the
// agent to have then.
type Prompt struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Need   []string `json:"need"`    // IDs of memories, and of past turns with a key
	AlsoOK []string `json:"also_ok"` // what is no junk
	Note   string   `json:"note"`    // what makes it hard; several with "," or "|" between
}

// Read reads lives: each path is a JSON file or a folder of them, at any
// depth. Errors name the file and wrap [memory.ErrInvalid] or
// [memory.ErrNotFound].
func Read(paths ...string) ([]Life, error) {
	var out []Life
	err := eachFile(paths, ".json", func(file string) error {
		l, err := readLife(file)
		out = append(out, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w lives: no JSON file there", strings.Join(paths, ", "), memory.ErrInvalid)
	}
	return out, nil
}

// Phrased are lives whose memories an agent saved, each with phrases by which it may be
// looked for: those of NAME.phrases.jsonl beside each life's file, with lines
// {"id": "m1", "needed_when": ["…"]}. Errors name the line and wrap [memory.ErrInvalid].
func Phrased(all []Life) ([]Life, error) {
	out := slices.Clone(all)
	for i := range out {
		l := &out[i]
		l.Memories = slices.Clone(l.Memories)
		file := strings.TrimSuffix(l.file, ".json") + ".phrases.jsonl"
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			var given struct {
				ID         string   `json:"id"`
				NeededWhen []string `json:"needed_when"`
			}
			err := json.Unmarshal([]byte(line), &given)
			at := slices.IndexFunc(l.Memories, func(m Memory) bool { return m.ID == given.ID })
			if err != nil || at < 0 {
				return nil, fmt.Errorf("%s:%d: %w phrases: they are of no memory of the life", file, n+1, memory.ErrInvalid)
			}
			l.Memories[at].NeededWhen = given.NeededWhen
		}
	}
	return out, nil
}

// eachFile reads the files of a kind that paths are or hold at any depth.
func eachFile(paths []string, kind string, read func(file string) error) error {
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s: %w", file, memory.ErrNotFound)
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(file, kind) {
				return err
			}
			return read(file)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func readLife(file string) (Life, error) {
	var l Life
	raw, err := os.ReadFile(file)
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, fmt.Errorf("%s: %w life: %w", file, memory.ErrInvalid, err)
	}
	l.file = file
	if l.Name == "" {
		l.Name = strings.TrimSuffix(filepath.Base(file), ".json")
	}
	known := l.texts()
	check := func(where string, p *Prompt) error {
		for _, id := range slices.Concat(p.Need, p.AlsoOK) {
			if known[id] == "" {
				return fmt.Errorf("%s: %w life: %s names %s, which is neither a memory nor a past turn with a key", file, memory.ErrInvalid, where, id)
			}
		}
		return nil
	}
	for i := range l.Prompts {
		if err := check("prompt "+l.Prompts[i].ID, &l.Prompts[i]); err != nil {
			return l, err
		}
	}
	for _, s := range l.Sessions {
		for i := range s.Turns {
			if err := check(fmt.Sprintf("session %s, turn %d", s.ID, i+1), &s.Turns[i].Prompt); err != nil {
				return l, err
			}
		}
	}
	return l, nil
}

// texts are what can be needed, by ID.
func (l *Life) texts() map[string]string {
	out := make(map[string]string)
	for _, m := range l.Memories {
		out[m.ID] = m.Text
	}
	for _, s := range l.Past {
		for i := range s.Turns {
			if t := &s.Turns[i]; t.Key != "" {
				out[t.ID] = t.Key
			}
		}
	}
	return out
}

// given is what an answer of the program holds for a life.
type given struct {
	ids      map[string]bool // arrived nearly whole
	passages []string        // of each: the ID of what it holds, also in part; empty for anything else
	texts    []string        // the passages as they stand
}

// mentions is for finding the texts of a life in what a program prints.
type mentions struct {
	ids    []string // in order, so that figures do not depend on a map's
	pieces map[string][]string
}

func (l *Life) mentions() *mentions {
	m := &mentions{pieces: make(map[string][]string)}
	for id, text := range l.texts() {
		m.ids = append(m.ids, id)
		m.pieces[id] = pieces(text)
	}
	slices.Sort(m.ids)
	return m
}

// pieceLetters is how long the pieces are by which a text is found.
const pieceLetters = 12

// pieces cuts the letters and digits of a text into pieces.
func pieces(text string) []string {
	letters := []rune(letters(text))
	if len(letters) <= pieceLetters {
		return []string{string(letters)}
	}
	var out []string
	for i := 0; i < len(letters)-pieceLetters+1; i += pieceLetters {
		out = append(out, string(letters[i:i+pieceLetters]))
	}
	return out
}

// share is how many of the pieces of a text stand in another, given as letters, 0..1.
func share(pieces []string, flat string) float64 {
	n := 0
	for _, p := range pieces {
		if strings.Contains(flat, p) {
			n++
		}
	}
	return float64(n) / float64(len(pieces))
}

// A text has arrived when nine of ten of its pieces stand in what the agent got; a
// passage is about a text when it holds a third of them.
const arrived, part = .9, 1. / 3

// find says what a context holds.
func (m *mentions) find(context string) given {
	g := given{ids: make(map[string]bool)}
	flat := letters(context)
	for _, id := range m.ids {
		if share(m.pieces[id], flat) >= arrived {
			g.ids[id] = true
		}
	}
	for _, p := range passagesOf(context) {
		flat, best, about := letters(p), part, ""
		for _, id := range m.ids {
			if s := share(m.pieces[id], flat); s >= best {
				best, about = s, id
			}
		}
		g.passages, g.texts = append(g.passages, about), append(g.texts, p)
	}
	return g
}

// passagesOf are the pieces of information in what a hook gives an agent: listed
// lines with what belongs to them, and any line that is neither a heading nor
// stands around the rest.
func passagesOf(context string) []string {
	var out []string
	for block := range strings.SplitSeq(context, "<orihon-memory>") {
		block, _, closed := strings.Cut(block, "</orihon-memory>")
		lines := slices.DeleteFunc(strings.Split(block, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
		if closed && len(lines) > 2 {
			lines = lines[1 : len(lines)-1] // what is said around the passages
		}
		listed := false
		for _, line := range lines {
			switch {
			case strings.HasPrefix(line, "- "):
				out, listed = append(out, line[2:]), true
			case title(line):
				listed = false
			case listed:
				out[len(out)-1] += "\n" + line
			default:
				out = append(out, line)
			}
		}
	}
	return out
}

// title reports whether a line is a heading: it begins with a sign or "#".
func title(line string) bool {
	for _, r := range line {
		return r == '#' || r >= 0x2300 && r <= 0x27bf || r >= 0x1f000
	}
	return false
}

// letters are the letters and digits of a text, so that how lines are broken and
// marks are escaped makes no difference.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, text)
}
