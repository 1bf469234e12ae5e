package reader_test

import (
	"strings"
	"testing"

	"orihon/internal/reader"
)

// What anybody would keep, and what nobody would, told in passing: what the model is
// known to read rightly. How often it does, docs/benchmarks.md says.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		prompt string
		text   string // in the likeliest statement; "" is none
		kind   reader.Kind
	}{
		{"fix the flaky login test. btw staging runs on port 8443 behind the old proxy, nobody wrote that down", "staging runs on port 8443 behind the old proxy", reader.Fact},
		{"ok we're going with NATS, kafka is too heavy for two people. add it to the compose file", "we're going with NATS, kafka is too heavy for two people", reader.Decision},
		{"Please review this diff. Commit messages in this repo are always in English, never Chinese.", "Commit messages in this repo are always in English, never Chinese.", reader.Instruction},
		{"what's wrong with line 20? when you explain, keep it to two lines, I read this on my phone", "keep it to two lines", reader.Preference},
		{"forget what I said about the feature flags, we dropped that idea", "forget what I said about the feature flags, we dropped that idea", reader.Forget},
		{"make ship is gone, we use make release now. bump the version", "make ship is gone, we use make release now", reader.Correction},
		{"帮我看下这个报错。测试库在 10.2.0.7 上，端口是 5433，每周一凌晨清空", "测试库在 10.2.0.7 上，端口是 5433，每周一凌晨清空", reader.Fact},
		{"之前说的那个端口别记了，已经换了", "之前说的那个端口别记了", reader.Forget},
		{"就用 sqlite 吧，不折騰了。先把 schema 寫出來", "就用 sqlite 吧，不折騰了", reader.Decision},
		{"回答請用繁體中文，不要條列，我看了頭痛。這個函式在做什麼？", "回答請用繁體中文，不要條列", reader.Preference},

		{"rename the variable and run the tests again", "", reader.None},
		{"why does this test fail?", "", reader.None},
		{"这个函数为什么会返回空？", "", reader.None},
		{"幫我把這段翻成英文", "", reader.None},
		{"thanks!", "", reader.None},
		{"", "", reader.None},
	} {
		var best reader.Statement
		for _, s := range reader.Read(tt.prompt) {
			if s.P > best.P {
				best = s
			}
		}
		const likely = 0.3
		switch {
		case tt.text == "" && best.P >= likely:
			t.Errorf("%q: %q is kept as %s at %.2f", tt.prompt, best.Text, best.Kind, best.P)
		case tt.text != "" && (best.P < likely || !strings.Contains(best.Text, tt.text) || best.Kind != tt.kind):
			t.Errorf("%q: %q, %s at %.2f, want %q, %s", tt.prompt, best.Text, best.Kind, best.P, tt.text, tt.kind)
		}
	}
}

func TestDataOfAnotherFormFindNothing(t *testing.T) {
	for _, data := range []string{"", "ORR1", strings.Repeat("x", 1<<16)} {
		for _, s := range reader.Open(data).Read("we use pnpm here, never npm") {
			if s.P > 0.01 {
				t.Errorf("%d bytes: %q at %.2f", len(data), s.Text, s.P)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "a", "we use pnpm, never npm", "「引用」，然後。\n\n> quoted\n```\ncode\n```", "\xff，\xfe", "(((", strings.Repeat("一，", 9000)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		list := reader.Read(text)
		if len(list) > 96 {
			t.Fatalf("%d statements", len(list))
		}
		for _, s := range list {
			if s.From < at || s.To <= s.From || s.To > len(text) || text[s.From:s.To] != s.Text {
				t.Fatalf("%q: %d to %d behind %d", text, s.From, s.To, at)
			}
			if !(s.P >= 0 && s.P <= 1 && s.Of >= 0 && s.Of <= 1.0001) || s.Kind == reader.None {
				t.Fatalf("%q: %+v", text, s)
			}
			at = s.To
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for name, prompt := range map[string]string{
		"usual": "can you dig through the scheduler log and tell me when it gave up? their upload box loses network at 6pm because the office manager unplugs the switch on her way out. i wish i were kidding",
		"zh":    "帮我看下这个报错。测试库在 10.2.0.7 上，端口是 5433，每周一凌晨清空，别的时候随便用",
		"long":  strings.Repeat("2026-03-02 12:00:01 worker[12] error: connection to db.internal:5432 refused, retrying (3 of 5)\n", 400),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				reader.Read(prompt)
			}
		})
	}
}
