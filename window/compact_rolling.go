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

// rolled is the summary of all turns that are not kept; false when there are none.
func (c *compaction) rolled() (now rolling, any bool) {
	var from, to time.Time
	var left []Message
	seen := map[int]bool{}
	for i, m := range c.whole {
		if c.kept[i] {
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
// kept.
func (c *compaction) summarize() bool {
	now, any := c.rolled()
	if !any {
		return false
	}
	signed := slices.Clone(c.now)
	c.unsign()
	before, gone, digest := c.cost(), slices.Clone(c.gone), c.digest
	for i := range c.gone {
		c.gone[i] = !c.kept[i]
	}
	c.digest = nil
	rest := c.cost()
	room := max(c.target-rest, min(200, c.o.Limit-rest))
	c.digest = &Message{Role: llm.User, Text: now.text(max(0, room-messageOverhead), c.o.Tokens)}
	if c.cost() < before {
		return true
	}
	c.now, c.gone, c.digest = signed, gone, digest
	return false
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

// text writes the summary in at most limit tokens. The newest tombstone and the
// first task always stand, older tombstones have a third of the room, milestones,
// decisions and errors an eighth each of the rest; all that these leave is for
// what the user said, then for more milestones and decisions, and then for
// changes. Of each list the newest lines stay.
func (s rolling) text(limit int, count func(string) int) string {
	var last []string
	for _, t := range s.tombstones[max(0, len(s.tombstones)-1):] {
		last = append(last, inert.Text(t))
	}
	room := limit
	for _, t := range last {
		room -= count(t) + 1
	}
	take := func(label string, list []string, limit int) []string {
		left := min(limit, room) - count(label) - 1
		var out []string
		for _, line := range slices.Backward(list) {
			line = inert.Text(line)
			n := count("- "+line) + 2
			if n > left && label == labelInstructions && left > 40 {
				line = firstLines(line, left-12) + " […]"
				n = count("- "+line) + 2
			}
			if n > left {
				break
			}
			left -= n
			room -= n
			out = append(out, line)
		}
		if len(out) > 0 {
			room -= count(label) + 1
		}
		slices.Reverse(out)
		return out
	}
	older := take("", s.tombstones[:len(s.tombstones)-len(last)], room/3)
	task := take(labelInstructions, s.instructions[:min(1, len(s.instructions))], room/3)
	if len(task) == 0 && len(s.instructions) > 0 { // longer than its share, and never left out
		line, _, _ := strings.Cut(inert.Text(s.instructions[0]), "\n")
		task = []string{clip(line, 60)}
		room -= count(labelInstructions) + count("- "+task[0]) + 3
	}
	eighth := room / 8
	reached := take(labelMilestones, s.milestones, eighth)
	decided := take(labelDecisions, s.decisions, eighth)
	failed := take(labelErrors, s.errors, eighth)
	said := task
	if len(s.instructions) > 1 {
		room += count(labelInstructions) + 1 // it stands already
		said = append(said, take(labelInstructions, standingLast(s.instructions[1:], room, count), room)...)
	}
	// What the user said has its room; what is left is for the lists that were cut.
	more := func(label string, list, got []string) []string {
		if len(got) == len(list) {
			return got
		}
		for i, line := range got {
			if i == 0 {
				room += count(label) + 1
			}
			room += count("- "+line) + 2
		}
		return take(label, list, room)
	}
	reached = more(labelMilestones, s.milestones, reached)
	decided = more(labelDecisions, s.decisions, decided)
	changed := take(labelChanges, s.changes, room)

	var b strings.Builder
	for _, t := range append(older, last...) {
		b.WriteString(t + "\n")
	}
	for _, part := range []struct {
		label string
		lines []string
	}{{labelInstructions, said}, {labelMilestones, reached}, {labelDecisions, decided}, {labelErrors, failed}, {labelChanges, changed}} {
		if len(part.lines) == 0 {
			continue
		}
		b.WriteString(part.label + "\n")
		for _, line := range part.lines {
			b.WriteString("- " + strings.ReplaceAll(line, "\n", "\n  ") + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// standingLast picks of the instructions those that go on to hold and the newest,
// as many as fit limit tokens at about their mean size.
func standingLast(all []string, limit int, count func(string) int) []string {
	total := 0
	for _, s := range all {
		total += count(s) + 4
	}
	if total <= limit || len(all) == 0 {
		return all
	}
	return standing(all, max(1, len(all)*limit/total))
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
