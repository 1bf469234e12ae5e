package memoryindex

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"orihon/internal/opening"
	"orihon/internal/recall"
	"orihon/internal/store"
	"orihon/internal/verbs"
	"orihon/memory"
)

// Strange is what somebody else wrote into the program's section of the project's
// MEMORY.md.
type Strange struct {
	File string // for the operating system
	Line int    // of the first such line
	Text string // the lines, without secrets; empty when there are none
	Hash string // of the whole section: what an acceptance holds for
}

// Foreign compares the section of the project's MEMORY.md with the shared items that
// the user has accepted. A client that imports the file takes the section for
// memory, and whoever commits to the repository can write into it. Lines that no
// such item says are strange until the user accepts the section; those that are
// only missing, or stand in another order, do no harm.
func Foreign(ctx context.Context, v *verbs.Verbs) (Strange, error) {
	out := Strange{File: v.Personal.Text.FileOf(store.CorePath(projectRoot))}
	lines, first := store.SectionLines(out.File)
	if left, _ := store.Unsaid(lines); left == nil {
		return out, nil
	}
	out.Hash = sectionHash(lines)
	if v.Accepts(out.Hash) {
		return out, nil
	}
	// A teammate may have written it in another language and with other bounds.
	const all = 1 << 20 // tokens
	var texts []string
	e := v.Engine(ctx)
	for _, language := range []string{v.Language(""), "en", "zh-Hant", "zh-Hans"} {
		for _, most := range []int{v.Config.Recall.StartTokens, all} {
			opened, err := section(ctx, e, []memory.Scope{memory.Shared}, language, most)
			if err != nil {
				return out, err
			}
			texts = append(texts, opened)
		}
	}
	left, at := store.Unsaid(lines, texts...)
	if left == nil {
		// The same section needs no second look.
		return out, v.Book().Accept(ctx, out.Hash)
	}
	out.Line = first + at
	out.Text, _ = v.Redactor.Text(strings.TrimSpace(strings.Join(left, "")))
	return out, nil
}

// vouch accepts the section as the program has just written it.
func vouch(ctx context.Context, v *verbs.Verbs) error {
	lines, _ := store.SectionLines(v.Personal.Text.FileOf(store.CorePath(projectRoot)))
	if lines == nil {
		return nil
	}
	return v.Book().Accept(ctx, sectionHash(lines))
}

// section is the text of a section for items of some scopes.
func section(ctx context.Context, e *recall.Engine, scopes []memory.Scope, language string, most int) (string, error) {
	opened, err := opening.Begin(ctx, e, opening.Options{
		Scopes: scopes, Lasting: true, Language: language, MaxTokens: most, KnownTokens: cmp.Or(most, -1),
	})
	return opened.Text, err
}

// sectionHash names a section as a person accepts it.
func sectionHash(lines []string) string {
	sum := sha256.Sum256([]byte("section of MEMORY.md\n" + strings.Join(lines, "")))
	return hex.EncodeToString(sum[:16])
}
