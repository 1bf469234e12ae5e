package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"orihon/memory"
)

// Conversation is what one memory holds, with the questions asked of it: one
// line of a data set.
type Conversation struct {
	ID        string     `json:"id"`
	Turns     []Turn     `json:"turns"`
	Questions []Question `json:"questions"`
}

// Turn is something that was said. Without a session it stands by itself.
type Turn struct {
	ID      string  `json:"id"`
	Session Session `json:"session"`
	Date    string  `json:"date"` // "2023-05-08" or "2023-05-08T13:56"; may be empty
	Speaker string  `json:"speaker"`
	Text    string  `json:"text"`
	Caption string  `json:"caption"` // of an image that came with it
}

// Session names a session; data sets number them or name them.
type Session string

// UnmarshalJSON reads a string or a number.
func (s *Session) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var name string
	if json.Unmarshal(data, &name) == nil {
		*s = Session(name)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return fmt.Errorf("session %.40s: want a string or a number", data)
	}
	*s = Session(number)
	return nil
}

// Question is asked of a conversation. Evidence are the turns that answer it.
type Question struct {
	ID       string   `json:"id"`
	Text     string   `json:"question"`
	Category string   `json:"category_name"` // empty is "all"
	Evidence []string `json:"evidence"`
}

func (q *Question) category() string {
	return cmp.Or(q.Category, "all")
}

// Unanswerable reports whether the conversation does not answer the question:
// nothing should be injected for it.
func (q *Question) Unanswerable() bool {
	return q.Category == "adversarial" || q.Category == "abstention"
}

// said is the turn as memory gets it: speaker and date are told apart from it.
func (t *Turn) said() string {
	if t.Caption == "" {
		return t.Text
	}
	return t.Text + " [image: " + t.Caption + "]"
}

// at is when the turn was said; zero for a turn without a date.
func (t *Turn) at() (time.Time, error) {
	if t.Date == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339} {
		if at, err := time.Parse(layout, t.Date); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("date %q: want YYYY-MM-DD or YYYY-MM-DDTHH:MM", t.Date)
}

// Read reads a data set: one conversation per line, compressed when the name
// ends in .gz. Errors name file and line and wrap [memory.ErrInvalid].
func Read(path string) ([]Conversation, error) {
	d := newDecoder(path)
	if err := readLines(path, " data set", d.line); err != nil {
		return nil, err
	}
	return d.out, nil
}

// decoder reads conversations whose names must differ.
type decoder struct {
	name                     string
	conversations, questions map[string]bool // names so far
	out                      []Conversation
}

func newDecoder(name string) *decoder {
	return &decoder{name: name, conversations: make(map[string]bool), questions: make(map[string]bool)}
}

func (d *decoder) line(line []byte, number int) error {
	var c Conversation
	err := shape(line)
	if err == nil {
		err = json.Unmarshal(line, &c)
	}
	if err == nil {
		err = c.check(d.conversations, d.questions)
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %w conversation: %w", d.name, number, memory.ErrInvalid, err)
	}
	d.out = append(d.out, c)
	return nil
}

// ErrShape means that a line is sound JSON, but of another kind of file.
var ErrShape = errors.New("not a conversation")

// shape refuses lines of other kinds of files with what they hold, rather than
// scoring them as conversations in which nothing was said.
func shape(line []byte) error {
	const want = `want {"id", "turns": […], "questions": […]}, one a line`
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(line, &keys); err != nil {
		if json.Valid(line) {
			return fmt.Errorf("%w: %s", ErrShape, want)
		}
		return err
	}
	if keys["turns"] != nil || keys["questions"] != nil || len(keys) == 1 && keys["id"] != nil {
		return nil
	}
	if keys["ranked"] != nil {
		return fmt.Errorf("%w but a ranking: give it with --dense", ErrShape)
	}
	const most = 5
	names := slices.Sorted(maps.Keys(keys))
	return fmt.Errorf("%w but an object of %.80q: %s", ErrShape, names[:min(len(names), most)], want)
}

// check refuses what would make a score ambiguous.
func (c *Conversation) check(conversations, questions map[string]bool) error {
	if err := take(conversations, c.ID); err != nil {
		return err
	}
	turns := make(map[string]bool, len(c.Turns))
	for i := range c.Turns {
		t := &c.Turns[i]
		if err := take(turns, t.ID); err != nil {
			return fmt.Errorf("turn %d: %w", i+1, err)
		}
		if _, err := t.at(); err != nil {
			return fmt.Errorf("turn %s: %w", t.ID, err)
		}
	}
	for i := range c.Questions {
		if err := take(questions, c.Questions[i].ID); err != nil {
			return fmt.Errorf("question %d: %w", i+1, err)
		}
	}
	return nil
}

// take notes an ID, which must be new and fit into a column of a run.
func take(known map[string]bool, id string) error {
	switch {
	case id == "" || strings.ContainsFunc(id, unicode.IsSpace):
		return fmt.Errorf("id %q: want one word", id)
	case known[id]:
		return fmt.Errorf("id %q stands twice", id)
	}
	known[id] = true
	return nil
}

// Split returns a part of a data set: "dev" is its first half by lines, "test"
// the rest, "all" or nothing the whole.
func Split(data []Conversation, part string) ([]Conversation, error) {
	half := len(data) / 2
	switch part {
	case "", "all":
		return data, nil
	case "dev":
		return data[:half], nil
	case "test":
		return data[half:], nil
	}
	return nil, fmt.Errorf("%w split %q: want all, dev or test", memory.ErrInvalid, part)
}

// readLines calls fn for every line of a file that is not empty; the file is
// unpacked when its name ends in .gz. what the file is, behind a space, stands in
// errors, which wrap [memory.ErrNotFound] and [memory.ErrInvalid].
func readLines(path, what string, fn func(line []byte, number int) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", strings.TrimSpace(what+" "+path), memory.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".gz") {
		return eachLine(f, path, fn)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w%s: %w", path, memory.ErrInvalid, what, err)
	}
	return eachLine(z, path, fn)
}

// eachLine is readLines from a stream; name stands in errors.
func eachLine(in io.Reader, name string, fn func(line []byte, number int) error) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for number := 1; ; number++ {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := fn(line, number); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
