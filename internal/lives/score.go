package lives

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/terms"
)

// Interval is a 95 % confidence interval.
type Interval struct{ Low, High float64 }

// Report says what reached the agent.
type Report struct {
	Lives int `json:"lives"`
	// All is over all prompts. Notes are by what makes a prompt hard, Sizes by how
	// many memories the life has, Each by life.
	All   Score     `json:"all"`
	Notes []Score   `json:"notes"`
	Sizes []Score   `json:"sizes"`
	Each  []Score   `json:"each"`
	Tools ToolScore `json:"tools"`
	// Plain is what plain BM25 over memories and past turns gives when it injects
	// as many passages as the program did.
	Plain Score `json:"plain_bm25"`
	// ByLength is how well the length of a prompt alone tells those that need
	// something from the others: the area under the curve, .5 for not at all.
	ByLength float64 `json:"by_length"`
	// Missed are prompts that got nothing of what they need.
	Missed []Miss `json:"missed,omitempty"`
	// Given is everything that prompts got, in order.
	Given []Injection `json:"given,omitempty"`
}

// Injection is a passage that a prompt got.
type Injection struct {
	Life    string `json:"life"`
	ID      string `json:"id,omitempty"` // of the prompt; none in a session
	Note    string `json:"note"`
	Prompt  string `json:"prompt"`
	Passage string `json:"passage"` // as it was printed
	Label   string `json:"label"`   // needed, fine, or other: the life's labels do not name it
}

// Score are the figures of some prompts.
type Score struct {
	Name    string   `json:"name"`
	Prompts int      `json:"prompts"` // that need something
	None    int      `json:"none"`    // that need nothing
	Need    float64  `json:"need"`    // share of what is needed that is there, mean over the prompts
	NeedCI  Interval `json:"need_95"`
	Hit     float64  `json:"hit"` // share of the prompts with any of it
	// Precision is the share of passages that are needed or no junk, over prompts
	// that need something; whatever else is injected counts against it.
	Precision float64 `json:"precision"`
	// Junk is the share of prompts that need nothing and get something that is not
	// marked as fine.
	Junk     float64  `json:"junk"`
	JunkCI   Interval `json:"junk_95"`
	Passages float64  `json:"passages"` // injected for a prompt
	Tokens   float64  `json:"tokens"`   // for a prompt, without the start

	need, junk []float64
	good, all  int
	tokens     float64
	injected   int
}

// ToolScore are the figures of tool calls.
type ToolScore struct {
	Calls int `json:"calls"`
	Needy int `json:"needy"` // calls that need something
	// Need is the share of what they need that reached the agent by the end of the
	// call; Acted is the same of what no earlier moment had brought.
	Need  float64 `json:"need"`
	Acted float64 `json:"acted"`
	// Noise is the share of all calls at which something came in that is not
	// marked as fine.
	Noise  float64 `json:"noise"`
	Tokens float64 `json:"tokens"` // for a call
}

// Miss is a prompt that got nothing of what it needs.
type Miss struct {
	Life   string   `json:"life"`
	Note   string   `json:"note"`
	Prompt string   `json:"prompt"`
	Need   []string `json:"need"`
	Got    []string `json:"got"`
}

func report(lives []Life, played [][]moment) *Report {
	r := &Report{Lives: len(lives), All: Score{Name: "all"}, Plain: Score{Name: "plain BM25"}}
	notes, sizes := map[string]*Score{}, map[string]*Score{}
	var lengths [2][]float64 // of prompts that need nothing, and of the others
	var plain []ranked
	for i := range lives {
		each := Score{Name: lives[i].Name}
		texts := lives[i].texts()
		base := newPlain(&lives[i])
		for j := range played[i] {
			m := &played[i][j]
			if m.tool {
				r.Tools.add(m)
				continue
			}
			got := m.score()
			r.All.add(got)
			each.add(got)
			group(sizes, sizeName(len(lives[i].Memories))).add(got)
			for _, n := range strings.FieldsFunc(m.Note, func(r rune) bool { return r == ',' || r == '|' }) {
				group(notes, strings.TrimSpace(n)).add(got)
			}
			for k, id := range m.given.passages {
				r.Given = append(r.Given, Injection{Life: lives[i].Name, ID: m.ID, Note: m.Note, Prompt: m.Text, Passage: m.given.texts[k], Label: m.label(id)})
			}
			n := float64(utf8.RuneCountInString(m.Text))
			needy := 0
			if len(m.Need) > 0 {
				needy = 1
			}
			lengths[needy] = append(lengths[needy], n)
			plain = append(plain, ranked{m, base.rank(m.Text)})
			if len(m.Need) > 0 && got.need == 0 {
				miss := Miss{Life: lives[i].Name, Note: m.Note, Prompt: m.Text}
				for _, id := range m.Need {
					miss.Need = append(miss.Need, texts[id])
				}
				for _, id := range m.given.passages {
					miss.Got = append(miss.Got, texts[id])
				}
				r.Missed = append(r.Missed, miss)
			}
		}
		r.Each = append(r.Each, each.finished())
	}
	r.Notes, r.Sizes = finishedAll(notes), finishedAll(sizes)
	r.Plain = plainScore(plain, r.All.injected)
	r.All = r.All.finished()
	r.Tools.finish()
	r.ByLength = area(lengths[0], lengths[1])
	return r
}

// sizeName is the group that a life of n memories belongs to.
func sizeName(n int) string {
	switch {
	case n < 40:
		return "memories 1 to 39"
	case n < 100:
		return "memories 40 to 99"
	case n < 270:
		return "memories 100 to 269"
	}
	return "memories 270 and more"
}

func group(in map[string]*Score, name string) *Score {
	if in[name] == nil {
		in[name] = &Score{Name: name}
	}
	return in[name]
}

func finishedAll(in map[string]*Score) []Score {
	var out []Score
	for _, s := range in {
		out = append(out, s.finished())
	}
	slices.SortFunc(out, func(a, b Score) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// scored is what one prompt got.
type scored struct {
	needs      bool
	need       float64
	good, all  int // passages
	junk       bool
	tokens     float64
	everything int
}

// The labels of an [Injection].
const (
	needed = "needed"
	fine   = "fine"
	other  = "other"
)

// label is what a passage is to a prompt, by the ID of what it holds.
func (m *moment) label(id string) string {
	switch {
	case slices.Contains(m.Need, id):
		return needed
	case slices.Contains(m.AlsoOK, id):
		return fine
	}
	return other
}

func (m *moment) score() scored {
	out := scored{needs: len(m.Need) > 0, all: len(m.given.passages), tokens: m.tokens, everything: len(m.given.passages)}
	for _, id := range m.given.passages {
		if m.label(id) != other {
			out.good++
		}
	}
	for _, id := range m.Need {
		if m.given.ids[id] || m.before[id] {
			out.need += 1 / float64(len(m.Need))
		}
	}
	out.junk = out.good < out.all
	return out
}

func (s *Score) add(p scored) {
	s.tokens += p.tokens
	s.injected += p.everything
	if !p.needs {
		s.None++
		s.junk = append(s.junk, one(p.junk))
		return
	}
	s.Prompts++
	s.need = append(s.need, p.need)
	s.Hit += one(p.need > 0)
	s.good += p.good
	s.all += p.all
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (s Score) finished() Score {
	per := func(x float64, n int) float64 { return x / math.Max(1, float64(n)) }
	s.Need, s.NeedCI = drawn(s.need)
	s.Junk, s.JunkCI = drawn(s.junk)
	s.Hit = per(s.Hit, s.Prompts)
	s.Precision = per(float64(s.good), s.all)
	s.Passages = per(float64(s.injected), s.Prompts+s.None)
	s.Tokens = per(s.tokens, s.Prompts+s.None)
	return s
}

// drawn is a mean with its 95 % interval, by drawing a thousand times with
// replacement.
func drawn(values []float64) (mean float64, in Interval) {
	const draws = 1000
	if len(values) == 0 {
		return 0, in
	}
	r := rand.New(rand.NewPCG(1, 0))
	means := make([]float64, draws)
	for d := range means {
		for range values {
			means[d] += values[r.IntN(len(values))]
		}
		means[d] /= float64(len(values))
	}
	slices.Sort(means)
	for _, v := range values {
		mean += v
	}
	return mean / float64(len(values)), Interval{means[draws*25/1000], means[draws*975/1000]}
}

func (t *ToolScore) add(m *moment) {
	t.Calls++
	t.Tokens += m.tokens
	got := m.score()
	t.Noise += one(got.junk)
	if got.needs {
		t.Needy++
		t.Need += got.need
		m.before = nil
		t.Acted += m.score().need
	}
}

func (t *ToolScore) finish() {
	t.Need /= math.Max(1, float64(t.Needy))
	t.Acted /= math.Max(1, float64(t.Needy))
	t.Noise /= math.Max(1, float64(t.Calls))
	t.Tokens /= math.Max(1, float64(t.Calls))
}

// area is the chance that one of the others is longer than one of none.
func area(none, others []float64) float64 {
	if len(none) == 0 || len(others) == 0 {
		return .5
	}
	sum := 0.
	for _, a := range others {
		for _, b := range none {
			switch {
			case a > b:
				sum++
			case a == b:
				sum += .5
			}
		}
	}
	return sum / float64(len(none)*len(others))
}

// plain is BM25 over the texts of a life, with nothing added.
type plain struct {
	ids     []string
	docs    []map[string]int
	lengths []float64
	df      map[string]int
	mean    float64
}

func newPlain(l *Life) *plain {
	p := &plain{df: make(map[string]int)}
	add := func(id, text string) {
		words := terms.Index(text)
		doc := make(map[string]int)
		for _, w := range words {
			doc[w]++
		}
		for w := range doc {
			p.df[w]++
		}
		p.ids, p.docs, p.lengths = append(p.ids, id), append(p.docs, doc), append(p.lengths, float64(len(words)))
		p.mean += float64(len(words))
	}
	for _, m := range l.Memories {
		if !m.typed {
			add(m.ID, m.Text)
		}
	}
	for _, s := range l.Past {
		for i := range s.Turns {
			id := "" // a turn that nothing needs
			if t := &s.Turns[i]; t.Key != "" {
				id = t.ID
			}
			if t := &s.Turns[i]; t.Who != byTool && t.Text != done {
				add(id, s.Turns[i].Text)
			}
		}
	}
	p.mean /= math.Max(1, float64(len(p.docs)))
	return p
}

// ranked is what plain BM25 finds for a prompt.
type ranked struct {
	*moment
	found []plainHit
}

type plainHit struct {
	id    string
	score float64
}

func (p *plain) rank(text string) []plainHit {
	const k, b = 1.2, .75
	var out []plainHit
	query := terms.Query(text)
	for i, doc := range p.docs {
		s := 0.
		for _, w := range query {
			if tf := float64(doc[w]); tf > 0 {
				n := float64(p.df[w])
				s += math.Log(1+(float64(len(p.docs))-n+.5)/(n+.5)) * tf * (k + 1) / (tf + k*(1-b+b*p.lengths[i]/p.mean))
			}
		}
		if s > 0 {
			out = append(out, plainHit{p.ids[i], s})
		}
	}
	slices.SortStableFunc(out, func(a, b plainHit) int { return cmp.Compare(b.score, a.score) })
	return out
}

// plainScore injects the n hits with the best scores of all.
func plainScore(all []ranked, n int) Score {
	var scores []float64
	for _, r := range all {
		for _, h := range r.found {
			scores = append(scores, h.score)
		}
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	least := math.Inf(1)
	if n > 0 && len(scores) > 0 {
		least = scores[min(n, len(scores))-1]
	}
	out := Score{Name: "plain BM25"}
	for _, r := range all {
		m := moment{Prompt: r.Prompt, given: given{ids: make(map[string]bool)}}
		for _, h := range r.found {
			if h.score >= least {
				m.given.ids[h.id] = true
				m.given.passages = append(m.given.passages, h.id)
			}
		}
		out.add(m.score())
	}
	return out.finished()
}
