package redact_test

import (
	"strings"
	"testing"

	"orihon/internal/redact"
)

func TestOnlyClosedSpansLeaveADocument(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"none", "a\nb", "a\nb"},
		{"one line", "a <private>x</private> b", "a  b"},
		{"lines", "a <private>x\ny</private> b\nc", "a \n b\nc"},
		{"Chinese", "金庫<private>把手\n四十二</private>。", "金庫\n。"},
		{"case and attributes", `a <Private why="x">y</PRIVATE> b`, "a  b"},
		{"escaped as in JSON", `{"a":"\u003cprivate\u003ex\u003c/private\u003e"}`, `{"a":""}`},
		{"a quoted value", `pin: "<private>4711</private>"`, `pin: ""`},
		{"a value in a code span", "the pin is `<private>4711</private>`", "the pin is ``"},
		{"nested", "<private>a <private>b\n</private>c</private>d", "\nd"},
		{"two", "<private>a</private>b<private>c</private>", "b"},
		{"never closed", "a\nb <private>x\ny\n", "a\nb <private>x\ny\n"},
		{"never opened", "a </private> b", "a </private> b"},
		{"never closed, before one that is", "use <private> so:\nthe pin is <private>4711</private>!\n", "use <private> so:\nthe pin is !\n"},
		{"tags in code spans", "between `<private>` and `</private>` stays", "between `<private>` and `</private>` stays"},
		{"tags in string literals", `f("<private>" + s + "</private>")`, `f("<private>" + s + "</private>")`},
		{"tags in single quotes", `f('<private>', '</private>')`, `f('<private>', '</private>')`},
		{"tags in escaped quotes", `"between \"<private>\" and \"</private>\" stays"`, `"between \"<private>\" and \"</private>\" stays"`},
		{"tags in Chinese quotes", "「<private>」到“</private>”之間", "「<private>」到“</private>”之間"},
		{"an example", "`<private>…</private>` and <private>...</private>", "`<private>…</private>` and <private>...</private>"},
		{"a tag in a code span inside a span", "<private>write `</private>` and 4711</private>!", "!"},
		{"a tag made by another that goes", "<pri<private>a</private>vate>b</private>c", "c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := redact.ClosedPrivateLines(tt.in); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzClosedPrivateLines(f *testing.F) {
	f.Add("a <private>x\ny</private> `<private>` b\n")
	f.Add("<private><private>\n</private>…<private>…</private></private>")
	f.Fuzz(func(t *testing.T, s string) {
		clean := redact.ClosedPrivateLines(s)
		if strings.Count(clean, "\n") != strings.Count(s, "\n") {
			t.Errorf("%q has other lines than %q", clean, s)
		}
		if len(clean) > len(s) {
			t.Errorf("%q is longer than %q", clean, s)
		}
	})
}
