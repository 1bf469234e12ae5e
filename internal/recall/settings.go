package recall

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Settings are the figures of recall. Their defaults are those of the
// specification or, for the weights, measured on development data.
type Settings struct {
	Threshold     float64 // relevance that a passage must reach: 0.7
	ThresholdMin  float64 // how far it is lowered when nothing reaches it: 0.5
	BudgetShort   int     // tokens for prompts below 50 characters: 1,500
	BudgetMedium  int     // below 200: 3,000
	BudgetLong    int     // from 200: 5,000
	Candidates    int     // per leg and source: 60
	MaxTerms      int     // the rarest words of a prompt that are searched for: 12
	CommonShare   float64 // words in more than this share of the passages are left out: 0.3
	IdleDecay     float64 // confidence lost in 30 days without access: 0
	RecencyWeight float64 // 0.2
	AccessWeight  float64 // 0.1
	// Weights in fusion, against 1 for the passage's own text. A negative one
	// switches its part off. What they are worth on development data, in points
	// of recall at five and at ten, stands in docs/benchmarks.md.
	NearWeight    float64 // its text with its neighbours: 3.5
	VectorWeight  float64 // vectors: by the embedder, see likeness
	TriggerWeight float64 // a trigger is in the prompt: 1.5
	SpeakerWeight float64 // the speaker is named in the prompt: 2.2
	DateWeight    float64 // its day or period is named in the prompt: 3
	// BrevityWeight is the power with which a turn of more than 60 tokens is put
	// behind a shorter one: 0.15.
	BrevityWeight float64
	// OtherSpeaker is what a turn keeps of its relevance when the prompt names
	// another speaker: 0.3.
	OtherSpeaker float64
	// AgentWeight is what an agent's turn keeps of its score, unless the prompt
	// asks what the agent said: 0.2.
	AgentWeight float64
	// AgentRelevance is what an agent's turn keeps of its relevance, unless the
	// prompt asks what the agent said: 0.75. Long answers hold every word.
	AgentRelevance float64
	Fusion         Fusion // how legs are fused: WeightedSum
	KeepTwins      bool   // do not collapse passages that say nearly the same
	// NoSupersession lets what was replaced stand beside what replaced it.
	NoSupersession bool
	HideSources    bool // leave file:line out of the injected text
}

// The stages of ranking that can be left out, see [Settings.Leave].
const (
	StageNeighbours  = "neighbours"
	StageVectors     = "vectors"
	StageSpeakers    = "speakers"
	StageDates       = "dates"
	StagePopulations = "populations"
	StageBrevity     = "brevity"
	StageRecency     = "recency"
	StageAccess      = "access"
	StageDiversity   = "diversity"
	// StageSupersession is none of [Stages]: what it is worth shows where facts
	// change.
	StageSupersession = "supersession"
)

// Stages are all of them.
func Stages() []string {
	return []string{
		StageNeighbours, StageVectors, StageSpeakers, StageDates,
		StagePopulations, StageBrevity, StageRecency, StageAccess, StageDiversity,
	}
}

// Leave leaves stages out; names that are no stage are passed over.
func (s *Settings) Leave(stages ...string) {
	const off = -1
	for _, stage := range stages {
		switch stage {
		case StageNeighbours:
			s.NearWeight = off
		case StageVectors:
			s.VectorWeight = off
		case StageSpeakers:
			s.SpeakerWeight, s.OtherSpeaker = off, off
		case StageDates:
			s.DateWeight = off
		case StagePopulations:
			s.AgentWeight, s.AgentRelevance = off, off
		case StageBrevity:
			s.BrevityWeight = off
		case StageRecency:
			s.RecencyWeight = off
		case StageAccess:
			s.AccessWeight = off
		case StageDiversity:
			s.KeepTwins = true
		case StageSupersession:
			s.NoSupersession = true
		}
	}
}

// Fusion is how the scores of the legs become one.
type Fusion string

// The fusions.
const (
	WeightedSum     Fusion = "weighted" // and the empty one
	ReciprocalRanks Fusion = "rrf"
)

func (s Settings) withDefaults() Settings {
	for _, d := range []struct {
		field *float64
		value float64
	}{
		{&s.Threshold, 0.7}, {&s.ThresholdMin, 0.5},
		{&s.RecencyWeight, 0.2}, {&s.AccessWeight, 0.1}, {&s.CommonShare, 0.3},
		{&s.NearWeight, 3.5}, {&s.TriggerWeight, 1.5}, {&s.SpeakerWeight, 2.2}, {&s.DateWeight, 3},
		{&s.BrevityWeight, 0.15}, {&s.OtherSpeaker, 0.3}, {&s.AgentWeight, 0.2}, {&s.AgentRelevance, 0.75},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	for _, w := range []*float64{&s.RecencyWeight, &s.AccessWeight, &s.NearWeight, &s.TriggerWeight, &s.SpeakerWeight, &s.DateWeight, &s.BrevityWeight} {
		*w = math.Max(0, *w)
	}
	for _, w := range []*float64{&s.AgentWeight, &s.AgentRelevance, &s.OtherSpeaker} {
		if *w < 0 {
			*w = 1
		}
	}
	for _, d := range []struct {
		field *int
		value int
	}{
		{&s.BudgetShort, 1500}, {&s.BudgetMedium, 3000}, {&s.BudgetLong, 5000}, {&s.Candidates, 60}, {&s.MaxTerms, 12},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return s
}

// Budget is what a prompt of this length may bring in, in tokens.
func (s Settings) Budget(prompt string) int {
	s = s.withDefaults()
	return budget(utf8.RuneCountInString(strings.TrimSpace(prompt)), &s)
}

// budget grows with the prompt: who writes more wants more.
func budget(characters int, set *Settings) int {
	switch {
	case characters < 50:
		return set.BudgetShort
	case characters < 200:
		return set.BudgetMedium
	}
	return set.BudgetLong
}
