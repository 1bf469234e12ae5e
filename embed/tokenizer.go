package embed

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"math"
	"regexp"
	"strings"
)

// cutting says how a text becomes tokens, in the steps of Hugging Face's
// tokenizers. A compiled model holds it as JSON.
type cutting struct {
	Model     string `json:"model"` // wordPiece or unigram
	Normalize []step `json:"normalize,omitempty"`
	Split     []step `json:"split,omitempty"`

	// Of WordPiece: what begins a token within a word, and the longest word
	// that is cut at all, in characters.
	Inner    string `json:"inner,omitempty"`
	MaxChars int    `json:"max_chars,omitempty"`

	// Of Unigram: the score of a character that no token has, and whether its
	// bytes are tokens then.
	UnknownScore float64 `json:"unknown_score,omitempty"`
	Bytes        bool    `json:"bytes,omitempty"`

	Longest int `json:"longest"` // token, in bytes
}

// Models of tokenizers.
const (
	wordPiece = "WordPiece"
	unigram   = "Unigram"
)

// step is one step of normalising or splitting.
type step struct {
	Do    string `json:"do"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Left  bool   `json:"left,omitempty"`
	Right bool   `json:"right,omitempty"`
	Split bool   `json:"split,omitempty"`
}

// token is one entry of a vocabulary.
type token struct {
	text    string
	id      int
	score   float64
	unknown bool // stands for what no token has, and is left out of vectors
}

// Bounds of a tokenizer.
const (
	maxTokens      = 1 << 22
	maxTokenBytes  = 1 << 10
	maxSteps       = 256
	maxStepText    = 1 << 10
	unknownPenalty = 10 // below the least score, as in SentencePiece
)

// vocabulary is a tokenizer.json as far as texts are cut by it.
type vocabulary struct {
	cutting
	tokens   []token
	charsmap []byte
}

// parseTokenizer reads a tokenizer.json. What it does not know it refuses by
// name: a text that is cut in another way than the model was trained on has a
// vector that means something else.
func parseTokenizer(data []byte) (*vocabulary, error) {
	var file struct {
		Normalizer   json.RawMessage `json:"normalizer"`
		PreTokenizer json.RawMessage `json:"pre_tokenizer"`
		Model        json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, badTokenizer("it is no JSON of a tokenizer")
	}
	v := &vocabulary{}
	if err := v.normalizer(file.Normalizer, maxNesting); err != nil {
		return nil, err
	}
	if err := v.preTokenizer(file.PreTokenizer, maxNesting); err != nil {
		return nil, err
	}
	if err := v.model(file.Model); err != nil {
		return nil, err
	}
	return v, v.check()
}

func (v *vocabulary) check() error {
	if len(v.tokens) == 0 || len(v.tokens) > maxTokens {
		return badTokenizer("it has %d tokens", len(v.tokens))
	}
	seen := make(map[string]bool, len(v.tokens))
	for _, t := range v.tokens {
		switch {
		case len(t.text) > maxTokenBytes:
			return badTokenizer("token %d is %d bytes long", t.id, len(t.text))
		case t.id < 0 || t.id >= maxTokens:
			return badTokenizer("token %.40q has the number %d", t.text, t.id)
		case seen[t.text]:
			return badTokenizer("token %.40q stands in it twice", t.text)
		case math.IsNaN(t.score) || math.Abs(t.score) > math.MaxFloat32:
			return badTokenizer("token %.40q has no finite score", t.text)
		}
		seen[t.text] = true
		v.Longest = max(v.Longest, len(t.text))
	}
	if len(v.Normalize)+len(v.Split) > maxSteps {
		return badTokenizer("it has %d steps", len(v.Normalize)+len(v.Split))
	}
	for _, s := range v.Normalize {
		if len(s.From)+len(s.To) > maxStepText {
			return badTokenizer("a replacement is %d bytes long", len(s.From)+len(s.To))
		}
	}
	return nil
}

// absent reports whether an optional part is left out.
func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// part holds the fields of every step of a tokenizer.json that is known.
type part struct {
	Type string `json:"type"`

	// Sequences.
	Normalizers   []json.RawMessage `json:"normalizers"`
	PreTokenizers []json.RawMessage `json:"pretokenizers"`

	// BertNormalizer.
	CleanText          *bool `json:"clean_text"`
	HandleChineseChars *bool `json:"handle_chinese_chars"`
	StripAccents       *bool `json:"strip_accents"`
	Lowercase          *bool `json:"lowercase"`

	Left    *bool  `json:"strip_left"`
	Right   *bool  `json:"strip_right"`
	Prepend string `json:"prepend"`
	Content string `json:"content"`
	Pattern struct {
		String string `json:"String"`
		Regex  string `json:"Regex"`
	} `json:"pattern"`
	Charsmap string `json:"precompiled_charsmap"`

	// Metaspace, Punctuation, Digits.
	Replacement    string  `json:"replacement"`
	AddPrefixSpace *bool   `json:"add_prefix_space"`
	PrependScheme  *string `json:"prepend_scheme"`
	Split          *bool   `json:"split"`
	Behavior       string  `json:"behavior"`
	Individual     bool    `json:"individual_digits"`
}

// or is what an optional field says, else the fallback.
func or[T any](field *T, fallback T) T {
	if field == nil {
		return fallback
	}
	return *field
}

// maxNesting of sequences within sequences.
const maxNesting = 8

func (v *vocabulary) normalizer(raw json.RawMessage, depth int) error {
	if absent(raw) {
		return nil
	}
	var p part
	if json.Unmarshal(raw, &p) != nil || depth == 0 {
		return badTokenizer("its normalizer is not described as one")
	}
	add := func(s ...step) { v.Normalize = append(v.Normalize, s...) }
	switch p.Type {
	case "Sequence":
		for _, n := range p.Normalizers {
			if err := v.normalizer(n, depth-1); err != nil {
				return err
			}
		}
	case "BertNormalizer":
		lower := or(p.Lowercase, true)
		for _, s := range []struct {
			on bool
			do []step
		}{
			{or(p.CleanText, true), []step{{Do: "clean"}}},
			{or(p.HandleChineseChars, true), []step{{Do: "ideographs"}}},
			{or(p.StripAccents, lower), []step{{Do: "NFD"}, {Do: "marks"}}},
			{lower, []step{{Do: "lower"}}},
		} {
			if s.on {
				add(s.do...)
			}
		}
	case "NFC", "NFD", "NFKC", "NFKD":
		add(step{Do: p.Type})
	case "Lowercase":
		add(step{Do: "lower"})
	case "StripAccents":
		add(step{Do: "marks"})
	case "Strip":
		add(step{Do: "strip", Left: or(p.Left, true), Right: or(p.Right, true)})
	case "Prepend":
		add(step{Do: "prepend", To: p.Prepend})
	case "Replace":
		if p.Pattern.Regex != "" {
			if _, err := regexp.Compile(p.Pattern.Regex); err != nil {
				return badTokenizer("the pattern %.60q is not supported", p.Pattern.Regex)
			}
			add(step{Do: "pattern", From: p.Pattern.Regex, To: p.Content})
		} else if p.Pattern.String != "" {
			add(step{Do: "replace", From: p.Pattern.String, To: p.Content})
		}
	case "Precompiled":
		return v.precompiled(p.Charsmap)
	default:
		return badTokenizer("the normalizer %.40q is not supported", p.Type)
	}
	return nil
}

func (v *vocabulary) precompiled(text string) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return badTokenizer("its precompiled_charsmap is no base64")
	}
	if len(data) == 0 {
		return nil
	}
	if v.charsmap != nil {
		return badTokenizer("it has two precompiled_charsmaps")
	}
	if _, err := openCharsmap(data); err != nil {
		return err
	}
	v.charsmap = data
	v.Normalize = append(v.Normalize, step{Do: "charsmap"})
	return nil
}

func (v *vocabulary) preTokenizer(raw json.RawMessage, depth int) error {
	if absent(raw) {
		return nil
	}
	var p part
	if json.Unmarshal(raw, &p) != nil || depth == 0 {
		return badTokenizer("its pre-tokenizer is not described as one")
	}
	add := func(s step) { v.Split = append(v.Split, s) }
	switch p.Type {
	case "Sequence":
		for _, n := range p.PreTokenizers {
			if err := v.preTokenizer(n, depth-1); err != nil {
				return err
			}
		}
	case "BertPreTokenizer":
		add(step{Do: "bert"})
	case "Whitespace":
		add(step{Do: "words"})
	case "WhitespaceSplit":
		add(step{Do: "space"})
	case "Punctuation":
		if p.Behavior != "" && !strings.EqualFold(p.Behavior, "isolated") {
			return badTokenizer("the pre-tokenizer Punctuation with the behavior %.40q is not supported", p.Behavior)
		}
		add(step{Do: "punctuation"})
	case "Digits":
		add(step{Do: "digits", Split: p.Individual})
	case "Metaspace":
		scheme := "always"
		if !or(p.AddPrefixSpace, true) {
			scheme = "never"
		}
		scheme = or(p.PrependScheme, scheme)
		if scheme != "always" && scheme != "first" && scheme != "never" {
			return badTokenizer("the pre-tokenizer Metaspace with the prepend_scheme %.40q is not supported", scheme)
		}
		add(step{Do: "metaspace", From: cmp.Or(p.Replacement, "▁"), To: scheme, Split: or(p.Split, true)})
	default:
		return badTokenizer("the pre-tokenizer %.40q is not supported", p.Type)
	}
	return nil
}

func (v *vocabulary) model(raw json.RawMessage) error {
	var m struct {
		Type     string          `json:"type"`
		Vocab    json.RawMessage `json:"vocab"`
		Unknown  string          `json:"unk_token"`
		Inner    *string         `json:"continuing_subword_prefix"`
		MaxChars *int            `json:"max_input_chars_per_word"`
		ID       *int            `json:"unk_id"`
		Bytes    bool            `json:"byte_fallback"`
	}
	if absent(raw) || json.Unmarshal(raw, &m) != nil {
		return badTokenizer("it has no model")
	}
	v.Model = m.Type
	switch m.Type {
	case wordPiece:
		v.Inner, v.MaxChars = or(m.Inner, "##"), min(max(or(m.MaxChars, 100), 0), maxTokenBytes)
		return v.wordPieces(m.Vocab, m.Unknown)
	case unigram:
		v.Bytes = m.Bytes
		return v.unigrams(m.Vocab, or(m.ID, -1))
	}
	return badTokenizer("the model %.40q is not supported: want WordPiece or Unigram", m.Type)
}

func (v *vocabulary) wordPieces(raw json.RawMessage, unknown string) error {
	var vocab map[string]int
	if json.Unmarshal(raw, &vocab) != nil {
		return badTokenizer("its vocabulary is no list of tokens with numbers")
	}
	for text, id := range vocab {
		v.tokens = append(v.tokens, token{text: text, id: id, unknown: text == unknown})
	}
	return nil
}

func (v *vocabulary) unigrams(raw json.RawMessage, unknown int) error {
	var vocab []json.RawMessage
	if json.Unmarshal(raw, &vocab) != nil {
		return badTokenizer("its vocabulary is no list of tokens with scores")
	}
	least := 0.0
	for i, entry := range vocab {
		t := token{id: i, unknown: i == unknown}
		if json.Unmarshal(entry, &[]any{&t.text, &t.score}) != nil {
			return badTokenizer("entry %d of its vocabulary is no token with a score", i)
		}
		least = min(least, t.score)
		v.tokens = append(v.tokens, t)
	}
	v.UnknownScore = least - unknownPenalty
	return nil
}
