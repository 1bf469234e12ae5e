package redact_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon/internal/redact"
)

func TestTextTakesPlantedSecrets(t *testing.T) {
	for _, p := range secrets() {
		t.Run(p.name, func(t *testing.T) {
			for _, around := range []string{"%s", "Bitte:\n%s\n", "前文。%s", "%s 後文", "> %s"} {
				text := fmt.Sprintf(around, p.text)
				if strings.HasPrefix(around, ">") && strings.Contains(p.text, "\n") {
					continue
				}
				if strings.HasPrefix(around, "前") && p.rule == "credential" {
					continue // a line of settings begins its line
				}
				clean, found := redact.Text(text)
				if strings.Contains(clean, p.secret) {
					t.Fatalf("Text(%q) = %q, which still holds %q", text, clean, p.secret)
				}
				if !strings.Contains(clean, p.keep) {
					t.Errorf("Text(%q) = %q, which lost %q", text, clean, p.keep)
				}
				if !slices.ContainsFunc(found, func(f redact.Finding) bool { return f.Rule == p.rule && f.Count > 0 }) {
					t.Errorf("Text(%q) found %v, want rule %s", text, found, p.rule)
				}
				if again, more := redact.Text(clean); again != clean || more != nil {
					t.Errorf("Text(%q) = %q, %v: want it left alone", clean, again, more)
				}
			}
		})
	}
}

func TestTextLeavesHarmlessTextAlone(t *testing.T) {
	for _, s := range harmless() {
		if got, found := redact.Text(s); got != s || found != nil {
			t.Errorf("Text(%q) = %q, %v", s, got, found)
		}
	}
	all := strings.Join(harmless(), "\n")
	if got, found := redact.Text(all); got != all {
		t.Errorf("Text of all harmless lines found %v: %s", found, cmp.Diff(all, got))
	}
}

func TestTextKeepsWhatIsAround(t *testing.T) {
	key := join("gh", "p_", mixedText[:36])
	got, found := redact.Text("a " + key + ", b (" + key + ") and PASSWORD=" + key + ".")
	want := "a [redacted:github-token], b ([redacted:github-token]) and PASSWORD=[redacted:github-token]."
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if diff := cmp.Diff([]redact.Finding{{Rule: "github-token", Count: 3}}, found); diff != "" {
		t.Error(diff)
	}
}

func TestRulesCanBeSwitchedOffByName(t *testing.T) {
	key := join("gh", "p_", mixedText[:36])
	r := redact.New([]string{"github-token", "no-such-rule"})
	if got, _ := r.Text("I ran " + key); got != "I ran "+key {
		t.Errorf("got %q", got)
	}
	if got, _ := r.Text("redis://u:swordfish@h"); got != "redis://u:[redacted:url-password]@h" {
		t.Errorf("another rule is off too: %q", got)
	}
	for _, name := range redact.Rules() {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("rule %q: a name is lower-case letters and hyphens", name)
		}
	}
}

func TestEveryRuleIsPlanted(t *testing.T) {
	for _, name := range redact.Rules() {
		if name == "service-token" {
			continue // shown below
		}
		if !slices.ContainsFunc(secrets(), func(p planted) bool { return p.rule == name }) {
			t.Errorf("no secret is planted for rule %s", name)
		}
	}
	if got, _ := redact.Text("vault login " + join("hv", "s.", mixedText[:28])); got != "vault login [redacted:service-token]" {
		t.Errorf("got %q", got)
	}
}

func TestTextIsIdempotent(t *testing.T) {
	var pieces []string
	for _, p := range secrets() {
		pieces = append(pieces, p.text, p.secret)
	}
	pieces = append(pieces, harmless()...)
	pieces = append(pieces, redact.Rules()...)
	pieces = append(pieces, "[redacted:", "]", "=", ": ", "\"", "'", "\n", " ", "\\n", "token", "password", "://", "@", "is ", "密碼", "x1Y2")
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "sep"))
		once, _ := redact.Text(s)
		if twice, found := redact.Text(once); twice != once {
			t.Fatalf("Text(%q)\n = %q\nagain %q, %v", s, once, twice, found)
		}
		if !utf8.ValidString(once) {
			t.Fatalf("Text(%q) = %q is not valid UTF-8", s, once)
		}
	})
}

func TestTextIsSafeForSeveralGoroutines(t *testing.T) {
	r := redact.New(nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, p := range secrets() {
				if clean, _ := r.Text(p.text); strings.Contains(clean, p.secret) {
					t.Errorf("%s survived", p.name)
				}
			}
		})
	}
	wg.Wait()
}

// Repeating what begins a rule without ever completing it is the worst case
// for a scanner that looks ahead. The test would not end in its time if any
// rule were quadratic.
func TestTextStaysLinearOnHostileInput(t *testing.T) {
	const size = 1 << 18
	for _, unit := range []string{
		"-----BEGIN PRIVATE" + " KEY-----", "-----BEGIN PRIVATE" + " KEY-----\nabc ", "-----END PRIVATE" + " KEY-----", "eyJ", "eyJ.", "AKIA", "sk-", "gh" + "p_",
		"token=", "secret=secret=", "password=\"", "token = '", "password ", "twilio ", "http://u:p", "a://", "cookie: a=b;", "mysql ", "curl -u ", "authorization: bearer ",
		"[redacted:", "api_key: ", "密碼", "\\\"token\\\": \\\"",
		"docker login -p ", "docker login ", "http ", "vault login a ", "echo a:b | chpasswd ", "heroku ", "heroku token=", "LS0tLS1CRUdJTi", "auth\": \"YTpi\" ", "kind: Secret\n", "kind: Secret\ndata:\n  a: b\n",
		"a:5432:", "seed ", "seed apple ", "mnemonic apple river ", "pin is ", "pin for a ", "login is a / b ", "password for a ", "password for the ", "password to b ", "x1 as the password ", "pass ", "{", ".atlasv1.", "glpat-", "s.", "-us12", "a/hooks/",
		"@", "a:b1@", "a/b1@c.", "password:é", "é", "password is a;b", "password is (", "帳密：", "log in as ", "changed password from a to ", "password (",
		"密碼是 ", "密碼是 a", "密碼還", "密碼是「", "A_TOKEN=", "DB_PASSWORD=aaaaaaaa", "my password: word ", "12345678:AA", ":AA", `\u5bc6\u78bc`, `\u5bc6\u78bc\u662f`,
	} {
		s := strings.Repeat(unit, size/len(unit))
		redact.Text(s)
	}
}

func FuzzText(f *testing.F) {
	for _, p := range secrets() {
		f.Add(p.text)
	}
	for _, s := range harmless() {
		f.Add(s)
	}
	f.Add("\xff\xfe password=\xff\xff\xff\xff1")
	key := join("gh", "p_", mixedText[:36])
	f.Fuzz(func(t *testing.T, s string) {
		clean, _ := redact.Text(s)
		if utf8.ValidString(s) && !utf8.ValidString(clean) {
			t.Errorf("Text(%q) = %q is not valid UTF-8", s, clean)
		}
		if again, _ := redact.Text(clean); again != clean {
			t.Errorf("Text(%q) = %q, again %q", s, clean, again)
		}
		// Glued to other letters, as s may hold it, the key is no key.
		if clean, _ := redact.Text(s + " " + key + " " + s); !strings.Contains(s, key) && strings.Contains(clean, key) {
			t.Errorf("a key survived within %q", s)
		}
	})
}

func BenchmarkTextWithoutKeyword(b *testing.B) {
	s := strings.Repeat("func (s *Store) Put(ctx context.Context, items ...Item) error { return s.write(ctx, items) } // 寫入\n", 10000)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		redact.Text(s)
	}
}

func BenchmarkTextOfHarmlessLines(b *testing.B) {
	s := strings.Repeat(strings.Join(harmless(), "\n"), 100)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		redact.Text(s)
	}
}

func BenchmarkTextOfPrompt(b *testing.B) {
	s := "Please fix the flaky test in internal/sqlite; the token count is off by one and the password field stays empty."
	b.ReportAllocs()
	for b.Loop() {
		redact.Text(s)
	}
}
