package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"

	"orihon/memory"
)

// fact is a bullet of an atom, or of a MEMORY.md.
type fact struct {
	hash    string
	tier    memory.Tier // by its tag; empty follows the atom
	tag     string      // as written, with the blank behind it
	text    string
	heading string
	line    int
	end     int

	unaccepted bool // nobody here has accepted it
}

// readFacts gathers the bullets. Of two that say the same the first counts.
// What they say stands in lines, what names them in written: the same lines,
// with nothing taken out, so that a bullet keeps its name whatever is.
func readFacts(lines, written []line, title string) []fact {
	var facts []fact
	seen := make(map[string]bool)
	var where trail
	under := where.under(title)
	for i := range lines {
		if len(facts) == maxFacts {
			break
		}
		l := &lines[i]
		if l.class == heading {
			where = where.enter(l)
			under = where.under(title)
		}
		if l.class != bullet {
			continue
		}
		f := fact{line: l.n, heading: under}
		f.tag, f.tier = tagOf(written[i].text[written[i].start:])
		f.text, f.end = itemText(lines, i)
		said, _ := itemText(written, i)
		f.hash = factHash(said)
		if said != "" && !seen[f.hash] {
			seen[f.hash] = true
			facts = append(facts, f)
		}
	}
	return facts
}

// itemText is the text of the list item that begins with lines[i], without its
// marker and tag, and the number of its last line.
func itemText(lines []line, i int) (text string, end int) {
	l := &lines[i]
	first := l.text[l.start:]
	tag, _ := tagOf(first)
	parts := []string{strings.TrimRight(first[len(tag):], " \t")}
	end = l.n
	for j := i + 1; j < len(lines); j++ {
		next := &lines[j]
		if next.class == bullet || next.class == heading || next.class == prose || next.class == code {
			break
		}
		if next.class == unseen {
			continue
		}
		parts = append(parts, dedent(next.text, l.start))
		if next.class == inside {
			end = next.n
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n")), end
}

// tagOf reads the tier a bullet begins with.
func tagOf(s string) (tag string, tier memory.Tier) {
	end := strings.IndexByte(s, ']')
	if end < 0 || s[0] != '[' {
		return "", ""
	}
	tier, err := memory.ParseTier(s[:end+1])
	if err != nil || tier == "" {
		return "", ""
	}
	rest := strings.TrimLeft(s[end+1:], " \t")
	return s[:len(s)-len(rest)], tier
}

// dedent takes up to n columns of blanks away.
func dedent(s string, n int) string {
	for n > 0 && s != "" && (s[0] == ' ' || s[0] == '\t') {
		s, n = s[1:], n-1
	}
	return strings.TrimRight(s, " \t")
}

// factHash names a bullet by its text: composed the same way (NFC), with every
// run of blanks as one.
func factHash(text string) string {
	sum := sha256.Sum256([]byte(oneLine(norm.NFC.String(text))))
	return hex.EncodeToString(sum[:4])
}
