package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Item is one thing worth knowing later: the unit of memory.
//
// An item is written as one version at a time; the last version of an ID wins.
// Its zero value is not valid, see [Item.Validate].
type Item struct {
	ID      string `json:"id"`
	Kind    Kind   `json:"kind"`
	Topic   Topic  `json:"topic,omitempty"`
	Title   string `json:"title,omitempty"`
	Content string `json:"content"`
	Scope   Scope  `json:"scope"`
	Tier    Tier   `json:"tier,omitempty"`

	Metadata  Metadata  `json:"metadata"`
	Relations Relations `json:"relations,omitzero"`

	// Triggers and Aliases are words that call the item up by themselves.
	Triggers []string `json:"triggers,omitempty"`
	Aliases  []string `json:"aliases,omitempty"`
	// NeededWhen are phrases by which somebody may look for the item who does not know
	// its words: a task in which it matters, a symptom, a question in other words, in
	// any language. It is found by them and never shown with them. At most
	// [MaxNeededWhen] of at most [MaxPhrase] characters count.
	NeededWhen []string `json:"needed_when,omitempty"`

	// Audience makes an item sensitive when it is "architecture" or
	// "decision"; empty means everybody who may see the scope.
	Audience string `json:"audience,omitempty"`

	// ValidFrom and ValidTo bound when the statement held; zero is open.
	ValidFrom time.Time `json:"valid_from,omitzero"`
	ValidTo   time.Time `json:"valid_to,omitzero"`
}

// Bounds of [Item.NeededWhen]: what is found by everything tells nothing.
const (
	MaxNeededWhen = 8
	MaxPhrase     = 160 // characters
)

// NoticedTag marks items that nobody asked to keep: they were read from what the
// user said by the way. Only what reads it there may set it.
const NoticedTag = "noticed"

// UntrustedTag marks an item that came from a web page or a tool.
const UntrustedTag = "untrusted"

// Metadata says where an item came from and how it has fared.
type Metadata struct {
	CreatedAt     time.Time `json:"created_at,omitzero"`
	UpdatedAt     time.Time `json:"updated_at,omitzero"`
	RewordedAt    time.Time `json:"reworded_at,omitzero"` // when its text was changed last; zero for the first text
	Source        Source    `json:"source,omitempty"`
	Confidence    float64   `json:"confidence"` // 0..1
	Confirmations int       `json:"confirmations,omitempty"`
	Tags          []string  `json:"tags,omitempty"`
	Session       string    `json:"session,omitempty"`
	Evidence      []string  `json:"evidence,omitempty"` // references into journals
	AccessCount   int       `json:"access_count,omitempty"`
	LastAccessed  time.Time `json:"last_accessed,omitzero"`
}

// Relations name other items by ID.
type Relations struct {
	Supersedes string   `json:"supersedes,omitempty"`
	RelatedTo  []string `json:"related_to,omitempty"`
}

// Kind is what sort of knowledge an item is.
type Kind string

// The kinds. A note is free text (a daily log, MEMORY.md, a turn of a
// conversation): recall finds it, but it has no trust life of its own.
const (
	Semantic   Kind = "semantic"
	Episodic   Kind = "episodic"
	Procedural Kind = "procedural"
	Note       Kind = "note"
)

// Topic is what a statement is about.
type Topic string

// The topics.
const (
	Fact         Topic = "fact"
	Procedure    Topic = "procedure"
	Architecture Topic = "architecture"
	Pitfall      Topic = "pitfall"
	Decision     Topic = "decision"
	Preference   Topic = "preference"
)

// Tier is how well an item is confirmed. Markdown may also write the bracketed
// tags [臨], [觀] and [固].
type Tier string

// The tiers, weakest first.
const (
	Provisional Tier = "provisional"
	Observed    Tier = "observed"
	Settled     Tier = "settled"
)

// Source is who said it.
type Source string

// The sources.
const (
	FromUser   Source = "user"
	FromAgent  Source = "agent"
	FromSystem Source = "system"
	Imported   Source = "imported"
	// FromRepository is text of a repository that the person has not accepted.
	FromRepository Source = "repository"
)

// FailureTag marks what tells of a failure and what mended it. With a colon and a
// name behind it, it says what failed: "failure:go test".
const FailureTag = "failure"

// FailedAt is what failed, of an item that tells of a failure; empty for any other.
func (it *Item) FailedAt() string {
	for _, t := range it.Metadata.Tags {
		if what, ok := strings.CutPrefix(t, FailureTag+":"); ok {
			return what
		}
	}
	return ""
}

// ParseKind reads a kind as people type it; an empty string is Semantic.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(strings.ToLower(strings.TrimSpace(s))); k {
	case "":
		return Semantic, nil
	case Semantic, Episodic, Procedural, Note:
		return k, nil
	}
	return "", fmt.Errorf("%w kind %q: want semantic, episodic, procedural or note", ErrInvalid, s)
}

// ParseTopic reads a topic as people type it; empty stays empty.
func ParseTopic(s string) (Topic, error) {
	switch t := Topic(strings.ToLower(strings.TrimSpace(s))); t {
	case "", Fact, Procedure, Architecture, Pitfall, Decision, Preference:
		return t, nil
	}
	return "", fmt.Errorf("%w topic %q: want fact, procedure, architecture, pitfall, decision or preference", ErrInvalid, s)
}

// ParseTier reads a tier by name or by its Markdown tag; empty stays empty.
func ParseTier(s string) (Tier, error) {
	switch strings.Trim(strings.ToLower(strings.TrimSpace(s)), "[]") {
	case "":
		return "", nil
	case "provisional", "臨", "临":
		return Provisional, nil
	case "observed", "觀", "观":
		return Observed, nil
	case "settled", "固":
		return Settled, nil
	}
	return "", fmt.Errorf("%w tier %q: want provisional, observed or settled", ErrInvalid, s)
}

// ParseSource reads a source; empty stays empty.
func ParseSource(s string) (Source, error) {
	switch v := Source(strings.ToLower(strings.TrimSpace(s))); v {
	case "", FromUser, FromAgent, FromSystem, Imported, FromRepository:
		return v, nil
	}
	return "", fmt.Errorf("%w source %q: want user, agent, system, imported or repository", ErrInvalid, s)
}

// Validate reports the first thing that keeps the item from being stored.
// The error wraps [ErrInvalid].
func (it *Item) Validate() error {
	switch {
	case it.ID == "":
		return fmt.Errorf("%w item: no id", ErrInvalid)
	case strings.TrimSpace(it.Content) == "":
		return fmt.Errorf("%w item %s: no content", ErrInvalid, it.ID)
	case math.IsNaN(it.Metadata.Confidence) || it.Metadata.Confidence < 0 || it.Metadata.Confidence > 1:
		return fmt.Errorf("%w item %s: confidence %g is outside 0..1", ErrInvalid, it.ID, it.Metadata.Confidence)
	}
	_, kind := ParseKind(string(it.Kind))
	_, topic := ParseTopic(string(it.Topic))
	_, tier := ParseTier(string(it.Tier))
	_, source := ParseSource(string(it.Metadata.Source))
	_, scope := ParseScope(string(it.Scope))
	if err := cmp.Or(kind, topic, tier, source, scope); err != nil {
		return fmt.Errorf("item %s: %w", it.ID, err)
	}
	return nil
}

// Clone copies an item with its lists.
func (it Item) Clone() Item {
	for _, list := range []*[]string{
		&it.Metadata.Tags, &it.Metadata.Evidence, &it.Relations.RelatedTo, &it.Triggers, &it.Aliases, &it.NeededWhen,
	} {
		*list = slices.Clone(*list)
	}
	return it
}

// Phrases are those of [Item.NeededWhen] that count.
func (it *Item) Phrases() []string {
	all := slices.Clone(it.NeededWhen[:min(len(it.NeededWhen), MaxNeededWhen)])
	for i, s := range all {
		if r := []rune(s); len(r) > MaxPhrase {
			all[i] = string(r[:MaxPhrase])
		}
	}
	return all
}

// shortestID is the least of an ID that names what it is of, in bytes.
const shortestID = 4

// ShortID is as much of an ID as people and models are shown: the end of a UUID,
// which [Abbreviates] it; any other whole.
func ShortID(id string) string {
	const uuid, dashes = 36, 4
	if len(id) == uuid && strings.Count(id, "-") == dashes {
		return id[strings.LastIndexByte(id, '-')+1:]
	}
	return id
}

// Abbreviates reports whether a text is as much of an ID as names it: the
// beginning or the end of it, or the beginning of what [ShortID] shows, of at least
// four bytes.
func Abbreviates(text, id string) bool {
	return len(text) >= shortestID && (strings.HasPrefix(id, text) || strings.HasSuffix(id, text) || strings.HasPrefix(ShortID(id), text))
}
