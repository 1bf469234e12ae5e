package lives_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orihon/internal/lives"
	"orihon/memory"
)

const (
	olderSaid = "the shutter controller answers on port 5020. why does dome.py hang?"
	laterSaid = "write a fake shutter controller for home. It should listen on 1502, like the real one downstairs"
)

func pairOf(kind, need string) lives.Pair {
	return lives.Pair{
		ID: "c1", Kind: kind, Old: olderSaid, New: laterSaid, Ask: "add a probe for the shutter",
		OldValue: "5020", NewValue: "1502", Need: need,
	}
}

// What an ask got, and under which figure it counts.
func TestPairsAreScoredByWhatStandsFirstAndAsCurrent(t *testing.T) {
	const (
		older = "- the shutter controller answers on port 5020. why does dome.py hang? (today"
		later = "- It should listen on 1502, like the real one downstairs (today)" // one sentence of it
		part  = "- write a fake shutter controller for home. (today)"              // not the one with the value
		other = "- the relay for the heater listens on 1502 (today)"               // the value of another matter
	)
	for _, tt := range []struct {
		name, kind, need string
		got              []string
		want             lives.PairReport
	}{
		{"later alone", "replaced", "new", []string{later}, lives.PairReport{Current: 1}},
		{"later, then the older one as older", "replaced", "new", []string{later, older + "; older than the above, which may replace it)"}, lives.PairReport{Current: 1}},
		{"later, then the older one as former", "replaced", "new", []string{later, older + "; former, replaced since)"}, lives.PairReport{Current: 1}},
		{"in Chinese", "replaced", "new", []string{later, older + "；比上一条旧，可能已被它取代）"}, lives.PairReport{Current: 1}},
		{"both as current", "replaced", "new", []string{later, older + ")"}, lives.PairReport{Both: 1}},
		{"the older one first", "replaced", "new", []string{older + "; older than the above)", later}, lives.PairReport{Both: 1}},
		{"older alone", "replaced", "new", []string{older + ")"}, lives.PairReport{Old: 1}},
		{"neither", "replaced", "new", []string{part, other}, lives.PairReport{Neither: 1}},
		{"nothing", "replaced", "new", nil, lives.PairReport{Neither: 1}},
		{"the older is needed", "alike", "old", []string{older + ")"}, lives.PairReport{Needed: 1}},
		{"the older is needed and marked", "alike", "old", []string{later, older + "; older than the above, which may replace it)"}, lives.PairReport{Needed: 1, Marked: 1}},
		{"the older is needed and ended", "alike", "old", []string{later, older + "; former, replaced since)"}, lives.PairReport{Ended: 1}},
		{"the later is needed", "alike", "new", []string{later}, lives.PairReport{Needed: 1}},
		{"both are needed", "alike", "both", []string{later}, lives.PairReport{}},
		{"both are there", "alike", "both", []string{older + ")", later}, lives.PairReport{Needed: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &program{answers: map[string]string{}}
			if len(tt.got) > 0 {
				p.answers["add a probe"] = given(tt.got...)
			}
			r, err := lives.RunPairs(t.Context(), [][]lives.Pair{{pairOf(tt.kind, tt.need)}}, &lives.Options{Dir: t.TempDir(), Program: p.run})
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Stores, tt.want.Passages = 1, float64(len(tt.got))
			if tt.kind == "replaced" {
				tt.want.Replaced = 1
			} else {
				tt.want.Alike = 1
			}
			if diff := cmp.Diff(&tt.want, r, cmpopts.IgnoreFields(lives.PairReport{}, "CurrentCI", "Missed")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPairsArePlayedOldThenNewThenAsked(t *testing.T) {
	p := &program{}
	var pairs []lives.Pair
	for range 21 { // one more than a store holds
		pairs = append(pairs, pairOf("replaced", "new"))
	}
	r, err := lives.RunPairs(t.Context(), [][]lives.Pair{pairs}, &lives.Options{Dir: t.TempDir(), Program: p.run})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stores != 2 || len(r.Missed) != 21 || len(p.told) != 0 {
		t.Errorf("%d stores, %d missed, remembered %q", r.Stores, len(r.Missed), p.told)
	}
	var prompts []string
	for _, e := range p.events {
		for what, text := range map[string]string{"old": olderSaid, "new": laterSaid, "ask": "add a probe"} {
			if strings.Contains(e, "UserPromptSubmit "+text) {
				prompts = append(prompts, what)
			}
		}
	}
	want := strings.Repeat("old ", 20) + strings.Repeat("new ", 20) + strings.Repeat("ask ", 20) + "old new ask"
	if got := strings.Join(prompts, " "); got != want {
		t.Errorf("prompts: %s", got)
	}
}

func TestBadPairsAreRefusedWithTheirLine(t *testing.T) {
	const good = `{"kind":"alike","old":"port 1","new":"port 2","ask":"?","old_value":"1","new_value":"2","need":"old"}` + "\n"
	for name, line := range map[string]string{
		"no JSON": `{"kind":`, "kind": strings.Replace(good, "alike", "same", 1), "need": strings.Replace(good, `"need":"old"`, `"need":"none"`, 1),
		"value": strings.Replace(good, `"new_value":"2"`, `"new_value":"3"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.jsonl")
			if err := os.WriteFile(path, []byte(good+line), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := lives.ReadPairs(path); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "c.jsonl:2") {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := lives.ReadPairs(t.TempDir()); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := lives.ReadPairs(filepath.Join(t.TempDir(), "none")); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("no folder: %v", err)
	}
}
