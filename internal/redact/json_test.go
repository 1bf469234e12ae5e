package redact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/redact"
)

func TestJSONFindsSecretsInStrings(t *testing.T) {
	key := join("gh", "p_", mixedText[:36])
	tests := []struct{ name, in, want string }{
		{"value", `{"a": "run ` + key + `" , "b":1.50}`, `{"a": "run [redacted:github-token]" , "b":1.50}`},
		{"key of a map", `{"` + key + `":1}`, `{"[redacted:github-token]":1}`},
		{"by its key", `{"password":"hunter2hunter2","n":1e3}`, `{"password":"[redacted:credential]","n":1e3}`},
		{"by its key, weak", `{"db":{"Password" : "swordfish"}}`, `{"db":{"Password" : "[redacted:credential]"}}`},
		{"by its key, digits", `{"password": 12345678, "port": 5432}`, `{"password": "[redacted:credential]", "port": 5432}`},
		{"by its key, Chinese", `{"密碼":"swordfish"}`, `{"密碼":"[redacted:credential]"}`},
		{"in a list under its key", `{"passwords":["` + mixedText[:20] + `"]}`, `{"passwords":["[redacted:credential]"]}`},
		{"in an object under its key", `{"secret":{"value":"k9fjw02mfks"}}`, `{"secret":{"value":"[redacted:credential]"}}`},
		{"behind an option", `{"args":["--password","swordfish","-v"]}`, `{"args":["--password","[redacted:credential]","-v"]}`},
		{"beside its name", `[{"name":"DB_PASSWORD","value":"swordfish"},{"name":"PORT","value":"swordfish"}]`, `[{"name":"DB_PASSWORD","value":"[redacted:credential]"},{"name":"PORT","value":"swordfish"}]`},
		{"escaped hyphen", `"sk\u002dant\u002dapi03-` + mixedText + `"`, `"[redacted:anthropic-key]"`},
		{"escaped slash", `"redis:\/\/u:swordfish@h"`, `"redis://u:[redacted:url-password]@h"`},
		{"pem", `{"private_key":"` + pem("PRIVATE"+" KEY", `\n`) + `\n"}`, `{"private_key":"[redacted:private-key]\n"}`},
		{"pem in text", `{"out":"x\n` + pem("PRIVATE"+" KEY", `\n`) + `\ny"}`, `{"out":"x\n[redacted:private-key]\ny"}`},
		{"document in a string", `{"body":"{\"apiKey\":\"` + mixedText[:20] + `\"}"}`, `{"body":"{\"apiKey\":\"[redacted:credential]\"}"}`},
		{"private", `{"prompt":"a <private>b</private> c <b>"}`, `{"prompt":"a  c <b>"}`},
		{"private, escaped", `{"prompt":"a \u003cprivate\u003eb"}`, `{"prompt":"a "}`},
		{"not JSON", `{"a": "` + key + `", cut`, `{"a": "[redacted:github-token]", cut`},
		{"not JSON, private", `{"a": "<private>x</private>", cut`, `{"a": "", cut`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := redact.New(nil).JSON(json.RawMessage(tt.in))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if again, found := redact.New(nil).JSON(got); string(again) != string(got) || found != nil {
				t.Errorf("again: %s, %v", again, found)
			}
		})
	}
}

func TestJSONKeepsHarmlessDocumentsByteForByte(t *testing.T) {
	for _, s := range []string{
		`{ "usage" : {"input_tokens":15, "output_tokens" : 7.0e1 }, "id":"msg_01XFDUDYJgAACzvnptvVoYEL" }`,
		"[\n 1,\t\"\\u00e9\\/ \\ud83d\\ude00\", null , true]", `"密碼重設"`, `{"token":null,"password":"","secret":false}`,
		`{"name":"password","type":"string","description":"The password of the user"}`, `{"file_path":"/src/token/password.go"}`,
		`{"password":{"type":"string","minLength":8}}`, ``, `  `, `{"uuid":"550e8400-e29b-41d4-a716-446655440000"}`,
	} {
		if got, found := redact.New(nil).JSON(json.RawMessage(s)); string(got) != s || found != nil {
			t.Errorf("JSON(%s) = %s, %v", s, got, found)
		}
	}
}

func TestJSONTakesWhatTextTakes(t *testing.T) {
	for _, p := range secrets() {
		raw, err := json.Marshal(map[string]any{"tool_response": map[string]any{"stdout": p.text}})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := redact.New(nil).JSON(raw)
		var back struct {
			Response struct{ Stdout string } `json:"tool_response"`
		}
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%s: %v in %s", p.name, err, got)
		}
		if want, _ := redact.Text(p.text); back.Response.Stdout != want {
			t.Errorf("%s: got %q, want %q", p.name, back.Response.Stdout, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":["--token","x",{"name":"PASSWORD","value":"y1y2y3"}],"b":-1.5e3}`))
	f.Add([]byte(`"\ud800<private>"`))
	f.Add([]byte("{\"password\":\"\xff1234\"}"))
	for _, p := range secrets() {
		raw, _ := json.Marshal(map[string]string{"k": p.text, p.text: "v"})
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, _ := redact.New(nil).JSON(raw)
		if json.Valid(raw) && !json.Valid(got) {
			t.Errorf("JSON(%s) = %s is not JSON", raw, got)
		}
		if utf8.Valid(raw) && !utf8.Valid(got) {
			t.Errorf("JSON(%q) = %q is not UTF-8", raw, got)
		}
	})
}

func TestPrivateRemovesSpans(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a <private>b</private> c", "a  c"},
		{"a <PRIVATE>b</Private> c", "a  c"},
		{"<private>a <private>b</private> c</private> d", " d"},
		{"a <private>never closed 密碼", "a "},
		{"a <private reason=\"x\">b</private >c", "a c"},
		{"a <private>b</private> c <private>d</private> e", "a  c  e"},
		{`a \u003cprivate\u003eb\u003c/PRIVATE\u003e c`, "a  c"},
		{"<pri<private>x</private>vate>gone", ""},
		{"前 <private>祕密</private> 後", "前  後"},
		{"a </private> b", "a </private> b"},
		{"a <privately> b <private", "a <privately> b <private"},
		{"if a < private && b > c", "if a < private && b > c"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := redact.Private(tt.in); got != tt.want {
			t.Errorf("Private(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzPrivate(f *testing.F) {
	f.Add("a <private>b</private>")
	f.Add("<pri<private>x</private>vate>")
	f.Add(`\u003cprivate \u003e <<private>`)
	f.Fuzz(func(t *testing.T, s string) {
		got := redact.Private(s)
		if strings.Contains(strings.ToLower(got), "<private>") {
			t.Errorf("Private(%q) = %q", s, got)
		}
		if again := redact.Private(got); again != got {
			t.Errorf("Private(%q) = %q, again %q", s, got, again)
		}
	})
}
