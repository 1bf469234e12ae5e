package capture

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/activity"
)

// Summary is what is kept of a request, in sentences. Everything in it was said or
// done there; only the words between are Orihon's, in the language that [Run] says.
type Summary struct {
	Title string   // at most 80 characters
	Text  string   // at most 600 characters
	Tags  []string // "episode", how it ended, "changes", "branch:<name>"
}

const (
	maxTitle     = 80
	maxText      = 600
	maxShown     = 10
	maxDecisions = 5
	maxWarnings  = 10

	manyEdits    = 3
	manyFailures = 2
)

// Episode sums a request up. It is false when there is nothing to sum up: where
// nothing was done or decided, only a question is left to tell, and it would come
// back as if it were knowledge.
func Episode(q *Request) (Summary, bool) {
	if !q.Acts() {
		return Summary{}, false
	}
	w := wordsFor(q.language)
	s := Summary{Title: q.Title, Tags: []string{"episode", string(q.Outcome)}}
	decided, gist := strings.TrimRight(strings.Join(q.Decisions, " "), ".。"), q.gist()
	if len(q.Decisions) > 0 && strings.Contains(gist, strings.TrimRight(q.Decisions[0], ".。")) {
		decided = "" // it is told in the end
	}
	s.Text = fill(maxText, w["join"], []part{
		{w["asked"], q.Asked, 190},
		{w["changed"], w.list(shown(q.Changed, 110, w)), 140},
		{q.reading(w), w.list(q.onlyRead(w)), 100},
		{w["ran"], w.list(q.attempts), 140},
		{w["mended"], q.mendings(w), 130},
		{w["unresolved"], q.open(w), 120},
		{w["committed"], w.list(quoted(q.Commits, w)), 70},
		{w["decided"], decided, 80},
		{w["ended"], gist, 140},
		{q.stopped(w), wordsOnly, 60},
		{w["warned"], w.list(q.Warnings), 60},
	})
	if len(q.Changed) > 0 {
		s.Tags = append(s.Tags, "changes")
	}
	if q.Branch != "" {
		s.Tags = append(s.Tags, "branch:"+q.Branch)
	}
	return s, true
}

// onlyRead are the files that were read where none was changed.
func (q *Request) onlyRead(w words) []string {
	if len(q.Changed) > 0 {
		return nil
	}
	return shown(q.Read, 80, w)
}

// reading says of files that they were read, and that this was all.
func (q *Request) reading(w words) string {
	if q.Outcome == Answered {
		return w["onlyRead"]
	}
	return w["read"]
}

// mendings say what failed and what made it succeed, of the last such.
func (q *Request) mendings(w words) string {
	for i := len(q.Failures) - 1; i >= 0; i-- {
		if f := &q.Failures[i]; f.Mended != nil && !f.Open {
			return fmt.Sprintf(w["mendedBy"], clip(f.Mended.Said, 70), f.Mended.remedy(w))
		}
	}
	return ""
}

// remedy says what made something succeed that had failed.
func (f *Fix) remedy(w words) string {
	if f.How == ByEdit {
		var bases []string
		for _, e := range f.Edited {
			bases = append(bases, activity.Base(e))
		}
		return fmt.Sprintf(w["byEdit"], w.list(bases))
	}
	var ran []string
	for _, c := range f.Ran {
		ran = append(ran, "`"+clip(c, maxNamed)+"`")
	}
	if f.How == ByRewrite {
		return fmt.Sprintf(w["byRewrite"], w.list(ran))
	}
	return fmt.Sprintf(w["byCommand"], w.list(ran))
}

// open says what failed last and was left so.
func (q *Request) open(w words) string {
	for i := len(q.Failures) - 1; i >= 0; i-- {
		if f := &q.Failures[i]; f.Open {
			said := f.Said
			if said == "" {
				said = w["failedWithout"]
			}
			return f.What + w["colon"] + said
		}
	}
	return ""
}

// gist is what the answer says before it comes to what is still to be done.
func (q *Request) gist() string {
	return strings.TrimRight(gist([]Said{{Text: q.Answer}}), ".。:：")
}

// stopped are the words for why there is no answer, or no more of one; empty where
// there is one.
func (q *Request) stopped(w words) string {
	switch {
	case q.Outcome != Stopped:
		return ""
	case q.Answer == "":
		return w["stopped"]
	}
	return w["refused"]
}

func quoted(list []string, w words) []string {
	var out []string
	for _, s := range list[max(0, len(list)-2):] {
		out = append(out, fmt.Sprintf(w["quoted"], s))
	}
	return out
}

// wordsOnly stands for the text of a part whose words say all.
const wordsOnly = "\x00"

// part is a sentence about one side of a request that wants some room, in
// characters: words with a place for the text.
type part struct {
	words, text string
	room        int
}

// fill writes the parts that have a text, each in its room. What the short ones
// leave goes to those that were cut, in order. The result has at most size
// characters.
func fill(size int, join string, parts []part) string {
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.text == "" || p.words == "" })
	spare := size
	for i := range parts {
		p := &parts[i]
		p.room = min(p.room, p.size()+1) // with what joins it
		spare -= p.room
	}
	var out []string
	for i := range parts {
		p := &parts[i]
		more := min(max(spare, 0), max(p.size()+1-p.room, 0))
		p.room += more
		spare -= more
		if text := clip(p.text, p.room-1-p.frame()); text != "" {
			out = append(out, p.sentence(text))
		}
	}
	return clip(strings.Join(out, join), size)
}

// sentence is the part with a text in its place, which may end with its own full
// stop.
func (p *part) sentence(text string) string {
	if text == wordsOnly {
		return p.words
	}
	before, after, _ := strings.Cut(p.words, "%s")
	if endsWithAny(text, ".", "!", "?", "…", "。", "！", "？") {
		after = strings.TrimLeft(after, ".。")
	}
	return before + text + after
}

// frame is how long the words are around the text.
func (p *part) frame() int {
	if p.text == wordsOnly {
		return utf8.RuneCountInString(p.words) - 1
	}
	return utf8.RuneCountInString(strings.Replace(p.words, "%s", "", 1))
}

func (p *part) size() int { return p.frame() + utf8.RuneCountInString(p.text) }
