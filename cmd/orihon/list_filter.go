package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"orihon/internal/terms"
	"orihon/memory"
)

// listFilter is what list can be narrowed to beyond topic, scope and tag, and its
// order.
type listFilter struct {
	since, until, session, query, sort string
	kinds, tiers, sources              []string

	wanted    []memory.Source // sources, read
	described []described     // kinds, read
}

// described is a kind, perhaps of one topic only, as list prints it.
type described struct {
	kind  memory.Kind
	topic memory.Topic
}

// parseDescribed reads a kind, or a kind and a topic with a slash between them.
func parseDescribed(s string) (out described, err error) {
	kind, topic, both := strings.Cut(s, "/")
	if out.kind, err = memory.ParseKind(kind); err == nil && both {
		out.topic, err = memory.ParseTopic(topic)
	}
	return out, err
}

func (l *listFilter) add(f *pflag.FlagSet) {
	f.StringSliceVar(&l.kinds, "kind", nil, "only these kinds, or those of one topic as list prints them: semantic/fact")
	f.StringVar(&l.since, "since", "", "only what was learned since this day (YYYY-MM-DD)")
	f.StringVar(&l.until, "until", "", "only what was learned until this day, it included")
	f.StringSliceVar(&l.tiers, "tier", nil, "only these tiers")
	f.StringSliceVar(&l.sources, "source", nil, "only from these: user, agent, system, imported")
	f.StringVar(&l.session, "session", "", "only what was learned in this session")
	f.StringVar(&l.query, "query", "", "only items with these words in title, text or tags")
	f.StringVar(&l.sort, "sort", "created", "order: created, updated, confidence or text")
}

// given reports whether anything is asked for.
func (l *listFilter) given() bool {
	return l.since+l.until+l.session+l.query != "" || len(l.kinds)+len(l.tiers)+len(l.sources) > 0
}

// put writes into a filter what it can express, and checks the rest.
func (l *listFilter) put(f *memory.Filter) error {
	if err := cmp.Or(
		readDay(l.since, &f.Since), readDayEnd(l.until, &f.Until), inOrder(&f.Since, &f.Until),
		readAll(l.kinds, parseDescribed, &l.described), readAll(l.tiers, memory.ParseTier, &f.Tiers), readAll(l.sources, memory.ParseSource, &l.wanted),
	); err != nil {
		return err
	}
	for _, k := range l.described {
		f.Kinds = append(f.Kinds, k.kind)
	}
	if !slices.Contains([]string{"created", "updated", "confidence", "text"}, l.sort) {
		return fmt.Errorf("%w: --sort %s: want created, updated, confidence or text", errUsage, l.sort)
	}
	return nil
}

// apply leaves out what a filter cannot express, and sorts; items come newest
// first.
func (l *listFilter) apply(items []memory.Stored) []memory.Stored {
	words := strings.Fields(terms.Fold(l.query))
	items = slices.DeleteFunc(items, func(s memory.Stored) bool {
		m := &s.Item.Metadata
		fits := func(k described) bool { return k.kind == s.Item.Kind && (k.topic == "" || k.topic == s.Item.Topic) }
		if len(l.described) > 0 && !slices.ContainsFunc(l.described, fits) {
			return true
		}
		if l.session != "" && m.Session != l.session || len(l.wanted) > 0 && !slices.Contains(l.wanted, m.Source) {
			return true
		}
		text := terms.Fold(strings.Join([]string{s.Item.Title, s.Item.Content, strings.Join(m.Tags, " ")}, "\n"))
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
	switch l.sort {
	case "updated":
		slices.SortStableFunc(items, func(a, b memory.Stored) int {
			return b.Item.Metadata.UpdatedAt.Compare(a.Item.Metadata.UpdatedAt)
		})
	case "confidence":
		slices.SortStableFunc(items, func(a, b memory.Stored) int {
			return cmp.Compare(b.Item.Metadata.Confidence, a.Item.Metadata.Confidence)
		})
	case "text":
		slices.SortStableFunc(items, func(a, b memory.Stored) int { return strings.Compare(headline(&a.Item), headline(&b.Item)) })
	}
	return items
}
