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
	file  string  // the file it was written or read in most
	score float64 // how likely the work will need it, 0 to 1
	last  int     // iteration in which it was last met
}

// Sources of names. What the assistant itself marks as code or writes into a file
// is what the work is about; what a tool prints is mostly not.
const (
	inSpan    = iota // `marked` by the assistant or the user
	inSaying         // of either
	inWritten        // in a file
	inThought
	inInput   // a command, a pattern, another input
	inOutput  // of a tool
	inEarlier // the summary of what came before
	sources
)

// nameStats is what is known of a name while a record is read.
type nameStats struct {
	by    [sources]float64 // occurrences, each place counted once
	last  int
	first int
	files map[string]int
}

// names ranks the identifiers of a record, best first.
func (r *record) names() []name {
	c := nameCounter{stats: map[string]*nameStats{}, last: 1}
	for _, s := range r.earlier {
		c.text(inEarlier, s.iter, s.text, "")
		c.spans(inSpan, s.iter, s.text)
	}
	for _, s := range r.spoken {
		c.text(inSaying, s.iter, withoutFrames(s.text), "")
		c.spans(inSpan, s.iter, s.text)
	}
	for _, s := range r.prompts {
		c.text(inSaying, s.iter, withoutFrames(s.text), "")
	}
	for _, s := range r.thought {
		c.text(inThought, s.iter, s.text, "")
		c.spans(inThought, s.iter, s.text)
	}
	for i := range r.acts {
		a := &r.acts[i]
		if a.OfMemory() {
			continue
		}
		file := ""
		if len(a.Files) > 0 {
			if file = activity.Base(a.Files[0]); !strings.Contains(file, ".") {
				file = "" // a folder
			}
		}
		if a.Effect() == activity.Editing {
			c.text(inWritten, a.Iter, a.Written(), file)
		} else {
			for _, text := range a.Texts() {
				c.text(inInput, a.Iter, text, "")
			}
		}
		if a.Done && len(a.Output) > 0 && !r.mended(i) {
			c.text(inOutput, a.Iter, withoutFrames(a.Output[:min(len(a.Output), 32<<10)]), file)
		}
	}
	return c.ranked()
}

// mended reports a failure that came right: what it printed is over with.
func (r *record) mended(i int) bool {
	if a := &r.acts[i]; !a.Failed || a.Refused() {
		return false
	}
	success, _, _ := r.outcomes().Settled(i)
	return success != nil
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
	out := make([]name, 0, len(c.stats))
	span := float64(max(1, c.last-c.first))
	for text, s := range c.stats {
		n := name{text: text, last: s.last, file: mostly(s.files)}
		z := 0.0
		for i, f := range s.features(text, float64(s.last-c.first)/span) {
			z += nameWeights[i] * f
		}
		n.score = 1 / (1 + math.Exp(-z))
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b name) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.text, b.text))
	})
	return out
}

// features are what tells whether the work will need a name: in which sources it
// stands and how often, when it was last met (from 0 to 1), and how it is built.
func (s *nameStats) features(text string, last float64) [len(nameWeights)]float64 {
	var f [len(nameWeights)]float64
	several := 0
	for i, n := range s.by {
		f[i] = math.Log1p(n)
		if n > 0 {
			several++
		}
	}
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	dot := strings.IndexByte(text, '.')
	rest := f[sources:]
	rest[0] = 1
	rest[1] = last
	rest[2] = is(strings.ContainsAny(text, " (){}=<>\"")) // more than a name
	rest[3] = is(strings.HasPrefix(text, "Test"))
	rest[4] = is('A' <= text[0] && text[0] <= 'Z')
	rest[5] = float64(len(text)) / 20
	rest[6] = is(dot > 0 && dot+1 < len(text) && 'A' <= text[dot+1] && text[dot+1] <= 'Z') // of a package
	rest[7] = is(s.by[inWritten] > 0)
	rest[8] = is(several >= 3)
	return f
}

// nameWeights are the weights of the features, fitted by logistic regression on
// the points of the fold probes: will a summary of the run name it?
var nameWeights = [sources + 9]float64{1.13, -0.33, 0.82, 0.49, 0.78, -0.40, 1.10, -4.73, 1.19, 1.21, 0.22, -0.16, 1.06, -0.33, 1.15, 0.45}

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
