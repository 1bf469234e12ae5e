package orihon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"orihon/follow"
)

// plantedSecrets are put together here, so that no scanner of repositories
// takes them for real ones: the text around each, and what must not stay.
func plantedSecrets() (out [][2]string) {
	const mixed = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5uX8zA1cD4fG7iL0oQ3t"
	join := func(parts ...string) string { return strings.Join(parts, "") }
	plant := func(format, secret string) { out = append(out, [2]string{fmt.Sprintf(format, secret), secret}) }
	plant("I ran it with %s and it worked", join("gh", "p_", mixed[:36]))
	plant("the id is %s there", join("AK", "IA", "IOSFODNN7EXAMPLE"))
	plant("key %s.", join("s", "k-ant-", "api03-", mixed, "-AA"))
	plant("用 %s 呼叫", join("s", "k-proj-", mixed[:30], "_", mixed[10:40]))
	plant("token %s", join("xox", "b-123456789012-1234567890123-", mixed[:24]))
	plant("pay with %s", join("sk", "_live_", mixed[5:29]))
	plant("jwt %s", join("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", mixed[:43]))
	plant("DATABASE_URL=postgres://app:%s@db.internal:5432/app", "sw0rdfish-walrus")
	plant("curl -H 'Authorization: Bearer %s' https://api.x.dev", mixed[20:52])
	plant("DB_PASSWORD=%s", "hunter2-walrus-lantern")
	plant("-----BEGIN RSA PRIVATE"+" KEY-----\n%s\n-----END RSA PRIVATE"+" KEY-----", mixed[3:60])
	plant("note <private>%s</private> end", "我的祕密是海象燈籠")
	return out
}

func TestSecretsAreNowhereBelowTheHome(t *testing.T) {
	p := newPlace(t)
	commit, uuid := "9fceb02d0ae598e95dc970b74767f19372d61af8", "0193a6b2-5c1e-7c3a-9d2e-4f5a6b7c8d9e"
	path := "/srv/shop/internal/ledger/reconcile_test.go"
	p.begin(t, "s1", "startup")
	for i, s := range plantedSecrets() {
		id := fmt.Sprint(i)
		p.prompt(t, "s1", "a"+id, "please look: "+s[0])
		p.prompt(t, "s1", "b"+id, "Remember: for deploy number "+id+", "+s[0])
		input, err := json.Marshal(map[string]any{"command": "echo " + s[0], "nested": map[string]any{"list": []string{s[0]}}})
		if err != nil {
			t.Fatal(err)
		}
		p.do(t, "s1", func(ctx context.Context, se *follow.Session) error {
			return errors.Join(
				se.Action(ctx, follow.Action{ID: "t" + id, Tool: "Bash", Input: input, Output: "output:\n" + s[0]}),
				se.Action(ctx, follow.Action{ID: "u" + id, Tool: "Bash", Input: input, Output: strings.Repeat("line of output\n", 4000) + s[0], Error: true}),
				se.Answer(ctx, "a"+id, "I saw "+s[0]),
				se.Report(ctx, "r"+id, "Explore", "it says "+s[0]),
				se.Compact(ctx, "auto", "summary: "+s[0]),
				se.Tell(ctx, follow.TranscriptEntry{User: true, Prompt: "c" + id, Text: "told " + s[0]}, follow.TranscriptEntry{ID: "d" + id, Interim: true, Text: "thinking of " + s[0]},
					follow.TranscriptEntry{Action: &follow.Action{ID: "v" + id, Tool: "Bash", Input: input, Output: s[0]}}))
		})
	}
	p.prompt(t, "s1", "z", "commit "+commit+" and run "+uuid+" touch "+path)
	p.end(t, "s1")
	p.work(t)
	for _, s := range plantedSecrets() {
		if held := p.holding(t, s[1]); len(held) > 0 {
			t.Errorf("%q stands in %v", s[0], held)
		}
	}
	for _, text := range []string{commit, uuid, path, "please look"} {
		if held := p.holding(t, text); len(held) == 0 {
			t.Errorf("%q is lost", text)
		}
	}
}

func TestASecretBehindAnotherMessageIsNowhereBelowTheHome(t *testing.T) {
	const secret = "Wander#Ruf72"
	for name, said := range map[string][]string{
		"the user's line leads to it": {"the password of the door panel is:", "", secret + "\nnow open it"},
		"the agent asked for it":      {"open the door panel", "What is the password of the panel?", secret},
		"the agent spoke in between":  {"the password of the door panel is:", "Go on.", secret},
		"in Chinese":                  {"門禁的密碼是：", "", secret},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.prompt(t, "s1", "a", said[0])
			p.do(t, "s1", func(ctx context.Context, s *follow.Session) error { return s.Answer(ctx, "a", said[1]) })
			p.prompt(t, "s1", "b", said[2])
			p.prompt(t, "s1", "b", said[2]) // as hooks do
			p.do(t, "s2", func(ctx context.Context, s *follow.Session) error {
				return s.Tell(ctx, follow.TranscriptEntry{User: true, Prompt: "a", Text: said[0]}, follow.TranscriptEntry{Prompt: "a", Text: said[1]},
					follow.TranscriptEntry{User: true, Prompt: "b", Text: said[2]})
			})
			p.end(t, "s1")
			p.work(t)
			if held := p.holding(t, secret); len(held) > 0 {
				t.Errorf("it stands in %v", held)
			}
			p.prompt(t, "s3", "a", "the door panel beeps")
			p.prompt(t, "s3", "b", "Panel#Rev72")
			if held := p.holding(t, "Panel#Rev72"); len(held) == 0 {
				t.Error("what nothing leads to is lost")
			}
		})
	}
}

func TestAPathOfAPrivateNameIsNotKeptInTheState(t *testing.T) {
	p := newPlace(t)
	secret := plantedSecrets()[0][1]
	p.do(t, "s1", func(ctx context.Context, s *follow.Session) error {
		return errors.Join(
			s.Action(ctx, follow.Action{ID: "t1", Tool: "Bash", Input: json.RawMessage(fmt.Sprintf(`{"command":"git log -S %s"}`, secret))}),
			s.Action(ctx, follow.Action{ID: "t2", Tool: "Read", Input: json.RawMessage(fmt.Sprintf(`{"file_path":"/srv/%s/x"}`, secret))}))
	})
	if held := p.holding(t, secret); len(held) > 0 {
		t.Errorf("it stands in %v", held)
	}
}

func TestRuleThatIsSwitchedOffAndDoesNotExistIsNamed(t *testing.T) {
	m := newPlace(t).open(t, set("redact.off", "aws-keys"))
	got := strings.Join(m.Problems(), "\n")
	if !strings.Contains(got, "aws-keys") || !strings.Contains(got, "github-token") || strings.Contains(got, "\n") {
		t.Errorf("problems %q, want one line with the name and the known ones", got)
	}
	if got := newPlace(t).open(t, set("redact.off", "github-token")).Problems(); len(got) > 0 {
		t.Errorf("a known rule: %q", got)
	}
}
