package planted

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Author is the sessions of one writer, who is one person at work, in their order.
type Author struct {
	Name     string
	Sessions []Session
	Labels   []Label
}

// Session is a scripted session.
type Session struct {
	Name                 string // "07"
	Project, Branch, Day string
	Lines                []Line // the first is line 2 of the file
}

// Line is something said or done.
type Line struct {
	Number int    `json:"-"` // in the file, from 1
	User   string `json:"u"`
	Agent  string `json:"a"`

	Tool  string          `json:"t"`
	Input json.RawMessage `json:"in"`
	OK    bool            `json:"ok"`
	Out   string          `json:"out"`
}

// Label is a habit that was planted, or something that is none.
type Label struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Trigger string   `json:"trigger"`
	Action  string   `json:"action"`
	Why     string   `json:"why"` // of one that is none: other-purpose, one-off, taken-back
	Looks   string   `json:"looks"`
	At      []string `json:"at"`
	Back    string   `json:"back"`

	places []place
}

// Habit reports whether the label is of a habit.
func (l *Label) Habit() bool { return l.Why == "" }

type place struct {
	session string
	line    int
}

// Read reads the authors in a folder whose labels are there, by name.
func Read(dir string) ([]Author, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*-labels.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var out []Author
	for _, f := range files {
		a := Author{Name: strings.TrimSuffix(filepath.Base(f), "-labels.jsonl")}
		if err := a.read(dir); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no AUTHOR-labels.jsonl", dir)
	}
	return out, nil
}

func (a *Author) read(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, a.Name+"-[0-9][0-9].jsonl"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, f := range files {
		s := Session{Name: strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), a.Name+"-"), ".jsonl")}
		err := lines(f, func(n int, data []byte) error {
			if n == 1 {
				return json.Unmarshal(data, &s)
			}
			l := Line{Number: n}
			if err := json.Unmarshal(data, &l); err != nil {
				return err
			}
			s.Lines = append(s.Lines, l)
			return nil
		})
		if err != nil {
			return err
		}
		a.Sessions = append(a.Sessions, s)
	}
	return lines(filepath.Join(dir, a.Name+"-labels.jsonl"), func(_ int, data []byte) error {
		var l Label
		if err := json.Unmarshal(data, &l); err != nil {
			return err
		}
		for _, at := range l.At {
			session, number, _ := strings.Cut(at, ":")
			n, err := strconv.Atoi(number)
			if err != nil {
				return fmt.Errorf("place %q", at)
			}
			l.places = append(l.places, place{session, n})
		}
		a.Labels = append(a.Labels, l)
		return nil
	})
}

func lines(path string, each func(n int, data []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 16<<20)
	for n := 1; scan.Scan(); n++ {
		if err := each(n, scan.Bytes()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return scan.Err()
}
