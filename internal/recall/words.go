package recall

import (
	_ "embed"
	"slices"
	"strings"

	"orihon/internal/terms"
)

//go:embed words.txt
var lists terms.Lists

func contains(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}
