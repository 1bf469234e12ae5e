package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/inert"
	"orihon/journal"
	"orihon/llm"
)

// rolling is the summary that stands for the turns which left the list. It is
// read from its own text again, so that the next compaction goes on with it.
type rolling struct {
	tombstones   []string // [Earlier: …] and where the segment lies, oldest first
	instructions []string // of the user, verbatim
	milestones   []string
	decisions    []string
	errors       []string // with what mended them
	changes      []string
}

// tombstoneMark begins every tombstone, whose times are written like tombstoneTime.
const (
	tombstoneMark = "[Earlier: "
	tombstoneTime = "2006-01-02 15:04"
)

// The labels of the lists of a [rolling] summary.
const (
	labelInstructions = "The user said:"
	labelMilestones   = "Milestones:"
	labelDecisions    = "Decided:"
	labelErrors       = "Errors, and what mended them:"
	labelChanges      = "Changed:"
)

// rolled is the summary of all turns that are not kept whole; false when there are none.
func (c *compaction) rolled() (now rolling, any bool) {
	var from, to time.Time
	var left []Message
	seen := map[int]bool{}
	for i, m := range c.whole {
		if c.kept[i] && (!c.cut || m.Role == llm.System) {
			continue
		}
		any = true
		if m.Role == llm.User && strings.HasPrefix(m.Text, tombstoneMark) {
			now = parseRolling(m.Text)
			continue
		}
		seen[c.turn[i]] = true
		if at := c.o.At(i); !at.IsZero() {
			if from.IsZero() || at.Before(from) {
				from = at
			}
			if at.After(to) {
				to = at
			}
		}
		left = append(left, m)
	}
	if len(left) > 0 {
		r := recordOf(left)
		now = now.and(&r, left, c.tombstone(&r, len(seen), from, to))
	}
	return now, any
}

// summarize puts the rolling summary in the place of all turns that are not
// kept. What it needs it has, be the limit passed by it; what else it tells
// gets an eighth of the limit, or what the target leaves.
func (c *compaction) summarize() bool {
	now, any := c.rolled()
	if !any {
		return false
	}
	old := *c
	old.now, old.gone = slices.Clone(c.now), slices.Clone(c.gone)
	before := c.cost()
	rest := c.leave()
	needs := now.needs(c.o.Tokens)
	room := min(max(c.target-rest, needs+c.o.Limit/8), c.o.Limit-rest)
	c.digest = &Message{Role: llm.User, Text: now.text(max(room, needs), c.o.Tokens)}
	if before <= c.o.Limit && c.cost() >= before {
		*c = old
		return false
	}
	return true
}

// leave takes out what is not kept, and what stood for it. It returns what the
// rest and the frame of a summary take, in tokens.
func (c *compaction) leave() int {
	c.unsign()
	for i := range c.gone {
		c.gone[i] = !c.kept[i]
	}
	c.digest = nil
	return c.cost() + messageOverhead
}

// tombstone is the line that says what left, when that was said, and where it lies.
func (c *compaction) tombstone(r *record, turns int, from, to time.Time) string {
	when := "before " + c.o.Now().UTC().Format(tombstoneTime)
	if !from.IsZero() {
		when = "at " + from.UTC().Format(tombstoneTime)
		last := to.UTC().Format(tombstoneTime)
		if sameDay := last[:len(time.DateOnly)+1]; strings.HasPrefix(when, "at "+sameDay) {
			last = last[len(sameDay):]
		}
		if !strings.HasSuffix(when, last) {
			when += "–" + last
		}
	}
	inside := strings.NewReplacer("[", "(", "]", ")", "\n", " ")
	what := inside.Replace(clip(r.title(), 120))
	line := cmp.Or(inside.Replace(clip(r.ending(160), 160)), "no outcome was stated")
	return fmt.Sprintf("%s%s %s, %d turns - %s] %s", tombstoneMark, what, when, turns, line, c.ref)
}

// recordOf reads messages as the record of a run.
func recordOf(messages []Message) record {
	var events []journal.Event
	add := func(t journal.Type, id string, payload any) {
		if e, err := journal.New(t, id, payload); err == nil {
			events = append(events, e)
		}
	}
	for _, m := range messages {
		for _, r := range m.Reasoning {
			add(journal.Thought, "", journal.Message{Text: r.Text, Reasoning: true})
		}
		switch m.Role {
		case llm.User:
			add(journal.UserMessage, "", journal.Message{Text: m.Text})
		case llm.Assistant:
			if m.Text != "" {
				add(journal.AssistantMessage, "", journal.Message{Text: m.Text})
			}
		}
		for _, call := range m.Calls {
			add(journal.ActionRequest, call.ID, journal.Action{Tool: call.Tool, Input: call.Input})
		}
		if r := m.Result; r != nil {
			add(journal.ActionResult, r.ID, journal.Result{Tool: r.Tool, Output: r.Text, Error: r.Error})
		}
	}
	v := journal.NewView(events...)
	return readRecord(v, v.Events())
}

// and is the summary with what the messages add, whose record is r.
func (s rolling) and(r *record, messages []Message, tombstone string) rolling {
	for _, m := range messages {
		if text := typed(m.Text); m.Role == llm.User && text != "" {
			s.instructions = addLine(s.instructions, text)
		}
	}
	for _, m := range r.milestones() {
		s.milestones = addLine(s.milestones, oneLine(m))
	}
	for _, d := range r.decisions() {
		s.decisions = addLine(s.decisions, oneLine(d))
	}
	for _, f := range r.failures(whole) {
		s.errors = addLine(s.errors, oneLine(f.line(60, 200)))
	}
	for _, change := range r.facts().Changes {
		s.changes = addLine(s.changes, oneLine(change))
	}
	s.tombstones = append(slices.Clone(s.tombstones), tombstone)
	return s
}

// entry is a line of a summary, and its place in the list under its label.
type entry struct {
	label string
	at    int
	text  string
}

// needed are the lines that a summary is for, the most important first: the newest
// tombstone, the first task, what the user said last and what goes on to hold of
// the rest, decisions and milestones; of each the newest first.
func (s rolling) needed() []entry {
	out := newestFirst("", s.tombstones)[:min(1, len(s.tombstones))]
	for _, i := range newestFirst(labelInstructions, s.instructions) {
		if i.at == 0 {
			out = slices.Insert(out, min(1, len(s.tombstones)), i)
		} else if s.holds(i) {
			out = append(out, i)
		}
	}
	return slices.Concat(out, newestFirst(labelDecisions, s.decisions), newestFirst(labelMilestones, s.milestones))
}

// steps are the instructions that are not [rolling.needed], the newest first.
func (s rolling) steps() []entry {
	return slices.DeleteFunc(newestFirst(labelInstructions, s.instructions), s.holds)
}

// withoutSteps is the summary without them.
func (s rolling) withoutSteps() rolling {
	var rest []string
	for i, text := range s.instructions {
		if s.holds(entry{at: i, text: text}) {
			rest = append(rest, text)
		}
	}
	s.instructions = rest
	return s
}

// holds reports the first task, what the user said last, and what goes on to hold.
func (s rolling) holds(i entry) bool {
	return i.at == 0 || i.at == len(s.instructions)-1 || lasts(i.text)
}

func newestFirst(label string, list []string) []entry {
	var out []entry
	for i, text := range slices.Backward(list) {
		out = append(out, entry{label, i, inert.Text(text)})
	}
	return out
}

// needs is what [rolling.needed] and the steps take in their own words, in tokens.
func (s rolling) needs(count func(string) int) int {
	const plenty = 1 << 30
	p := newSummaryPage(plenty, count)
	p.fill(slices.Concat(s.needed(), s.steps()))
	return plenty - p.room
}

// text writes the summary in at most limit tokens: what is needed, then the steps,
// and in the room that these leave older tombstones, errors with what mended them and
// changes. More room never leaves less of what is needed, nor of the steps.
func (s rolling) text(limit int, count func(string) int) string {
	p := newSummaryPage(limit, count)
	switch {
	case s.needs(count) <= limit:
		p.fill(slices.Concat(s.needed(), s.steps()))
	case s.withoutSteps().needs(count) <= limit:
		p.fill(s.needed())
		p.squeeze(s.steps())
	default:
		p.squeeze(s.needed())
	}
	older := newestFirst("", s.tombstones)
	p.within(p.room/2, older[min(1, len(older)):])
	p.within(p.room/2, newestFirst(labelErrors, s.errors))
	p.within(p.room, newestFirst(labelChanges, s.changes))
	return p.String()
}

// summaryPage is a summary while it is written.
type summaryPage struct {
	room  int // tokens
	count func(string) int
	lines map[string][]entry // by label
}

func newSummaryPage(room int, count func(string) int) *summaryPage {
	return &summaryPage{room, count, map[string][]entry{}}
}

func (e entry) line() string {
	if e.label == "" {
		return e.text + "\n"
	}
	return "- " + strings.ReplaceAll(e.text, "\n", "\n  ") + "\n"
}

// takes is what a line takes, in tokens, with the label of its list where it is
// the first of that.
func (p *summaryPage) takes(e entry) int {
	n := p.count(e.line()) + 1
	if len(p.lines[e.label]) == 0 {
		n += p.count(e.label) + 1
	}
	return n
}

// fill writes lines as they are.
func (p *summaryPage) fill(all []entry) {
	for _, s := range all {
		p.room -= p.takes(s)
		p.lines[s.label] = append(p.lines[s.label], s)
	}
}

// within writes as many of the lines as fit limit tokens.
func (p *summaryPage) within(limit int, all []entry) {
	for _, s := range all {
		n := p.takes(s)
		if limit -= n; limit < 0 {
			return
		}
		p.fill([]entry{s})
	}
}

// squeeze writes lines that do not all fit: the newest tombstone, the first task,
// of which at least the first words stand, and the others in their order until
// one does not fit. Of a long one the first lines stand: beyond little a line
// takes at most half of the room, all of that when it is cut, so that more room
// leaves no line less.
func (p *summaryPage) squeeze(all []entry) {
	const little = 40 // tokens
	for _, s := range all {
		n, task := p.takes(s), s.label == labelInstructions && s.at == 0
		share := p.room / 2
		if task || s.label == "" || n <= little {
			share = p.room
		}
		switch {
		case n <= share || s.label == "":
			p.fill([]entry{s})
			continue
		case !task && share < little:
			return
		}
		left := p.room - share
		first, _, _ := strings.Cut(s.text, "\n")
		long := s.line()
		s.text = ""
		head := firstLines(long, share-p.takes(s)-5)
		s.text = strings.ReplaceAll(strings.TrimPrefix(head, "- "), "\n  ", "\n") + " […]"
		if first = clip(first, 60); task && (len(s.text) < len(first) || p.takes(s) > share) {
			s.text = first
		}
		p.fill([]entry{s})
		p.room = min(p.room, left)
	}
}

// String is the page with each list in its own order.
func (p *summaryPage) String() string {
	var b strings.Builder
	for _, label := range [...]string{"", labelInstructions, labelMilestones, labelDecisions, labelErrors, labelChanges} {
		lines := p.lines[label]
		slices.SortFunc(lines, func(a, b entry) int { return a.at - b.at })
		if len(lines) > 0 && label != "" {
			b.WriteString(label + "\n")
		}
		for _, s := range lines {
			b.WriteString(s.line())
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parseRolling reads a summary from its text. What is not its own becomes an
// instruction: somebody wrote it.
func parseRolling(text string) rolling {
	var s rolling
	list := &s.tombstones
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == labelInstructions:
			list = &s.instructions
		case line == labelMilestones:
			list = &s.milestones
		case line == labelDecisions:
			list = &s.decisions
		case line == labelErrors:
			list = &s.errors
		case line == labelChanges:
			list = &s.changes
		case strings.HasPrefix(line, tombstoneMark) && list == &s.tombstones:
			*list = append(*list, line)
		case strings.HasPrefix(line, "- "):
			*list = append(*list, line[2:])
		case strings.HasPrefix(line, "  ") && len(*list) > 0:
			(*list)[len(*list)-1] += "\n" + line[2:]
		case strings.TrimSpace(line) != "":
			s.instructions = append(s.instructions, line)
		}
	}
	return s
}
