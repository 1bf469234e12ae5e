package learn_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/learn"
	"orihon/internal/redact"
	"orihon/memory"
)

func TestSecretsLeaveEveryFieldBeforeAnythingIsWritten(t *testing.T) {
	key := githubToken()
	for name, s := range map[string]learn.Statement{
		"text":     {Text: "Deploys use " + key + " from CI."},
		"Chinese":  {Text: "部署時用 " + key + " 這個權杖"},
		"title":    {Text: "Deploys use a token.", Title: "The token " + key},
		"tags":     {Text: "Deploys use a token.", Tags: []string{"ci", key}},
		"triggers": {Text: "Deploys use a token.", Triggers: []string{"token " + key}},
		"aliases":  {Text: "Deploys use a token.", Aliases: []string{key}},
		"evidence": {Text: "Deploys use a token.", Evidence: []string{"s1/3", "env GITHUB_TOKEN=" + key}},
		"session":  {Text: "Deploys use a token.", Session: "run " + key},
		"own item": {Text: "Deploys use " + key + " from CI.", ID: "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			out := d.learn(s)
			if all := d.written(); strings.Contains(all, key) || strings.Contains(all, key[4:]) {
				t.Errorf("written:\n%s", all)
			}
			if diff := cmp.Diff([]string{"github-token"}, out.Redacted); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
			d.learn(s) // now it is known, and its fields are joined
			if all := d.written(); strings.Contains(all, key) {
				t.Errorf("written the second time:\n%s", all)
			}
		})
	}
}

func TestWhatIsLeftAroundASecretIsKept(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{
		Text: "部署時用 " + githubToken() + " 這個權杖", Tags: []string{githubToken(), "ci"}, Triggers: []string{githubToken()},
	})
	it := d.puts[0]
	if it.Content != "部署時用 [redacted:github-token] 這個權杖" {
		t.Errorf("content %q", it.Content)
	}
	// A mark is not a word anybody would say.
	if diff := cmp.Diff([]string{"ci"}, it.Metadata.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if len(it.Triggers) > 0 {
		t.Errorf("triggers %q", it.Triggers)
	}
}

func TestARuleIsNamedOnceHoweverOftenItFinds(t *testing.T) {
	d := newDesk(t)
	out := d.learn(learn.Statement{Text: "We changed " + githubToken() + " for " + githubToken(), Title: githubToken(), Tags: []string{githubToken()}})
	if diff := cmp.Diff([]string{"github-token"}, out.Redacted); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestNothingButASecretIsRefused(t *testing.T) {
	for _, text := range []string{githubToken(), " " + githubToken() + "!\n", githubToken() + " <private>and more</private> " + githubToken(), githubToken() + " [redacted:"} {
		d := newDesk(t)
		out, err := d.learner.Learn(t.Context(), learn.Statement{Text: text, Title: "Keep this", Scope: ann})
		if !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), "github-token") || strings.Contains(err.Error(), githubToken()) {
			t.Errorf("%v, want ErrRefused that names the rule and not the secret", err)
		}
		if diff := cmp.Diff([]string{"github-token"}, out.Redacted); diff != "" {
			t.Errorf("rules (-want +got):\n%s", diff)
		}
		if all := d.written(); all != "" {
			t.Errorf("written:\n%s", all)
		}
	}
}

func TestARuleThatIsSwitchedOffTakesNothing(t *testing.T) {
	d := newDesk(t)
	l := learn.New(&learn.Options{
		Store: d, Find: d.find, Audit: func(context.Context, ...memory.AuditRecord) error { return nil },
		Now: func() time.Time { return start }, NewID: func() string { return "x" }, Redactor: redact.New([]string{"github-token"}),
	})
	out, err := l.Learn(t.Context(), learn.Statement{Text: "Tests look for " + githubToken(), Scope: ann})
	if err != nil || !strings.Contains(out.Item.Content, githubToken()) || out.Redacted != nil {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestHarmlessTextIsNotTouched(t *testing.T) {
	for _, text := range []string{
		"The fix is in 3f2a9c1d5b7e8f0a1b2c3d4e5f60718293a4b5c6.",
		"構建腳本在 /opt/build/bin/run.sh",
		"Session 0195a3c4-7b21-7def-8a90-1234567890ab shows it.",
		"We write [redacted:…] where a secret stood.",
	} {
		out := newDesk(t).learn(learn.Statement{Text: text})
		if out.Item.Content != text || out.Redacted != nil {
			t.Errorf("%q became %q (%v)", text, out.Item.Content, out.Redacted)
		}
	}
}

func TestPrivateSpansAreNeverWritten(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{
		Text: "Ask Bob <private>at 555-0100</private> for the key.", Title: "Bob<private> 0100</private>",
		Tags: []string{"<private>0100</private>", "people"}, Triggers: []string{"bob<PRIVATE>0100"}, Aliases: []string{"<private>0100"}, Evidence: []string{"<private>0100</private>"},
	})
	d.learn(learn.Statement{Text: "鑰匙在 <private>0100 號櫃</private> 裡"})
	d.learn(learn.Statement{Text: "Never closed <private>0100 and the rest"})
	if all := d.written(); strings.Contains(all, "0100") || strings.Contains(strings.ToLower(all), "private>") {
		t.Errorf("written:\n%s", all)
	}
	want := []string{"Ask Bob  for the key.", "鑰匙在  裡", "Never closed"}
	if diff := cmp.Diff(want, d.contents()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if it := d.puts[0]; it.Title != "Bob" || !cmp.Equal(it.Metadata.Tags, []string{"people"}) || !cmp.Equal(it.Triggers, []string{"bob"}) || it.Aliases != nil {
		t.Errorf("stored %+v", it)
	}
}

func TestAllPrivateIsRefused(t *testing.T) {
	for _, text := range []string{"<private>call Bob</private>", " <private>打給小明", "<private>a</private>\n<private>b</private>"} {
		d := newDesk(t)
		if _, err := d.learner.Learn(t.Context(), learn.Statement{Text: text, Title: "Bob", Scope: ann}); !errors.Is(err, memory.ErrRefused) {
			t.Errorf("%q: %v, want ErrRefused", text, err)
		}
		if all := d.written(); all != "" {
			t.Errorf("%q: written:\n%s", text, all)
		}
	}
}
