package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orihon/memory"
)

func formItem() memory.Item {
	return memory.Item{
		ID: "0199", Kind: memory.Procedural, Topic: memory.Pitfall, Tier: memory.Observed, Title: "部署: \"ship\" # now",
		Content: "先遷移\n---\n再部署 <b>", Scope: memory.Shared, Triggers: []string{"deploy", "部署, 上線"},
		Metadata: memory.Metadata{Confidence: 0.65, Tags: []string{"null", "3"}},
	}
}

func TestAFormThatNobodyChangedChangesNothing(t *testing.T) {
	for name, it := range map[string]memory.Item{"everything set": formItem(), "the least": {ID: "a", Content: "x", Scope: memory.Global, Kind: memory.Semantic}} {
		form, err := formatForm(&it)
		if err != nil {
			t.Fatal(err)
		}
		got := it
		if err := parseForm([]byte(strings.ReplaceAll(string(form), "\n", "\r\n")), &got); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, form)
		}
		if diff := cmp.Diff(it, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-before +after):\n%s\n%s", name, diff, form)
		}
	}
}

func TestAFormIsReadAsPeopleTypeIt(t *testing.T) {
	got := formItem()
	if err := parseForm([]byte("tags: a, 乙 ,\ntriggers: []\naliases:\ntier: '[固]'\n---\n\n  只有這句\n\n"), &got); err != nil {
		t.Fatal(err)
	}
	want := formItem()
	want.Metadata.Tags, want.Triggers, want.Tier, want.Content = []string{"a", "乙"}, nil, memory.Settled, "只有這句"
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "title: x", "colour: blue\n---\nx", "kind: rumour\n---\nx", "confidence: much\n---\nx", "tags: {a: b}\n---\nx", "title: [\n---\nx"} {
		it := formItem()
		if err := parseForm([]byte(bad), &it); !errors.Is(err, memory.ErrInvalid) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want ErrInvalid in one line", bad, err)
		}
	}
}

// Whatever an editor leaves, it is refused or it can be shown and read again.
func FuzzForm(f *testing.F) {
	it := formItem()
	form, err := formatForm(&it)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(form))
	f.Add("tags: a, b\n---\ntext")
	f.Add("---\n---\n")
	f.Add("title: &a [*a]\n---\nx")
	f.Fuzz(func(t *testing.T, text string) {
		one := formItem()
		if parseForm([]byte(text), &one) != nil || math.IsNaN(one.Metadata.Confidence) {
			return
		}
		form, err := formatForm(&one)
		if err != nil {
			t.Fatal(err)
		}
		two := one
		if err := parseForm(form, &two); err != nil {
			t.Fatalf("%v\n%s", err, form)
		}
		if diff := cmp.Diff(one, two, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n%s", diff, form)
		}
	})
}
