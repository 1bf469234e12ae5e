package window

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/journal"
)

// name is an identifier of code and how much it matters to a stretch of work.
type name struct {
	text  string
	file  string // the file it was written or read in most
	score float64
	last  int // iteration in which it was last met
}

// Weights of where a name stands. What the assistant itself marks as code or
// writes into a file is what the work is about; what a tool prints is mostly
// not.
const (
	weightSpan    = 3.0 // `marked` by the assistant or the user
	weightSpoken  = 1.5
	weightWritten = 2.0
	weightThought = 1.0
	weightInput   = 1.0 // in a command, a pattern, another input
	weightOutput  = 0.5
	weightEarlier = 1.5 // in the summary of what came before
)

// nameStats is what is known of a name while a record is read.
type nameStats struct {
	by    [7]float64 // occurrences by source, each place counted once
	last  int
	first int
	files map[string]int
}

// names ranks the identifiers of a record, best first.
func (r *record) names() []name {
	c := nameCounter{stats: map[string]*nameStats{}, last: 1}
	for _, s := range r.earlier {
		c.text(6, s.iter, s.text, "")
		c.spans(0, s.iter, s.text)
	}
	for _, s := range r.spoken {
		c.text(1, s.iter, s.text, "")
		c.spans(0, s.iter, s.text)
	}
	for _, s := range r.prompts {
		c.text(1, s.iter, s.text, "")
	}
	for _, s := range r.thought {
		c.text(3, s.iter, s.text, "")
		c.spans(3, s.iter, s.text)
	}
	for i := range r.acts {
		a := &r.acts[i]
		file := ""
		if len(a.Files) > 0 {
			if file = activity.Base(a.Files[0]); !strings.Contains(file, ".") {
				file = "" // a folder
			}
		}
		if a.Effect() == activity.Editing {
			c.text(2, a.Iter, a.Written(), file)
		} else {
			for _, text := range a.Texts() {
				c.text(4, a.Iter, text, "")
			}
		}
		if a.Done && len(a.Output) > 0 {
			c.text(5, a.Iter, a.Output[:min(len(a.Output), 32<<10)], file)
		}
	}
	return c.ranked()
}

type nameCounter struct {
	stats map[string]*nameStats
	last  int // newest iteration
	first int
}

func (c *nameCounter) at(text string, iter int) *nameStats {
	s := c.stats[text]
	if s == nil {
		s = &nameStats{first: iter}
		c.stats[text] = s
	}
	s.last = max(s.last, iter)
	c.last = max(c.last, iter)
	if c.first == 0 || iter < c.first {
		c.first = iter
	}
	return s
}

// text counts each name of a text once.
func (c *nameCounter) text(source, iter int, text, file string) {
	seen := map[string]bool{}
	for _, e := range journal.Entities(text) {
		n := e.Name
		if e.Kind == journal.URLEntity || e.Kind == journal.CommitEntity || seen[n] {
			continue
		}
		if e.Kind == journal.FileEntity {
			if n = path.Base(n); !strings.Contains(n, ".") {
				continue // a folder
			}
		}
		if seen[n] || len(n) > 60 {
			continue
		}
		seen[n] = true
		s := c.at(n, iter)
		s.by[source]++
		if file != "" {
			if s.files == nil {
				s.files = map[string]int{}
			}
			s.files[file]++
		}
	}
}

// spans counts what a text marks as code: `like this`.
func (c *nameCounter) spans(source, iter int, text string) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			continue
		}
		for {
			_, after, ok := strings.Cut(line, "`")
			if !ok {
				break
			}
			span, rest, ok := strings.Cut(after, "`")
			if !ok {
				break
			}
			line = rest
			span = strings.TrimSpace(span)
			if len(span) < 3 || len(span) > 60 || seen[span] {
				continue
			}
			seen[span] = true
			c.at(span, iter).by[source]++
		}
	}
}

func (c *nameCounter) ranked() []name {
	weights := [7]float64{weightSpan, weightSpoken, weightWritten, weightThought, weightInput, weightOutput, weightEarlier}
	out := make([]name, 0, len(c.stats))
	span := float64(max(1, c.last-c.first))
	for text, s := range c.stats {
		n := name{text: text, last: s.last}
		for i, w := range weights {
			// Named often in one way says less than named in many ways.
			n.score += w * math.Log1p(s.by[i])
		}
		n.score *= 1 + float64(s.last-c.first)/span
		n.file = mostly(s.files)
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b name) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.text, b.text))
	})
	return out
}

// mostly is the key with the highest count, the first by name among equals.
func mostly(counts map[string]int) string {
	best, most := "", 0
	for k, n := range counts {
		if n > most || n == most && k < best {
			best, most = k, n
		}
	}
	return best
}
