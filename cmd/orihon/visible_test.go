package main

import "testing"

func TestVisibleWritesOutWhatSteersATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain, 中文\n\tand more":         "plain, 中文\n\tand more",
		"\x1b[31mred\x07":               `\x1b[31mred\x07`,
		"a\u202eb\u2066c\u2028d\u009be": `a\u202eb\u2066c\u2028d\x9be`,
		"line\rover":                    `line\x0dover`,
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}
