package embed

import (
	"bytes"
	"crypto/sha256"
)

// What tests look at from inside.

// Pieces cuts a text as a compiled model does.
func (s *Static) Pieces(text string) []string {
	out := []string{}
	for _, i := range s.t.tokens(text) {
		e, _ := s.t.entry(i)
		out = append(out, string(e.text))
	}
	return out
}

// Compile makes a static model in memory.
func Compile(tokenizer, tensors []byte) ([]byte, error) {
	vocab, err := parseTokenizer(tokenizer)
	if err != nil {
		return nil, err
	}
	f, err := openTensors(bytes.NewReader(tensors), int64(len(tensors)))
	if err != nil {
		return nil, err
	}
	p, err := newParts(vocab, f)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = p.compile(&out, sha256.Sum256(nil), nil)
	return out.Bytes(), err
}

// FromBytes opens a compiled model in memory.
func FromBytes(data []byte) (*Static, error) { return newStatic("test", inMemory(data)) }

type inMemory []byte

func (m inMemory) view(at, n int64) []byte {
	if at < 0 || n < 0 || at > int64(len(m)) || n > int64(len(m))-at {
		return nil
	}
	return m[at : at+n : at+n]
}
func (m inMemory) size() int64  { return int64(len(m)) }
func (m inMemory) Close() error { return nil }

// CheckTensors and CheckTokenizer parse and forget.
func CheckTensors(data []byte) error {
	_, err := openTensors(bytes.NewReader(data), int64(len(data)))
	return err
}

func CheckTokenizer(data []byte) error {
	_, err := parseTokenizer(data)
	return err
}

// Charsmap normalises a text by a table of SentencePiece.
func Charsmap(data []byte, text string) (string, error) {
	m, err := openCharsmap(data)
	return string(m.normalize([]byte(text))), err
}

// Half converts to half precision and back.
func Half(f float32) float32 { return halfToFloat(floatToHalf(f)) }

// ToHalf and FromHalf convert one way.
func ToHalf(f float32) uint16   { return floatToHalf(f) }
func FromHalf(h uint16) float32 { return halfToFloat(h) }

// Segment cuts a word by the scores of tokens, and gives what it found.
func Segment(scores map[string]float64, unknown float64, word string) []string {
	l := mapLookup{scores: scores}
	c := &cutting{Model: unigram, UnknownScore: unknown, Longest: maxTokenBytes}
	for t := range scores {
		l.names = append(l.names, t)
	}
	var out []string
	for _, i := range c.unigrams(l, word, nil) {
		out = append(out, l.names[i])
	}
	return out
}

type mapLookup struct {
	scores map[string]float64
	names  []string
}

func (l mapLookup) find(token []byte) (int, bool) {
	for i, n := range l.names {
		if n == string(token) {
			return i, true
		}
	}
	return 0, false
}

func (l mapLookup) prefixes(s string, fn func(length, entry int)) {
	for n := range len(s) {
		if i, ok := l.find([]byte(s[:n+1])); ok {
			fn(n+1, i)
		}
	}
}

func (l mapLookup) score(i int) float64 { return l.scores[l.names[i]] }

// LookUp looks for the vector of a key in a cache file.
func LookUp(path, key string) []float32 {
	k := vectorKey(sha256.Sum256([]byte(key)))
	wanted := map[vectorKey][]float32{k: nil}
	lookUp(path, wanted)
	return wanted[k]
}
