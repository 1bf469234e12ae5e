package redact_test

import (
	"testing"

	"orihon/internal/redact"
)

func TestControlCharactersAreTakenOutOfText(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"plain\ttext\r\n":           "plain\ttext\r\n",
		"a\x00b":                    "ab",
		"\x1b[31mred\x1b[0m\a\x7f":  "red",
		"字\x00元 caf\xe9":            "字元 caf\ufffd",
		"a line\u2028and\u0085more": "a line\u2028and\u0085more",
	} {
		if got := redact.Printable(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
