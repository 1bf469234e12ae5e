package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/lives"
	"orihon/internal/reader"
	"orihon/internal/terms"
)

// plainly makes prompts of lives, and of prompts that were written to ask a memory.
func plainly(livesDir, askingDir string) ([]*prompt, error) {
	files, err := filepath.Glob(filepath.Join(livesDir, "*.json"))
	if err != nil {
		return nil, err
	}
	all, err := lives.Read(files...)
	if err != nil {
		return nil, err
	}
	const each = 8 // one in so many: enough to know a question by
	asked, err := asking(os.DirFS(askingDir), each)
	return append(told(all), asked...), err
}

// told makes prompts of lives: what their owners told their agents, alone and
// beside a task, and the tasks without it. Written voices say things in passing and
// among what only looks like them; most of what people say is plainer than that.
func told(all []lives.Life) []*prompt {
	var out []*prompt
	add := func(voice, text, said string, k reader.Kind) {
		p := &prompt{Prompt: reader.Prepare(text), voice: voice, lang: language(text)}
		p.state = make([]int, len(p.Features))
		if said != "" {
			from := strings.Index(text, said)
			p.keep = []gold{{from: from, to: from + len(said), kind: k}}
			p.label(from, from+len(said), reader.Begins(k), reader.Goes(k))
		}
		out = append(out, p)
	}
	for i := range all {
		l := &all[i]
		var tasks []string
		for _, p := range l.Prompts {
			tasks = append(tasks, p.Text)
		}
		for _, s := range l.Sessions {
			for _, t := range s.Turns {
				if t.Who == "user" {
					tasks = append(tasks, t.Text)
				}
			}
		}
		for _, t := range tasks {
			add(l.Author, t, "", reader.None)
		}
		for n, m := range l.Memories {
			k, said := kindOf[m.Kind], strings.TrimSpace(m.Said)
			if said == "" || k == reader.None {
				continue
			}
			if n%2 == 1 { // as a note-taker puts it
				said = strings.TrimSpace(m.Text)
				if len(slices.Collect(terms.Sentences(said))) != 1 {
					continue
				}
			}
			switch {
			case n%4 < 2:
				add(l.Author, said, said, k)
			case len(tasks) > 0:
				said = strings.TrimRight(said, ".。")
				add(l.Author, beside(n/4, said, tasks[n%len(tasks)]), said, k)
			}
		}
	}
	return out
}

// asking makes prompts that say nothing to keep of those that were written to ask a
// memory: a part of them, evenly.
func asking(dir fs.FS, each int) ([]*prompt, error) {
	names, err := fs.Glob(dir, "*.jsonl")
	if err != nil {
		return nil, err
	}
	var out []*prompt
	n := 0
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		voice, _, _ := strings.Cut(name, "-")
		for line := range strings.Lines(string(data)) {
			var d struct {
				P    []string
				X, N string
			}
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			for _, text := range append(d.P, d.X, d.N) {
				if n++; n%each == 0 && text != "" {
					p := &prompt{Prompt: reader.Prepare(text), voice: voice, lang: language(text)}
					p.state = make([]int, len(p.Features))
					out = append(out, p)
				}
			}
		}
	}
	return out, nil
}

// kindOf is what the kinds of lives are called here.
var kindOf = map[string]reader.Kind{
	"decision": reader.Decision, "preference": reader.Preference, "rule": reader.Instruction, "procedure": reader.Instruction,
	"fact": reader.Fact, "pitfall": reader.Pitfall,
}

// beside puts a statement and a task into one prompt, in one of the ways in which
// people do.
func beside(n int, said, task string) string {
	stop, pause := ". ", ", "
	if isHan, _ := utf8.DecodeLastRuneInString(said); unicode.Is(unicode.Han, isHan) {
		stop, pause = "。", "，"
	}
	switch n % 6 {
	case 0:
		return said + "\n" + task
	case 1:
		return said + stop + task
	case 2:
		return said + pause + task
	case 3:
		return task + "\n" + said
	case 4:
		return task + "\n\n" + said
	}
	return said + stop + "\n\n" + task
}
