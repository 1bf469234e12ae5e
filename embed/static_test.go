package embed_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon/embed"
	"orihon/memory"
)

var _ memory.Embedder = (*embed.Static)(nil)

// array is one tensor of a file that a test writes.
type array struct {
	kind  string
	shape []int
	data  []byte
}

func floats(shape []int, values ...float32) array {
	a := array{kind: "F32", shape: shape}
	for _, v := range values {
		a.data = binary.LittleEndian.AppendUint32(a.data, math.Float32bits(v))
	}
	return a
}

func longs(values ...int64) array {
	a := array{kind: "I64", shape: []int{len(values)}}
	for _, v := range values {
		a.data = binary.LittleEndian.AppendUint64(a.data, uint64(v))
	}
	return a
}

// safetensors writes a file of arrays.
func safetensors(arrays map[string]array) []byte {
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	names := make([]string, 0, len(arrays))
	for name := range arrays {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a := arrays[name]
		header[name] = map[string]any{"dtype": a.kind, "shape": a.shape, "data_offsets": []int{len(data), len(data) + len(a.data)}}
		data = append(data, a.data...)
	}
	return framed(header, data)
}

func framed(header any, data []byte) []byte {
	text, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), data...)
}

// bert is an English tokenizer with a few words, and some Chinese characters.
const bert = `{
  "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "TemplateProcessing"},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 12,
    "vocab": {"[PAD]": 0, "[UNK]": 1, "hello": 2, "world": 3, "deploy": 4, "##ment": 5, ",": 6, "部": 7, "署": 8, "cafe": 9, "##s": 10, "d": 11, "a": 12, "##a": 13}}
}`

// bertRows are the vectors of bert, by number of the token.
var bertRows = [][3]float32{
	{9, 9, 9}, {9, 9, 9}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {3, 0, 4}, {0, 0, 0.5}, {2, 2, 0}, {0, 2, 2}, {-1, 0, 1}, {0.25, 0, 0}, {5, 5, 5}, {1, 1, 1}, {1, 1, 1},
}

func bertTensors(kind string) array {
	a := array{kind: kind, shape: []int{len(bertRows), 3}}
	for _, row := range bertRows {
		for _, x := range row {
			switch kind {
			case "F32":
				a.data = binary.LittleEndian.AppendUint32(a.data, math.Float32bits(x))
			case "BF16":
				a.data = binary.LittleEndian.AppendUint16(a.data, uint16(math.Float32bits(x)>>16))
			case "F16":
				a.data = binary.LittleEndian.AppendUint16(a.data, map[float32]uint16{
					0: 0, 0.25: 0x3400, 0.5: 0x3800, 1: 0x3C00, -1: 0xBC00, 2: 0x4000, 3: 0x4200, 4: 0x4400, 5: 0x4500, 9: 0x4880,
				}[x])
			case "I8":
				a.data = append(a.data, byte(int8(x*4)))
			}
		}
	}
	return a
}

func compiled(t testing.TB, tokenizer string, arrays map[string]array) *embed.Static {
	t.Helper()
	data, err := embed.Compile([]byte(tokenizer), safetensors(arrays))
	if err != nil {
		t.Fatal(err)
	}
	s, err := embed.FromBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func one(t testing.TB, s *embed.Static, text string) []float32 {
	t.Helper()
	v, err := s.Embed(t.Context(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	return v[0]
}

// failer is a test, also one of rapid's.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func near(t failer, what string, got []float32, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range got {
		if math.Abs(float64(got[i])-want[i]) > 1e-6 {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// The expected vectors were worked out by hand from bertRows.
func TestStaticIsTheMeanOfTheTokensScaledToLengthOne(t *testing.T) {
	for _, kind := range []string{"F32", "F16", "BF16", "I8"} {
		t.Run(kind, func(t *testing.T) {
			s := compiled(t, bert, map[string]array{"embeddings": bertTensors(kind)})
			near(t, "one word", one(t, s, "HELLO"), 1, 0, 0)
			near(t, "two", one(t, s, "hello\tworld"), math.Sqrt2/2, math.Sqrt2/2, 0)
			near(t, "with a comma, and a mark that is no token", one(t, s, "Hello, World!"), 2./3, 2./3, 1./3)
			near(t, "a word of two tokens", one(t, s, "Deployment"), 3/math.Sqrt(34), 0, 5/math.Sqrt(34))
			near(t, "Chinese", one(t, s, "部署"), 1/math.Sqrt(6), 2/math.Sqrt(6), 1/math.Sqrt(6))
			near(t, "accents", one(t, s, "Café"), -math.Sqrt2/2, 0, math.Sqrt2/2)
			near(t, "nothing known", one(t, s, "xyz ???"), 0, 0, 0)
			near(t, "nothing", one(t, s, ""), 0, 0, 0)
		})
	}
}

func TestWeightsAndMapping(t *testing.T) {
	s := compiled(t, bert, map[string]array{
		"embeddings": floats([]int{3, 2}, 0, 0, 1, 0, 0, 1),
		"mapping":    longs(0, 0, 1, 2, 1, 1, 0, 2, 2, 0, 0, 0, 0, 0),
		"weights":    floats([]int{14}, 0, 0, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
	})
	near(t, "hello world", one(t, s, "hello world"), 0.6, 0.8)
	near(t, "部署", one(t, s, "部署"), 0, 1)
	near(t, "cafe has a row of zeros", one(t, s, "cafe"), 0, 0)
}

func TestNumbersTooLargeForHalfPrecisionStay(t *testing.T) {
	rows := bertTensors("F32")
	binary.LittleEndian.PutUint32(rows.data[2*12+4:], math.Float32bits(1e6)) // hello = (1, 1e6, 0)
	near(t, "hello", one(t, compiled(t, bert, map[string]array{"embedding.weight": rows}), "hello"), 1e-6, 1, 0)
}

func TestWordPiece(t *testing.T) {
	s := compiled(t, bert, map[string]array{"embeddings": bertTensors("F32")})
	for text, want := range map[string][]string{
		"deployments":             {"deploy", "##ment", "##s"},
		"hello,world":             {"hello", ",", "world"},
		"我們部署了":                   {"部", "署"},
		"hellod":                  {}, // ##d is none, so the word is unknown as a whole
		"aaaaaaaaaaaa":            append([]string{"a"}, slices.Repeat([]string{"##a"}, 11)...),
		"aaaaaaaaaaaaa":           {}, // thirteen characters
		"[PAD] hello":             {"hello"},
		"hel\u0000lo \u200dworld": {"hello", "world"},
		"he\u0301llo":             {"hello"},
		"hello　world":             {"hello", "world"},
		"\xff\xfehello":           {"hello"},
	} {
		if diff := cmp.Diff(want, s.Pieces(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	// The longest that is looked at.
	if n := len(s.Pieces(strings.Repeat("hello ", 600))); n != 512 {
		t.Errorf("%d tokens of 600", n)
	}
}

// spiece is a multilingual tokenizer; %s is its normalizer.
const spiece = `{
  "normalizer": %s,
  "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": %v, "vocab": [["<unk>", 0], ["▁", -2], ["▁he", -3], ["llo", -3], ["▁hello", -5],
    ["部署", -3], ["部", -4], ["署", -1], ["流程", -3], ["lo", -1], ["l", -1.5], ["<0xE8>", -9], ["<0xBB>", -9], ["<0x8A>", -9], ["1", -2], ["ab", -4]]}
}`

func TestUnigram(t *testing.T) {
	rows := floats([]int{16, 1}, make([]float32, 16)...)
	plain := compiled(t, fmt.Sprintf(spiece, `{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Lowercase"}]}`, false), map[string]array{"embeddings": rows})
	for text, want := range map[string][]string{
		"hello":       {"▁hello"},              // -5 before ▁he·llo with -6 and ▁he·l·lo with -5.5
		"hello hello": {"▁hello", "▁hello"},    //
		"ＨＥＬＬＯ":       {"▁hello"},              // NFKC
		"heLLlo":      {"▁he", "l", "l", "lo"}, // -3-1.5-1.5-1 = -7 before ▁he·l·llo with -7.5
		"部署":          {"▁", "部署"},             // -3 before -5
		"部署流程":        {"▁", "部署", "流程"},
		"部車署":         {"▁", "部", "署"}, // 車 is unknown
		"ab":          {"▁", "ab"},
		"ba":          {"▁"},
		"":            {},
	} {
		if diff := cmp.Diff(want, plain.Pieces(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	fallback := compiled(t, fmt.Sprintf(spiece, "null", true), map[string]array{"embeddings": rows})
	for text, want := range map[string][]string{
		"部車署": {"▁", "部", "<0xE8>", "<0xBB>", "<0x8A>", "署"},
		"部書署": {"▁", "部", "署"}, // not all of its bytes are tokens
		"ＨＥ":  {"▁"},
	} {
		if diff := cmp.Diff(want, fallback.Pieces(text)); diff != "" {
			t.Errorf("with bytes, %q: %s", text, diff)
		}
	}
}

// Every way to cut a short word is tried, and none is better than the one
// found.
func TestUnigramFindsTheBestOfAllCuts(t *testing.T) {
	const unknown = -20.0
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[ab部]{1,9}`)
		scores := map[string]float64{}
		for range rapid.IntRange(1, 12).Draw(t, "tokens") {
			scores[rapid.StringMatching(`[ab部]{1,4}`).Draw(t, "token")] = -rapid.Float64Range(0, 10).Draw(t, "score")
		}
		word := letters.Draw(t, "word")
		var best func(s string) float64
		best = func(s string) float64 {
			if s == "" {
				return 0
			}
			most := math.Inf(-1)
			for i := range s {
				if i == 0 {
					continue
				}
				most = max(most, price(scores, unknown, s[:i])+best(s[i:]))
			}
			return max(most, price(scores, unknown, s))
		}
		got, rest := 0.0, word
		for _, p := range embed.Segment(scores, unknown, word) {
			i := strings.Index(rest, p)
			got += scores[p] + unknown*float64(len([]rune(rest[:i])))
			rest = rest[i+len(p):]
		}
		got += unknown * float64(len([]rune(rest)))
		if want := best(word); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%q of %v was cut for %g, and %g is possible", word, scores, got, want)
		}
	})
}

func price(scores map[string]float64, unknown float64, s string) float64 {
	if p, ok := scores[s]; ok {
		return p
	}
	if len([]rune(s)) == 1 {
		return unknown
	}
	return math.Inf(-1)
}

// darts writes a charsmap: a double array laid out by the first places that are
// free, and the replacements.
func darts(pairs map[string]string) []byte {
	type node struct {
		next map[byte]*node
		leaf int // -1 for none
	}
	root := &node{next: map[byte]*node{}, leaf: -1}
	var text []byte
	for from, to := range pairs {
		n := root
		for _, b := range []byte(from) {
			if n.next[b] == nil {
				n.next[b] = &node{next: map[byte]*node{}, leaf: -1}
			}
			n = n.next[b]
		}
		n.leaf = len(text)
		text = append(append(text, to...), 0)
	}
	units, used := make([]uint32, 1<<14), make([]bool, 1<<14)
	bases := map[int]bool{} // no two nodes share one, else they would share children
	used[0] = true
	var place func(n *node, at int)
	place = func(n *node, at int) {
		base := 256
		for ; ; base++ {
			free := !bases[base] && (n.leaf < 0 || !used[base])
			for b := range n.next {
				free = free && !used[base^int(b)]
			}
			if free {
				break
			}
		}
		bases[base] = true
		units[at] |= uint32(base^at) << 10
		if n.leaf >= 0 {
			units[at] |= 1 << 8
			used[base], units[base] = true, uint32(n.leaf)|1<<31
		}
		for b := range n.next {
			used[base^int(b)] = true
			units[base^int(b)] = uint32(b)
		}
		for b, child := range n.next {
			place(child, base^int(b))
		}
	}
	place(root, 0)
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(units)*4))
	for _, u := range units {
		out = binary.LittleEndian.AppendUint32(out, u)
	}
	return append(out, text...)
}

func TestPrecompiledCharsmap(t *testing.T) {
	table := darts(map[string]string{"①": "1", "Ａ": "a", "Ａ\u0301": "á", "ﬁ": "fi", "\u200b": "", "車": "车", "E": "e", "e\u0301": "é"})
	for text, want := range map[string]string{
		"①Ａ車ﬁx":          "1a车fix",
		"a\u200bb":       "ab",
		"Ａ\u0301":        "a", // the shortest entry that a group begins with stands for all of it
		"e\u0301":        "é",
		"記憶":             "記憶",
		"E\u0301E":       "ee",
		"a\u0301\u0302b": "a\u0301\u0302b",
	} {
		got, err := embed.Charsmap(table, text)
		if err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", text, got, err, want)
		}
	}
	tokenizer := fmt.Sprintf(spiece, `{"type":"Precompiled","precompiled_charsmap":"`+base64.StdEncoding.EncodeToString(table)+`"}`, false)
	s := compiled(t, tokenizer, map[string]array{"embeddings": floats([]int{16, 1}, make([]float32, 16)...)})
	if diff := cmp.Diff([]string{"▁", "1"}, s.Pieces("①")); diff != "" {
		t.Error(diff)
	}
}

func TestHalfPrecision(t *testing.T) {
	for h := range 1 << 16 {
		f := embed.FromHalf(uint16(h))
		if f == f && embed.ToHalf(f) != uint16(h) {
			t.Fatalf("%#04x is %g, which is %#04x", h, f, embed.ToHalf(f))
		}
	}
	for _, tt := range []struct {
		f float32
		h uint16
	}{{1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff}, {65519, 0x7bff}, {65520, 0x7c00}, {1.0 / 3, 0x3555}, {6e-8, 1}, {2e-8, 0}, {1 + 1.0/2048, 0x3c00}, {1 + 3.0/2048, 0x3c02}} {
		if got := embed.ToHalf(tt.f); got != tt.h {
			t.Errorf("%g is %#04x, want %#04x", tt.f, got, tt.h)
		}
	}
}

// Splitting and normalising as other models have it.
func TestStepsOfTokenizers(t *testing.T) {
	for _, tt := range []struct{ normalizer, split, text, want string }{
		{`null`, `{"type":"Whitespace"}`, "a b-c 部署。", "a|b|-|c|部署|。"},
		{`null`, `{"type":"WhitespaceSplit"}`, " a b-c ", "a|b-c"},
		{`null`, `{"type":"Punctuation","behavior":"Isolated"}`, "a,b", "a|,|b"},
		{`null`, `{"type":"Digits","individual_digits":true}`, "a12", "a|1|2"},
		{`null`, `{"type":"Digits","individual_digits":false}`, "a12", "a|12"},
		{`null`, `{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","add_prefix_space":true}]}`, "a b", "▁a|▁b"},
		{`null`, `{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","prepend_scheme":"first"}]}`, "a b", "▁a|b"},
		{`null`, `{"type":"Metaspace","add_prefix_space":false}`, "a b", "a|▁b"},
		{`null`, `{"type":"Metaspace","split":false}`, "a", "▁a"},
		{`{"type":"Strip","strip_left":true,"strip_right":false}`, `null`, " a", "a"},
		{`{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"String":","},"content":" , "},{"type":"Replace","pattern":{"Regex":"\\s+"},"content":" "},{"type":"Strip"}]}`, `{"type":"Metaspace"}`, "a,\n b ", "▁a|▁,|▁b"},
		{`{"type":"Prepend","prepend":"▁"}`, `null`, "a", "▁a"},
		{`{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},{"type":"Lowercase"}]}`, `null`, "Á", "a"},
		{`{"type":"NFKC"}`, `null`, "Ａ", "A"},
		{`{"type":"BertNormalizer","lowercase":false}`, `{"type":"BertPreTokenizer"}`, "Á", "Á"},
	} {
		vocab := map[string]int{"[UNK]": 0}
		for i, p := range strings.Split(tt.want, "|") {
			if _, ok := vocab[p]; !ok {
				vocab[p] = i + 1
			}
		}
		text, err := json.Marshal(vocab)
		if err != nil {
			t.Fatal(err)
		}
		s := compiled(t, `{"normalizer":`+tt.normalizer+`,"pre_tokenizer":`+tt.split+`,"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":`+string(text)+`}}`,
			map[string]array{"embeddings": floats([]int{20, 1}, make([]float32, 20)...)})
		if got := strings.Join(s.Pieces(tt.text), "|"); got != tt.want {
			t.Errorf("%s %s: %q became %q, want %q", tt.normalizer, tt.split, tt.text, got, tt.want)
		}
	}
}

func TestUnknownTokenizersAreRefusedByName(t *testing.T) {
	model := `"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"a":0}}`
	for _, tt := range []struct{ text, want string }{
		{`{"model":{"type":"BPE","vocab":{"a":0}}}`, `the model "BPE" is not supported: want WordPiece or Unigram`},
		{`{"normalizer":{"type":"Nmt"},` + model + `}`, `the normalizer "Nmt" is not supported`},
		{`{"pre_tokenizer":{"type":"ByteLevel"},` + model + `}`, `the pre-tokenizer "ByteLevel" is not supported`},
		{`{"pre_tokenizer":{"type":"Punctuation","behavior":"Removed"},` + model + `}`, `the pre-tokenizer Punctuation with the behavior "Removed" is not supported`},
		{`{"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"often"},` + model + `}`, `the pre-tokenizer Metaspace with the prepend_scheme "often" is not supported`},
		{`{"normalizer":{"type":"Replace","pattern":{"Regex":"(?<=a)b"},"content":""},` + model + `}`, `the pattern "(?<=a)b" is not supported`},
		{`{"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"},` + model + `}`, `its precompiled_charsmap is too short`},
		{`{"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////wAAAAA="},` + model + `}`, `its precompiled_charsmap has no table of 4294967295 bytes`},
		{`{}`, `it has no model`},
		{`[]`, `it is no JSON of a tokenizer`},
		{`{"model":{"type":"WordPiece","vocab":{}}}`, `it has 0 tokens`},
		{`{"model":{"type":"WordPiece","vocab":{"a":-1}}}`, `token "a" has the number -1`},
		{`{"model":{"type":"WordPiece","vocab":{"a":99999999}}}`, `token "a" has the number 99999999`},
		{`{"model":{"type":"Unigram","vocab":[["a"],["b","c"]]}}`, `entry 1 of its vocabulary is no token with a score`},
		{`{"model":{"type":"Unigram","vocab":[["a",1],["a",2]]}}`, `token "a" stands in it twice`},
	} {
		err := embed.CheckTokenizer([]byte(tt.text))
		if want := "invalid tokenizer.json: " + tt.want; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", tt.text, err, want)
		}
	}
}

func TestHostileTensorsAreRefused(t *testing.T) {
	type m = map[string]any
	entry := func(kind string, shape []int, from, to int) m {
		return m{"dtype": kind, "shape": shape, "data_offsets": []int{from, to}}
	}
	nan := floats([]int{14, 3}, make([]float32, 42)...)
	binary.LittleEndian.PutUint32(nan.data[16:], 0x7fc00000)
	huge := binary.LittleEndian.AppendUint64(nil, 1<<40)
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "safetensors file: it has no header"},
		{"huge header", append(huge, '{'), "its header would be 1099511627776 bytes long"},
		{"header beyond the end", append(binary.LittleEndian.AppendUint64(nil, 100), "{}"...), "its header would be 100 bytes long"},
		{"no JSON", append(binary.LittleEndian.AppendUint64(nil, 2), "xx"...), "its header is no JSON"},
		{"beyond the end", framed(m{"embeddings": entry("F32", []int{14, 3}, 0, 168)}, make([]byte, 100)), `tensor "embeddings" lies outside the file`},
		{"before the beginning", framed(m{"embeddings": entry("F32", []int{14, 3}, -168, 0)}, nil), `lies outside the file`},
		{"backwards", framed(m{"embeddings": entry("F32", []int{14, 3}, 168, 0)}, make([]byte, 168)), `lies outside the file`},
		{"another size", framed(m{"embeddings": entry("F32", []int{14, 4}, 0, 168)}, make([]byte, 168)), `has 168 bytes where its shape [14 4] wants 224`},
		{"a shape that overflows", framed(m{"embeddings": entry("F32", []int{1 << 62, 1 << 62}, 0, 168)}, make([]byte, 168)), `has the shape`},
		{"a negative shape", framed(m{"embeddings": entry("F32", []int{-1, -42}, 0, 168)}, make([]byte, 168)), `has the shape`},
		{"no offsets", framed(m{"embeddings": m{"dtype": "F32"}}, nil), `is not described as one`},
		{"overlapping", framed(m{"embeddings": entry("F32", []int{14, 3}, 0, 168), "weights": entry("F32", []int{14}, 160, 216)}, make([]byte, 216)), "two of its tensors overlap"},
		{"none", safetensors(map[string]array{"other": nan}), `it has no tensor "embeddings"`},
		{"not finite", safetensors(map[string]array{"embeddings": nan}), "is not finite"},
		{"an unknown kind", safetensors(map[string]array{"embeddings": {"F8_E4M3", []int{14, 3}, make([]byte, 42)}}), "its vectors are F8_E4M3"},
		{"one dimension", safetensors(map[string]array{"embeddings": floats([]int{3}, 1, 2, 3)}), "its vectors are F32 of the shape [3]"},
		{"too few rows", safetensors(map[string]array{"embeddings": floats([]int{1, 1}, 1)}), "has the vector"},
		{"too few weights", safetensors(map[string]array{"embeddings": bertTensors("F32"), "weights": floats([]int{1}, 1)}), "its weights end before token"},
		{"a weight that is none", safetensors(map[string]array{"embeddings": bertTensors("F32"), "weights": floats([]int{14}, slices.Repeat([]float32{float32(math.NaN())}, 14)...)}), "has no finite weight"},
		{"a mapping beyond the rows", safetensors(map[string]array{"embeddings": bertTensors("F32"), "mapping": longs(slices.Repeat([]int64{14}, 14)...)}), "has the vector 14 of 14"},
		{"a mapping before the rows", safetensors(map[string]array{"embeddings": bertTensors("F32"), "mapping": longs(slices.Repeat([]int64{-1}, 14)...)}), "has the vector -1 of 14"},
	} {
		_, err := embed.Compile([]byte(bert), tt.data)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestAClosedModelSaysSo(t *testing.T) {
	s := compiled(t, bert, map[string]array{"embeddings": bertTensors("F32")})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Embed(t.Context(), []string{"a"}); err == nil {
		t.Error("it goes on")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add(safetensors(map[string]array{"embeddings": bertTensors("F32")}))
	f.Add(safetensors(map[string]array{"embeddings": bertTensors("I8"), "mapping": longs(1, 2), "weights": floats([]int{1}, 1)}))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if embed.CheckTensors(data) != nil {
			return
		}
		if out, err := embed.Compile([]byte(bert), data); err == nil {
			if s, err := embed.FromBytes(out); err != nil {
				t.Error(err)
			} else if _, err := s.Embed(t.Context(), []string{"hello world 部署"}); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzTokenizer(f *testing.F) {
	f.Add([]byte(bert), "Hello, 部署!")
	f.Add(fmt.Appendf(nil, spiece, `{"type":"NFKC"}`, true), "部車署 ab")
	f.Add(fmt.Appendf(nil, spiece, `{"type":"Precompiled","precompiled_charsmap":"BAAAAAAAAAA="}`, true), "a")
	f.Add([]byte(`{"normalizer":{"type":"Replace","pattern":{"Regex":"a*"},"content":"b"},"pre_tokenizer":{"type":"Whitespace"},"model":{"type":"WordPiece","vocab":{"b":0}}}`), "aab")
	rows := make([]float32, 64)
	for i := range rows {
		rows[i] = float32(i)
	}
	tensors := safetensors(map[string]array{"embeddings": floats([]int{64, 1}, rows...)})
	f.Fuzz(func(t *testing.T, tokenizer []byte, text string) {
		out, err := embed.Compile(tokenizer, tensors)
		if err != nil {
			return
		}
		s, err := embed.FromBytes(out)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := s.Embed(t.Context(), []string{text}); err != nil || len(v[0]) != 1 {
			t.Errorf("%q: %v, %v", text, v, err)
		}
	})
}

func FuzzCompiledModel(f *testing.F) {
	for _, tokenizer := range []string{bert, fmt.Sprintf(spiece, `{"type":"NFKC"}`, true)} {
		data, err := embed.Compile([]byte(tokenizer), safetensors(map[string]array{"embeddings": floats([]int{16, 2}, make([]float32, 32)...)}))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte{}, "hello 部署 車")
		f.Add(data, []byte{128, 0, 0xff, 200, 0, 1}, "hello 部署 車")
	}
	f.Fuzz(func(t *testing.T, data, damage []byte, text string) {
		data = slices.Clone(data)
		// Behind the header, which has a checksum: two bytes of place, one of
		// what to change there.
		for ; len(damage) >= 3; damage = damage[3:] {
			if at := int(binary.LittleEndian.Uint16(damage)); at >= 128 && at < len(data) {
				data[at] ^= damage[2]
			}
		}
		s, err := embed.FromBytes(data)
		if err != nil {
			return
		}
		if v, err := s.Embed(t.Context(), []string{text}); err == nil && len(v[0]) != s.Dim() {
			t.Errorf("%d dimensions, want %d", len(v[0]), s.Dim())
		}
	})
}

// writeModel writes the source of a model.
func writeModel(t testing.TB, dir, tokenizer string, arrays map[string]array) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"tokenizer.json": []byte(tokenizer), "model.safetensors": safetensors(arrays), "config.json": []byte(`{"normalize":true}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
