package lives_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/lives"
	"orihon/memory"
)

const life = `{"language": "en",
 "memories": [
  {"id": "m1", "text": "The night build of the observatory runs at 03:40 and mails its report to the dome crew."},
  {"id": "m2", "text": "Never point the guide camera at the moon without the grey filter, the sensor cost 2,100 euro."},
  {"id": "m3", "text": "星表更新要先停掉後台的同步工作，否則索引會壞掉，去年就壞過一次。"}],
 "past": [{"id": "s1", "turns": [
  {"id": "s1.1", "who": "user", "text": "we settled on plan B for the mirror"},
  {"id": "s1.2", "who": "assistant", "text": "Noted. The mirror goes to Jena on the ninth of May, by road.", "key": "The mirror goes to Jena on the ninth of May"}]}],
 "prompts": [
  {"id": "p1", "text": "when does it build", "need": ["m1"], "also_ok": [], "note": "paraphrase"},
  {"id": "p2", "text": "moon shots tonight, and is the catalogue due?", "need": ["m2", "m3"], "also_ok": ["m1"], "note": "multi, indirect"},
  {"id": "p3", "text": "what is a parsec", "need": [], "also_ok": [], "note": "none"},
  {"id": "p4", "text": "write a haiku about build times", "need": [], "also_ok": ["m1"], "note": "none"},
  {"id": "p5", "text": "is the mirror gone?", "need": ["s1.2"], "also_ok": [], "note": "same words"}],
 "sessions": [{"id": "w1", "branch": "feature/moon", "turns": [
  {"who": "user", "text": "take the guide camera", "need": ["m2"], "also_ok": [], "note": "indirect"},
  {"who": "tool", "tool": "Bash", "input": {"command": "guide --moon"}, "output": "", "failed": false, "need": ["m2"], "also_ok": []},
  {"who": "tool", "tool": "Bash", "input": {"command": "catalogue update"}, "output": "index broken", "failed": true, "need": ["m3"], "also_ok": []},
  {"who": "tool", "tool": "Bash", "input": {"command": "ls"}, "output": "", "failed": false, "need": [], "also_ok": []},
  {"who": "assistant", "text": "Done."}]}]}`

// program is a scripted one: it keeps what it is told and answers prompts by a
// table, so that every figure can be reckoned by hand.
type program struct {
	mu      sync.Mutex
	told    []string
	events  []string
	answers map[string]string // a part of the event → what is injected
}

func (p *program) run(_ context.Context, _, project string, stdin []byte, args ...string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if args[0] == "remember" {
		p.told = append(p.told, args[len(args)-1])
	}
	if args[0] != "hook" {
		return nil, nil
	}
	head, err := os.ReadFile(filepath.Join(project, ".git", "HEAD"))
	if err != nil {
		return nil, err
	}
	var e struct {
		Name   string          `json:"hook_event_name"`
		Prompt string          `json:"prompt"`
		Input  json.RawMessage `json:"tool_input"`
		Error  string          `json:"error"`
	}
	if err := json.Unmarshal(stdin, &e); err != nil {
		return nil, err
	}
	what := e.Name + " " + e.Prompt + string(e.Input) + e.Error
	p.events = append(p.events, strings.TrimSpace(string(head))+" "+what)
	for part, text := range p.answers {
		if strings.Contains(what, part) {
			return json.Marshal(map[string]any{"hookSpecificOutput": map[string]string{"additionalContext": text}})
		}
	}
	return nil, nil
}

func given(lines ...string) string {
	return "<orihon-memory>\nFrom before.\n\n📌 Facts\n" + strings.Join(lines, "\n") + "\n\nThat is all.\n</orihon-memory>"
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dome.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func play(t *testing.T, p *program, o lives.Options) *lives.Report {
	t.Helper()
	all, err := lives.Read(write(t, life))
	if err != nil {
		t.Fatal(err)
	}
	o.Dir, o.Program = t.TempDir(), p.run
	r, err := lives.Run(t.Context(), all, &o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	night  = "- The night build of the observatory runs at 03:40 and mails its report to the dome crew. (today)"
	moon   = "- Never point the guide camera at the moon without the grey filter, the sensor\n  cost 2,100 euro. (today)"
	index  = "- 星表更新要先停掉後台的同步工作，否則索引會壞掉，去年就壞過一次。（今天）"
	mirror = "- 2026-05-01 assistant: Noted. The mirror goes to Jena on the ninth of May, by road."
)

func TestFiguresCanBeReckonedByHand(t *testing.T) {
	p := &program{answers: map[string]string{
		"when does it build":   given(night, moon),                                         // one of two is good
		"moon shots":           given(moon),                                                // one of two needed
		"what is a parsec":     "<orihon-memory>\nMemory holds nothing.\n</orihon-memory>", // a line is a passage
		"haiku":                given(night),                                               // marked as fine
		"is the mirror gone":   given(mirror, "- somebody said something else"),
		"take the guide":       "",
		"guide --moon":         given(moon),
		"index broken":         given(index),
		`{"command":"ls"}`:     given(night),
		"no such thing at all": given(night),
	}}
	r := play(t, p, lives.Options{})
	if len(p.told) != 3 || p.told[2] != "星表更新要先停掉後台的同步工作，否則索引會壞掉，去年就壞過一次。" {
		t.Errorf("told: %q", p.told)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("need", r.All.Need, (1+.5+1+0)/4)
	near("precision", r.All.Precision, 3./5)
	near("junk", r.All.Junk, .5)
	near("tool need", r.Tools.Need, 1)
	near("tool noise", r.Tools.Noise, 1./3)
	if r.All.Prompts != 4 || r.All.None != 2 || r.Tools.Calls != 3 || r.Tools.Needy != 2 {
		t.Errorf("counted %d, %d prompts and %d, %d calls", r.All.Prompts, r.All.None, r.Tools.Calls, r.Tools.Needy)
	}
	if len(r.Missed) != 1 || r.Missed[0].Prompt != "take the guide camera" {
		t.Errorf("missed: %+v", r.Missed)
	}
	labels := map[string]int{}
	for _, g := range r.Given {
		labels[g.Label]++
	}
	if diff := cmp.Diff(map[string]int{"needed": 3, "fine": 1, "other": 3}, labels); diff != "" {
		t.Errorf("what was given: %s\n%+v", diff, r.Given)
	}
	var kinds []string
	for _, s := range r.Notes {
		kinds = append(kinds, s.Name)
	}
	if got := strings.Join(kinds, ", "); got != "indirect, multi, none, paraphrase, same words" {
		t.Errorf("kinds: %s", got)
	}
	if events := strings.Join(p.events, "\n"); !strings.Contains(events, "refs/heads/feature/moon UserPromptSubmit take") || strings.Contains(events, "main SessionStart {") {
		t.Errorf("events:\n%s", events)
	}
}

func TestWhatTheStartBroughtHasArrived(t *testing.T) {
	p := &program{answers: map[string]string{"SessionStart": given(night, moon, index)}}
	r := play(t, p, lives.Options{Start: true})
	if r.All.Need != .75 || r.All.Junk != 0 || r.Tools.Need != 1 || r.Tools.Acted != 0 {
		t.Errorf("need %v, junk %v, tools %v by the call %v", r.All.Need, r.All.Junk, r.Tools.Need, r.Tools.Acted)
	}
}

func TestLivesPouredTogetherKeepTheirLabels(t *testing.T) {
	p := &program{answers: map[string]string{"when does it build": given(night)}}
	path := write(t, life)
	all, err := lives.Read(path, path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := lives.Run(t.Context(), all, &lives.Options{Dir: t.TempDir(), Program: p.run, Together: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Lives != 1 || len(p.told) != 6 || r.All.Prompts != 8 || r.All.Need != 2./8 {
		t.Errorf("%d lives, %d told, %d prompts, need %v", r.Lives, len(p.told), r.All.Prompts, r.All.Need)
	}
}

func TestBadLivesAreRefusedWithTheirFile(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":        `{"memories": [`,
		"unknown memory": `{"memories": [{"id": "m1", "text": "a"}], "prompts": [{"id": "p1", "text": "b", "need": ["m7"]}]}`,
		"unknown turn":   `{"sessions": [{"id": "w1", "turns": [{"who": "user", "text": "b", "also_ok": ["s1.1"]}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := lives.Read(write(t, text)); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "dome.json") {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := lives.Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestPhrasesAreReadBesideTheirLife(t *testing.T) {
	dir := t.TempDir()
	life, phrases := filepath.Join(dir, "a.json"), filepath.Join(dir, "a.phrases.jsonl")
	for name, text := range map[string]string{
		life:    `{"memories": [{"id": "m1", "text": "Bounce the edge nodes"}, {"id": "m2", "text": "Invoices are rounded half up"}]}`,
		phrases: `{"id": "m1", "needed_when": ["the site is down", "網站掛了"]}` + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := lives.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lives.Phrased(all)
	if err != nil {
		t.Fatal(err)
	}
	if m := got[0].Memories; !slices.Equal(m[0].NeededWhen, []string{"the site is down", "網站掛了"}) || m[1].NeededWhen != nil {
		t.Errorf("%+v", m)
	}
	if all[0].Memories[0].NeededWhen != nil {
		t.Error("the life without phrases has some now")
	}
	for _, bad := range []string{`{"id": "m9", "needed_when": []}`, `{"id": `} {
		if err := os.WriteFile(phrases, []byte("{\"id\": \"m1\"}\n"+bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := lives.Phrased(all); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "a.phrases.jsonl:2") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
