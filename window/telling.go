package window

import (
	_ "embed"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"orihon/internal/terms"
)

// The weights of the traits by which a sentence is known to tell what came of a
// request: a logistic regression on the requests of testdata/telling, in which the
// sentences that a title could be made of are marked. It is fitted by
// go test ./window -run TellingIsReproducible -refit.
//
//go:embed telling.txt
var tellingModel string

var tellingWeights = sync.OnceValue(func() map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(tellingModel) {
		name, weight, _ := strings.Cut(strings.TrimSpace(line), " ")
		if w, err := strconv.ParseFloat(weight, 64); err == nil {
			out[name] = w
		}
	}
	return out
})

// tells is how likely a sentence with such traits tells what came of a request.
func tells(traits, weights map[string]float64) float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(traits)) { // the same sum each time
		sum += weights[name] * traits[name]
	}
	return 1 / (1 + math.Exp(-sum))
}

var kindNames = [...]string{isPlan: "plan", isLook: "look", isFinding: "finding", isRun: "run", isEdit: "edit", isClaim: "claim"}

// weigh gives deeds their scores and words.
func (r *record) weigh(deeds []deed) {
	for i, traits := range r.traits(deeds) {
		d := &deeds[i]
		d.score = tells(traits, tellingWeights())
		if d.kind == isEdit { // the change under which the most was written is the main one
			d.score *= 0.5 + d.share
		}
	}
}

// traits are what each of some deeds is known by, see [deed.traits].
func (r *record) traits(deeds []deed) (out []map[string]float64) {
	known, traced, asked := r.familiar(), traces(r.acts), map[string]bool{}
	var requests []map[string]bool
	for _, p := range r.prompts {
		if machine(p.text) {
			continue
		}
		maps.Copy(asked, content(p.text))
		for _, s := range sentences(p.text) {
			requests = append(requests, content(s))
		}
	}
	most, share := 0.0, 0.0
	for _, n := range known {
		most = max(most, n)
	}
	for i := range deeds {
		d := &deeds[i]
		d.words = content(d.text)
		for _, s := range requests {
			d.echo = max(d.echo, d.held(s))
		}
		out = append(out, d.traits(r, known, most, traced, asked))
		share = max(share, d.share)
	}
	for i, traits := range out {
		if d := &deeds[i]; share > 0 && d.share == share {
			traits["most-edits"] = 1
		}
	}
	return out
}

// traits are what a deed is known by: where it stands and what for, how much of it
// the calls and the request hold, and its words.
func (d *deed) traits(r *record, known map[string]float64, most float64, traced, asked map[string]bool) map[string]float64 {
	out := map[string]float64{"always": 1, kindNames[d.kind]: 1}
	mark := func(name string, is bool) {
		if is {
			out[name] = 1
		}
	}
	if last := len(r.spoken) - 1; d.at >= 0 {
		s := r.spoken[d.at]
		mark("answer", s.answer)
		mark("last-answer", s.answer && d.at == last)
		mark("behind-work", r.behind(d))
		out["late"] = float64(d.at+1) / float64(last+1)
		out["early-line"] = 1 / float64(1+d.said.line)
		out["early-told"] = 1 / float64(1+d.told)
		mark("first-told", d.told == 0)
		mark("first-of-answer", d.told == 0 && s.answer)
		mark("inner", d.said.at > 0)
		mark("entry", d.said.entry)
		mark("first-entry", d.said.first)
		mark("bold", d.said.bold)
		mark("headed", headed(d.said.text))
		if lead, _, ok := strings.Cut(d.said.text, ": "); ok && d.said.leads {
			out["lead"] = 1
			out["lead-words"] = min(1, float64(len(content(lead)))/4)
		}
	} else {
		out["of-call"] = 1
	}
	out["in-calls"], out["in-request"] = d.held(traced), d.held(asked)
	out["share-of-calls"] = d.calls
	mark("repeats", d.repeats())
	sum := 0.0
	for w := range d.words {
		sum += math.Log1p(known[w])
	}
	out["familiar"] = sum / float64(max(4, len(d.words))) / math.Log1p(max(1, most))
	n := wordCount(d.text)
	out["short"] = float64(max(0, 6-len(d.words))) / 6
	out["long"] = min(1, max(0, n-titleWords)/titleWords)
	mark("code", strings.Contains(d.text, "`"))
	out["share-of-edits"] = d.share
	for i, w := range plainWords(d.said.text) {
		out["w:"+w] = 1
		if titling.Words("pointing")[w] {
			out["points"] = 1
		}
		if i == 0 {
			out["begins:"+w] = 1
		}
	}
	return out
}

// held is the share of a deed's words that stand among others.
func (d *deed) held(among map[string]bool) float64 {
	n := 0
	for w := range d.words {
		if among[w] {
			n++
		}
	}
	return float64(n) / float64(max(4, len(d.words)))
}

// repeats reports a deed that says what the user said.
func (d *deed) repeats() bool { return d.echo >= 0.75 }

// plainWords are the words of a text in small letters; of Chinese the pairs.
func plainWords(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(terms.Fold(text), func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' }) {
		runes := []rune(w)
		if !slices.ContainsFunc(runes, isWide) {
			out = append(out, w)
			continue
		}
		for i := range len(runes) - 1 {
			out = append(out, string(runes[i:i+2]))
		}
	}
	return out
}
