package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"orihon/internal/reader"
	"orihon/internal/terms"
)

// prompt is one of the data, read and labelled.
type prompt struct {
	reader.Prompt
	voice string
	lang  string // en, zh-Hans, zh-Hant or mixed
	keep  []gold
	state []int // of each piece
}

// gold is a statement worth keeping.
type gold struct {
	from, to int
	kind     reader.Kind
}

// read reads all voices, in order of their names.
func read(dir fs.FS) ([]*prompt, error) {
	names, err := fs.Glob(dir, "*.jsonl.gz")
	if err != nil {
		return nil, err
	}
	var out []*prompt
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		voice, _, _ := strings.Cut(name, ".")
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			p, err := parse(lines.Bytes())
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, err)
			}
			p.voice = voice
			out = append(out, p)
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// parse reads a line of the data and labels its pieces.
func parse(line []byte) (*prompt, error) {
	var d struct {
		Text string
		Keep []struct{ Span, Kind string }
		Not  []struct{ Span, Why string }
	}
	if err := json.Unmarshal(line, &d); err != nil {
		return nil, err
	}
	p := &prompt{Prompt: reader.Prepare(d.Text), lang: language(d.Text)}
	p.state = make([]int, len(p.Features))
	for _, n := range d.Not {
		why := slices.Index(reader.Others[:], n.Why)
		from := strings.Index(d.Text, n.Span)
		if why < 0 || from < 0 {
			return nil, fmt.Errorf("no such part: %q, %q", n.Why, n.Span)
		}
		p.label(from, from+len(n.Span), reader.Other(why), reader.Other(why))
	}
	for _, k := range d.Keep {
		kind := slices.Index(reader.Kinds[:], k.Kind)
		from := strings.Index(d.Text, k.Span)
		if kind < 1 || from < 0 {
			return nil, fmt.Errorf("no such statement: %q, %q", k.Kind, k.Span)
		}
		g := gold{from: from, to: from + len(k.Span), kind: reader.Kind(kind)}
		p.keep = append(p.keep, g)
		p.label(g.from, g.to, reader.Begins(g.kind), reader.Goes(g.kind))
	}
	return p, nil
}

// label gives the pieces that stand for the most part in text[from:to] a state.
func (p *prompt) label(from, to, first, other int) {
	state := first
	for i := range p.state {
		a, b := p.Piece(i)
		both := min(b, to) - max(a, from)
		if 2*both >= b-a && both > 0 {
			p.state[i] = state
			state = other
		}
	}
}

// language is that of a prompt; mixed is Chinese with many English words.
func language(text string) string {
	lang := terms.Lang(text)
	latin, han := 0, 0
	for _, w := range terms.Words(text) {
		for _, r := range w {
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
		if w[0] < 0x80 {
			latin++
		}
	}
	if han > 0 && latin*3 >= han {
		return "mixed"
	}
	return lang
}
