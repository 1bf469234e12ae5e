package instincts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/habit"
	"orihon/internal/jsonl"
	"orihon/memory"
)

// exported is the form of an export.
type exported struct {
	Version    int                `json:"version"`
	Kind       string             `json:"kind"` // "orihon-instincts"
	ExportedAt time.Time          `json:"exported_at"`
	Instincts  []exportedInstinct `json:"instincts"`
}

// exportedInstinct leaves out the words of the evidence, which are of one's own
// sessions.
type exportedInstinct struct {
	ID         string     `json:"id"`
	Trigger    string     `json:"trigger"`
	Action     string     `json:"action"`
	Domain     string     `json:"domain"`
	Kind       habit.Kind `json:"kind,omitempty"`
	Confidence float64    `json:"confidence"`
	Created    time.Time  `json:"created_at"`
	Seen       int        `json:"evidence_count"`
}

const (
	exportNow  = 1
	exportKind = "orihon-instincts"
	// maxExport bounds what is read of an export, in bytes.
	maxExport = 16 << 20
	// mostImported is how many instincts are read of one.
	mostImported = 5000
)

// Export writes all instincts of a confidence and above, or only those of a domain,
// and returns where: path, or a file named after the time among the exports. What was
// said and done stays here.
func (t *Instincts) Export(path, domain string, least float64) (written string, count int, err error) {
	all, _, err := t.List()
	if err != nil {
		return "", 0, err
	}
	out := exported{exportNow, exportKind, t.h.Now().UTC().Truncate(time.Second), []exportedInstinct{}}
	for _, in := range all {
		if in.Confidence < least || domain != "" && in.Domain != domain {
			continue
		}
		out.Instincts = append(out.Instincts, exportedInstinct{in.ID, in.Trigger, in.Action, in.Domain, in.Kind, in.Confidence, in.Created, len(in.Evidence)})
	}
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return "", 0, err
	}
	if path == "" {
		path = filepath.Join(t.h.Project.Private().Exports(), "instincts-"+out.ExportedAt.Format("20060102T150405Z")+".json")
	}
	return path, len(out.Instincts), jsonl.WriteFile(path, append(data, '\n'))
}

// Imported is what became of an import.
type Imported struct {
	Added   []string `json:"added"`
	Known   []string `json:"known"`   // there is one of one's own that is as sure
	Refused []string `json:"refused"` // one line each: what, where, why
}

// Import reads an export. Each instinct is checked by itself, secrets are taken out of
// it, and it begins at 0.5 as imported; one's own is never overwritten. With dryRun
// nothing is written.
func (t *Instincts) Import(ctx context.Context, name string, r io.Reader, dryRun bool) (Imported, error) {
	out := Imported{Added: []string{}, Known: []string{}, Refused: []string{}}
	data, err := io.ReadAll(io.LimitReader(r, maxExport+1))
	if err != nil {
		return out, err
	}
	if len(data) > maxExport {
		return out, invalid("%s is larger than %d MB", name, maxExport>>20)
	}
	raw, lines, err := parts(name, data)
	if err != nil {
		return out, err
	}
	own, _ := t.stores()
	unlock, err := own.Lock(ctx)
	if err != nil {
		return out, err
	}
	defer unlock()
	known, _, err := t.List()
	if err != nil {
		return out, err
	}
	forgotten, err := own.Forgotten()
	if err != nil {
		return out, err
	}
	for i, one := range raw {
		in, err := t.read(one)
		if err != nil {
			out.Refused = append(out.Refused, fmt.Sprintf("%s:%d: %v", name, lines[i], err))
			continue
		}
		same := func(k *habit.Instinct) bool {
			return k.ID == in.ID || strings.EqualFold(k.Trigger, in.Trigger) && strings.EqualFold(k.Action, in.Action)
		}
		if slices.ContainsFunc(known, func(k Instinct) bool { return same(&k.Instinct) }) {
			out.Known = append(out.Known, in.ID)
			continue
		}
		if slices.ContainsFunc(forgotten, func(k habit.Instinct) bool { return same(&k) }) {
			out.Refused = append(out.Refused, fmt.Sprintf("%s:%d: %s was forgotten here", name, lines[i], in.ID))
			continue
		}
		if !dryRun {
			if err := own.Put(&in); err != nil {
				return out, err
			}
		}
		known = append(known, Instinct{in, false})
		out.Added = append(out.Added, in.ID)
	}
	if dryRun {
		return out, nil
	}
	return out, t.refresh()
}

// parts are the instincts of an export as they stand in it, and their lines.
func parts(name string, data []byte) (raw []json.RawMessage, lines []int, err error) {
	var head struct {
		Version   int               `json:"version"`
		Kind      string            `json:"kind"`
		Instincts []json.RawMessage `json:"instincts"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		line := 1
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line += strings.Count(string(data[:min(int(syntax.Offset), len(data))]), "\n")
		}
		return nil, nil, invalid("%s:%d: is no export: %v", name, line, err)
	}
	switch {
	case head.Kind != exportKind:
		return nil, nil, invalid("%s:1: is no export of instincts: want \"kind\": %q", name, exportKind)
	case head.Version != exportNow:
		return nil, nil, invalid("%s:1: version %d is not known: want %d", name, head.Version, exportNow)
	case len(head.Instincts) > mostImported:
		return nil, nil, invalid("%s:1: holds %d instincts: at most %d are read", name, len(head.Instincts), mostImported)
	}
	at := 0
	for _, one := range head.Instincts {
		if i := strings.Index(string(data[at:]), string(one)); i >= 0 {
			lines = append(lines, 1+strings.Count(string(data[:at+i]), "\n"))
			at += i + len(one)
		} else {
			lines = append(lines, 1)
		}
	}
	return head.Instincts, lines, nil
}

// read makes an instinct of one's own of an exported one.
func (t *Instincts) read(one json.RawMessage) (habit.Instinct, error) {
	var e exportedInstinct
	if err := json.Unmarshal(one, &e); err != nil {
		return habit.Instinct{}, err
	}
	trigger, _ := t.h.Redactor.Text(e.Trigger)
	action, _ := t.h.Redactor.Text(e.Action)
	in := habit.Instinct{
		ID: e.ID, Trigger: trigger, Action: action, Domain: e.Domain, Kind: e.Kind, Source: habit.Imported,
		Confidence: memory.ImportedConfidence, Created: t.h.Now().UTC().Truncate(time.Second),
	}
	if err := in.Check(); err != nil {
		_, what, _ := strings.Cut(err.Error(), "instinct: ")
		return in, errors.New(what)
	}
	return in, nil
}
