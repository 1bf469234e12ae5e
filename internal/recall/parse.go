package recall

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"orihon/internal/asks"
	"orihon/internal/dates"
	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/terms"
	"orihon/memory"
)

// parsed is a prompt made ready for searching.
type parsed struct {
	text     string // the prompt, or a last turn when it has no content words; see ends
	terms    []string
	intent   Intent
	language string
	budget   int            // tokens
	periods  []dates.Period // that the prompt names
	// addressed says that the prompt asks what the agent itself said.
	addressed bool
	names     [][]string // terms of each name in it, see properNames
	// first is how many of terms, the first ones, stand in the parts that ask where the
	// rest is pasted, see asking, or are all that the prompt says itself; 0 is neither.
	first int
	past  bool // it asks about something that was said, done or decided
	// needs is how likely it needs anything of memory at all, 0..1, by its words alone.
	needs float64
	told  bool // see [memory.Query.Told]
	// weight is how much each of terms counts, 0..1; nil is 1 for all. Those the
	// prompt leans on count less than its own, see lean.
	weight []float64
	// alike says, for terms that only mean the same as one of the prompt's, which
	// that is; others have -1.
	alike []int
	// covers is how much of that word each of them covers, 0..1.
	covers []float64
	// leans says that the prompt leans on the turns before it.
	leans bool
	// stated is how many statements there are to choose from.
	stated int
	// before are words of those turns, latest first, without everyday ones: phrases by
	// which something is looked for are held against them, too.
	before []string
}

// empty reports whether there is nothing to search for.
func (p *parsed) empty() bool { return len(p.terms)+len(p.periods) == 0 }

// asksFrom is the likelihood from which a prompt asks about the past; chosen on questions
// about transcripts and on lives.
const asksFrom = 0.45

func parse(q *memory.Query, set *Settings, now time.Time) *parsed {
	typed := asks.WithoutGreeting(q.Text)
	p := &parsed{text: ends(typed), terms: terms.Query(typed), language: q.Language, told: q.Told}
	// "ok" and 繼續 say nothing by themselves: what was said before does.
	for i := len(q.Recent) - 1; i >= 0 && p.empty(); i-- {
		p.text, p.terms = ends(q.Recent[i]), terms.Query(q.Recent[i])
	}
	p.intent = Classify(p.text)
	prompt := reader.Prepare(p.text)
	p.past = asks.Past(prompt) >= asksFrom
	if p.needs = asks.Memory(prompt); q.Search {
		p.needs = max(p.needs, searched)
	}
	p.addressed = addressed(p.text)
	p.date(now)
	p.names = properNames(p.text)
	p.ask()
	p.lean(q)
	p.heard(q.Recent)
	p.mean()
	if p.language == "" {
		p.language = terms.LangLike(p.text, "")
	}
	p.budget = q.MaxTokens
	if p.budget <= 0 {
		p.budget = budget(utf8.RuneCountInString(strings.TrimSpace(q.Text)), set)
	}
	return p
}

// date finds the periods that the prompt names. Their words are no longer
// searched for: what happened on a day seldom names the day.
func (p *parsed) date(now time.Time) {
	p.periods = dates.Find(p.text, now)
	if len(p.periods) == 0 {
		return
	}
	rest := p.text
	for _, d := range p.periods {
		rest = strings.Replace(rest, d.Text, " ", 1)
	}
	if p.terms = terms.Query(rest); len(p.terms) == 0 && asks.Share(p.text) == 0 {
		p.periods = nil // "that will be all for today" asks for nothing
	}
}

// ask finds the terms of the parts that ask and puts them first: of a long prompt
// not all are searched for.
func (p *parsed) ask() {
	var first []string
	for _, part := range asking(p.text) {
		for _, t := range terms.Query(part) {
			if slices.Contains(p.terms, t) && !slices.Contains(first, t) {
				first = append(first, t)
			}
		}
	}
	pasted := slices.DeleteFunc(slices.Clone(p.terms), func(t string) bool { return slices.Contains(first, t) })
	p.first, p.terms = len(first), append(first, pasted...)
}

// lean adds what a prompt that says little leans on: "and for staging?" keeps the
// subject of the turns before it, lighter the further back they are; the branch and
// the files at hand count least.
func (p *parsed) lean(q *memory.Query) {
	const (
		littles = 3    // words of its own that are no everyday ones; above, a prompt stands by itself
		turn    = 0.5  // weight of the last turn
		further = 0.7  // of each one before, against the one after it
		around  = 0.25 // of the branch and of files
		most    = 12   // words of one turn
	)
	own := 0
	for _, t := range p.terms {
		if !terms.Common(t) {
			own++
		}
	}
	if own > littles || len(p.terms) == 0 || len(q.Recent)+len(q.Around) == 0 {
		return
	}
	p.first = len(p.terms)
	p.weight = slices.Repeat([]float64{1}, len(p.terms))
	add := func(text string, weight float64) {
		n := 0
		for _, t := range terms.Query(ends(text)) {
			if n < most && !terms.Common(t) && !slices.Contains(p.terms, t) {
				p.terms, p.weight = append(p.terms, t), append(p.weight, weight)
				n++
			}
		}
	}
	weight := turn
	for _, text := range slices.Backward(q.Recent) {
		add(text, weight)
		weight *= further
	}
	for _, text := range q.Around {
		add(text, around)
	}
}

// heard notes words of the turns before the prompt.
func (p *parsed) heard(recent []string) {
	const turns, most = 4, 12 // words of each
	for _, text := range slices.Backward(recent[max(0, len(recent)-turns):]) {
		n := 0
		for _, t := range terms.Query(ends(text)) {
			if n < most && !terms.Common(t) && !slices.Contains(p.before, t) {
				p.before = append(p.before, t)
				n++
			}
		}
	}
}

// inSession reports whether turns stand before the prompt.
func (p *parsed) inSession() bool { return len(p.before) > 0 }

// own are the terms that the prompt says itself; they stand first.
func (p *parsed) own() []string {
	n := slices.IndexFunc(p.weight, func(w float64) bool { return w < 1 })
	if n < 0 {
		n = len(p.terms)
	}
	return p.terms[:n:n]
}

// mostTerms is how many terms are searched for: more where a log or code is pasted,
// of which a line or two say what is meant.
func (p *parsed) mostTerms(set *Settings) int {
	const times = 3
	if pastedIn(p.text) {
		return times * set.MaxTerms
	}
	return set.MaxTerms
}

// mean adds words that are near in meaning to the prompt's own, each for what it is
// near to.
func (p *parsed) mean() {
	const (
		most    = 9    // of one word
		least   = 0.42 // cosine; below, words are seldom said for one another
		longest = 20   // words of a prompt; what says more has its own words
		near    = 0.8  // weight of one that means the same
	)
	own := len(p.terms)
	if p.weight != nil {
		own = p.first // what it leans on is not its own
		p.leans = true
	} else {
		p.weight = slices.Repeat([]float64{1}, own)
	}
	p.alike, p.covers = slices.Repeat([]int{-1}, len(p.terms)), make([]float64, len(p.terms))
	if own > longest {
		return
	}
	for i, t := range p.terms[:own] {
		for n, other := range meaning.Builtin().Neighbours(t) {
			if n == most || other.Cosine < least {
				break
			}
			if !slices.Contains(p.terms, other.Word) {
				p.means(i, other.Word, near*other.Cosine*other.Cosine, other.Cosine)
			}
		}
	}
}

// means adds a term that stands for the one at i.
func (p *parsed) means(i int, term string, weight, cover float64) {
	p.terms, p.weight = append(p.terms, term), append(p.weight, weight)
	p.alike, p.covers = append(p.alike, i), append(p.covers, cover)
}

// held are the terms that a passage holds, by how often it holds each: the prompt's
// and those of the turns before, and those that are only near to one that it lacks.
func (p *parsed) held(matched []int) (words, near []string) {
	for t, n := range matched {
		switch of := p.source(t); {
		case n == 0:
		case of < 0:
			words = append(words, p.terms[t])
		case matched[of] == 0:
			near = append(near, p.terms[t])
		}
	}
	return words, near
}

// weighs is how much a term counts, 0..1.
func (p *parsed) weighs(term int) float64 {
	if p.weight == nil {
		return 1
	}
	return p.weight[term]
}

// source is the place of the term that one stands for, -1 for others.
func (p *parsed) source(term int) int {
	if term < len(p.alike) {
		return p.alike[term]
	}
	return -1
}

// spans are the periods as stretches of time; one without a year is looked for
// in each of the last years.
func (p *parsed) spans(now time.Time) []memory.Span {
	const years = 10
	var out []memory.Span
	for _, d := range p.periods {
		if !d.From.IsZero() || !d.To.IsZero() {
			out = append(out, memory.Span{From: d.From, To: d.To})
			continue
		}
		for y := now.Year(); y > now.Year()-years; y-- {
			from := time.Date(y, d.Month, max(1, d.Day), 0, 0, 0, 0, time.UTC)
			to := from.AddDate(0, 0, max(1, d.Days))
			if d.Day == 0 {
				to = from.AddDate(0, 1, 0)
			}
			out = append(out, memory.Span{From: from, To: to})
		}
	}
	return out
}

// ends returns a prompt, or the head and the tail of a long one: what is
// pasted in between says little of what is asked, and would cost the more the
// longer it is.
func ends(prompt string) string {
	const half = 1000 // characters
	if len(prompt) <= 2*half {
		return prompt
	}
	head, tail := 0, len(prompt)
	for range half {
		_, n := utf8.DecodeRuneInString(prompt[head:])
		head += n
		_, n = utf8.DecodeLastRuneInString(prompt[:tail])
		tail -= n
	}
	if tail <= head {
		return prompt
	}
	return prompt[:head] + "\n" + prompt[tail:]
}

// properNames are the terms of the words with a capital inside a sentence,
// which in English are names. A prompt in capitals has none.
func properNames(text string) [][]string {
	var out [][]string
	words, capitals := 0, 0
	begins := true
	for _, w := range strings.Fields(text) {
		r, size := utf8.DecodeRuneInString(w)
		words++
		if unicode.IsUpper(r) && len(w) > size {
			capitals++
			if !begins && w != "I'm" && w != "I've" && w != "I'd" && w != "I'll" {
				out = append(out, terms.Index(w))
			}
		}
		begins = strings.ContainsAny(w[len(w)-1:], ".!?:\"")
	}
	if 2*capitals > words {
		return nil
	}
	return out
}
