package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"orihon/internal/asks"
	"orihon/internal/capture"
	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/terms"
	"orihon/internal/verbs"
	"orihon/items"
	"orihon/memory"
	"orihon/review"
)

// Which statements a request to forget means, by how much of what it says stands in each,
// weighed by how rare its words are. Of 585 requests, each against 24 notes, so 299 are
// taken for the right note and 5 for a wrong one; of the others the five nearest hold
// what is meant for 256. They were chosen on these.
const (
	meantAtLeast = 0.7
	meantApart   = 0.6 // of the best: what reaches it may be meant as well
	meantMore    = 0.6 // what another says that the best does not: it may be meant as well
	mostMeant    = 3   // that a person is asked about
	// Who is there understands which of several is meant.
	offeredAtLeast = 0.3 // to a person; to an agent of the best, unless the prompt surely asks
	mostOffered    = 5
)

// nearness is a statement with how much of each word of a request it says, and of all.
type nearness[T any] struct {
	it    T
	words []float64
	says  float64
}

func nearnessOf[T any](it T, request *meaning.Said, says *memory.Item) nearness[T] {
	n := nearness[T]{it: it, words: request.Words(meaning.Builtin().Said(terms.Index(says.Title + "\n" + says.Content)))}
	for _, x := range n.words {
		n.says += x
	}
	return n
}

// byNearness puts those first that say most of a request.
func byNearness[T any](a, b nearness[T]) int { return cmp.Compare(b.says, a.says) }

// nearest are the statements near a request, those that say most of it first.
func nearest(ctx context.Context, v *verbs.Verbs, request string) (all []nearness[memory.Item], err error) {
	const room = 8000 // tokens: whatever bears on it
	words, _ := asks.Requested(request)
	if len(words) == 0 {
		return nil, nil
	}
	found, err := v.Recall(ctx, memory.Query{Text: request, Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, Threshold: -1, MaxTokens: room})
	if err != nil {
		return nil, err
	}
	asked := meaning.Builtin().Said(words)
	for i := range found.Hits {
		if p := &found.Hits[i].Passage; p.SupersededBy == "" {
			all = append(all, nearnessOf(p.Item, asked, &p.Item))
		}
	}
	slices.SortStableFunc(all, byNearness)
	return all, nil
}

// waiting are the statements that are asked about and nowhere kept, but those of the
// prompt itself, in the same order.
func waiting(ctx context.Context, v *verbs.Verbs, request, where string) (all []nearness[review.Pending], err error) {
	pending, _, err := review.New(v.Home).List(ctx)
	if err != nil {
		return nil, err
	}
	words, _ := asks.Requested(request)
	asked := meaning.Builtin().Said(words)
	for i := range pending {
		w := &pending[i]
		asks := w.Kind == memory.QuestionKeep || w.Kind == memory.QuestionConflict
		if !asks || !w.Item.Scope.Private() || where != "" && slices.Contains(w.Item.Metadata.Evidence, where) {
			continue
		}
		if _, err := items.New(v.Home).Get(ctx, w.Item.ID); !errors.Is(err, memory.ErrNotFound) {
			continue // a request finds it among what is kept
		}
		all = append(all, nearnessOf(*w, asked, &w.Item))
	}
	slices.SortStableFunc(all, byNearness)
	return all, nil
}

// meant are those that a request may mean, the likeliest first; none where they say much
// less of it than something else, rival, does.
func meant[T any](all []nearness[T], rival float64) (out []T) {
	for i := range all {
		more := 0.0
		for w, x := range all[i].words {
			more += max(0, x-all[0].words[w])
		}
		if all[0].says >= max(meantAtLeast, meantApart*rival) && (all[i].says >= meantApart*all[0].says || more >= meantMore) {
			out = append(out, all[i].it)
		}
	}
	return out
}

// unmistakable reports whether a request means a statement by what it says: in the clauses
// that speak of memory, of which half must stand in the statement and whatever is rare, a
// name above all; else in those that say to drop something, of which all must. One for today means
// none; one word without a word of memory may be a manner of speaking: "no butter, forget
// the croissants".
func unmistakable(request string, it *memory.Item) bool {
	const plain, half, rare = 2, 0.5, 0.9
	all, how := asks.Requested(request)
	if how == asks.NoWords || asks.Once(request) {
		return false
	}
	var words []string
	for _, p := range reader.Pieces(request) {
		if said, as := asks.Requested(request[p.From:p.To]); as == how {
			words = append(words, said...)
		}
	}
	if len(words) == 0 || how == asks.Drops && len(words) < plain {
		words = all
	}
	table := meaning.Builtin()
	text := table.Said(terms.Index(it.Title + "\n" + it.Content))
	if how == asks.Drops {
		return allIn(words, text)
	}
	said := table.Said(words)
	exact, near := said.In(text)
	words = slices.DeleteFunc(words, func(w string) bool { return table.Rarity(w) < rare })
	return exact+near >= half*said.Total && (len(words) == 0 || allIn(words, text))
}

// allIn reports whether a text says each of some words, or what means about the same. A
// pair of Chinese characters that stands between two words that it says is none.
func allIn(words []string, text *meaning.Said) bool {
	const nearly = 0.5
	said := ""
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		word := meaning.Builtin().Said([]string{w})
		exact, near := word.In(text)
		in := exact+near >= nearly*word.Total
		if in {
			said += w
		}
		return in
	})
	return said != "" && !slices.ContainsFunc(rest, func(w string) bool {
		return strings.ContainsFunc(w, func(r rune) bool { return !unicode.Is(unicode.Han, r) || !strings.ContainsRune(said, r) })
	})
}

// weakly are those that a request may mean where it says little of any.
func weakly(all []nearness[memory.Item]) (out []memory.Item) {
	for i := range all[:min(len(all), mostMeant)] {
		if all[i].says >= offeredAtLeast {
			out = append(out, all[i].it)
		}
	}
	return out
}

// offered are those that an agent is asked about: those of the user's own that are as
// near as any, and what is surely meant and only the user takes out.
func offered(ctx context.Context, v *verbs.Verbs, n *Noticed) (own, others []memory.Item, err error) {
	all, err := nearest(ctx, v, n.Text)
	if err != nil || len(all) == 0 || n.Score < capture.ForgetSure && all[0].says < offeredAtLeast {
		return nil, nil, err
	}
	personal := memory.Personal(v.User)
	for i := range all[:min(len(all), mostOffered)] {
		near := all[i].says >= meantApart*all[0].says
		switch {
		case all[i].it.Scope != personal && near && all[i].says >= meantAtLeast:
			others = append(others, all[i].it)
		case all[i].it.Scope == personal && (near || all[0].it.Scope == personal):
			own = append(own, all[i].it)
		}
	}
	return own, others, nil
}

// forget ends what a request to forget clearly means; where it may mean several, or
// what is not the user's own to end, it says which. What was only said, and waits for a
// person, is answered. Undo brings it back.
func forget(ctx context.Context, v *verbs.Verbs, n *Noticed, dryRun bool) (err error) {
	near, err := nearest(ctx, v, n.Text)
	if err != nil {
		return err
	}
	waits, err := waiting(ctx, v, n.Text, n.Evidence)
	if err != nil {
		return err
	}
	rival := 0.0
	if len(waits) > 0 {
		rival = waits[0].says
	}
	kept, said := meant(near, rival), meant(waits, 0)
	switch {
	case len(said) > 0 && (len(kept) == 0 || rival > near[0].says):
		return forgetSaid(ctx, v, n, said, dryRun)
	case len(kept) == 0:
		n.Verdict, n.Why = Drop, "asks to forget something, and memory holds nothing like it"
		if weak := weakly(near); n.Score >= capture.ForgetSure && !n.withheld && len(weak) > 0 {
			n.asks(listed(weak))
		}
	case len(kept) > 1 || n.Score < capture.ForgetSure || n.withheld || !kept[0].Scope.Private() || !unmistakable(n.Text, &kept[0]):
		n.asks(strings.Join(append([]string{listed(kept[:min(len(kept), mostMeant)])}, versions(waits, kept)...), "; "))
	default:
		it := kept[0]
		n.Verdict, n.Item, n.Why, n.Action = Keep, &it, "asks to forget: "+it.Content, "forget"
		if dryRun {
			break
		}
		for i := range waits {
			if w := &waits[i].it; replaces(w, it.ID) {
				_, rejected := review.New(v.Home).Reject(ctx, w.ID, n.request())
				err = errors.Join(err, rejected)
			}
		}
		_, forgotten := items.New(v.Home).ForgetAsked(ctx, it.ID, n.request(), n.Evidence)
		err = errors.Join(err, forgotten, review.New(v.Home).Overtaken(ctx, "what it says was forgotten", func(w *review.Pending) bool {
			says := func(prompt string) bool { return saysOf(prompt, it.Content, w) }
			return w.Kind == memory.QuestionKeep && slices.ContainsFunc(append(it.Metadata.Evidence, ""), says)
		}))
	}
	return err
}

// replaces reports whether what waits would take the place of an item.
func replaces(w *review.Pending, id string) bool {
	return w.Other != nil && w.Other.ID == id && (w.Kind == memory.QuestionConflict || w.Kind == memory.QuestionUpdate)
}

// versions are what waits to take the place of some items, with the commands that turn it
// down.
func versions(waiting []nearness[review.Pending], of []memory.Item) (out []string) {
	for i := range waiting {
		w := &waiting[i].it
		if slices.ContainsFunc(of, func(it memory.Item) bool { return replaces(w, it.ID) }) {
			out = append(out, rejects(w))
		}
	}
	return out
}

func rejects(w *review.Pending) string {
	return fmt.Sprintf("%s (orihon review --reject %s)", w.Item.Content, w.ID)
}

// forgetSaid turns down what was said in one prompt alone and never kept.
func forgetSaid(ctx context.Context, v *verbs.Verbs, n *Noticed, waiting []review.Pending, dryRun bool) error {
	first := &waiting[0]
	apart := func(w review.Pending) bool {
		return !slices.Equal(w.Item.Metadata.Evidence, first.Item.Metadata.Evidence)
	}
	if n.Score < capture.ForgetSure || slices.ContainsFunc(waiting, apart) || !unmistakable(n.Text, &first.Item) {
		var out []string
		for i := range waiting[:min(len(waiting), mostMeant)] {
			out = append(out, rejects(&waiting[i]))
		}
		n.asks(strings.Join(out, "; "))
		return nil
	}
	n.Verdict, n.Item, n.Why, n.Action, n.question = Keep, &first.Item, "asks to forget: "+first.Item.Content, "forget", first.ID
	for i := range waiting {
		if dryRun {
			break
		}
		if _, err := review.New(v.Home).Reject(ctx, waiting[i].ID, n.request()); err != nil {
			return err
		}
	}
	return nil
}

// request is why something goes; words that were not to be kept are no part of it.
func (n *Noticed) request() string {
	if n.withheld {
		return "the user asked"
	}
	return "the user asked: " + n.Text
}

// asks leaves to the user what is to be forgotten.
func (n *Noticed) asks(choices string) {
	n.Verdict, n.Why, n.choices = Ask, "if this is to be forgotten: "+choices, choices
}

func listed(meant []memory.Item) string {
	var out []string
	for i := range meant {
		out = append(out, fmt.Sprintf("%s (orihon forget %s)", meant[i].Content, memory.ShortID(meant[i].ID)))
	}
	return strings.Join(out, "; ")
}
