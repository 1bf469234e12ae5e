package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/health"
)

func (a *app) statsCommand() *cobra.Command {
	var o health.StatsOptions
	var since string
	var cost bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show memory and its use in figures",
		Long: "Show what is kept by kind, topic and tier, how it grows, what was injected and\n" +
			"used by day and session, what it cost in tokens, and which secrets were taken out.",
		Args:    args(cobra.NoArgs),
		PreRunE: func(*cobra.Command, []string) error { return readDay(since, &o.Since) },
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			if cost {
				return a.cost(m, since)
			}
			_, end := a.progress("counting")
			st, err := m.Health().Stats(cmd.Context(), o)
			end()
			return a.result(st, err, func(w io.Writer) { a.stats(w, st, o.Top) })
		}),
	}
	cmd.Flags().StringVar(&since, "since", "", "count uses, redactions and costs only since this day")
	cmd.Flags().BoolVar(&cost, "cost", false, "show what language models took instead, by day, feature and model")
	cmd.Flags().IntVar(&o.Top, "top", 10, "most lines of each list")
	return cmd
}

func (a *app) stats(w io.Writer, st *health.Stats, top int) {
	t := table(w)
	defer t.Flush()
	fmt.Fprintf(t, "items\t%d live, %d forgotten, %d archived, %d never accessed\n", st.Items, st.Forgotten, st.Archived, st.Idle)
	for _, by := range []struct {
		name   string
		counts map[string]int
	}{{"by kind", st.Kinds}, {"by topic", st.Topics}, {"by tier", st.Tiers}, {"by scope", st.Scopes}, {"by source", st.Sources}, {"secrets", st.Redacted}} {
		if len(by.counts) > 0 {
			fmt.Fprintf(t, "%s\t%s\n", by.name, byCount(by.counts))
		}
	}
	for i, v := range last(st.Weeks, top) {
		fmt.Fprintf(t, "%s\t%s  +%d = %d\n", once(i, "by week"), v.Week, v.Added, v.Total)
	}
	fmt.Fprintf(t, "use\t%s\n", useText(st.Used))
	for i, v := range last(st.Days, top) {
		fmt.Fprintf(t, "%s\t%s  %s\n", once(i, "by day"), v.Day, useText(v.Use))
	}
	for i, v := range st.Sessions {
		fmt.Fprintf(t, "%s\t%s  %s\n", once(i, "by session"), shortID(v.Session), useText(v.Use))
	}
	for i, v := range st.Injected {
		text := []rune(oneLine(cmp.Or(v.Text, v.ID)))
		const most = 70
		fmt.Fprintf(t, "%s\t%d×  %s  %s\n", once(i, "most injected"), v.Injections, shortID(v.ID), string(text[:min(most, len(text))]))
	}
	for i, e := range st.Extractors {
		text := fmt.Sprintf("%s  %.2f, %d added", e.Name, e.Score, e.Added)
		if len(e.Undone) > 0 {
			text += ", taken back: " + byCount(withoutReason(e.Undone))
		}
		fmt.Fprintf(t, "%s\t%s\n", once(i, "trust"), text)
	}
	fmt.Fprintf(t, "feedback\t%s\n", feedbackText(st.Feedback))
	for i, key := range slices.Sorted(maps.Keys(st.Thresholds)) {
		fmt.Fprintf(t, "%s\t%s = %s\n", once(i, "thresholds"), key, st.Thresholds[key])
	}
}

// withoutReason names what was taken back without one.
func withoutReason(undone map[string]int) map[string]int {
	out := maps.Clone(undone)
	if n := out[""]; n > 0 {
		delete(out, "")
		out["without a reason"] = n
	}
	return out
}

func feedbackText(f health.FeedbackStats) string {
	if !f.Adaptive {
		return "off (recall.adaptive)"
	}
	text := fmt.Sprintf("threshold %.2f", f.Threshold)
	if f.Shift != 0 {
		text += fmt.Sprintf(" (%+.2f)", f.Shift)
	}
	if f.Judged == 0 {
		return text + ", nothing judged yet"
	}
	return text + fmt.Sprintf(", %.0f %% of the last %d injected were used, %d of %d ever", 100*f.Share, f.Recent, f.Used, f.Judged)
}

// once is a heading in front of the first of several lines.
func once(i int, heading string) string {
	if i > 0 {
		return ""
	}
	return heading
}

func useText(u health.Use) string {
	return fmt.Sprintf("%d injected, %d tokens, %d accessed", u.Injections, u.Tokens, u.Accesses)
}

// byCount lists counts, the largest first.
func byCount(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return strings.Join(names, ", ")
}
