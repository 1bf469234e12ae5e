package embed_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/embed"
	"orihon/memory"
)

func TestAddedModelIsFoundOpenedAndRemoved(t *testing.T) {
	models := filepath.Join(t.TempDir(), "home", "models")
	source := writeModel(t, filepath.Join(t.TempDir(), "tiny"), bert, map[string]array{"embeddings": bertTensors("F32")})
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	m, err := embed.AddModel(t.Context(), models, source, &embed.AddOptions{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(bert))
	want := embed.Model{
		Name: "tiny", Tokenizer: "WordPiece", Tokens: 14, Vectors: 14, Dimensions: 3, Numbers: "F16",
		Source: source, Added: now, Bytes: m.Bytes, SHA256: map[string]string{"tokenizer.json": hex.EncodeToString(sum[:]), "model.safetensors": m.SHA256["model.safetensors"]},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	listed, err := embed.Models(models)
	if err != nil || len(listed) != 1 || !cmp.Equal(listed[0], m) {
		t.Errorf("listed %v, %v", listed, err)
	}
	if found, err := embed.FindModel(models, "tiny"); err != nil || !cmp.Equal(found, m) {
		t.Errorf("found %v, %v", found, err)
	}
	e, err := embed.Open(&embed.Config{Provider: "static", Model: "tiny", Models: models})
	if err != nil {
		t.Fatal(err)
	}
	if id := e.ID(); !strings.HasPrefix(id, "static/tiny/3/") {
		t.Errorf("ID %s", id)
	}
	v, err := embed.Query(t.Context(), e, "hello world")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "from the file", v, math.Sqrt2/2, math.Sqrt2/2, 0)
	if err := embed.Close(e); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(models, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := embed.AddModel(t.Context(), models, source, nil); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("added again: %v", err)
	}
	if err := embed.RemoveModel(models, "tiny"); err != nil {
		t.Error(err)
	}
	if err := embed.RemoveModel(models, "tiny"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
	if _, err := embed.Open(&embed.Config{Provider: "static", Model: "tiny", Models: models}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("opened: %v", err)
	}
}

func TestTheSameSourceCompilesToTheSameBytes(t *testing.T) {
	tensors := safetensors(map[string]array{"embeddings": bertTensors("F32")})
	first, err := embed.Compile([]byte(bert), tensors)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if again, err := embed.Compile([]byte(bert), tensors); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("another file, %v", err)
		}
	}
}

func TestAModelThatCannotBeAddedLeavesNothing(t *testing.T) {
	good := map[string]array{"embeddings": bertTensors("F32")}
	useless := strings.NewReplacer(`"a": 12`, `"q": 12`, `"d": 11`, `"z": 11`, `"deploy": 4`, `"zz": 4`, `"部": 7`, `"東": 7`, `"署": 8`, `"京": 8`).Replace(bert)
	for _, tt := range []struct {
		name, source, as string
		want             error
		text             string
	}{
		{"no folder", filepath.Join(t.TempDir(), "none"), "", memory.ErrNotFound, "want a folder with tokenizer.json and model.safetensors"},
		{"no words that anybody uses", writeModel(t, filepath.Join(t.TempDir(), "m"), useless, good), "", memory.ErrInvalid, "it knows no word of"},
		{"a name that leads out", writeModel(t, filepath.Join(t.TempDir(), "m"), bert, good), "../x", memory.ErrInvalid, "--name"},
		{"a hidden name", writeModel(t, filepath.Join(t.TempDir(), "m"), bert, good), ".x", memory.ErrInvalid, "--name"},
		{"a tokenizer of another kind", writeModel(t, filepath.Join(t.TempDir(), "m"), `{"model":{"type":"BPE"}}`, good), "", memory.ErrInvalid, `"BPE"`},
		{"no vectors", writeModel(t, filepath.Join(t.TempDir(), "m"), bert, nil), "", memory.ErrInvalid, "embeddings"},
		{"http from afar", "http://models.example.com/tiny", "", memory.ErrRefused, "write https"},
		{"an address with a query", "https://example.com/tiny?token=1", "", memory.ErrInvalid, "want that of a folder"},
	} {
		models := filepath.Join(t.TempDir(), "models")
		_, err := embed.AddModel(t.Context(), models, tt.source, &embed.AddOptions{Name: tt.as})
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if left, _ := os.ReadDir(models); len(left) > 0 {
			t.Errorf("%s left %v", tt.name, left)
		}
	}
}

func TestModelIsDownloadedFromAFolderOfTheWeb(t *testing.T) {
	dir := t.TempDir()
	writeModel(t, filepath.Join(dir, "ann", "tiny", "resolve", "main"), bert, map[string]array{"embeddings": bertTensors("F16")})
	if err := os.Remove(filepath.Join(dir, "ann", "tiny", "resolve", "main", "config.json")); err != nil { // may be missing
		t.Fatal(err)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer s.Close()
	models := t.TempDir()
	told := map[string]bool{}
	m, err := embed.AddModel(t.Context(), models, s.URL+"/ann/tiny/resolve/main/", &embed.AddOptions{Progress: func(what string, done, total int64) { told[what] = done == total }})
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "tiny" || m.Dimensions != 3 {
		t.Errorf("added %+v", m)
	}
	want := map[string]bool{"downloading tokenizer.json": true, "downloading model.safetensors": true, "reading model.safetensors": true, "compiling vectors": true}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	if _, err := embed.AddModel(t.Context(), models, s.URL+"/nobody/none", nil); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embed.AddModel(ctx, models, s.URL+"/ann/tiny/resolve/main", &embed.AddOptions{Name: "again"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, _ := os.ReadDir(models); len(left) != 1 {
		t.Errorf("there are %v", left)
	}
}

func TestDamagedModelsAreNamed(t *testing.T) {
	models := t.TempDir()
	source := writeModel(t, filepath.Join(t.TempDir(), "tiny"), bert, map[string]array{"embeddings": bertTensors("F32")})
	if _, err := embed.AddModel(t.Context(), models, source, nil); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(models, "tiny", "table.bin")
	whole, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(table, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := embed.OpenStatic(models, "tiny"); !errors.Is(err, memory.ErrInvalid) {
			t.Fatalf("cut at %d of %d: %v, %v", n, len(whole), s, err)
		}
	}
	flipped := slices.Clone(whole)
	flipped[17] ^= 1
	if err := os.WriteFile(table, flipped, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := embed.OpenStatic(models, "tiny"); err == nil || err.Error() != "model tiny: invalid compiled model: its header is damaged: add it again" {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"", "..", "a/b", "none"} {
		if _, err := embed.OpenStatic(models, name); err == nil {
			t.Errorf("%q was opened", name)
		}
	}
}

// large writes the source of a model as large as English ones are: 30,000
// tokens of 256 dimensions.
func large(tb testing.TB, dir string) string {
	random := rand.New(rand.NewPCG(1, 2))
	var vocab strings.Builder
	vocab.WriteString(`{"[UNK]":0`)
	for i := 1; i < 30000; i++ {
		vocab.WriteString(`,"` + word(i) + `":` + strconv.Itoa(i))
	}
	vocab.WriteString("}")
	rows := make([]float32, 30000*256)
	for i := range rows {
		rows[i] = random.Float32() - 0.5
	}
	tokenizer := `{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":` + vocab.String() + `}}`
	return writeModel(tb, dir, tokenizer, map[string]array{"embeddings": floats([]int{30000, 256}, rows...)})
}

// word is one of 30,000 words; every third goes on within a word.
func word(i int) string {
	if i == 1 {
		return "the"
	}
	w := strconv.FormatInt(int64(i)*7919, 26)
	w = strings.Map(func(r rune) rune { return 'a' + (r-'0'+26)%26 }, w)
	if i%3 == 0 {
		return "##" + w + strconv.Itoa(i)
	}
	return w + strconv.Itoa(i)
}

func prompt(words int) string {
	var b strings.Builder
	for i := range words {
		b.WriteString(strings.TrimPrefix(word(1+(i*3001)%29000), "##") + " ")
	}
	return b.String()
}

// What a hook pays: opening the model and embedding one prompt.
func BenchmarkStaticOpenAndEmbed(b *testing.B) {
	models := b.TempDir()
	if _, err := embed.AddModel(b.Context(), models, large(b, filepath.Join(b.TempDir(), "large")), nil); err != nil {
		b.Fatal(err)
	}
	text := []string{prompt(57)}
	for b.Loop() {
		s, err := embed.OpenStatic(models, "large")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Embed(b.Context(), text); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkStaticEmbed(b *testing.B) {
	models := b.TempDir()
	if _, err := embed.AddModel(b.Context(), models, large(b, filepath.Join(b.TempDir(), "large")), nil); err != nil {
		b.Fatal(err)
	}
	s, err := embed.OpenStatic(models, "large")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	text := []string{prompt(57)}
	for b.Loop() {
		if _, err := s.Embed(b.Context(), text); err != nil {
			b.Fatal(err)
		}
	}
}
