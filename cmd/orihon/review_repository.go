package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orihon"
	"orihon/memory"
	"orihon/review"
)

// repositoryFlags are those of review --repository.
type repositoryFlags struct {
	show, accept, trust, untrust, rejected bool
	reject, unreject                       string   // a file or an ID
	only                                   []string // files
}

// asked reports whether they are; --reject belongs to them only with another one.
func (f *repositoryFlags) asked() bool {
	return f.show || f.accept || f.trust || f.untrust || f.rejected || f.unreject != ""
}

// reviewRepository shows what of the repository's text nobody here has
// accepted, and accepts it: exactly what was shown, by its hash.
func (a *app) reviewRepository(ctx context.Context, m *orihon.Memory, f *repositoryFlags) error {
	r := m.Repository()
	if f.untrust {
		if f.accept || f.trust {
			return fmt.Errorf("%w: --untrust stands alone", errUsage)
		}
		if err := r.Untrust(ctx); err != nil {
			return err
		}
		return a.print(struct {
			Trusted bool `json:"trusted"`
		}{}, func(w io.Writer) {
			fmt.Fprintln(w, "the repository is no longer trusted from now on; what you accepted before stays accepted")
		})
	}
	if f.rejected || f.unreject != "" || f.reject != "" {
		return a.rejectRepository(ctx, r, f)
	}
	waiting, problems, err := r.Waiting(ctx)
	if err != nil {
		return err
	}
	a.warn(problems...)
	if waiting, err = a.only(m, f.only, waiting); err != nil && !f.trust {
		return err
	}
	accepted := 0
	unseen, err := r.Unseen(waiting)
	if err != nil {
		return err
	}
	if err := r.Shown(waiting, len(f.only) > 0); err != nil {
		a.warn(err.Error())
	}
	if a.terminal && !a.json && !f.accept && !f.trust {
		return a.askRepository(ctx, r, waiting)
	}
	var left []string
	if f.accept || f.trust {
		chosen := waiting
		if !f.trust {
			chosen, left = acceptable(waiting, unseen, len(f.only) > 0)
		}
		all := hashes(chosen)
		if err := r.Accept(ctx, all...); err != nil {
			return err
		}
		accepted = len(all)
		if len(left) == 0 {
			if err := r.Decided(); err != nil {
				a.warn(err.Error())
			}
		}
	}
	if f.trust {
		if err := r.Trust(ctx); err != nil {
			return err
		}
	}
	out := struct {
		Trusted  bool                 `json:"trusted"`  // from now on
		Accepted int                  `json:"accepted"` // of those below
		Waiting  []review.ForeignText `json:"texts"`
		Left     []string             `json:"left,omitempty"` // of those to be accepted, and why
	}{r.Trusted(), accepted, orEmpty(waiting), left}
	return a.print(out, func(w io.Writer) {
		a.foreignTexts(w, waiting)
		if len(left) > 0 {
			fmt.Fprintln(w)
		}
		for _, why := range left {
			fmt.Fprintln(w, "waits on:", why)
		}
		switch {
		case f.trust:
			fmt.Fprintf(w, "\naccepted %s; this repository is trusted from now on (take it back with orihon review --untrust)\n", plural(accepted, "text"))
		case f.accept && accepted > 0:
			fmt.Fprintf(w, "\naccepted %s\n", plural(accepted, "text"))
		case len(waiting) == 0 && r.Trusted():
			fmt.Fprintln(w, "nothing waits: this repository is trusted from now on (take it back with orihon review --untrust)")
		case len(waiting) == 0 && len(f.only) == 0:
			fmt.Fprintln(w, "nothing of this repository waits for you")
		case len(waiting) == 0 || len(left) > 0:
		default:
			fmt.Fprintf(w, "\n%s not accepted. Accept them with orihon review --repository --accept,\n"+
				"or all that this repository says from now on with --trust; --reject FILE hides what stands there.\n", plural(len(waiting), "text"))
		}
	})
}

// acceptable are the texts that an acceptance of all means, and a line on each other one:
// what came or changed since the last look, and what would end something that was said
// later, unless its file was named.
func acceptable(waiting []review.ForeignText, unseen map[string]bool, named bool) (out []review.ForeignText, left []string) {
	for i := range waiting {
		x := &waiting[i]
		where := oneLine(fmt.Sprintf("%s:%d", x.File, x.Line))
		switch {
		case unseen[x.Hash]:
			left = append(left, where+" came or changed since you looked: the same command once more accepts it")
		case x.EndsLater && !named:
			left = append(left, where+" would end what was said later: accept it with --file, or turn it down with --reject")
		default:
			out = append(out, *x)
		}
	}
	return out, left
}

// besides says how much text of the repository waits, too.
func besides(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "%s of this repository not accepted: orihon review --repository\n", plural(n, "text"))
	}
}

// only keeps what stands in the files that were named. A file that is not there is an
// error; of one that is and of which nothing waits it says so.
func (a *app) only(m *orihon.Memory, files []string, waiting []review.ForeignText) ([]review.ForeignText, error) {
	if len(files) == 0 {
		return waiting, nil
	}
	for i, f := range files {
		files[i] = path.Clean(filepath.ToSlash(f))
		if slices.ContainsFunc(waiting, func(x review.ForeignText) bool { return x.File == files[i] }) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(m.Project().Root, filepath.FromSlash(files[i]))); err != nil {
			return nil, fmt.Errorf("%s: %w: name a file as orihon review --repository shows it", f, memory.ErrNotFound)
		}
		a.warn("nothing that stands in " + oneLine(f) + " waits for you")
	}
	return slices.DeleteFunc(waiting, func(x review.ForeignText) bool { return !slices.Contains(files, x.File) }), nil
}

// rejectRepository turns text down, takes that back, or shows what was.
func (a *app) rejectRepository(ctx context.Context, r *review.Repository, f *repositoryFlags) error {
	given := 0
	for _, set := range []bool{f.rejected, f.unreject != "", f.reject != "", f.accept, f.trust} {
		if set {
			given++
		}
	}
	if given > 1 {
		return fmt.Errorf("%w: --accept, --trust, --reject, --unreject and --rejected: one at a time", errUsage)
	}
	section := false
	named := func(x review.ForeignText) bool {
		if what := cmp.Or(f.reject, f.unreject); what != "" && x.File != what && (x.ID == "" || x.ID != what && !memory.Abbreviates(what, x.ID)) {
			return false
		}
		section = section || x.Section
		return !x.Section && (len(f.only) == 0 || slices.Contains(f.only, x.File))
	}
	texts, err := r.Rejected(ctx)
	if f.reject != "" {
		texts, err = toReject(ctx, r, named)
	}
	if err != nil {
		return err
	}
	texts = slices.DeleteFunc(texts, func(x review.ForeignText) bool { return !named(x) })
	done := ""
	switch {
	case f.rejected:
	case len(texts) == 0 && section:
		return fmt.Errorf("%s: %w: clients load the program's section of MEMORY.md all the same: orihon memory-index takes out what nobody accepted", f.reject, memory.ErrRefused)
	case len(texts) == 0:
		return fmt.Errorf("%s: %w: name a file as orihon review --repository shows it, or with --rejected for what was rejected", cmp.Or(f.reject, f.unreject), memory.ErrNotFound)
	case f.reject != "":
		done, err = "rejected", r.Reject(ctx, rejectable(texts)...)
	default:
		done, err = "waits again:", r.Unreject(ctx, rejectable(texts)...)
	}
	if err != nil {
		return err
	}
	return a.print(map[string]any{"texts": orEmpty(texts)}, func(w io.Writer) {
		a.foreignTexts(w, texts)
		switch {
		case len(texts) == 0:
			fmt.Fprintln(w, "nothing was rejected")
		case done != "":
			fmt.Fprintf(w, "\n%s %s\n", done, plural(len(texts), "text"))
		}
		if f.reject != "" {
			fmt.Fprintf(w, "take it back with orihon review --repository --unreject %s\n", oneLine(texts[0].File))
		}
	})
}

// toReject is what waits of what was named, else what was accepted of it.
func toReject(ctx context.Context, r *review.Repository, named func(review.ForeignText) bool) ([]review.ForeignText, error) {
	waiting, _, err := r.Waiting(ctx)
	if err != nil || slices.ContainsFunc(waiting, named) {
		return waiting, err
	}
	return r.Accepted(ctx)
}

// rejectable are the hashes of texts; also of commands that could not run.
func rejectable(texts []review.ForeignText) []string {
	out := make([]string, len(texts))
	for i := range texts {
		out[i] = texts[i].Hash
	}
	return out
}

// hashes are those of what can be accepted.
func hashes(texts []review.ForeignText) []string {
	var out []string
	for i := range texts {
		if texts[i].Refused == "" {
			out = append(out, texts[i].Hash)
		}
	}
	return out
}

// foreignTexts shows texts under the file they stand in, with what they claim
// to be.
func (a *app) foreignTexts(w io.Writer, texts []review.ForeignText) {
	file := ""
	for i := range texts {
		x := &texts[i]
		if x.File != file {
			if file = x.File; i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, a.bold(oneLine(file))+"  "+a.dim(committed(x)))
		} else if by := committed(x); by != committed(&texts[i-1]) {
			fmt.Fprintln(w, "        "+a.dim(by))
		}
		fmt.Fprintf(w, "  %4d  %s\n", x.Line, indented(shown(x.Text), "        "))
		if x.Before != "" {
			fmt.Fprintf(w, "        before  %s\n", oneLine(x.Before))
		}
		if x.Ends != "" {
			what := "ends"
			if x.EndsLater {
				what = "ends what was said LATER:"
			}
			fmt.Fprintf(w, "        %s  %s\n", what, oneLine(shown(x.Ends)))
		}
		if c := claims(x); c != "" {
			fmt.Fprintf(w, "        %s\n", a.dim(oneLine(c)))
		}
	}
}

// committed says who committed a text, within marks: anybody may be called anything.
func committed(x *review.ForeignText) string {
	if x.Committer == "" {
		return "not committed, or git does not say by whom"
	}
	return `committed by "` + strings.ReplaceAll(oneLine(x.Committer), `"`, "'") + `", ` + x.Committed.Local().Format("2006-01-02")
}

// indented moves the lines behind the first.
func indented(text, by string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+by)
}

// claims says what a text would be once it is accepted.
func claims(x *review.ForeignText) string {
	switch {
	case x.Refused != "":
		return "is a command that cannot run: " + x.Refused
	case x.Runs:
		return "would RUN on this machine with your rights; what it loads besides the files above is not covered"
	case x.Roles:
		return "is the list of roles: it would say who is management"
	case x.Start:
		return "every session would begin with it"
	}
	it := &x.Claims
	var out []string
	if it.Kind != memory.Note {
		what := cmp.Or(string(it.Topic), string(it.Kind))
		if it.Topic == memory.Preference && it.Metadata.Confidence >= memory.ApplyConfidence {
			what += ", a standing rule"
		}
		out = append(out, what)
		out = append(out, fmt.Sprintf("said by %s, confidence %.2f", cmp.Or(string(it.Metadata.Source), "nobody in particular"), it.Metadata.Confidence))
		if it.Tier != "" {
			out = append(out, string(it.Tier))
		}
	}
	if it.Scope != memory.Shared {
		out = append(out, string(it.Scope))
	}
	if it.Audience != "" {
		out = append(out, "for "+it.Audience)
	}
	if !it.ValidTo.IsZero() {
		out = append(out, "ended "+it.ValidTo.Local().Format("2006-01-02"))
	}
	if n := len(it.Triggers); n > 0 {
		const most = 10
		by := strings.Join(it.Triggers[:min(n, most)], ", ")
		if n > most {
			by += fmt.Sprintf(" and %d more", n-most)
		}
		out = append(out, "called up by "+by)
	}
	return strings.Join(out, " · ")
}

// askRepository shows what waits, file by file, and asks once for each.
func (a *app) askRepository(ctx context.Context, r *review.Repository, texts []review.ForeignText) error {
	if len(texts) == 0 {
		fmt.Fprintln(a.out, "nothing of this repository waits for you")
		return nil
	}
	in := bufio.NewReader(a.in)
	a.foreignTexts(a.out, texts)
	for {
		fmt.Fprintf(a.out, "\n%s. [a]ccept all, [o]ne by one, [t]rust this repository from now on, [q]uit? ", plural(len(texts), "text"))
		line, err := in.ReadString('\n')
		switch answer := strings.ToLower(strings.TrimSpace(line)); {
		case answer == "a":
			return a.accepted(r.Accept(ctx, hashes(texts)...), len(hashes(texts)))
		case answer == "t":
			if err := r.Accept(ctx, hashes(texts)...); err != nil {
				return err
			}
			return a.accepted(r.Trust(ctx), len(hashes(texts)))
		case answer == "o":
			return a.askEach(ctx, r, texts, in)
		case answer == "q", err != nil:
			return nil
		}
	}
}

func (a *app) askEach(ctx context.Context, r *review.Repository, texts []review.ForeignText, in *bufio.Reader) error {
	var yes []string
	for i := range texts {
		fmt.Fprintln(a.out)
		a.foreignTexts(a.out, texts[i:i+1])
		fmt.Fprintf(a.out, "%d of %d  accept it? [y]es, [n]o, [q]uit: ", i+1, len(texts))
		line, err := in.ReadString('\n')
		answer := strings.ToLower(strings.TrimSpace(line))
		if answer == "y" || answer == "yes" {
			yes = append(yes, texts[i].Hash)
		}
		if answer == "q" || err != nil {
			break
		}
	}
	if len(yes) == 0 {
		return nil
	}
	return a.accepted(r.Accept(ctx, yes...), len(yes))
}

func (a *app) accepted(err error, n int) error {
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, a.bold("accepted ")+plural(n, "text"))
	return nil
}
