package redact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"orihon/internal/redact"
)

func TestWhatSteersATerminalIsNotShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain [31m text": "plain [31m text",
		"\x1b[1;31mred\x1b[0m and \x1b[38;5;208morange\x1b[m\x1b[K":    "red and orange",
		"\x1b[?25l\x1b[2J\x1b[10;4Hhere\x1b7\x1b8":                     "here",
		"\x1b(B\x1b)0text\x1b=":                                        "text",
		"\x1b]0;a title\atext":                                         "text",
		"\x1b]8;;https://a.example/b\x1b\\link\x1b]8;;\x1b\\ and more": "link and more",
		"\x1bP1$r0m\x1b\\text":                                         "text",
		"\u009b31mred\u009b0m \u009d0;title\u009ctext":                 "red text",
		"a\ba\bab":             "ab",
		"one\n\b_\bx":          "one\nx",
		"broken off \x1b[38;5": "broken off ",
		"\x1b]a title without an end\nthe next line": "a title without an end\nthe next line",
		"an \x1bescape alone\x1b":                    "an escape alone",
	} {
		if got := redact.Shown(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestColoursHideNoSecret(t *testing.T) {
	const on, off = "\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"
	for _, in := range []string{
		"a.ini:3:db_" + on + "password" + off + "=Vq7Marsh_41kd",
		"\x1b[35ma.yml\x1b[0m:\x1b[32m3\x1b[0m:  \x1b[1mpassword\x1b[0m: Vq7Marsh_41kd",
		"password: \x1b[32mVq7Marsh_41kd\x1b[0m",
		"password: Vq7\x1b[1mMarsh\x1b[0m_41kd",
		"\x1b[33m\"password\"\x1b[0m: \x1b[32m\"Vq7Marsh_41kd\"\x1b[0m,",
		"p\bpa\bas\bss\bsw\bwo\bor\brd\bd: Vq7Marsh_41kd",
		"\x1b]0;password\apassword=\x1b]8;;x\aVq7Marsh_41kd",
		"<\x1b[1mprivate\x1b[0m>Vq7Marsh_41kd</private>",
	} {
		holds := func(what, text string) {
			if strings.Contains(text, "Vq7") || strings.Contains(text, "arsh") {
				t.Errorf("%s: %q leaves %q", what, in, text)
			}
		}
		text, _ := redact.Text(redact.Private(in))
		holds("text", text)
		body, _ := redact.PrivateLines(in)
		body, _ = new(redact.Redactor).Lines(body)
		holds("lines", body)
		once, _ := json.Marshal(map[string]string{"output": in})
		twice, _ := json.Marshal(map[string]string{"output": string(once)})
		if strings.Contains(in, "\b") || strings.Contains(in, "\x1b]") {
			twice = once // only colours are known within a document within a document
		}
		for _, raw := range [][]byte{once, twice} {
			clean, _ := new(redact.Redactor).JSON(raw)
			holds("JSON", string(clean))
			if !json.Valid(clean) {
				t.Errorf("%q is no JSON any more: %q", in, clean)
			}
		}
	}
}

func TestManySequencesCostNoMoreThanTheirLength(t *testing.T) {
	begin := time.Now()
	for _, part := range []string{"\x1b", "\x1b]", "\u009d", "\x1b[", "\\", "a\b"} {
		redact.Shown(strings.Repeat(part, 1<<20))
		_, _ = new(redact.Redactor).JSON(json.RawMessage(`"` + strings.Repeat(`\\`, 1<<19) + `u001b"`))
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
