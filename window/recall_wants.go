package window

import (
	"path"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/journal"
)

// want is a subject that the present is about.
type want struct {
	subject string // a file by its base name, or another name
	why     string
	failed  bool
	asked   bool // in the user's words

	at    []int    // folded iterations that read or changed it
	focus []string // lines and names of the present
	worth float64  // of the lines that they are about
}

func subjectOf(w want) string { return w.subject }

// wanted are the subjects of an iteration: what an operation failed at, then what
// was said and asked for, then what tools answered.
func wanted(r *record) []want {
	var out []want
	for i := range r.acts {
		if a := &r.acts[i]; a.Erred() {
			for _, file := range filesOf(a) {
				out = append(out, want{subject: file, why: "an operation on " + file + " failed", failed: true})
			}
		}
	}
	var asked, done, answered strings.Builder
	for _, s := range r.prompts {
		asked.WriteString(s.text + "\n")
	}
	for _, s := range r.spoken {
		done.WriteString(s.text + "\n")
	}
	for i := range r.acts {
		a := &r.acts[i]
		done.Write(a.Input)
		answered.WriteString(a.Output[:min(len(a.Output), searchedOutput)] + "\n")
	}
	for i, text := range [...]string{asked.String(), done.String(), answered.String()} {
		for _, e := range journal.Entities(text) {
			switch {
			case e.Kind == journal.FileEntity:
				out = append(out, want{subject: path.Base(e.Name), why: path.Base(e.Name) + " was mentioned", asked: i == 0})
			case e.Kind == journal.Identifier && i == 0: // the user's words alone: of other names there are too many
				out = append(out, want{subject: e.Name, why: e.Name + " was mentioned", asked: true})
			}
		}
	}
	return distinctBy(out, subjectOf)
}

// worked are the files of the last iterations, the newest first: an epoch may have
// folded what the work goes on with.
func (f *Folder) worked(in Input) []want {
	var out []want
	for n := in.Iteration - 1; n > in.Iteration-recallBack; n-- {
		if it := f.iteration(in, n); it != nil {
			for _, file := range slices.Concat(it.edited, it.read) {
				base := activity.Base(file)
				out = append(out, want{subject: base, why: base + " was worked on"})
			}
		}
	}
	return out
}

// recallBack is for how many iterations a file counts as worked on.
const recallBack = 300

// searchedOutput is how much of a tool's answer is looked through for names.
const searchedOutput = 16 << 10

// holding is the newest fold that has what is wanted: for a failed operation one
// that changed its subject, else one that is important enough.
func (f *Folder) holding(w want) *Block {
	for _, b := range slices.Backward(f.state.tops) {
		changed := slices.ContainsFunc(b.StateChanges, func(c string) bool { return names(c, w.subject) })
		if w.failed && changed {
			return b
		}
		if !w.failed && (changed || slices.Contains(b.Read, w.subject) || slices.Contains(b.Entities, w.subject)) && b.matters() >= f.o.RecallFrom {
			return b
		}
	}
	return nil
}

// matters is the importance of a block for a present that names one of its
// subjects: what is mentioned now is at no distance.
func (b *Block) matters() float64 {
	return importance(0, b.Retrievability.AccessCount, len(b.Errors)+len(b.Mended) > 0, 1000*len(b.StateChanges))
}

// names reports whether a change is about a file of a base name.
func names(change, base string) bool {
	for word := range strings.FieldsSeq(change) {
		if activity.Base(word) == base {
			return true
		}
	}
	return false
}

// filesOf are the base names of the files an act names, in its input and in
// what it said.
func filesOf(a *activity.Action) []string {
	var out []string
	for _, f := range a.Files {
		out = append(out, activity.Base(f))
	}
	for _, e := range journal.Entities(a.Command + "\n" + a.Output[:min(len(a.Output), 4<<10)]) {
		if e.Kind == journal.FileEntity {
			out = append(out, path.Base(e.Name))
		}
	}
	// A folder says too little.
	out = slices.DeleteFunc(out, func(f string) bool { return !strings.Contains(f, ".") })
	return distinct(out)
}
