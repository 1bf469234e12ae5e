package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"orihon"
	"orihon/memory"
	"orihon/review"
)

// reviewEach goes through what waits, a key each. What is not answered keeps
// waiting. An answer is carried out when the next one is given, so that it can be
// taken back.
func (a *app) reviewEach(ctx context.Context, m *orihon.Memory, list []review.Pending) error {
	if len(list) == 0 {
		fmt.Fprintln(a.out, "nothing waits for you")
		return nil
	}
	w := reviewing{app: a, m: m, keys: newKeys(a), all: make(map[memory.QuestionKind]rune)}
	for i := 0; i >= 0 && i < len(list); {
		step, err := w.decide(ctx, list, i)
		if err != nil {
			return err
		}
		i += step
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%d kept, %d dropped, %d still waiting\n", w.kept, w.dropped, len(list)-w.kept-w.dropped)
	return nil
}

// reviewing is one walk through what waits.
type reviewing struct {
	*app
	m    *orihon.Memory
	keys *keys
	all  map[memory.QuestionKind]rune // what all that are left of a kind get

	last          func(context.Context) error // the last answer, not carried out yet
	lastAt        int
	kept, dropped int
}

// quit is a step beyond any list.
const quit = 1 << 30

// decide asks about one and returns how far to go on.
func (w *reviewing) decide(ctx context.Context, list []review.Pending, i int) (step int, err error) {
	x := &list[i]
	key, given := w.all[x.Kind]
	if !given || x.Refused != "" {
		fmt.Fprintf(w.out, "\n%d of %d  ", i+1, len(list))
		w.oneWaiting(w.out, x)
	}
	if x.Refused != "" {
		return 1, nil
	}
	for {
		if !given {
			var ok bool
			if key, ok = w.keys.key(choices(x, w.last != nil)); !ok {
				return quit, nil
			}
		}
		o := review.Approval{}
		switch key {
		case 'K', 'D':
			w.all[x.Kind] = key + 'a' - 'A'
			key, given = w.all[x.Kind], true
			continue
		case 'k', 'y', 'a':
		case 'd', 'n', 'r':
			return 1, w.answer(ctx, i, &w.dropped, w.word("dropped", x, given), func(ctx context.Context) error {
				_, err := w.m.Review().Reject(ctx, x.ID, "")
				return err
			})
		case 'e':
			if o.Text = w.keys.line("in these words: "); o.Text == "" {
				continue
			}
		case 'b', 'm':
			if x.Other == nil || x.Kind == memory.QuestionMerge || x.Kind == memory.QuestionEverywhere {
				continue
			}
			if o.Both = key == 'b'; key == 'm' {
				o.Text, o.Into = w.keys.line("one text for both (empty takes the new one): "), x.Other.ID
			}
		case 's', ' ', '\r', '\n':
			return 1, nil
		case 'u':
			if w.last == nil {
				continue
			}
			w.last = nil
			fmt.Fprintln(w.out, "taken back")
			return w.lastAt - i, nil
		case 'q', 3, 4:
			return quit, nil
		default:
			continue
		}
		if err := w.answer(ctx, i, &w.kept, w.word("kept", x, given), func(ctx context.Context) error {
			_, err := w.m.Review().Approve(ctx, x.ID, o)
			return err
		}); err != nil {
			return 0, err
		}
		return 1, w.means(ctx, x, o)
	}
}

// word is what became of something, which it names where nobody was asked about it.
func (w *reviewing) word(word string, x *review.Pending, given bool) string {
	if given {
		return w.bold(word) + "  " + headline(&x.Item)
	}
	return w.bold(word)
}

// means says what keeping something ends and leaves beside it.
func (w *reviewing) means(ctx context.Context, x *review.Pending, o review.Approval) error {
	if o.Both || o.Into != "" {
		return nil
	}
	over, err := w.m.Review().Ends(ctx, *x, o)
	if err != nil {
		return err
	}
	ended := ""
	if over != nil {
		ended = over.ID
	}
	w.stands(w.out, x, ended, x.Item.ID)
	return nil
}

func choices(x *review.Pending, undo bool) string {
	out := "[k]eep (y), [d]rop (n), [e]dit"
	switch {
	case x.Kind == memory.QuestionMerge:
		out = "[k]eep one of them (y), [d]ifferent things (n), [e]dit"
	case x.Kind == memory.QuestionEverywhere:
		out = "[k]eep it for all projects (y), [d]on't (n), [e]dit"
	case x.Other != nil:
		out = "[k]eep the new one (y), [d]rop it (n), [b]oth hold, [m]erge, [e]dit"
	}
	if undo {
		out += ", [u]ndo"
	}
	return out + ", [s]kip, [q]uit, all like this: [K]eep, [D]rop? "
}

// answer carries out the answer before and holds this one back.
func (w *reviewing) answer(ctx context.Context, at int, count *int, word string, do func(context.Context) error) error {
	if err := w.settle(ctx); err != nil {
		return err
	}
	fmt.Fprintln(w.out, word)
	w.lastAt = at
	w.last = func(ctx context.Context) error {
		err := do(ctx)
		if errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrRefused) || errors.Is(err, memory.ErrInvalid) {
			w.warn(err.Error()) // somebody else may have decided meanwhile
			return nil
		}
		if err == nil {
			*count++
		}
		return err
	}
	return nil
}

func (w *reviewing) settle(ctx context.Context) error {
	do := w.last
	w.last = nil
	if do == nil {
		return nil
	}
	return do(ctx)
}

// keys reads single keys of a terminal, and the first letters of lines elsewhere.
type keys struct {
	app  *app
	in   *bufio.Reader
	file *os.File // the terminal; nil when it is none
}

func newKeys(a *app) *keys {
	k := &keys{app: a, in: bufio.NewReader(a.in)}
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		k.file = f
	}
	return k
}

// key is the next one; ok is false at the end of the input.
func (k *keys) key(prompt string) (r rune, ok bool) {
	fmt.Fprint(k.app.out, prompt)
	if k.file == nil {
		line, err := k.in.ReadString('\n')
		if line = strings.TrimSpace(line); line == "" {
			return '\n', err == nil
		}
		return []rune(line)[0], true
	}
	if before, err := term.MakeRaw(int(k.file.Fd())); err == nil {
		defer func() {
			_ = term.Restore(int(k.file.Fd()), before)
			fmt.Fprintln(k.app.out)
		}()
	}
	r, _, err := k.in.ReadRune()
	return r, err == nil
}

func (k *keys) line(prompt string) string {
	fmt.Fprint(k.app.out, prompt)
	line, _ := k.in.ReadString('\n')
	return strings.TrimSpace(line)
}

// oneWaiting shows the question; two that are at odds stand one above the
// other, so that the difference meets the eye.
func (a *app) oneWaiting(w io.Writer, x *review.Pending) {
	fmt.Fprintf(w, "%s  %s  %s\n", a.bold(x.ID), question(x.Kind), a.dim(x.At.Local().Format("2006-01-02 15:04")))
	if x.Other != nil {
		fmt.Fprintf(w, "  now   %s  %s\n", oneLine(x.Other.Content), a.dim(trusted(x.Other)))
	}
	fmt.Fprintf(w, "  new   %s  %s\n", oneLine(x.Item.Content), a.dim(trusted(&x.Item)))
	for i := range x.Against {
		fmt.Fprintf(w, "  but   %s  %s\n", oneLine(x.Against[i].Content), a.dim(trusted(&x.Against[i])))
	}
	if x.Why != "" {
		fmt.Fprintf(w, "  why   %s\n", oneLine(x.Why))
	}
	if x.Refused != "" {
		fmt.Fprintf(w, "  %s\n", oneLine(x.Refused))
	}
}

// stands names what speaks against a statement that is kept: what it ends, and what stays
// beside it, with the commands that put that right.
func (a *app) stands(out io.Writer, w *review.Pending, ended, kept string) {
	against := w.Against
	if w.Other != nil && w.Kind == memory.QuestionConflict {
		against = append(against, *w.Other)
	}
	for i := range against {
		old := &against[i]
		if old.ID == ended {
			fmt.Fprintln(out, a.dim(fmt.Sprintf("      no longer holds: %s; orihon undo %s takes that back", headline(old), shortID(kept))))
			continue
		}
		fmt.Fprintln(out, a.dim(fmt.Sprintf("      beside it stands: %s; orihon forget %s takes that out, orihon undo %s this", headline(old), shortID(old.ID), shortID(kept))))
	}
}

func question(kind memory.QuestionKind) string {
	return cmp.Or(map[memory.QuestionKind]string{
		"keep":                 "is it worth keeping?",
		"conflict":             "does the new one replace what is known?",
		"update":               "should it be worded so?",
		"merge":                "do both say the same?",
		"everywhere":           "does it hold in all your projects?",
		"promote":              "is it settled?",
		"frozen":               "it changed back and forth: does it hold?",
		review.CandidateShared: "may everybody on the project have it?",
	}[kind], string(kind))
}

func trusted(it *memory.Item) string {
	return fmt.Sprintf("(%s, %s, %.2f)", it.Scope, source(it), it.Metadata.Confidence)
}
