package embed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"orihon/embed"
	"orihon/memory"
)

var _ memory.Embedder = (*embed.Latent)(nil)

func docs(list []embed.Doc) iter.Seq2[embed.Doc, error] {
	return func(yield func(embed.Doc, error) bool) {
		for _, d := range list {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func train(t testing.TB, list []embed.Doc, o *embed.TrainOptions) *embed.Latent {
	t.Helper()
	m, err := embed.Train(t.Context(), docs(list), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// small keeps tests quick.
var small = &embed.TrainOptions{Dim: 16}

// talk is passages about a few matters, each in words that belong together.
// The first two words of a matter never stand in one passage: only their
// company makes them alike.
func talk(n int) []embed.Doc {
	matters := [...][]string{
		{"physician", "doctor", "patient", "clinic", "medicine", "fever"},
		{"vessel", "ship", "harbour", "captain", "anchor", "sail"},
		{"醫生", "大夫", "病人", "診所", "藥物", "發燒"},
		{"輪船", "貨輪", "港口", "船長", "碼頭", "航行"},
		{"gardener", "horticulturist", "roses", "compost", "pruning", "greenhouse"},
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var out []embed.Doc
	for i := range n {
		m := matters[i%len(matters)]
		words := append([]string{m[i/len(matters)%2]}, m[2:]...)
		rng.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		sep := " "
		if m[0] > "~" {
			sep = "，"
		}
		out = append(out, embed.Doc{ID: fmt.Sprintf("d%03d", i), Text: strings.Join(words[:4], sep)})
	}
	return out
}

func save(t testing.TB, m *embed.Latent) (path string, data []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "model.lsa")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

func latentVectors(t testing.TB, m *embed.Latent, texts ...string) [][]float32 {
	t.Helper()
	v, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTrainingDependsOnThePassagesAlone(t *testing.T) {
	list := talk(300)
	for i := range list {
		if i%3 == 0 {
			list[i].Thread, list[i].Pos = fmt.Sprintf("s%d", i%4), i/5
		}
	}
	for name, o := range map[string]*embed.TrainOptions{"all": small, "a sample": {Dim: 16, Sample: 120}} {
		t.Run(name, func(t *testing.T) {
			_, want := save(t, train(t, list, o))
			if _, got := save(t, train(t, list, o)); !bytes.Equal(got, want) {
				t.Fatal("a second training gives another file")
			}
			shuffled := slices.Clone(list)
			rand.New(rand.NewPCG(7, 7)).Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
			if _, got := save(t, train(t, shuffled, o)); !bytes.Equal(got, want) {
				t.Error("another order gives another file")
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			if _, got := save(t, train(t, list, o)); !bytes.Equal(got, want) {
				t.Error("a single processor gives another file")
			}
			changed := slices.Clone(list)
			for i := range changed {
				changed[i].Text += " lantern"
			}
			if train(t, changed, o).ID() == train(t, list, o).ID() {
				t.Error("other passages give the same ID")
			}
		})
	}
}

// matters is a dimension for each matter of talk: with more, the model would
// learn to tell the two words of one apart.
var matters = &embed.TrainOptions{Dim: 5}

// Vectors are kept in indexes: whoever changes what is learned must give models
// another version. Other machines may round logarithms differently.
func TestTheModelOfAVersionStaysTheSame(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the ID is that of amd64")
	}
	if got, want := train(t, talk(200), small).ID(), "builtin/lsa1/16/61a640e1"; got != want {
		t.Errorf("the model is %s, was %s: then it wants another version", got, want)
	}
}

func TestWordsInTheSameCompanyComeNear(t *testing.T) {
	m := train(t, talk(400), matters)
	for _, tt := range []struct{ text, near, far string }{
		{"doctor", "physician", "ship"},
		{"vessel", "ship", "gardener"},
		{"醫生", "大夫", "貨輪"},
		{"輪船", "貨輪", "大夫"},
		{"horticulturist", "gardener", "doctor"},
	} {
		v := latentVectors(t, m, tt.text, tt.near, tt.far)
		if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near < 0.8 || far > 0.3 {
			t.Errorf("%s: %s at %.2f, %s at %.2f", tt.text, tt.near, near, tt.far, far)
		}
		if hashed := vectors(t, embed.NewHash(0), tt.text, tt.near); cosine(hashed[0], hashed[1]) > 0.5 {
			t.Errorf("%s and %s are near by their letters: they prove nothing", tt.text, tt.near)
		}
	}
}

// What one turn of a conversation says, the next is about.
func TestTurnsLearnFromThoseNextToThem(t *testing.T) {
	var list []embed.Doc
	for i := range 120 {
		s := fmt.Sprintf("s%d", i)
		a, b := "shall we visit the lighthouse", "yes the beacon is lit"
		if i%2 == 0 {
			a, b = "where is the orchard", "behind the blossom fields"
		}
		list = append(list, embed.Doc{ID: s + "/1", Thread: s, Pos: 1, Text: a}, embed.Doc{ID: s + "/2", Thread: s, Pos: 2, Text: b})
	}
	apart := slices.Clone(list)
	for i := range apart {
		apart[i].Thread = ""
	}
	two := &embed.TrainOptions{Dim: 2}
	near := latentVectors(t, train(t, list, two), "lighthouse", "beacon", "blossom")
	if with, other := cosine(near[0], near[1]), cosine(near[0], near[2]); with < 0.5 || other > 0.2 {
		t.Errorf("in threads: beacon at %.2f, blossom at %.2f", with, other)
	}
	far := latentVectors(t, train(t, apart, two), "lighthouse", "beacon")
	if with, without := cosine(near[0], near[1]), cosine(far[0], far[1]); with < without+0.3 {
		t.Errorf("beacon at %.2f in threads, at %.2f without", with, without)
	}
}

func TestLatentVectorsHaveLengthOneOrNone(t *testing.T) {
	m := train(t, talk(200), small)
	texts := []string{"the doctor of the clinic", "醫生", "医生", "輪船 harbour " + strings.Repeat("anchor ", 5000), "", "…!?", "\xff"}
	for i, v := range latentVectors(t, m, texts...) {
		n := math.Sqrt(cosine(v, v))
		if want := map[bool]float64{true: 1, false: 0}[i < 4]; math.Abs(n-want) > 1e-5 || len(v) != 16 {
			t.Errorf("%.20q: length %g in %d dimensions, want %g in 16", texts[i], n, len(v), want)
		}
	}
}

func TestTraditionalAndSimplifiedTextHaveTheSameLatentVector(t *testing.T) {
	m := train(t, talk(200), small)
	v := latentVectors(t, m, "醫生在診所，病人發燒", "医生在诊所，病人发烧")
	if !slices.Equal(v[0], v[1]) {
		t.Errorf("they are %.3f apart", 1-cosine(v[0], v[1]))
	}
}

func TestUnseenWordsCountByTheirLetters(t *testing.T) {
	m := train(t, talk(400), matters)
	v := latentVectors(t, m, "horticulturists", "gardener", "captain", "greenhouze")
	if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near < far+0.3 {
		t.Errorf("gardener at %.2f, captain at %.2f", near, far)
	}
	if c := cosine(v[3], v[1]); c < 0.5 {
		t.Errorf("a misspelt word is at %.2f of its company", c)
	}
}

func TestTrainingOnLittleOrNothingWorks(t *testing.T) {
	same := make([]embed.Doc, 300)
	for i := range same {
		same[i] = embed.Doc{ID: fmt.Sprint(i), Text: "the same words in each"}
	}
	for name, list := range map[string][]embed.Doc{
		"nothing": nil, "one": {{ID: "a", Text: "alone here"}}, "no words": {{ID: "a", Text: "…"}, {ID: "b"}}, "the same": same,
	} {
		t.Run(name, func(t *testing.T) {
			path, _ := save(t, train(t, list, nil))
			m, err := embed.OpenLatent(path)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			for _, v := range latentVectors(t, m, "alone words", "else") {
				if len(v) != embed.LatentDim || slices.ContainsFunc(v, func(x float32) bool { return x != x }) {
					t.Errorf("vector %v", v)
				}
			}
		})
	}
}

func TestTrainingEndsWithItsContextAndItsPassages(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embed.Train(ctx, docs(talk(10)), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it cancelled", err)
	}
	broken := errors.New("broken")
	_, err := embed.Train(t.Context(), func(yield func(embed.Doc, error) bool) { yield(embed.Doc{}, broken) }, nil)
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the passages", err)
	}
}

func TestASavedModelGivesTheSameVectors(t *testing.T) {
	m := train(t, talk(300), small)
	path, _ := save(t, m)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want it private", info.Mode(), err)
	}
	opened, err := embed.OpenLatent(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if sample, total := opened.Passages(); sample != 300 || total != 300 || opened.ID() != m.ID() || opened.Dim() != 16 {
		t.Errorf("opened %s of %d and %d passages, saved %s", opened.ID(), sample, total, m.ID())
	}
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = talk(40)[i].Text
	}
	want := latentVectors(t, m, texts...)
	for i, text := range texts { // row by row, from the file
		if got := latentVectors(t, opened, text); !slices.Equal(got[0], want[i]) {
			t.Fatalf("%q has another vector", text)
		}
	}
	if got := latentVectors(t, opened, texts...); !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("many at once have other vectors")
	}
}

func TestADamagedModelIsAClearError(t *testing.T) {
	m := train(t, talk(100), small)
	_, data := save(t, m)
	text := talk(1)[0].Text
	damaged := func(name string, data []byte) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "model.lsa")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := embed.OpenLatent(path)
		if err == nil {
			defer m.Close()
			err = m.Check()
			if _, eerr := m.Embed(t.Context(), []string{text}); err == nil && eerr != nil {
				t.Errorf("%s: embedding fails (%v), and the check finds nothing", name, eerr)
			}
		}
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want it invalid and the file named", name, err)
		}
	}
	for _, at := range []int{0, 1, 7, 8, 40, 71, 72, 73, 1000, len(data) / 2, len(data) - 1} {
		damaged(fmt.Sprintf("cut at %d", at), data[:at])
		flipped := slices.Clone(data)
		flipped[at] ^= 0x10
		damaged(fmt.Sprintf("bit flipped at %d", at), flipped)
	}
	damaged("too long", append(slices.Clone(data), 0))

	_, err := embed.OpenLatent(filepath.Join(t.TempDir(), "none.lsa"))
	if !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a missing file: %v", err)
	}
}

// Of a damaged file that is not read whole, no row that is used is wrong.
func TestADamagedRowIsNotUsed(t *testing.T) {
	path, data := save(t, train(t, talk(100), small))
	for i := 80; i < len(data); i += 24 { // a row has 24 bytes
		data[i] ^= 4
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := embed.OpenLatent(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if v, err := m.Embed(t.Context(), []string{"doctor"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("%v, %v; want the damage", v, err)
	}
}

func FuzzOpenLatent(f *testing.F) {
	m, err := embed.Train(context.Background(), docs(talk(20)), &embed.TrainOptions{Dim: 2})
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "model.lsa")
	if err := m.Save(path); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:72], 0, byte(0))
	f.Add(data, 8, byte(1))
	f.Add(data, 12, byte(7))
	f.Add([]byte("orihlsa\x02"), 0, byte(0))
	f.Fuzz(func(t *testing.T, data []byte, at int, with byte) {
		data = bytes.Clone(data)
		if at >= 0 && at < len(data) {
			data[at] ^= with
		}
		path := filepath.Join(t.TempDir(), "model.lsa")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := embed.OpenLatent(path)
		if err != nil {
			return
		}
		defer m.Close()
		v, err := m.Embed(t.Context(), []string{"doctor 醫生"})
		if err == nil && len(v[0]) != m.Dim() {
			t.Fatalf("%d dimensions, want %d", len(v[0]), m.Dim())
		}
		if m.Check() == nil && err != nil {
			t.Fatalf("a sound model fails: %v", err)
		}
	})
}

func BenchmarkPromptFromFile(b *testing.B) {
	path, _ := save(b, train(b, talk(3000), nil))
	const prompt = "How do we deploy the billing service to staging, and who has to approve the migration before the clinic opens? 部署之前誰要批准？"
	b.ReportAllocs()
	for b.Loop() {
		m, err := embed.OpenLatent(path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := m.Embed(b.Context(), []string{prompt}); err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
