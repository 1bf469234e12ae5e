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
	starts     string // where the hashes of each first byte begin, 4 bytes each, and where all end
	hashes     string // sorted, 3 bytes each behind the first
	weights    string // a signed byte each, in steps
}

// A model's file, little-endian, numbers of 32 bits: magic; the bias; what each dimension of
// meaning says; the size of a step; of the hashes of the features, sorted, how many begin with
// a lower byte than each of 0 to 256; then the other three bytes of each, the highest first,
// and behind all of them their weights, a signed byte each.
const (
	magic  = 0x3250414f // "OAP2"
	starts = 257
	head   = 4 * (1 + 1 + reader.Dimensions + 1 + starts)
	rest   = 3 // bytes of a hash behind the first
	steps  = 127
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
	if len(data) < head || (len(data)-head)%(rest+1) != 0 || binary.LittleEndian.Uint32([]byte(data)) != magic {
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
	m.starts, data = data[:4*starts], data[4*starts:]
	n := len(data) / (rest + 1)
	m.hashes, m.weights = data[:rest*n], data[rest*n:]
	for i := range starts {
		if to := int(number(m.starts[4*i:])); to > n || i > 0 && to < int(number(m.starts[4*i-4:])) {
			return &Model{bias: -100}
		}
	}
	return m
}

// weight is what a feature says, in steps.
func (m *Model) weight(hash uint32) int8 {
	if m.starts == "" {
		return 0
	}
	first := int(hash >> 24)
	from, to := int(number(m.starts[4*first:])), int(number(m.starts[4*first+4:]))
	own := string([]byte{byte(hash >> 16), byte(hash >> 8), byte(hash)})
	i := from + sort.Search(to-from, func(i int) bool { return m.hashes[rest*(from+i):rest*(from+i+1)] >= own })
	if i == to || m.hashes[rest*i:rest*(i+1)] != own {
		return 0
	}
	return int8(m.weights[i])
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
		sum += m.step * float64(m.weight(h))
	}
	for d, x := range f.Meaning {
		sum += float64(x) * m.meaning[d]
	}
	return sum
}

// Pack writes weights in the form of a model's file; features of at most three steps, which
// say next to nothing and are half of one for requests to forget, are left out.
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
	var hashes, weights []byte
	begin := make([]uint32, starts)
	for _, h := range slices.Sorted(maps.Keys(w.Features)) {
		const faint = 3 // steps
		if n := int8(math.Round(w.Features[h] / max(step, math.SmallestNonzeroFloat32))); n < -faint || n > faint {
			hashes, weights = append(hashes, byte(h>>16), byte(h>>8), byte(h)), append(weights, byte(n))
			begin[h>>24+1]++
		}
	}
	for i, n := range begin {
		if i > 0 {
			begin[i] = begin[i-1] + n
		}
		out = binary.LittleEndian.AppendUint32(out, begin[i])
	}
	return slices.Concat(out, hashes, weights)
}
