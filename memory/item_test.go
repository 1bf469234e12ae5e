package memory_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
)

// parses checks one of the package's parsers against what it must and must not
// read.
func parses[T ~string](t *testing.T, parse func(string) (T, error), good map[string]T, bad ...string) {
	t.Helper()
	for in, want := range good {
		if got, err := parse(in); err != nil || got != want {
			t.Errorf("%q is read as %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range bad {
		got, err := parse(in)
		if !errors.Is(err, memory.ErrInvalid) || got != "" {
			t.Errorf("%q is read as %q, %v; want ErrInvalid", in, got, err)
		} else if !strings.Contains(err.Error(), "want ") {
			t.Errorf("%q: the error %q does not say how to mend it", in, err)
		}
	}
}

func TestKindsAreReadAsPeopleTypeThem(t *testing.T) {
	parses(t, memory.ParseKind, map[string]memory.Kind{
		"": memory.Semantic, " ": memory.Semantic, "semantic": memory.Semantic, " Episodic\t": memory.Episodic,
		"PROCEDURAL": memory.Procedural, "note": memory.Note,
	}, "fact", "semantics", "事實")
}

func TestTopicsAreReadAsPeopleTypeThem(t *testing.T) {
	parses(t, memory.ParseTopic, map[string]memory.Topic{
		"": "", "fact": memory.Fact, "Procedure": memory.Procedure, "architecture ": memory.Architecture,
		"PITFALL": memory.Pitfall, "decision": memory.Decision, "preference": memory.Preference,
	}, "facts", "陷阱")
}

func TestTiersAreReadByNameAndByTag(t *testing.T) {
	parses(t, memory.ParseTier, map[string]memory.Tier{
		"": "", "[]": "", "provisional": memory.Provisional, " Observed ": memory.Observed, "SETTLED": memory.Settled,
		"[臨]": memory.Provisional, "[临]": memory.Provisional, "臨": memory.Provisional, "[provisional]": memory.Provisional,
		"[觀]": memory.Observed, "[观]": memory.Observed, " [觀] ": memory.Observed, "观": memory.Observed,
		"[固]": memory.Settled, "固": memory.Settled,
	}, "[x]", "[臨觀]", "firm", "[固定]")
}

func TestSourcesAreReadAsPeopleTypeThem(t *testing.T) {
	parses(t, memory.ParseSource, map[string]memory.Source{
		"": "", "user": memory.FromUser, "Agent": memory.FromAgent, " system": memory.FromSystem, "IMPORTED": memory.Imported,
	}, "me", "import", "使用者")
}

func valid() memory.Item {
	return memory.Item{
		ID: "a", Content: "Deploys go through make ship.", Scope: memory.Global,
		Metadata: memory.Metadata{Confidence: 0.9},
	}
}

func TestAnItemNeedsLittleToBeValid(t *testing.T) {
	for name, change := range map[string]func(*memory.Item){
		"the least":            func(*memory.Item) {},
		"no confidence":        func(it *memory.Item) { it.Metadata.Confidence = 0 },
		"full confidence":      func(it *memory.Item) { it.Metadata.Confidence = 1 },
		"everything named":     func(it *memory.Item) { *it = full() },
		"Chinese":              func(it *memory.Item) { it.Content, it.Scope = "部署前先跑遷移", memory.Role("美術") },
		"a tag for a tier":     func(it *memory.Item) { it.Tier = "[觀]" },
		"a time without order": func(it *memory.Item) { it.ValidFrom, it.ValidTo = now, now.Add(-time.Hour) },
	} {
		it := valid()
		change(&it)
		if err := it.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnInvalidItemSaysWhatIsWrongAndWhichItIs(t *testing.T) {
	for _, tt := range []struct {
		says   string
		change func(*memory.Item)
	}{
		{"no id", func(it *memory.Item) { it.ID = "" }},
		{"no content", func(it *memory.Item) { it.Content = "" }},
		{"no content", func(it *memory.Item) { it.Content = " \n\t\u3000" }},
		{"confidence -0.1", func(it *memory.Item) { it.Metadata.Confidence = -0.1 }},
		{"confidence 1.01", func(it *memory.Item) { it.Metadata.Confidence = 1.01 }},
		{"confidence NaN", func(it *memory.Item) { it.Metadata.Confidence = math.NaN() }},
		{"confidence +Inf", func(it *memory.Item) { it.Metadata.Confidence = math.Inf(1) }},
		{`kind "rumour"`, func(it *memory.Item) { it.Kind = "rumour" }},
		{`topic "gossip"`, func(it *memory.Item) { it.Topic = "gossip" }},
		{`tier "firm"`, func(it *memory.Item) { it.Tier = "firm" }},
		{`source "me"`, func(it *memory.Item) { it.Metadata.Source = "me" }},
		{`scope ""`, func(it *memory.Item) { it.Scope = "" }},
		{`scope "personal:../x"`, func(it *memory.Item) { it.Scope = "personal:../x" }},
	} {
		it := valid()
		tt.change(&it)
		err := it.Validate()
		if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("got %v, want ErrInvalid with %q", err, tt.says)
		} else if it.ID != "" && !strings.Contains(err.Error(), "item "+it.ID) {
			t.Errorf("%q does not name the item", err)
		}
	}
}

func full() memory.Item {
	return memory.Item{
		ID: "0195a", Kind: memory.Procedural, Topic: memory.Pitfall, Title: "部署 / Deploys", Content: "先遷移\n再部署 <b>&", Scope: memory.Personal("ann"), Tier: memory.Settled,
		Metadata: memory.Metadata{
			CreatedAt: now, UpdatedAt: now.Add(time.Nanosecond), Source: memory.FromAgent, Confidence: 0.65, Confirmations: 3, Tags: []string{"資料庫", "db"},
			Session: "s-1", Evidence: []string{"s-1/12"}, AccessCount: 4, LastAccessed: now.Add(time.Hour),
		},
		Relations: memory.Relations{Supersedes: "older", RelatedTo: []string{"x", "y"}},
		Triggers:  []string{"遷移"}, Aliases: []string{"schema change"}, Audience: "decision",
		ValidFrom: now.AddDate(-1, 0, 0), ValidTo: now.AddDate(1, 0, 0),
	}
}

func TestAnItemSurvivesJSON(t *testing.T) {
	for name, want := range map[string]memory.Item{"full": full(), "least": valid()} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got memory.Item
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
}

// The names are a file format: a change here breaks every ledger there is.
func TestTheJSONNamesAreTheFormat(t *testing.T) {
	for _, tt := range []struct {
		name string
		item memory.Item
		want string
	}{
		{"what is not set is left out", valid(),
			`{"id":"a","kind":"","content":"Deploys go through make ship.","scope":"global","metadata":{"confidence":0.9}}`},
		{"everything", full(), `{"id":"0195a","kind":"procedural","topic":"pitfall","title":"部署 / Deploys","content":"先遷移\n再部署 \u003cb\u003e\u0026",` +
			`"scope":"personal:ann","tier":"settled","metadata":{"created_at":"2026-03-14T09:26:53Z","updated_at":"2026-03-14T09:26:53.000000001Z",` +
			`"source":"agent","confidence":0.65,"confirmations":3,"tags":["資料庫","db"],"session":"s-1","evidence":["s-1/12"],"access_count":4,"last_accessed":"2026-03-14T10:26:53Z"},` +
			`"relations":{"supersedes":"older","related_to":["x","y"]},"triggers":["遷移"],"aliases":["schema change"],"audience":"decision",` +
			`"valid_from":"2025-03-14T09:26:53Z","valid_to":"2027-03-14T09:26:53Z"}`},
	} {
		got, err := json.Marshal(tt.item)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestAnIDIsNamedByWhatIsShownOfIt(t *testing.T) {
	const id = "01a22455-3daa-7d9d-8c96-5bac0f8e30f2"
	for text, want := range map[string]bool{
		id: true, "01a2": true, "30f2": true, memory.ShortID(id): true, "5bac": true,
		"5ba": false, "bac0": false, "7d9d": false, "": false,
	} {
		if got := memory.Abbreviates(text, id); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
