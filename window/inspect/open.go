package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/memory"
	"orihon/window"
)

// Page is one page of what was opened.
type Page struct {
	Title string `json:"title"` // what was opened
	Text  string `json:"text"`  // word for word
	Page  int    `json:"page"`  // from 1
	Pages int    `json:"pages"` // that there are
}

// Expand opens a fold, named F7 or by its id, or a range of iterations, 12 or
// 12-20, and returns it as it stands in the journal, a page of at most
// [window.PageTokens] tokens at a time. With an anchor, a name or a word, it is
// only the messages, calls and results that hold it. An unknown fold is a
// [memory.ErrNotFound].
func (r *Run) Expand(ctx context.Context, ref, anchor string, page int) (Page, error) {
	from, to, title, err := r.resolve(ref)
	if err != nil {
		return Page{}, err
	}
	out := Page{Title: title, Page: max(1, page)}
	if anchor == "" {
		out.Text, out.Pages, err = window.Expand(r.view, from, to, page)
	} else {
		out.Title += ", " + strconv.Quote(anchor)
		out.Text, out.Pages, err = r.about(ctx, from, to, anchor, out.Page)
	}
	if err != nil {
		return Page{}, err
	}
	return out, nil
}

// resolve finds the iterations that a reference means.
func (r *Run) resolve(ref string) (from, to int, title string, err error) {
	a, b, wrong := ParseIterations(ref)
	if wrong == nil {
		if len(r.view.Range(a, b)) == 0 {
			return 0, 0, "", fmt.Errorf("iterations %s: %w: the run has %s", ref, memory.ErrNotFound, r.Span())
		}
		return a, b, "iterations " + ref, nil
	}
	if b := r.Block(ref); b != nil {
		return b.Iterations[0], b.Iterations[1], fmt.Sprintf("%s, iterations %d–%d: %s", b.Ref(), b.Iterations[0], b.Iterations[1], b.Summary.Title), nil
	}
	if strings.ContainsAny(ref, "-–") && strings.TrimLeft(ref, " 0123456789-–") == "" {
		return 0, 0, "", fmt.Errorf("iterations %s: %w: %w", ref, memory.ErrInvalid, wrong)
	}
	known := "none"
	if all := r.Blocks(); len(all) > 0 {
		last := 0
		for i := range all {
			last = max(last, all[i].Number)
		}
		known = "F1"
		if last > 1 {
			known = fmt.Sprintf("F1 to F%d", last)
		}
	}
	return 0, 0, "", fmt.Errorf("fold %q: %w: the run has %s; a range of iterations is written 12-20", ref, memory.ErrNotFound, known)
}

// Block finds a fold by its short name or its id; nil when there is none.
func (r *Run) Block(ref string) *FoldedBlock {
	all := r.Blocks()
	number, err := strconv.Atoi(strings.TrimLeft(strings.TrimSpace(ref), "Ff"))
	for i := range all {
		if err == nil && all[i].Number == number || all[i].ID == ref {
			return &all[i]
		}
	}
	return nil
}

// ParseIterations reads a range of iterations: "12-20", "12–20" or "12". The error says
// what is wrong with it, and wraps nothing.
func ParseIterations(s string) (from, to int, err error) {
	a, b, two := strings.Cut(strings.ReplaceAll(strings.TrimSpace(s), "–", "-"), "-")
	if from, err = strconv.Atoi(a); !two {
		to = from
	} else if err == nil {
		to, err = strconv.Atoi(b)
	}
	switch {
	case err != nil:
		return 0, 0, errors.New("want iterations as in 12-20")
	case from < 1 || to < 1:
		return 0, 0, errors.New("iterations count from 1")
	case to < from:
		return 0, 0, fmt.Errorf("it ends before it begins: want %d-%d", to, from)
	}
	return from, to, nil
}

// about is one page of the events of a range that hold an anchor.
func (r *Run) about(ctx context.Context, from, to int, anchor string, page int) (text string, pages int, err error) {
	want := strings.ToLower(anchor)
	var parts []string
	room := 0
	for _, e := range r.view.Range(from, to) {
		if !strings.Contains(strings.ToLower(r.view.Text(e)), want) {
			continue
		}
		// An event alone may be longer than a page: it is opened by its range.
		one, err := window.CallTool(ctx, r.view, window.ShowHistory, fmt.Appendf(nil, `{"event":%d}`, e.Seq))
		if err != nil {
			return "", 0, err
		}
		n := tokens.Estimate(one)
		if len(parts) == 0 || n > room {
			parts, room = append(parts, ""), window.PageTokens-100
		}
		parts[len(parts)-1] += one
		room -= n
	}
	if len(parts) == 0 {
		return "", 0, fmt.Errorf("%q: %w: nothing in iterations %d to %d holds it", anchor, memory.ErrNotFound, from, to)
	}
	if page > len(parts) {
		return "", 0, fmt.Errorf("%w page %d: there are %d", memory.ErrInvalid, page, len(parts))
	}
	return parts[page-1], len(parts), nil
}

// Found is a place that answers a keyword.
type Found struct {
	Seq       int64  `json:"seq"`            // of the event
	Iteration int    `json:"iteration"`      // in which it stands
	Type      string `json:"type"`           // of the event, in lower case
	Fold      string `json:"fold,omitempty"` // the stub it lies in
	Text      string `json:"text"`           // around the keyword, on one line
	Near      bool   `json:"near,omitempty"` // it says something like the keyword, not the keyword
}

// Retrieve finds a word or a name in the whole run, folded or not, at most limit
// places; 0 is 12. Those that hold every word of the keyword come first, of both
// kinds the best.
func (r *Run) Retrieve(keyword string, limit int) []Found {
	limit = cmp.Or(max(limit, 0), 12)
	blocks := window.Blocks(r.view)
	seen := map[int64]bool{}
	var out, near []Found
	words := strings.Fields(strings.ToLower(keyword))
	take := func(e journal.Event) {
		text := r.view.Text(e)
		if text == "" || seen[e.Seq] || len(out) == limit {
			return
		}
		seen[e.Seq] = true
		lower := strings.ToLower(text)
		f := Found{Seq: e.Seq, Iteration: e.Iter, Type: strings.ToLower(string(e.Type)), Text: around(text, keyword)}
		for i := range blocks {
			if b := &blocks[i]; b.Iterations[0] <= e.Iter && e.Iter <= b.Iterations[1] {
				f.Fold = b.Ref()
			}
		}
		if f.Near = slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(lower, w) }); f.Near {
			near = append(near, f)
		} else {
			out = append(out, f)
		}
	}
	named := r.view.ByEntity(strings.TrimSpace(keyword))
	for i := len(named) - 1; i >= 0 && len(out) < (limit+1)/2; i-- {
		take(named[i])
	}
	for _, m := range r.view.Search(keyword, 4*limit) {
		take(m.Event)
	}
	return append(out, near[:min(len(near), limit-len(out))]...)
}

// around is the part of a text around the first word of a keyword that stands
// in it, on one line.
func around(text, keyword string) string {
	const before, after = 80, 240
	at, lower := -1, strings.ToLower(text)
	for _, w := range append([]string{keyword}, strings.Fields(keyword)...) {
		if i := strings.Index(lower, strings.ToLower(w)); i >= 0 && len(lower) == len(text) {
			at = i
			break
		}
	}
	from := max(0, at-before)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	to := min(len(text), max(at, 0)+after)
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	s := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		s = "…" + s
	}
	if to < len(text) {
		s += "…"
	}
	return s
}
