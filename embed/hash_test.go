package embed_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"orihon/embed"
	"orihon/internal/terms"
	"orihon/memory"
)

var _ memory.Embedder = (*embed.Hash)(nil)

func vectors(t *testing.T, h *embed.Hash, texts ...string) [][]float32 {
	t.Helper()
	v, err := h.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(v) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(v), len(texts))
	}
	return v
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestEqualTextsHaveEqualVectors(t *testing.T) {
	texts := []string{
		"We deploy with make ship, never with kubectl; deploy, deploy again",
		"部署前必須先執行 npm run build，否則舊的結構會出錯",
		"部署前必须先执行 npm run build，否则旧的结构会出错",
		strings.Repeat("many words in a long text 大量的文字 ", 200),
	}
	first := vectors(t, embed.NewHash(0), texts...)
	for range 20 {
		again := vectors(t, embed.NewHash(0), texts...)
		for i := range texts {
			if !slices.Equal(first[i], again[i]) {
				t.Fatalf("%.40q has another vector the second time", texts[i])
			}
		}
	}
	// The company of other texts changes nothing.
	if alone := vectors(t, embed.NewHash(0), texts[2]); !slices.Equal(alone[0], first[2]) {
		t.Error("a text has another vector when it is embedded alone")
	}
}

// Vectors are kept in indexes: whoever changes them must give them another ID.
func TestTheVectorsOfAnIDStayTheSame(t *testing.T) {
	h := embed.NewHash(8)
	if got := h.ID(); got != "builtin/hash1/8" {
		t.Fatalf("the ID is %s: then this test wants new vectors", got)
	}
	for _, tt := range []struct {
		text string
		want []float32
	}{
		{"deploy deploy with kubectl", []float32{-0.15463817, 0.15463817, 0.15463817, 0, -0.41646332, 0, -0.44182333, -0.7480719}},
		{"部署流程", []float32{-0.53910345, 0, -0.767814, 0, -0.11435528, 0, -0.32672936, 0}},
	} {
		got := vectors(t, h, tt.text)[0]
		for i := range got {
			if math.Abs(float64(got[i]-tt.want[i])) > 1e-6 {
				t.Fatalf("%q: %v, want %v", tt.text, got, tt.want)
			}
		}
	}
}

func TestVectorsHaveLengthOneAndTheGivenDimension(t *testing.T) {
	for _, dim := range []int{0, -3, 16, 256, 1000} {
		want := dim
		if dim <= 0 {
			want = embed.DefaultDim
		}
		for i, v := range vectors(t, embed.NewHash(dim), "deploy", "用 pnpm，不要 npm", strings.Repeat("tests run in parallel ", 5000)) {
			if len(v) != want {
				t.Errorf("dim %d, text %d: %d dimensions, want %d", dim, i, len(v), want)
			}
			if n := math.Sqrt(cosine(v, v)); math.Abs(n-1) > 1e-5 {
				t.Errorf("dim %d, text %d: length %g, want 1", dim, i, n)
			}
		}
	}
}

func TestATextWithoutTermsIsNearToNothing(t *testing.T) {
	for _, text := range []string{"", " \n\t", "…?!", "——", "\xff\xfe"} {
		v := vectors(t, embed.NewHash(0), text)[0]
		if len(v) != embed.DefaultDim || slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			t.Errorf("%q does not have the zero vector", text)
		}
	}
}

func TestWordsThatShareLettersAreNearerThanOthers(t *testing.T) {
	h := embed.NewHash(0)
	for _, tt := range []struct{ text, near, far string }{
		{"deployment", "deploymnet", "coffee machine"},
		{"the kubernetes cluster", "kubernets clusters", "lunch is at noon"},
		{"authentication", "autentication", "indentation"},
		{"postgresql", "postgres", "javascript"},
		{"部署流程", "部署的流程", "測試覆蓋率"},
		{"資料庫遷移", "数据库迁移脚本", "前端樣式"},
		{"deploy the service", "the service, deploy", "deploys of a servant"},
	} {
		v := vectors(t, h, tt.text, tt.near, tt.far)
		if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near < far+0.1 {
			t.Errorf("%q: %q is at %.2f, %q at %.2f", tt.text, tt.near, near, tt.far, far)
		}
	}
}

func TestTraditionalSimplifiedAndWideTextHaveTheSameVector(t *testing.T) {
	h := embed.NewHash(0)
	for _, tt := range [][2]string{
		{"部署前必須先執行資料遷移", "部署前必须先执行资料迁移"},
		{"測試覆蓋率", "测试覆盖率"},
		{"Use ＰＮＰＭ", "use pnpm"},
	} {
		v := vectors(t, h, tt[0], tt[1])
		if !slices.Equal(v[0], v[1]) {
			t.Errorf("%q and %q are %.3f apart", tt[0], tt[1], 1-cosine(v[0], v[1]))
		}
	}
}

func TestVectorIsEmbedWithTheTermsAtHand(t *testing.T) {
	h := embed.NewHash(64)
	const text = "Deploys go through make ship；部署用 make"
	if !slices.Equal(h.Vector(terms.Index(text)), vectors(t, h, text)[0]) {
		t.Error("the vectors differ")
	}
}

func TestAnEndedContextEndsEmbedding(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := embed.NewHash(0).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("got %d vectors, %v; want none and context.Canceled", len(v), err)
	}
}

func TestTheIDNamesTheDimension(t *testing.T) {
	for dim, want := range map[int]string{0: "builtin/hash1/128", -1: "builtin/hash1/128", 64: "builtin/hash1/64"} {
		if got := embed.NewHash(dim).ID(); got != want {
			t.Errorf("NewHash(%d).ID() = %s, want %s", dim, got, want)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	h := embed.NewHash(0)
	texts := []string{
		"We deploy with make ship, never with kubectl directly, because the pipeline signs the images.",
		"部署前必須先執行 npm run build，否則舊的結構會出錯，請先確認環境變數。",
	}
	b.SetBytes(int64(len(texts[0]) + len(texts[1])))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}
