package redact

import "strings"

// scan is one pass over one text.
type scan struct {
	s     string
	words []word
	off   *[ruleCount]bool
	spans []span

	// Places before these ends are settled, for shapes and for cues: a shape
	// within the value of a named credential is still looked at, because it
	// gives the better name.
	shapeDone, cueDone int

	keyEnd int // end of the last key that [scan.named] looked at

	nearTwilio  int      // end of what was searched for Twilio's ids
	lastCommand *command // whose arguments were looked at, up to
	commandEnd  int
	manifest    int // end of what was searched for a Secret of Kubernetes

	// The last long run of each set, so that many cues within it do not walk it
	// again.
	runs [charsets]struct{ from, to int }
}

// shaped and valued note a secret: one known by its shape, one by its place.
func (sc *scan) shaped(r rule, from, to int) {
	if sc.off[r] {
		return
	}
	sc.spans = append(sc.spans, span{from, to, r})
	sc.shapeDone = max(sc.shapeDone, to)
	sc.cueDone = max(sc.cueDone, to)
}

func (sc *scan) valued(r rule, from, to int) {
	if sc.off[r] {
		return
	}
	sc.spans = append(sc.spans, span{from, to, r})
	sc.cueDone = max(sc.cueDone, to)
}

func (sc *scan) skipMark(from, _ int) {
	if n := markAt(sc.s, from); n > 0 {
		sc.shapeDone = max(sc.shapeDone, from+n)
		sc.cueDone = max(sc.cueDone, from+n)
	}
}

// run is the end of the run of characters of the set that begins at from.
func (sc *scan) run(from int, set charset) int {
	if r := sc.runs[set]; from >= r.from && from < r.to {
		return r.to
	}
	to := from
	for to < len(sc.s) && set.has(sc.s[to]) {
		if sc.s[to] == '\\' && escaped(sc.s, to) {
			break
		}
		to++
	}
	if to-from > 128 {
		sc.runs[set] = struct{ from, to int }{from, to}
	}
	return to
}

// lineBefore is the text before a place on its line, at most limit bytes.
func (sc *scan) lineBefore(at, limit int) string {
	s := sc.s[max(0, at-limit):at]
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// line is the text from a place to the end of its line, at most limit bytes.
func (sc *scan) line(from, limit int) string {
	s := sc.s[from:min(len(sc.s), from+limit)]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return s
}
