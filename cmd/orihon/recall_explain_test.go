package main

import (
	"slices"
	"strings"
	"testing"
)

func TestAnExplanationKeepsToItsColumns(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"a word more", 7, "a word…"},
		{"部署", 4, "部署"},
		{"部署前", 5, "部署…"},
		{"部署前", 4, "部…"},
		{"two\nlines", 9, "two lines"},
	} {
		if got := fit(tt.text, tt.most); got != tt.want {
			t.Errorf("%q in %d columns: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestSearchTermsAreShownAsTyped(t *testing.T) {
	got := asTyped([]string{"failur", "deploy", "部署", "librari"}, "Failures of deploys, 部署 failed, see git.libraries.io")
	if want := strings.Fields("failures deploys 部署 libraries"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
