package habit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Read reads the file of an instinct. Its error names the line and how to mend
// it, and wraps [memory.ErrInvalid], or [memory.ErrNotFound] without a file.
func Read(path string) (Instinct, error) {
	f, err := jsonl.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return Instinct{}, fmt.Errorf("instinct %s: %w", path, memory.ErrNotFound)
	}
	if err != nil {
		return Instinct{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Instinct{}, err
	}
	in, line, err := Parse(data)
	if err != nil {
		return Instinct{}, fmt.Errorf("%w instinct: %s", memory.ErrInvalid, memory.Problem{Path: path, Line: line, Text: err.Error()})
	}
	return in, nil
}

// Write replaces the file of an instinct as a whole.
func Write(path string, in *Instinct) error {
	if err := in.Check(); err != nil {
		return err
	}
	return jsonl.WriteFile(path, []byte(in.Markdown()))
}

// Markdown is the instinct as its file. [Parse] reads the same back, evidence cut
// to one line each.
func (in *Instinct) Markdown() string {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range []struct{ key, value string }{
		{"id", in.ID}, {"trigger", in.Trigger}, {"confidence", strconv.FormatFloat(in.Confidence, 'g', -1, 64)},
		{"domain", in.Domain}, {"kind", string(in.Kind)}, {"source", string(in.Source)},
		{"created_at", in.Created.UTC().Format(time.RFC3339)}, {"evidence_count", strconv.Itoa(len(in.Evidence))},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.key, scalar(f.key, f.value))
		}
	}
	b.WriteString("---\n\n" + headAction + "\n\n" + plainLines(strings.TrimSpace(in.Action)) + "\n\n" + headEvidence + "\n\n")
	writeEvidence(&b, in.Evidence)
	if len(in.Against) > 0 {
		b.WriteString("\n" + headAgainst + "\n\n")
		writeEvidence(&b, in.Against)
	}
	notes := strings.TrimSpace(in.Notes)
	if first, _, _ := strings.Cut(notes, "\n"); notes != "" && !heading(first) {
		notes = "## Notes\n\n" + notes
	}
	if notes != "" {
		b.WriteString("\n" + notes + "\n")
	}
	return b.String()
}

func writeEvidence(b *strings.Builder, places []Evidence) {
	for i := range places {
		e := &places[i]
		fmt.Fprintf(b, "- %s [%s/%d] %s\n", e.At.UTC().Format(time.RFC3339), url.PathEscape(e.Session), e.Turn, Cut(e.Text, maxText))
	}
}

const (
	headAction   = "## Action"
	headEvidence = "## Evidence"
	headAgainst  = "## Against" // where it was taken back, as evidence
)

// scalar is a value that YAML reads back as the same text.
func scalar(key, value string) string {
	switch key {
	case "confidence", "created_at", "evidence_count":
		return value
	}
	var n yaml.Node
	n.SetString(value)
	out, err := yaml.Marshal(&n)
	if err != nil || bytes.Count(out, []byte("\n")) != 1 {
		return strconv.Quote(value)
	}
	return strings.TrimSpace(string(out))
}

// plainLines keeps a line of an action from being taken for a heading of the
// file.
func plainLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		if heading(l) {
			lines[i] = "#" + l
		}
	}
	return strings.Join(lines, "\n")
}

// heading reports a line that begins a section.
func heading(l string) bool { return l == "##" || strings.HasPrefix(l, "## ") }

// Parse reads the text of a file. An error comes with the number of its line, or 0
// where none is to blame.
func Parse(data []byte) (in Instinct, line int, err error) {
	switch {
	case len(data) > maxFile:
		return in, 1, fmt.Errorf("is larger than %d KB: shorten it", maxFile>>10)
	case !utf8.Valid(data):
		return in, 1, errors.New("is not valid UTF-8: save the file as UTF-8")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	if at := strings.IndexByte(text, 0); at >= 0 {
		return in, 1 + strings.Count(text[:at], "\n"), errors.New("holds a NUL: take it out")
	}
	lines := strings.Split(text, "\n")
	if strings.TrimSpace(lines[0]) != "---" {
		return in, 1, errors.New("has no front matter: begin the file with a line ---")
	}
	end := 1
	for end < len(lines) && strings.TrimSpace(lines[end]) != "---" {
		end++
	}
	if end == len(lines) {
		return in, 1, errors.New("front matter is not closed: end it with a line ---")
	}
	if line, err = in.readFront(strings.Join(lines[1:end], "\n")); err != nil {
		return in, line, err
	}
	if line, err = in.readBody(lines[end+1:], end+2); err != nil {
		return in, line, err
	}
	return in, 0, in.lineless()
}

// lineless checks what no line of its own is to blame for.
func (in *Instinct) lineless() error {
	err := in.Check()
	if err == nil {
		return nil
	}
	_, what, _ := strings.Cut(err.Error(), "instinct: ")
	return errors.New(what)
}

// readFront takes the fields out of the front matter. Only plain values are
// read: no anchors, lists or maps, whose size could grow as they are read.
func (in *Instinct) readFront(front string) (line int, err error) {
	if len(front) > maxFront {
		return 1, fmt.Errorf("front matter is larger than %d KB: shorten it", maxFront>>10)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		return 2, fmt.Errorf("front matter: %s", strings.TrimPrefix(Cut(err.Error(), maxText), "yaml: "))
	}
	if doc.Kind == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return 2, errors.New("front matter is not a list of keys and values")
	}
	seen := make(map[string]bool)
	fields := doc.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		k, v := fields[i], fields[i+1]
		if seen[k.Value] {
			return k.Line + 1, fmt.Errorf("key %q stands twice: delete one", Cut(k.Value, maxDomain))
		}
		seen[k.Value] = true
		if v.Kind != yaml.ScalarNode || v.Anchor != "" {
			return k.Line + 1, fmt.Errorf("%s must be one plain value", Cut(k.Value, maxDomain))
		}
		if err := in.set(k.Value, v.Value); err != nil {
			return k.Line + 1, err
		}
	}
	for _, key := range []string{"id", "trigger", "confidence"} {
		if !seen[key] {
			return 1, fmt.Errorf("front matter has no %s: add it", key)
		}
	}
	if in.Domain == "" {
		in.Domain = "general"
	}
	if in.Source == "" {
		in.Source = Imported
	}
	return 0, nil
}

func (in *Instinct) set(key, value string) (err error) {
	switch key {
	case "id":
		in.ID = value
	case "trigger":
		in.Trigger = value
	case "domain":
		in.Domain = value
	case "kind":
		in.Kind = Kind(value)
	case "source":
		in.Source = Source(value)
	case "confidence":
		if in.Confidence, err = strconv.ParseFloat(value, 64); err != nil {
			return fmt.Errorf("confidence %q: want a number from 0 to 1", Cut(value, maxDomain))
		}
	case "created_at":
		if in.Created, err = time.Parse(time.RFC3339, value); err != nil {
			return fmt.Errorf("created_at %q: want a time such as 2026-03-02T09:10:00Z", Cut(value, maxDomain))
		}
	case "evidence_count": // counted from the lines
	default:
		return fmt.Errorf("unknown key %q: delete it", Cut(key, maxDomain))
	}
	return nil
}

// readBody reads the sections; those of people stay as they are.
func (in *Instinct) readBody(lines []string, first int) (line int, err error) {
	section := ""
	var action, notes []string
	for i, l := range lines {
		if heading(l) {
			section = strings.TrimSpace(l)
			if section == headAction || section == headEvidence || section == headAgainst {
				continue
			}
		}
		switch {
		case section == headAction:
			action = append(action, l)
		case (section == headEvidence || section == headAgainst) && strings.TrimSpace(l) == "":
		case section == headEvidence || section == headAgainst:
			e, err := parseEvidence(l)
			if err != nil {
				return first + i, err
			}
			if section == headEvidence {
				in.Evidence = append(in.Evidence, e)
			} else {
				in.Against = append(in.Against, e)
			}
		default:
			notes = append(notes, l)
		}
	}
	in.Action, in.Notes = strings.TrimSpace(strings.Join(action, "\n")), strings.TrimSpace(strings.Join(notes, "\n"))
	if max(len(in.Evidence), len(in.Against)) > MaxEvidence {
		return 1, fmt.Errorf("has more than %d lines of evidence: delete the oldest", MaxEvidence)
	}
	return 0, nil
}

// parseEvidence reads a line such as "- 2026-03-02T09:10:00Z [5d3c/14] pnpm add".
func parseEvidence(l string) (e Evidence, err error) {
	want := errors.New("is no evidence: want - TIME [SESSION/EVENT] TEXT")
	rest, ok := strings.CutPrefix(strings.TrimSpace(l), "- ")
	at, rest, timed := strings.Cut(rest, " [")
	place, text, closed := strings.Cut(rest, "]")
	slash := strings.LastIndexByte(place, '/')
	if !ok || !timed || !closed || slash < 0 {
		return e, want
	}
	if e.At, err = time.Parse(time.RFC3339, at); err != nil {
		return e, want
	}
	if e.Session, err = url.PathUnescape(place[:slash]); err != nil {
		return e, want
	}
	if e.Turn, err = strconv.ParseInt(place[slash+1:], 10, 64); err != nil || e.Turn < 0 {
		return e, want
	}
	e.Text = Cut(text, maxText)
	return e, nil
}
