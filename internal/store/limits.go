package store

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"orihon/memory"
)

// What one file may cost. Nobody who writes notes by hand meets these; they
// keep what a repository brings from costing more than its size. What is left
// out stays in the file and is named as a [memory.Problem].
const (
	// maxMarkdown is the size from which a file is not read, maxFront that of
	// front matter, in bytes.
	maxMarkdown = 32 << 20
	maxFront    = 2 << 20
	// maxAtom is how much is searched of an atom or a MEMORY.md, in bytes of body,
	// and maxLines how many lines of any file.
	maxAtom  = 1 << 20
	maxLines = 400_000
	// maxFacts bounds the bullets of a file.
	maxFacts = 20_000
	// maxLabel bounds a title and the headings above a passage, in characters.
	maxLabel = 500
	// maxContent bounds what one passage says, in bytes.
	maxContent = 64 << 10
	// maxList bounds each list of an item: triggers, aliases, tags and so on.
	maxList = 1000
	// maxSpread bounds what all bullets of a file together take over of the
	// lists in its front matter, in bytes and entryCost more for each entry.
	maxSpread = 16 << 20
	entryCost = 64
	// maxNewIDs bounds the files that a sync gives an ID: each waits for the
	// disk twice.
	maxNewIDs = 1000
	// maxUnsynced is how much of a ledger Quick reads beyond what is known, in
	// bytes: the latest of it.
	maxUnsynced = 512 << 10
)

// readable is as much of a body as is read, and the line behind it; 0 when that
// is all of it.
func readable(body string, list bool) (read string, left int) {
	end := len(body)
	if list && end > maxAtom {
		end = runeStart(body, maxAtom)
		if i := strings.LastIndexByte(body[:end], '\n'); i > end/2 {
			end = i + 1
		}
	}
	n, at := 0, 0
	for ; n < maxLines; n++ {
		i := strings.IndexByte(body[at:end], '\n')
		if i < 0 {
			at = end
			break
		}
		at += i + 1
	}
	if at == len(body) {
		return body, 0
	}
	return body[:at], n + 1
}

// runeStart is the last place at or before an offset where a character begins.
func runeStart(s string, at int) int {
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// label is text cut to maxLabel.
func label(s string) string {
	if len(s) <= maxLabel {
		return s
	}
	n := 0
	for i := range s {
		if n == maxLabel {
			return s[:i]
		}
		n++
	}
	return s
}

// bound keeps the passages of a file, which share what they have in common with
// their siblings, within the limits. What it leaves out of the first passage
// that has too much is named.
func bound(passages []memory.Passage, siblings int) (problems []memory.Problem) {
	said := make(map[string]bool)
	say := func(p *memory.Passage, what, format string, args ...any) {
		if !said[what] {
			said[what] = true
			problems = append(problems, memory.Problem{Path: p.Source, Line: max(1, p.Line), Text: fmt.Sprintf(format, args...)})
		}
	}
	for i := range passages {
		p := &passages[i]
		it := &p.Item
		if len(it.Content) > maxContent {
			it.Content = it.Content[:runeStart(it.Content, maxContent)]
			say(p, "content", "says more than %d KB in one piece: only its beginning is found; split it", maxContent>>10)
		}
		if short := label(it.Title); short != it.Title {
			it.Title = short
			say(p, "title", "has a title of more than %d characters: only its beginning counts; shorten it", maxLabel)
		}
		left := maxSpread / max(1, siblings)
		for _, l := range []struct {
			name string
			of   *[]string
		}{
			{"triggers", &it.Triggers}, {"aliases", &it.Aliases}, {"needed_when", &it.NeededWhen}, {"tags", &it.Metadata.Tags},
			{"evidence", &it.Metadata.Evidence}, {"related_to", &it.Relations.RelatedTo},
		} {
			n := 0
			for n < len(*l.of) && n < maxList && left >= len((*l.of)[n])+entryCost {
				left -= len((*l.of)[n]) + entryCost
				n++
			}
			if had := len(*l.of); n < had {
				*l.of = (*l.of)[:n:n]
				say(p, l.name, "has %d %s: only the first %d count here; at most %d do, and fewer where many bullets share them; delete some or split the file", had, l.name, n, maxList)
			}
		}
	}
	return problems
}
