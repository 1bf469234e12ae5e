package recall

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

// habits are the sections of those that fit and that no passage tells already: rules
// first. Each is added as long as all fits.
func (v *view) habits(all []memory.Habit, told []memory.Passage, fits func([]section) bool) (out []section, kept []memory.Habit) {
	if len(all) == 0 {
		return nil, nil
	}
	rules, others := section{title: v.wording.rules}, section{title: v.wording.habits}
	sections := func() []section {
		return slices.DeleteFunc([]section{rules, others}, func(s section) bool { return len(s.lines) == 0 })
	}
	for i := range all {
		h := &all[i]
		if len(kept) == mostHabits || slices.ContainsFunc(told, func(p memory.Passage) bool { return tells(&p, h) }) {
			continue
		}
		to := &others
		if h.Rule {
			to = &rules
		}
		to.lines = append(to.lines, v.habit(h))
		if !fits(sections()) {
			to.lines = to.lines[:len(to.lines)-1]
			continue
		}
		kept = append(kept, *h)
	}
	return sections(), kept
}

func (v *view) habit(h *memory.Habit) string {
	seen := v.wording.unseen
	if len(h.Evidence) > 0 {
		seen = fmt.Sprintf(v.wording.seen, len(h.Evidence), h.Last.In(v.today.Location()).Format(time.DateOnly))
	}
	return "- " + inset(inert.Text(strings.TrimSpace(h.Text)), "  ") + " (" + seen + ")"
}

// tells reports whether a passage says what a habit does: it was learned at the same
// place, or has most of its words.
func tells(p *memory.Passage, h *memory.Habit) bool {
	for _, place := range p.Item.Metadata.Evidence {
		if slices.Contains(h.Evidence, place) {
			return true
		}
	}
	const share = 0.7
	has := make(map[string]bool)
	for _, t := range terms.Index(titled(p)) {
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

func passagesOf(hits []memory.Hit) []memory.Passage {
	var out []memory.Passage
	for i := range hits {
		if hits[i].Kept || hits[i].Why == inWindow {
			out = append(out, hits[i].Passage)
		}
	}
	return out
}
