package eval

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"orihon/internal/redact"
)

//go:embed secrets/kinds.txt
var secretKinds string

//go:embed secrets/lookalikes.txt
var secretLookAlikes string

// Written by somebody who saw neither the redactor nor its lists, and scored
// once: nothing may be tuned on them.
//
//go:embed secrets/lookalikes-blind.txt
var blindLookAlikes string

// SecretKind is a kind of secret: how it is written, with values that are made
// up for each use.
type SecretKind struct {
	Class, Name string
	text        string
	alone       bool // the text is the secret
}

// SecretKinds are the kinds that are tried, from a list of facts about how
// secrets look that the redactor does not read.
func SecretKinds() ([]SecretKind, error) {
	var out []SecretKind
	for n, line := range lines(secretKinds) {
		if line[0] == '#' {
			continue
		}
		class, rest, _ := strings.Cut(line, " ")
		name, text, ok := strings.Cut(rest, " ")
		if !ok {
			return nil, fmt.Errorf("secrets/kinds.txt:%d: want class, name and text", n)
		}
		k := SecretKind{Class: class, Name: name, text: text, alone: !strings.Contains(text, "«")}
		if k.alone {
			k.text = "«" + text + "»"
		}
		out = append(out, k)
	}
	return out, nil
}

// lines yields the lines of a list with their numbers, without empty ones.
func lines(list string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(list) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if line == "" {
				continue
			}
			if !yield(n, line) {
				return
			}
		}
	}
}

// planted is a kind with its values.
type planted struct {
	kind    *SecretKind
	text    string
	bare    string   // the secret, when it can stand in a name
	needles []string // none of which may stay
}

// around is what stands around a secret that is known by itself.
var around = [...]string{
	"I ran it with %s and it worked", "用 %s 呼叫就好", "SERVICE_VALUE=%s", `"value": "%s"`, "%s", "(see %s)", "export X='%s'",
}

// plant makes up values for a kind; the same source gives the same.
func (k *SecretKind) plant(r *rand.Rand) planted {
	p := planted{kind: k}
	marked := fill(k.text, r)
	marked = strings.ReplaceAll(marked, `\n`, "\n")
	if k.alone {
		marked = fmt.Sprintf(strings.ReplaceAll(around[r.IntN(len(around))], "%s", "%[1]s"), marked)
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(marked, "«")
		b.WriteString(before)
		if !ok {
			break
		}
		secret, after, _ := strings.Cut(rest, "»")
		b.WriteString(secret)
		p.needles = append(p.needles, pieces(secret)...)
		if k.alone && !strings.ContainsAny(secret, " \n/\\") && len(secret) <= 200 {
			p.bare = secret
		}
		marked = after
	}
	p.text = b.String()
	return p
}

// pieces are what of a secret may not stay: the whole of a short one, and the
// halves of a long one, so that half a key counts as kept. Lines of a key are
// secrets of their own, its first and last are none.
func pieces(secret string) []string {
	if strings.Contains(secret, "-----") {
		var out []string
		for _, line := range strings.FieldsFunc(strings.ReplaceAll(secret, "\\n", "\n"), func(r rune) bool { return r == '\n' }) {
			if !strings.Contains(line, "-----") {
				out = append(out, line)
			}
		}
		return out
	}
	const long = 20
	if len(secret) < long {
		return []string{secret}
	}
	half := len(secret) / 2
	return []string{secret[half-2:], secret[:half+2]}
}

// fill puts values where a text names them.
func fill(text string, r *rand.Rand) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "⟨")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "⟩")
		b.WriteString(value(name, r))
		text = after
	}
}

const (
	smallLetters = "abcdefghijklmnopqrstuvwxyz"
	bigLetters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	allDigits    = "0123456789"
)

// value makes up what a name in a text of the lists stands for.
func value(name string, r *rand.Rand) string {
	switch name {
	case "password":
		return title(word(r)) + draw("!#_+", 1, r) + draw(allDigits, 2+r.IntN(3), r)
	case "signs":
		return title(word(r)) + draw(allDigits, 1, r) + draw(";&,|)]", 1, r) + word(r) + draw(allDigits, 1, r)
	case "word":
		return word(r) + word(r)
	case "uuid":
		return strings.Join([]string{value("x8", r), value("x4", r), "4" + value("x3", r), "a" + value("x3", r), value("x12", r)}, "-")
	case "pem", "pemjson":
		text := pemText(r)
		if name == "pemjson" {
			text = strings.ReplaceAll(text, "\n", `\\n`)
		}
		return text
	case "pem64":
		return base64.StdEncoding.EncodeToString([]byte(pemText(r)))
	case "cert64":
		return base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(pemText(r), "PRIVATE KEY", "CERTIFICATE")))
	case "pair64":
		return base64.StdEncoding.EncodeToString([]byte(word(r) + ":" + value("password", r)))
	case "value64":
		return base64.StdEncoding.EncodeToString([]byte(value("password", r) + word(r)))
	case "jwt":
		part := func(v map[string]any) string {
			raw, _ := json.Marshal(v) // plain values always encode
			return base64.RawURLEncoding.EncodeToString(raw)
		}
		return part(map[string]any{"alg": "HS256", "typ": "JWT"}) + "." + part(map[string]any{"sub": value("d10", r)}) + "." + value("u43", r)
	case "seed":
		list, words := strings.Fields(seedWords), make([]string, 12)
		for i := range words {
			words[i] = list[r.IntN(len(list))]
		}
		return strings.Join(words, " ")
	}
	set := strings.TrimRight(name, allDigits)
	n, err := strconv.Atoi(name[len(set):])
	if err != nil {
		return "⟨" + name + "⟩"
	}
	if set == "u" {
		// A sign at an end would be taken for the sentence's.
		return draw(smallLetters, 1, r) + draw(smallLetters+bigLetters+allDigits+"_-", n-2, r) + draw(allDigits, 1, r)
	}
	if letters := letterSets[set]; letters != "" {
		return draw(letters, n, r)
	}
	return "⟨" + name + "⟩"
}

// letterSets are what the letters of a value are drawn from, by the name of it.
var letterSets = map[string]string{
	"x": "0123456789abcdef", "d": allDigits[1:], "l": smallLetters + allDigits, "U": bigLetters + allDigits[2:8],
	"c": smallLetters + bigLetters, "a": smallLetters + bigLetters + allDigits, "b": smallLetters + bigLetters + allDigits + "+/",
	"age": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

// draw takes n letters of a set, among which a digit is sure where it has any:
// what is drawn so long seldom lacks one.
func draw(set string, n int, r *rand.Rand) string {
	b := make([]byte, max(n, 0))
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	if n >= 12 && strings.ContainsAny(set, allDigits) && !strings.ContainsAny(string(b), allDigits) {
		b[n/2] = '7'
	}
	return string(b)
}

// word is a word that nobody ever wrote.
func word(r *rand.Rand) string {
	var b strings.Builder
	for range 2 {
		b.WriteString(draw("bdfgklmnprstvz", 1, r) + draw("aeiou", 1, r) + draw("lmnrkt", 1, r))
	}
	return b.String()
}

func pemText(r *rand.Rand) string {
	kind := [...]string{"RSA ", "EC ", "OPENSSH ", ""}[r.IntN(4)]
	label := kind + "PRIVATE" + " KEY"
	return "-----BEGIN " + label + "-----\n" + value("b64", r) + "\n" + value("b64", r) + "\n" + value("b30", r) + "==\n-----END " + label + "-----"
}

// seedWords are some words as phrases for wallets use them.
const seedWords = "anchor barrel candle desert eagle fabric garden hammer island jungle kitchen ladder marble napkin orchard pepper quarter ribbon saddle tunnel umbrella velvet walnut yellow zebra"

// LookAlikes are texts about secrets, and texts that look like them, that hold
// none, with values made up by a source.
func LookAlikes(seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 2))
	var out []string
	for _, line := range lines(secretLookAlikes) {
		out = append(out, strings.ReplaceAll(fill(line, r), `\n`, "\n"))
	}
	return out
}

// BlindLookAlikes are such texts by somebody who never saw the redactor.
func BlindLookAlikes() []string {
	return strings.Split(strings.TrimSpace(blindLookAlikes), "\n")
}

// Altered are the look-alikes that the redactor changes, each with what it
// made of it.
func Altered(texts []string) (altered [][2]string) {
	for _, s := range texts {
		if clean, _ := redact.Text(s); clean != s {
			altered = append(altered, [2]string{s, clean})
		}
	}
	return altered
}

func title(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
