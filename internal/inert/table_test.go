package inert_test

import (
	"strings"
	"testing"

	"orihon/internal/inert"
)

func TestTheTableOfTheProgramIsSound(t *testing.T) {
	if err := inert.ReadStandard(); err != nil {
		t.Error(err)
	}
}

func TestABadTableIsNamedByItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"head system\nheard user": `boundaries.txt:2: there is no kind "heard"`,
		"head":                    `boundaries.txt:1: "head" has nothing behind it; add what belongs to it`,
		"# a\n\nlike ab c":        "boundaries.txt:3: like needs one ASCII character and what stands for it",
		"like a":                  "boundaries.txt:1: like needs one ASCII character and what stands for it",
		"like a бв":               `boundaries.txt:1: "бв" is more than one character`,
		"like a б\nentity <":      "boundaries.txt:2: entity needs one ASCII character and what stands for it",
		"head x\nlike a б":        "boundaries.txt:2: like stands behind names, which are kept as what they look like; put it before them",
	} {
		err := inert.ReadTable(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
