package capture

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"orihon/internal/dates"
	"orihon/internal/reader"
	"orihon/memory"
)

// Stated is something that a message says by the way, nobody having asked to keep
// it.
type Stated struct {
	Text  string // in the user's words, to be understood by itself
	Topic memory.Topic
	Kind  reader.Kind
	P     float64 // how likely it is worth keeping and whole, 0..1
	// Hangs says that it points at something which it does not name: a person is to
	// say what.
	Hangs bool
	// Open says that it may be an order that nobody means, or the end of what was pasted.
	Open bool
}

// What becomes of a statement, by [Stated.P]. The marks are those at which, of
// prompts by people whose others taught the reader nothing, the shares are right that
// the specification wants: docs/benchmarks.md.
const (
	StatedSure   = 0.80 // kept
	StatedLikely = 0.30 // waits for a person
	StatedMaybe  = 0.25 // only the agent at hand is asked
	ForgetSure   = 0.4  // a request to forget is carried out
	ForgetLikely = 0.25 // the user is told how to
	ForgetMaybe  = 0.05 // only the agent at hand is told of one
)

// Sure reports whether it is kept, where what is not sure waits for a person.
func (s *Stated) Sure() bool { return s.P >= StatedSure && !s.Hangs && !s.Open }

// Redacted reports whether a secret was taken out of it: what is left tells nothing.
func (s *Stated) Redacted() bool { return redacted(s.Text) }

// maxStated is the length of a statement in characters; what is longer is no
// statement but a text.
const maxStated = 300

// State reads a message for what it states by the way, in order: without what
// clients put into it, what it asks to remember (which [Explicit] finds), and what is
// too unlikely to ask anybody about. said is when it was said, which makes its dates
// absolute.
func State(message string, said time.Time) []Stated {
	if aside(strings.TrimSpace(message)) {
		return nil
	}
	o := ownWords(message)
	own := o.text()
	asked, doubts := o.asks(true)
	forget := forgets(own)
	var out []Stated
	found := doubted(own, reader.Read(own), doubts)
	if forget.P >= ForgetLikely {
		found = append(found, forget.instead(own, found)...)
	}
	for _, s := range former(own, found) {
		if s.P < StatedMaybe || s.Kind == reader.Forget || isQuestion(strings.ToLower(s.Text)) || keptAlready(asked, s.Text) || onlyPointsBack(s.Text) || forget.P >= ForgetLikely && forget.holds(span{s.From, s.To}) {
			continue
		}
		text := whole(withRedaction(own, s.From, s.To), said)
		if !meaningful(text) || utf8.RuneCountInString(text) > maxStated {
			continue
		}
		topic := topics[s.Kind]
		if topic != memory.Pitfall && forAWhile(s.Text, said) {
			topic = memory.Fact // no rule that stands above others
		}
		out = append(out, Stated{Text: text, Topic: topic, Kind: s.Kind, P: s.P, Hangs: dangles(s.Text), Open: s.open || o.doubtful(s.From, s.To)})
	}
	if asksBehind(forget.text) {
		return out
	}
	if forget.P >= ForgetSure || forget.P >= ForgetMaybe && !isQuestion(strings.ToLower(forget.text)) && len(asked) == 0 {
		out = append(out, Stated{Text: whole(forget.text, time.Time{}), Topic: memory.Fact, Kind: reader.Forget, P: forget.P})
	}
	return out
}

// Part is what a part of a message says, which may change what is known; not ok where it
// says nothing by itself.
func Part(text string, said time.Time) (s Stated, ok bool) {
	s = Stated{Text: whole(text, said), Topic: memory.Fact, Kind: reader.Correction, P: StatedLikely, Hangs: dangles(text)}
	return s, meaningful(s.Text) && utf8.RuneCountInString(s.Text) <= maxStated && !onlyPointsBack(text)
}

// heard is a part of a message that is read for a statement.
type heard struct {
	reader.Statement
	open bool // as of [Stated]
}

// doubted puts doubts among what the reader found in a text: each with what it has
// something in common with, unless that is sure.
func doubted(text string, found []reader.Statement, doubts []doubt) []heard {
	var out []heard
	for _, s := range found {
		out = append(out, heard{Statement: s})
	}
	for _, d := range doubts {
		h := heard{Statement: reader.Statement{From: d.from, To: d.to, P: d.P, Kind: reader.Instruction}, open: true}
		beside := func(s heard) bool { return s.From < d.to && s.To > d.from }
		if slices.ContainsFunc(out, func(s heard) bool { return beside(s) && s.P >= StatedSure }) {
			continue
		}
		out = slices.DeleteFunc(out, func(s heard) bool {
			if beside(s) && s.P >= StatedMaybe {
				h.From, h.To = min(h.From, s.From), max(h.To, s.To)
				if s.P > h.P {
					h.P, h.Kind = s.P, s.Kind
				}
			}
			return beside(s)
		})
		h.Text = text[h.From:h.To]
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b heard) int { return a.From - b.From })
	return out
}

// instead are the statements among the clauses behind a request to forget, of those that
// no statement found lies in: "forget the old price, a pallet is 40 euro now".
func (f *forgetting) instead(own string, found []heard) []heard {
	var out []heard
	for _, s := range f.rest {
		text := own[s.from:s.to]
		if dangles(text) || slices.ContainsFunc(found, func(h heard) bool { return h.P >= StatedMaybe && h.From >= s.from && h.To <= s.to }) {
			continue
		}
		best := heard{open: true}
		for _, r := range reader.Read(text) {
			if r.P > best.P && r.Kind != reader.Forget {
				best.Statement = r
			}
		}
		best.Text, best.From, best.To = text, s.from, s.to
		out = append(out, best)
	}
	return out
}

var topics = [...]memory.Topic{
	reader.None: memory.Fact, reader.Decision: memory.Decision, reader.Preference: memory.Preference, reader.Instruction: memory.Preference,
	reader.Fact: memory.Fact, reader.Pitfall: memory.Pitfall, reader.Correction: memory.Fact, reader.Forget: memory.Fact,
}

// whole dresses a part of a message as a statement: on one line, its days with their
// dates, without the words that only turn to it and the sign behind which the message goes
// on.
func whole(text string, said time.Time) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	text = strings.TrimRight(text, " ,;:、，；：–—")
	return upperFirst(dated(withoutFillers(text), said))
}

// dated puts behind each day that a text names by the present ("tomorrow", 下週三)
// which one it is. A weekday alone may be every one, and "a few years ago" is none.
func dated(text string, said time.Time) string {
	if said.IsZero() {
		return text
	}
	now, another := dates.Find(text, said), dates.Find(text, said.AddDate(3, 5, 17))
	foreign := slices.ContainsFunc(now, func(p dates.Period) bool { return before(text, p) })
	for i, p := range now {
		at := strings.Index(text, p.Text)
		if foreign && strings.HasSuffix(p.Text, "前") {
			continue
		}
		if p.From.IsZero() || at < 0 || len(another) != len(now) || p.From.Equal(another[i].From) || weekday(p) || vague(p) {
			continue
		}
		end := at + len(p.Text)
		text = text[:end] + " (" + days(p) + ")" + text[end:]
	}
	return text
}

// forAWhile reports whether a text names the days on which something holds, and not those
// from which or until which: "next week", but not "from next week on".
func forAWhile(text string, said time.Time) bool {
	if said.IsZero() {
		return false
	}
	rest := text
	for _, p := range dates.Find(text, said) {
		before, behind, found := strings.Cut(rest, p.Text)
		if rest = behind; !found || p.From.IsZero() || weekday(p) {
			continue
		}
		before, behind = strings.ToLower(strings.TrimSpace(before)), strings.ToLower(strings.TrimSpace(behind))
		if !endsWithAny(" "+before, lists.Phrases("bound-before")...) && !startsWithAny(behind+" ", lists.Phrases("bound-behind")...) {
			return true
		}
	}
	return false
}

// days names a period. A year or a month is named as such: from its first day to its last
// would read as how long the rest holds.
func days(p dates.Period) string {
	const day = "2006-01-02"
	last := p.To.AddDate(0, 0, -1)
	switch {
	case p.From.YearDay() == 1 && p.To.Equal(p.From.AddDate(1, 0, 0)):
		return p.From.Format("2006")
	case p.From.Day() == 1 && p.To.Equal(p.From.AddDate(0, 1, 0)):
		return p.From.Format("2006-01")
	case last.After(p.From):
		return p.From.Format(day) + " – " + last.Format(day)
	}
	return p.From.Format(day)
}

// vague reports whether a period is longer than a month, and neither a month nor a year.
func vague(p dates.Period) bool {
	return p.From.AddDate(0, 0, 31).Before(p.To) && len(days(p)) > len("2006-01-02")
}

// before reports whether a text counts a period back from what it names, and not from
// the present: 入住七天前.
func before(text string, p dates.Period) bool {
	head, rest, _ := strings.Cut(text, p.Text)
	last, _ := utf8.DecodeLastRuneInString(head)
	return strings.HasSuffix(p.Text, "前") && unicode.Is(unicode.Han, last) && !strings.ContainsAny(rest, "了過过") && !lists.Words("before-now")[string(last)]
}

// weekday reports whether a day is named by its weekday alone.
func weekday(p dates.Period) bool {
	name := p.From.Weekday().String()[:3]
	return len(p.Text) >= len(name) && strings.EqualFold(p.Text[:len(name)], name) || startsWithAny(p.Text, "週", "周", "星期", "禮拜", "礼拜")
}

// keptAlready reports whether an explicit request keeps a statement.
func keptAlready(asked []Statement, text string) bool {
	key := letters(text)
	return slices.ContainsFunc(asked, func(s Statement) bool {
		kept := letters(s.Text)
		// Words for all projects, however many, are no part of what is kept.
		return strings.Contains(kept, key) || (s.Everywhere || 5*len(kept) >= 2*len(key)) && strings.Contains(key, kept)
	})
}

// letters are the letters and digits of a text, small ones.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// dangles reports whether a text points at something that it does not name.
func dangles(text string) bool {
	low := " " + strings.ToLower(text) + " "
	return slices.ContainsFunc(lists.Phrases("pronoun"), func(pronoun string) bool {
		before, _, points := strings.Cut(low, pronoun)
		return points && !strings.ContainsAny(before, ",:，：")
	})
}
