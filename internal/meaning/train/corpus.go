package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"

	"orihon/internal/terms"
)

// corpus is all text that the table is trained on, cut into terms.
type corpus struct {
	vocabulary []string
	id         map[string]int32
	count      []int // of texts that hold a term
	memories   []int // of written memories that do
	written    int   // memories
	pools      []pool
	groups     [][][]int32       // expressions of each concept group
	links      [][][]int32       // of each head word: itself, then what belongs with it
	twins      map[int32][]int32 // terms that alone say the same as another
}

// pool is the samples of one origin: a batch is drawn from one pool, so that what a
// text is told apart from is of its own sort.
type pool struct {
	name    string
	samples []sample
	times   float64 // how often each is seen in an epoch
	bySet   bool    // half of the batches hold samples of the same set together
}

// sample is two texts as terms, and what else they must not be told apart from.
type sample struct {
	a, b   []int32
	ha, hb uint64 // of the texts
	set    int32  // samples of one author, file or package
	group  int32  // of the concept, -1 for none
}

// raw is a sample before the vocabulary is known.
type raw struct {
	a, b string
	set  int32
}

// read reads everything that travels with the code.
func read(dir fs.FS, least int) (*corpus, error) {
	c := &corpus{id: make(map[string]int32), twins: make(map[int32][]int32)}
	texts := make(map[string][]raw)
	for _, kind := range []string{"parallel", "words", "text"} {
		lines, err := readGzip(dir, kind+".tsv.gz")
		if err != nil {
			return nil, err
		}
		for i, line := range lines {
			a, b, ok := strings.Cut(line, "\t")
			if !ok {
				return nil, fmt.Errorf("%s.tsv.gz:%d: no tab", kind, i+1)
			}
			texts[kind] = append(texts[kind], raw{a: a, b: b, set: int32(i / 500)})
		}
	}
	memories, voices, cross, err := readVoices(dir)
	if err != nil {
		return nil, err
	}
	texts["voices"], texts["cross"] = voices, cross
	groups, err := readLines(dir, "groups/*.txt", func(r rune) bool { return r == ';' })
	if err != nil {
		return nil, err
	}
	links, err := readLines(dir, "links/*.txt", func(r rune) bool { return strings.ContainsRune(":,|，、：", r) })
	if err != nil {
		return nil, err
	}

	seen := make(map[string]int)
	always := make(map[string]bool)
	count := func(text string, weight int) {
		for _, t := range terms.Query(text) {
			seen[t] += weight
		}
	}
	// A dictionary is full of words that nobody types at work.
	weights := map[string]int{"words": 1, "parallel": 3, "text": 2, "voices": 6, "cross": 6}
	for kind, list := range texts {
		weight := weights[kind]
		for _, r := range list {
			count(r.a, weight)
			count(r.b, weight)
		}
	}
	for _, g := range groups {
		for _, e := range g {
			for _, t := range terms.Query(e) {
				always[t] = true
			}
		}
	}
	for _, l := range links {
		for _, e := range l {
			count(e, 3)
		}
	}
	for _, t := range sorted(seen) {
		if (seen[t] >= least || always[t]) && usable(t) {
			always[t] = true
		} else {
			delete(always, t)
		}
	}
	c.vocabulary = sorted(always)
	for i, t := range c.vocabulary {
		c.id[t] = int32(i)
	}
	c.count, c.memories = make([]int, len(c.vocabulary)), make([]int, len(c.vocabulary))
	c.written = len(memories)
	for _, m := range memories {
		for _, t := range c.cut(m) {
			c.memories[t]++
		}
	}
	times := map[string]float64{"parallel": 1, "words": 0.3, "text": 0.5, "voices": 4, "cross": 5}
	for _, kind := range []string{"parallel", "words", "text", "voices", "cross"} {
		p := pool{name: kind, times: times[kind], bySet: kind != "words"}
		for _, r := range texts[kind] {
			s := sample{a: c.cut(r.a), b: c.cut(r.b), ha: hash(r.a), hb: hash(r.b), set: r.set, group: -1}
			for _, list := range [][]int32{s.a, s.b} {
				for _, t := range list {
					c.count[t]++
				}
			}
			if len(s.a) > 0 && len(s.b) > 0 {
				p.samples = append(p.samples, s)
			}
		}
		c.pools = append(c.pools, p)
	}
	for _, g := range groups {
		list := c.expressions(g)
		for i, a := range list {
			for _, b := range list[:i] {
				if len(a) == 1 && len(b) == 1 && a[0] != b[0] {
					c.twins[a[0]] = append(c.twins[a[0]], b[0])
					c.twins[b[0]] = append(c.twins[b[0]], a[0])
				}
			}
		}
		c.groups = append(c.groups, list)
	}
	for _, l := range links {
		if list := c.expressions(l); len(list) > 2 {
			c.links = append(c.links, list)
		}
	}
	return c, nil
}

// usable keeps numbers and strange words out of the vocabulary.
func usable(t string) bool {
	const longest = 24 // bytes
	return len(t) <= longest && strings.ContainsFunc(t, func(r rune) bool { return r < '0' || r > '9' }) && (len(t) > 1)
}

// concepts draws pairs of expressions of the concept groups anew.
func (c *corpus) concepts(rng *rand.Rand) pool {
	const each = 8 // pairs of a group
	p := pool{name: "groups", times: 3}
	for g, list := range c.groups {
		if len(list) < 2 {
			continue
		}
		for range each {
			i, j := rng.IntN(len(list)), rng.IntN(len(list)-1)
			if j >= i {
				j++
			}
			p.samples = append(p.samples, sample{a: list[i], b: list[j], ha: uint64(g)<<8 | uint64(i), hb: uint64(g)<<8 | uint64(j), group: int32(g)})
		}
	}
	return p
}

// expressions cuts each of some expressions, without those of which nothing is known.
func (c *corpus) expressions(of []string) [][]int32 {
	var out [][]int32
	for _, e := range of {
		if t := c.cut(e); len(t) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// associations draws anew, for each head word, some of what belongs with it against
// the head or against some of the rest, as a note and a question share no word.
func (c *corpus) associations(rng *rand.Rand) pool {
	const each = 4 // pairs of a head word
	p := pool{name: "links", times: 3}
	for g, list := range c.links {
		for n := range each {
			rest := slices.Clone(list[1:])
			rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
			k := 1 + rng.IntN(min(4, len(rest)-1))
			s := sample{a: slices.Concat(rest[:k]...), ha: rng.Uint64(), hb: uint64(g) + 1<<40, group: int32(g)}
			if n%2 == 0 {
				s.b = list[0]
			} else {
				s.b = slices.Concat(rest[k:min(len(rest), k+4)]...)
			}
			p.samples = append(p.samples, s)
		}
	}
	return p
}

// cut cuts a text into the terms that the vocabulary holds.
func (c *corpus) cut(text string) []int32 {
	var out []int32
	for _, t := range terms.Query(text) {
		if id, ok := c.id[t]; ok {
			out = append(out, id)
		}
	}
	return out
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

func readGzip(dir fs.FS, name string) ([]string, error) {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		out = append(out, lines.Text())
	}
	return out, lines.Err()
}

// readVoices reads the written memories, the prompts that want them in the same
// language, and those in the other.
func readVoices(dir fs.FS) (memories []string, same, cross []raw, err error) {
	files, err := fs.Glob(dir, "voices/*.jsonl")
	if err != nil {
		return nil, nil, nil, err
	}
	for n, name := range files {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, nil, nil, err
		}
		line := 0
		for text := range bytes.Lines(data) {
			line++
			var v struct {
				Memory  string   `json:"m"`
				Prompts []string `json:"p"`
				Cross   string   `json:"x"`
			}
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			if err := json.Unmarshal(text, &v); err != nil {
				return nil, nil, nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			memories = append(memories, v.Memory)
			for _, p := range v.Prompts {
				same = append(same, raw{a: p, b: v.Memory, set: int32(n / 3)})
			}
			cross = append(cross, raw{a: v.Cross, b: v.Memory, set: int32(n / 3)})
		}
	}
	return memories, same, cross, nil
}

// readLines reads the lines of files, each cut where cut says so.
func readLines(dir fs.FS, pattern string, cut func(rune) bool) ([][]string, error) {
	files, err := fs.Glob(dir, pattern)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, name := range files {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, strings.FieldsFunc(line, cut))
			}
		}
	}
	return out, nil
}
