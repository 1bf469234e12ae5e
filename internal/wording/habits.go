package wording

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/inert"
	"orihon/internal/terms"
	"orihon/memory"
)

// mostHabits is how many habits are told at once.
const mostHabits = 5

// Habits are the sections of those that fit and that no passage tells already: rules
// first. Each is added as long as all fits.
func (v *View) Habits(all []memory.Habit, told []memory.Passage, fits func([]Section) bool) (out []Section, kept []memory.Habit) {
	if len(all) == 0 {
		return nil, nil
	}
	rules, others := Section{Title: v.Words.Rules}, Section{Title: v.Words.Habits}
	sections := func() []Section {
		return slices.DeleteFunc([]Section{rules, others}, func(s Section) bool { return len(s.Lines) == 0 })
	}
	for i := range all {
		h := &all[i]
		if len(kept) == mostHabits || slices.ContainsFunc(told, func(p memory.Passage) bool { return Tells(&p, h) }) {
			continue
		}
		to := &others
		if h.Rule {
			to = &rules
		}
		to.Lines = append(to.Lines, v.Habit(h))
		if !fits(sections()) {
			to.Lines = to.Lines[:len(to.Lines)-1]
			continue
		}
		kept = append(kept, *h)
	}
	return sections(), kept
}

// Habit is one as a line, with how often it was seen.
func (v *View) Habit(h *memory.Habit) string {
	seen := v.Words.Unseen
	if len(h.Evidence) > 0 {
		seen = fmt.Sprintf(v.Words.Seen, len(h.Evidence), h.Last.In(v.Today.Location()).Format(time.DateOnly))
	}
	return "- " + Inset(inert.Text(strings.TrimSpace(h.Text)), "  ") + " (" + seen + ")"
}

// Tells reports whether a passage says what a habit does: it was learned at the same
// place, or has most of its words.
func Tells(p *memory.Passage, h *memory.Habit) bool {
	for _, place := range p.Item.Metadata.Evidence {
		if slices.Contains(h.Evidence, place) {
			return true
		}
	}
	const share = 0.7
	has := make(map[string]bool)
	for _, t := range terms.Index(p.Item.Title + "\n" + p.Item.Content) {
		has[t] = true
	}
	all, same := 0, 0
	for _, t := range terms.Query(h.Text) {
		if all++; has[t] {
			same++
		}
	}
	return all > 0 && float64(same) >= share*float64(all)
}
