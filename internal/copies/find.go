package copies

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Span is a copy in a text, in bytes.
type Span struct {
	From, To int
	Whole    bool // of a whole text, not of a piece
}

// windowSize is how many bytes are looked at together, at least.
const windowSize = 1 << 20

// Find returns where copies stand in a text, from front to back.
func (w *Words) Find(text []byte) []Span { return w.find(text, true) }

// find does so; without keep it also finds what [Words.Keep] excepts.
func (w *Words) find(text []byte, keep bool) (out []Span) {
	if len(w.seeds) > 0 {
		// A run is as long as all texts together at most: what begins further
		// from the end of a window lies in it whole.
		tail := len(w.letters) + seed
		var buffer []letter
		for from := 0; from < len(text); {
			size := max(windowSize, 64*tail)
			b := block{w: w, text: text, keep: keep, last: len(text)-from <= size}
			end := len(text)
			if !b.last {
				end = from + size
				for !utf8.RuneStart(text[end]) {
					end++
				}
			}
			buffer = letters(buffer[:0], text[from:end], from)
			b.letters = buffer
			if b.last || len(buffer) <= 2*tail {
				b.upto = len(buffer)
			} else {
				b.upto = len(buffer) - tail
			}
			done := b.find()
			out = append(out, b.out...)
			switch {
			case b.last:
				from = len(text)
			case done < len(buffer):
				from = int(buffer[done].from)
			default:
				from = end
			}
		}
	}
	if w.short != nil {
		for _, at := range w.short.FindAllIndex(text, -1) {
			out = append(out, Span{at[0], at[1], true})
		}
		slices.SortStableFunc(out, func(a, b Span) int { return a.From - b.From })
	}
	return joined(out)
}

// joined puts together what overlaps.
func joined(spans []Span) []Span {
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.From < out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			out[n-1].Whole = out[n-1].Whole || s.Whole
			continue
		}
		out = append(out, s)
	}
	return out
}

// All is Find with what [Words.Keep] excepts.
func (w *Words) All(text []byte) []Span { return w.find(text, false) }

// May reports whether a text holds a copy, perhaps in quoting that only
// [Words.Clean] takes off; when it does not, it surely holds none.
func (w *Words) May(text []byte) bool { return w.short != nil || len(w.find(text, false)) > 0 }

// In reports whether a copy stands in a text.
func (w *Words) In(text string) bool { return len(w.Find([]byte(text))) > 0 }

// Whole reports whether one of the texts stands in a text as a whole.
func (w *Words) Whole(text string) bool {
	return slices.ContainsFunc(w.find([]byte(text), false), func(s Span) bool { return s.Whole })
}

// Only reports whether a text is nothing but copies, in whole or cut.
func (w *Words) Only(text string) bool {
	spans := w.find([]byte(text), false)
	for _, l := range letters(nil, []byte(text), 0) {
		if !slices.ContainsFunc(spans, func(s Span) bool { return s.From <= int(l.from) && int(l.to) <= s.To }) {
			return false
		}
	}
	return len(spans) > 0
}

// find appends the copies and returns the letter that the next window begins at.
func (b *block) find() int {
	var lines []run
	for i := 0; i < b.upto; {
		best := run{}
		for _, at := range b.seeds(i) {
			if r := b.extend(i, int(at)); r.n > best.n {
				best = r
			}
		}
		if best.n == 0 {
			i++
			continue
		}
		if n := len(lines); n > 0 && !b.nextLine(lines[n-1], best) {
			b.takeLines(lines)
			lines = lines[:0]
		}
		lines = append(lines, best)
		// Another run may begin in this one, and go on where it ends.
		i = max(i+1, best.from+best.n-seed+1)
	}
	b.takeLines(lines)
	return max(b.upto, min(len(b.letters), b.done()))
}

// done is the letter behind the last copy.
func (b *block) done() int {
	if len(b.out) == 0 {
		return 0
	}
	end := int32(b.out[len(b.out)-1].To)
	at, _ := slices.BinarySearchFunc(b.letters, end, func(l letter, end int32) int { return int(l.from - end) })
	return at
}

// nextLine reports whether a run goes on where another one ends, at the beginning of a
// later line but for what a program puts there, such as its number or a file's name. Words
// on lines of their own that are too short to be found may be missing.
func (b *block) nextLine(r, next run) bool {
	const most = 160 // bytes
	from, to := int(b.letters[r.from+r.n-1].to), int(b.letters[next.from].from)
	missing := next.at - r.at - r.n
	if missing < 0 || missing >= seed || to < from || to-from > most || slices.Contains(b.w.letters[r.at+r.n:next.at], between) {
		return false
	}
	lines := strings.Split(strings.ReplaceAll(string(b.text[from:to]), `\n`, "\n"), "\n")
	for i, line := range lines {
		words, ends := len(strings.Fields(line)), i == len(lines)-1
		switch {
		case i == 0 && len(letters(nil, []byte(line), 0)) > missing, i > 0 && words > 2, ends && words > 1:
			return false
		}
	}
	return len(lines) > 1
}

// takeLines adds what runs of lines that follow one another are a copy of: together they
// may say enough where each by itself does not.
func (b *block) takeLines(lines []run) {
	if len(lines) == 0 {
		return
	}
	w, last := b.w, lines[len(lines)-1]
	all := run{from: lines[0].from, at: lines[0].at, n: last.at + last.n - lines[0].at}
	kept := b.keep && slices.Contains(w.kept[all.at:all.at+all.n], true)
	for _, r := range lines {
		if len(lines) == 1 || w.widthOf(all) < least || kept {
			b.take(r)
		} else {
			b.add(r, w.whole(all))
		}
	}
}

// whole reports whether a run is all of a text.
func (w *Words) whole(r run) bool {
	return w.letters[r.at-1] == between && w.letters[r.at+r.n] == between
}

// take adds what a run is a copy of.
func (b *block) take(r run) {
	w := b.w
	if r.n < seed {
		return
	}
	if w.whole(r) {
		b.add(r, true)
		return
	}
	kept := w.kept
	if w.widthOf(r) < least {
		if kept = w.keptCut; w.widthOf(r) < leastCut || !b.cut(r) {
			return
		}
	}
	for from := r.at; from < r.at+r.n; {
		end := from
		for end < r.at+r.n && (!b.keep || kept[end] == kept[from]) {
			end++
		}
		if !b.keep || !kept[from] {
			b.add(b.trimmed(run{r.from + from - r.at, end - from, from}), false)
		}
		from = end
	}
}

// trimmed is a run without the halves of other words at its ends. What is long or
// has nothing else is no half of another word.
func (b *block) trimmed(r run) run {
	const most = 12 // letters
	from, end := r.from, r.from+r.n
	for from < end && from > 0 && b.together(from) {
		from++
	}
	for end > from && end < len(b.letters) && b.together(end) {
		end--
	}
	if from-r.from > most {
		from = r.from
	}
	if r.from+r.n-end > most {
		end = r.from + r.n
	}
	if from >= end {
		return r
	}
	return run{from, end - from, r.at + from - r.from}
}

// together reports whether a letter and the one before it are of the same word.
func (b *block) together(i int) bool {
	x, y := b.letters[i-1], b.letters[i]
	return x.to >= y.from && !wide(x.r) && !wide(y.r) && x.r != parted && y.r != parted
}

// add notes a copy, with the marks around it that are the text's own.
func (b *block) add(r run, whole bool) {
	s := Span{int(b.letters[r.from].from), int(b.letters[r.from+r.n-1].to), whole}
	at := s.To
	for _, mark := range b.w.tails[r.at+r.n] {
		for at < len(b.text) && b.text[at] == '\\' {
			at++
		}
		x, size := utf8.DecodeRune(b.text[min(at, len(b.text)):])
		if x != mark {
			break
		}
		at += size
		s.To = at
	}
	if n := len(b.out); n > 0 && s.From < b.out[n-1].From {
		return // a window's edge: it was taken
	}
	b.out = append(b.out, s)
}

// cut reports whether marks of a cut, or the ends of a text, stand on both sides
// of a run.
func (b *block) cut(r run) bool {
	const near = 12 // bytes
	starts := b.w.letters[r.at-1] == between
	ends := b.w.letters[r.at+r.n] == between
	from, to := int(b.letters[r.from].from), int(b.letters[r.from+r.n-1].to)
	before, behind := max(0, from-near), min(len(b.text), to+near)
	if r.from > 0 {
		before = max(before, int(b.letters[r.from-1].to))
	}
	if r.from+r.n < len(b.letters) {
		behind = min(behind, int(b.letters[r.from+r.n].from))
	}
	return (starts || cutMark(b.text[before:from])) && (ends || cutMark(b.text[to:max(to, behind)]))
}

func cutMark(text []byte) bool {
	return bytes.Contains(text, []byte("…")) || bytes.Contains(text, []byte("...")) || bytes.Contains(text, []byte(`\u2026`)) || bytes.Contains(text, []byte("&hellip;"))
}
