// Package asks judges what a prompt asks of memory: how likely it asks for something that
// was said, found out, decided or done in earlier sessions ("which of the two tickets did
// we drop?", "why do the id checks live in a package of their own?", 当初为什么), how
// likely it needs anything that only the people of a project know ("which box do the
// nightly jobs run on?" does, "explain what a mutex is" does not), and how likely it wants
// something taken out of memory ("drop the heap rule", 别再记小美的分机), and how likely it
// takes back what was said right before it ("oops, wrong window", 当我没说).
//
// Each is a linear model over what package reader says of each part of a prompt. The
// prompt asks when one of its parts does. The weights are in past.bin, memory.bin, forget.bin
// and back.bin, which go run ./internal/asks/train learns from train/data.
//
// Whether a text only asks, and so states and changes nothing, is told by its form: by the
// closed-class words of words.txt, see [Only].
//
// Start with [Past], [Memory], [Forget], [TakesBack] and [Only].
package asks

import (
	_ "embed"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"sort"
	"sync"

	"orihon/internal/reader"
)

// Weights are a model as it is learnt.
type Weights struct {
	Bias     float64
	Meaning  [reader.Dimensions]float64
	Features map[uint32]float64 // by their hashes, see [reader.Features]
}

// Model is one as it is read.
type Model struct {
	bias, step float64
	meaning    [reader.Dimensions]float64
	hashes     string // sorted, 4 bytes each
	weights    string // a signed byte each, in steps
}

// A model's file, little-endian, numbers of 32 bits: magic; the bias; what each dimension of
// meaning says; the size of a step; then the hashes of the features, sorted, and behind
// all of them their weights, a signed byte each.
const (
	magic = 0x3150414f // "OAP1"
	head  = 4 * (1 + 1 + reader.Dimensions + 1)
	steps = 127
)

//go:embed past.bin
var past string

//go:embed memory.bin
var needsMemory string

//go:embed forget.bin
var forget string

//go:embed back.bin
var back string

var (
	pastModel   = sync.OnceValue(func() *Model { return Open(past) })
	memoryModel = sync.OnceValue(func() *Model { return Open(needsMemory) })
	forgetModel = sync.OnceValue(func() *Model { return Open(forget) })
	backModel   = sync.OnceValue(func() *Model { return Open(back) })
)

// Past is how likely a prompt asks for what is in earlier sessions, 0..1.
func Past(p reader.Prompt) float64 { return pastModel().P(p) }

// Memory is how likely a prompt needs something that no code, command or textbook
// tells, 0..1.
func Memory(p reader.Prompt) float64 { return memoryModel().P(p) }

// Forget is how likely a prompt asks that something be taken out of memory, 0..1.
func Forget(p reader.Prompt) float64 { return forgetModel().P(p) }

// Forgets is the same of each part of a prompt.
func Forgets(p reader.Prompt) []float64 { return forgetModel().parts(p) }

// TakesBack is how likely a prompt takes back what was said right before it, 0..1.
func TakesBack(p reader.Prompt) float64 { return backModel().P(p) }

// Open reads a model in the form of its file; data of another form are one by which
// nothing asks.
func Open(data string) *Model {
	m := &Model{bias: -100}
	if len(data) < head || (len(data)-head)%5 != 0 || binary.LittleEndian.Uint32([]byte(data)) != magic {
		return m
	}
	float := func() float64 {
		data = data[4:]
		return float64(math.Float32frombits(number(data)))
	}
	m.bias = float()
	for d := range m.meaning {
		m.meaning[d] = float()
	}
	m.step = float()
	data = data[4:]
	n := len(data) / 5
	m.hashes, m.weights = data[:4*n], data[4*n:]
	return m
}

func number(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// P is how likely a prompt asks, as a model has it: one less the likelihood that no part
// of it does.
func (m *Model) P(p reader.Prompt) float64 {
	none := 1.0
	for _, likely := range m.parts(p) {
		none *= 1 - likely
	}
	return 1 - none
}

func (m *Model) parts(p reader.Prompt) []float64 {
	out := make([]float64, len(p.Features))
	for i := range p.Features {
		out[i] = Likely(m.score(&p.Features[i]))
	}
	return out
}

// Likely turns the sum of what was found into a likelihood.
func Likely(score float64) float64 { return 1 / (1 + math.Exp(-score)) }

func (m *Model) score(f *reader.Features) float64 {
	sum := m.bias
	for _, h := range f.Hashes {
		n := len(m.weights)
		i := sort.Search(n, func(i int) bool { return number(m.hashes[4*i:]) >= h })
		if i < n && number(m.hashes[4*i:]) == h {
			sum += m.step * float64(int8(m.weights[i]))
		}
	}
	for d, x := range f.Meaning {
		sum += float64(x) * m.meaning[d]
	}
	return sum
}

// Pack writes weights in the form of a model's file; features of at most a step, which
// say next to nothing and are a third of one for requests to forget, are left out.
func (w *Weights) Pack() []byte {
	float := func(out []byte, x float64) []byte {
		return binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
	}
	out := binary.LittleEndian.AppendUint32(nil, magic)
	out = float(out, w.Bias)
	for _, x := range w.Meaning {
		out = float(out, x)
	}
	step := 0.0
	for _, x := range w.Features {
		step = max(step, math.Abs(x)/steps)
	}
	out = float(out, step)
	var weights []byte
	for _, h := range slices.Sorted(maps.Keys(w.Features)) {
		if n := int8(math.Round(w.Features[h] / max(step, math.SmallestNonzeroFloat32))); n < -1 || n > 1 {
			out, weights = binary.LittleEndian.AppendUint32(out, h), append(weights, byte(n))
		}
	}
	return append(out, weights...)
}
