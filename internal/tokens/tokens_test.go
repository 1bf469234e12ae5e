package tokens_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"orihon/internal/tokens"
	"pgregory.net/rapid"
)

func TestEstimateCountsCJKSixTimesOtherCharactersAndRoundsUp(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"abcd", 1},
		{"abcde", 2},
		{strings.Repeat("word ", 80), 100},
		{"記", 2},
		{"記憶", 3},
		{"记忆", 3},
		{"内存泄漏。", 8},
		{"用pnpm安装", 6},
		{"カナ", 3},
		{"서버", 3},
		{"ИВАН", 1},
		{"😀😀😀😀", 1},
		{"\x00\x00\x00\x00", 1},
		{"\xff\xfe\xfd\xfc", 1},
		{"𠮷", 2},
	} {
		if got := tokens.Estimate(tc.text); got != tc.want {
			t.Errorf("Estimate(%q) = %d, want %d", tc.text, got, tc.want)
		}
	}
}

func TestFitPrefersSentencesThenWordsThenCharacters(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"whole", "short text", 3, "short text"},
		{"nothing", "short text", 0, ""},
		{"negative", "short text", -1, ""},
		{"sentence", "It works. The cache is warm now.", 4, "It works."},
		{"line", "first line\nsecond line", 4, "first line"},
		{"word", "several words without a stop", 4, "several words"},
		{"word just complete", "abc abcd efgh", 2, "abc abcd"},
		{"character", strings.Repeat("x", 50), 2, "xxxxxxxx"},
		{"a point inside a number is no end", "pin version 1.26.8 here", 4, "pin version"},
		{"chinese sentence", "先跑测试。再提交代码到主分支", 12, "先跑测试。"},
		{"traditional characters", "記憶體洩漏問題", 6, "記憶體洩"},
		{"no stop at a line's head", "先跑测试\uff0c再提交代码", 6, "先跑测"},
		{"one character too dear", "記", 1, ""},
		{"emoji", "😀😀😀😀😀😀", 1, "😀😀😀😀"},
		{"invalid bytes", "\xff\xff\xff\xff\xff", 1, "\xff\xff\xff\xff"},
		{"NUL", "a\x00b\x00c", 1, "a\x00b\x00"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tokens.Fit(tc.text, tc.limit); got != tc.want {
				t.Errorf("Fit(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
			}
		})
	}
}

func TestMoreTextNeverCostsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		whole := tokens.Estimate(a + b)
		if whole < tokens.Estimate(a) || whole < tokens.Estimate(b) {
			t.Fatalf("Estimate(%q + %q) = %d is less than one of them", a, b, whole)
		}
		if sum := tokens.Estimate(a) + tokens.Estimate(b); whole > sum {
			t.Fatalf("Estimate(%q + %q) = %d is more than their sum %d", a, b, whole, sum)
		}
	})
}

func FuzzFitStaysWithinItsLimit(f *testing.F) {
	for _, s := range []string{"", "It works. Now go on.", "先跑测试。再提交", "a\xffb\xe4\xb8", "😀 x", strings.Repeat("y", 300)} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		all := tokens.Estimate(s)
		if all < 0 || all == 0 && s != "" {
			t.Fatalf("Estimate(%q) = %d", s, all)
		}
		got := tokens.Fit(s, limit)
		if !strings.HasPrefix(s, got) {
			t.Fatalf("Fit(%q, %d) = %q is not its beginning", s, limit, got)
		}
		if n := tokens.Estimate(got); n > max(limit, 0) {
			t.Fatalf("Fit(%q, %d) = %q costs %d", s, limit, got, n)
		}
		if limit >= all && got != s {
			t.Fatalf("Fit(%q, %d) = %q though all of it fits", s, limit, got)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("Fit(%q, %d) = %q is torn", s, limit, got)
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	for name, text := range map[string]string{
		"english": strings.Repeat("The cache is warm and the tests pass. ", 100),
		"chinese": strings.Repeat("先跑测试,再提交代码到主分支。", 100),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tokens.Estimate(text)
			}
		})
	}
}
