package embed

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"orihon/memory"
)

// maxTensorHeader bounds the header of a safetensors file, as the format's own
// library does.
const maxTensorHeader = 100 << 20

// tensor is one array of a safetensors file.
type tensor struct {
	kind  string // F32, F16, BF16, I8, …
	shape []int64
	begin int64 // in the file
	size  int64 // in bytes
}

// tensorFile is an open safetensors file: eight bytes with the length of a
// header in JSON, the header, then the arrays one after the other.
type tensorFile struct {
	r       io.ReaderAt
	tensors map[string]tensor
}

// kindSize is the size of one element, 0 for kinds that nothing here reads.
var kindSize = map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I8": 1}

// openTensors reads the header of a file of the given size and checks that
// every array lies within it, is as long as its shape says and shares no byte
// with another.
func openTensors(r io.ReaderAt, size int64) (*tensorFile, error) {
	var length [8]byte
	if _, err := r.ReadAt(length[:], 0); err != nil {
		return nil, badTensors("it has no header")
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxTensorHeader || int64(n) > size-8 {
		return nil, badTensors("its header would be %d bytes long", n)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, 8); err != nil {
		return nil, badTensors("its header cannot be read: %v", err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, badTensors("its header is no JSON")
	}
	f := &tensorFile{r: r, tensors: make(map[string]tensor)}
	data := 8 + int64(n)
	for name, text := range raw {
		if name == "__metadata__" {
			continue
		}
		t, err := parseTensor(text, size-data)
		if err != nil {
			return nil, badTensors("tensor %.60q %v", name, err)
		}
		t.begin += data
		f.tensors[name] = t
	}
	return f, f.apart()
}

func badTensors(format string, args ...any) error {
	return fmt.Errorf("%w safetensors file: %s", memory.ErrInvalid, fmt.Sprintf(format, args...))
}

// parseTensor reads one entry of the header; room is how many bytes follow it.
func parseTensor(text []byte, room int64) (tensor, error) {
	var e struct {
		Kind    string  `json:"dtype"`
		Shape   []int64 `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	if json.Unmarshal(text, &e) != nil || len(e.Offsets) != 2 {
		return tensor{}, fmt.Errorf("is not described as one")
	}
	t := tensor{kind: e.Kind, shape: e.Shape, begin: e.Offsets[0], size: e.Offsets[1] - e.Offsets[0]}
	if t.begin < 0 || t.size < 0 || e.Offsets[1] > room {
		return t, fmt.Errorf("lies outside the file")
	}
	want := kindSize[t.kind]
	if want == 0 {
		return t, nil // refused when it is asked for
	}
	for _, d := range t.shape {
		if d < 0 || d > 0 && want > math.MaxInt64/d {
			return t, fmt.Errorf("has the shape %v", t.shape)
		}
		want *= d
	}
	if want != t.size {
		return t, fmt.Errorf("has %d bytes where its shape %v wants %d", t.size, t.shape, want)
	}
	return t, nil
}

func (f *tensorFile) apart() error {
	type span struct{ from, to int64 }
	var spans []span
	for _, t := range f.tensors {
		if t.size > 0 {
			spans = append(spans, span{t.begin, t.begin + t.size})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return badTensors("two of its tensors overlap")
		}
	}
	return nil
}

// read gives the bytes of a tensor from element from to element to.
func (f *tensorFile) read(t tensor, from, to int64) ([]byte, error) {
	n := kindSize[t.kind]
	buf := make([]byte, (to-from)*n)
	if _, err := f.r.ReadAt(buf, t.begin+from*n); err != nil {
		return nil, badTensors("it ends early: %v", err)
	}
	return buf, nil
}

// vector reads a tensor of one dimension as numbers.
func (f *tensorFile) vector(name string, t tensor) ([]float64, error) {
	size := kindSize[t.kind]
	if len(t.shape) != 1 || size == 0 {
		return nil, badTensors("tensor %q has the shape %v of %s, want one row of numbers", name, t.shape, t.kind)
	}
	data, err := f.read(t, 0, t.shape[0])
	if err != nil {
		return nil, err
	}
	out := make([]float64, t.shape[0])
	for i := range out {
		out[i] = element(data[int64(i)*size:], t.kind)
	}
	return out, nil
}

// element reads the first number in data.
func element(data []byte, kind string) float64 {
	le := binary.LittleEndian
	switch kind {
	case "F64":
		return math.Float64frombits(le.Uint64(data))
	case "I64":
		return float64(int64(le.Uint64(data)))
	case "I32":
		return float64(int32(le.Uint32(data)))
	case "I8":
		return float64(int8(data[0]))
	case "F16":
		return float64(halfToFloat(le.Uint16(data)))
	case "BF16":
		return float64(math.Float32frombits(uint32(le.Uint16(data)) << 16))
	}
	return float64(math.Float32frombits(le.Uint32(data)))
}

// halfToFloat converts IEEE 754 binary16.
func halfToFloat(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exp {
	case 0: // zero and subnormal: frac · 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(frac)/(1<<24)))
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// floatToHalf rounds to the nearest binary16, ties to even; what is too large
// becomes infinite.
func floatToHalf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	abs := math.Float32frombits(bits &^ (1 << 31))
	switch {
	case abs != abs:
		return sign | 0x7e00
	case abs >= 65520:
		return sign | 0x7c00
	case abs < 1.0/(1<<14): // subnormal
		return sign | uint16(math.RoundToEven(float64(abs)*(1<<24)))
	}
	b := math.Float32bits(abs)
	rounded := b + 0xfff + b>>13&1
	return sign | uint16((rounded-(127-15)<<23)>>13)
}
