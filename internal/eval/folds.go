package eval

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

// FoldProbe is a point at which a session was compacted, and what its work
// needed afterwards.
type FoldProbe struct {
	ID     string  `json:"id"`
	File   string  `json:"file"`  // of the transcript
	Start  int     `json:"start"` // first line of the part that is folded, from 0
	End    int     `json:"end"`   // the line behind it
	Probes []Probe `json:"probes"`
}

// Probe is one thing that a fold keeps or loses.
type Probe struct {
	Kind  string   `json:"type"`
	Text  string   `json:"text"`
	Words []string `json:"words"` // of what may be worded otherwise, such as a prompt
}

// ReadFoldProbes reads probes, one point a line. Errors name file and line and
// wrap [memory.ErrInvalid].
func ReadFoldProbes(path string) ([]FoldProbe, error) {
	var out []FoldProbe
	seen := map[string]bool{}
	err := readLines(path, "", func(line []byte, number int) error {
		var p FoldProbe
		switch err := json.Unmarshal(line, &p); {
		case err != nil:
			return fmt.Errorf("%s:%d: %w probe: %w", path, number, memory.ErrInvalid, err)
		case p.ID == "" || p.File == "" || p.Start < 0 || p.End < p.Start || len(p.Probes) == 0:
			return fmt.Errorf("%s:%d: %w probe: want id, file, start ≤ end and probes", path, number, memory.ErrInvalid)
		case filepath.Base(p.File) != p.File:
			return fmt.Errorf("%s:%d: %w probe: file %q is no plain name", path, number, memory.ErrInvalid, p.File)
		case seen[p.ID]:
			return fmt.Errorf("%s:%d: %w probe: id %q stands twice", path, number, memory.ErrInvalid, p.ID)
		}
		seen[p.ID] = true
		out = append(out, p)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: %w probes: the file is empty", path, memory.ErrInvalid)
	}
	return out, err
}

// FoldOptions of [Folds].
type FoldOptions struct {
	Dir         string // a folder of its own for homes and parts of transcripts
	Transcripts string // the folder with the transcripts, .jsonl or .jsonl.gz
	Budget      int    // tokens of a fold; 0 is the product's
	Handoff     bool   // score what a hand-over says instead
	// Tell brings a session up to date with a transcript, as the client's hook
	// does before a compaction.
	Tell func(ctx context.Context, s *follow.Session, transcript string) error
	// Settings override the defaults, by key as in "recall.hook_chars".
	Settings map[string]string
	Logger   *slog.Logger // nil discards
	Progress func(done, all int)
}

// Folds makes the fold of every point: its part of the transcript is told to a
// new session, the session is compacted, and what the agent would be given of
// it then is the fold, to the byte.
func Folds(ctx context.Context, probes []FoldProbe, o *FoldOptions) (map[string]string, error) {
	folds := make(map[string]string, len(probes))
	for i := range probes {
		if o.Progress != nil {
			o.Progress(i, len(probes))
		}
		fold, err := foldOf(ctx, &probes[i], filepath.Join(o.Dir, fmt.Sprint(i)), o)
		if err != nil {
			return nil, fmt.Errorf("fold %s: %w", probes[i].ID, err)
		}
		folds[probes[i].ID] = fold
	}
	return folds, nil
}

func foldOf(ctx context.Context, p *FoldProbe, dir string, o *FoldOptions) (string, error) {
	project := filepath.Join(dir, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, "transcript.jsonl")
	if err := p.cut(o.Transcripts, part); err != nil {
		return "", err
	}
	m, err := orihon.Open(ctx, &orihon.Options{
		Home: filepath.Join(dir, "home"), Dir: project, User: person, GitConfig: []string{}, Settings: o.Settings, Logger: o.Logger,
	})
	if err != nil {
		return "", err
	}
	defer m.Close()
	s, err := m.Session(ctx, "compacted", follow.Client{})
	if err != nil {
		return "", err
	}
	if err := o.Tell(ctx, s, part); err != nil {
		return "", err
	}
	if err := s.Compact(ctx, "auto", ""); err != nil {
		return "", err
	}
	run, err := s.Context(ctx)
	if err != nil {
		return "", err
	}
	if o.Handoff {
		return run.Handoff(o.Budget), nil
	}
	return run.Brief(o.Budget), nil
}

// cut writes the part of the transcript that is folded.
func (p *FoldProbe) cut(dir, to string) error {
	from := filepath.Join(dir, p.File)
	if _, err := os.Stat(from); err != nil {
		if other := filepath.Join(dir, strings.TrimSuffix(p.File, ".gz")); other != from {
			if _, err := os.Stat(other); err == nil {
				from = other
			}
		}
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	last := 0
	err = readLines(from, "", func(line []byte, number int) error {
		if last = number; number <= p.Start || number > p.End {
			return nil
		}
		_, err := w.Write(append(bytes.TrimSuffix(line, []byte("\n")), '\n')) // a last line may have none
		return err
	})
	if err == nil && last < p.End {
		err = fmt.Errorf("%w probe: %s has %d lines, the part ends at %d", memory.ErrInvalid, from, last, p.End)
	}
	return errors.Join(err, w.Flush(), out.Close())
}

// FoldScores says what folds kept, by kind of probe.
type FoldScores struct {
	Events int     `json:"events"`
	Tokens float64 `json:"mean_tokens"` // four characters each
	// Kinds are the means over the points that have probes of a kind, by name,
	// and [AllKinds], the mean over all points of the mean of their kinds.
	Kinds []KindScore `json:"kinds"`
	// Points are the shares of each point, in the order of the probes.
	Points []PointScore `json:"points"`
}

// AllKinds is the name of the mean of the kinds.
const AllKinds = "ALL(mean of types)"

// KindScore is the share of one kind that was kept.
type KindScore struct {
	Kind   string  `json:"kind"`
	Kept   float64 `json:"kept"`
	Events int     `json:"events"` // points with probes of it
}

// PointScore is what the fold of one point kept.
type PointScore struct {
	ID     string             `json:"id"`
	Tokens float64            `json:"tokens"`
	Kept   map[string]float64 `json:"kept"`
}

// ScoreFolds scores folds as the published scorer does: a probe is kept when its
// text occurs in the fold, white space normalised; a prompt when at least six
// tenths of its content words occur. With a budget a fold is cut to its first
// characters, four for a token. A fold that is missing keeps nothing.
func ScoreFolds(probes []FoldProbe, folds map[string]string, budget int) *FoldScores {
	space, word := regexp.MustCompile(`[\s\x{1c}-\x{1f}\x{85}\x{a0}\p{Z}]+`), regexp.MustCompile(`[a-z0-9_]+`)
	sum, events := map[string]float64{}, map[string]int{}
	out := &FoldScores{Events: len(probes)}
	for i := range probes {
		e := &probes[i]
		fold := []rune(folds[e.ID])
		if budget > 0 {
			fold = fold[:min(len(fold), budget*4)]
		}
		text := space.ReplaceAllString(string(fold), " ")
		words := map[string]bool{}
		for _, w := range word.FindAllString(strings.ToLower(text), -1) {
			words[w] = true
		}
		point := PointScore{ID: e.ID, Tokens: float64(len(fold)) / 4, Kept: map[string]float64{}}
		count := map[string]int{}
		for _, p := range e.Probes {
			kept := 0.0
			if p.kept(text, words, space) {
				kept = 1
			}
			point.Kept[p.Kind] += kept
			count[p.Kind]++
		}
		mean := 0.0
		for kind, n := range count {
			point.Kept[kind] /= float64(n)
			mean += point.Kept[kind]
			sum[kind] += point.Kept[kind]
			events[kind]++
		}
		sum[AllKinds] += mean / float64(max(1, len(count)))
		events[AllKinds]++
		out.Tokens += point.Tokens / float64(len(probes))
		out.Points = append(out.Points, point)
	}
	for kind, n := range events {
		out.Kinds = append(out.Kinds, KindScore{kind, sum[kind] / float64(n), n})
	}
	slices.SortFunc(out.Kinds, func(a, b KindScore) int { return strings.Compare(a.Kind, b.Kind) })
	return out
}

func (p *Probe) kept(text string, words map[string]bool, space *regexp.Regexp) bool {
	if len(p.Words) == 0 && p.Kind != "prompt" {
		return strings.Contains(text, space.ReplaceAllString(p.Text, " "))
	}
	n := 0
	for _, w := range p.Words {
		if words[w] {
			n++
		}
	}
	return float64(n) >= 0.6*float64(len(p.Words))
}
