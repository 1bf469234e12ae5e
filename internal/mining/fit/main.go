// Command fit learns the weights of package mining from scripted sessions in which habits are
// planted, and prints what they are worth on authors whose sessions taught them
// nothing.
//
//	go run ./internal/mining/fit [-write FILE] DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"orihon/habit"
	"orihon/internal/mining"
	"orihon/internal/planted"
)

func main() {
	log.SetFlags(0)
	write := flag.String("write", "", "write the weights, learned from all authors, to this file")
	verbose := flag.Bool("v", false, "list what was missed and what was wrong")
	all := flag.Bool("all", false, "score with weights learned from all authors, the scored one too")
	kept := flag.Bool("kept", false, "learn nothing, score with the weights of the binary")
	flag.Parse()
	authors, err := planted.Read(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	corpora := make(map[string]*mining.Corpus)
	for i := range authors {
		corpora[authors[i].Name] = mining.Collect(sessionsOf(&authors[i]))
	}
	var reports []planted.Report
	var marks marks
	for i := range authors {
		others := slices.Delete(slices.Clone(authors), i, i+1)
		if *all || len(others) == 0 {
			others = authors
		}
		var w mining.Weights
		if !*kept {
			w = learn(others, corpora)
		}
		r, err := score(&authors[i], sessionsOf(&authors[i]), w, &marks)
		if err != nil {
			log.Fatal(err)
		}
		reports = append(reports, r)
		fmt.Println(r.Line())
		if *verbose {
			r.Details(os.Stdout)
		}
	}
	sum := planted.Sum(reports)
	fmt.Println(sum.Line())
	marks.print()
	if *write != "" {
		if err := os.WriteFile(*write, []byte(format(learn(authors, corpora))), 0o600); err != nil {
			log.Fatal(err)
		}
	}
}

// models are learned in this order: later ones build on the earlier.
var models = []struct {
	name  string
	ridge float64
}{{"turn", 20}, {"ends", 10}, {"correction", 5}, {"fix", 3}, {"sequence", 3}, {"back", 10}}

// worths are learned on what the models above find in sessions that taught them
// nothing, as far as there are several authors.
var worths = []string{"worth-correction", "worth-fix", "worth-sequence"}

func learn(authors []planted.Author, corpora map[string]*mining.Corpus) mining.Weights {
	w := base(authors, corpora)
	rows := make(map[string][]mining.Example)
	for i := range authors {
		from := w
		if len(authors) > 1 {
			from = base(slices.Delete(slices.Clone(authors), i, i+1), corpora)
		}
		for _, m := range worths {
			rows[m] = append(rows[m], corpora[authors[i].Name].Examples(m, from, &judge{&authors[i]})...)
		}
	}
	for _, m := range worths {
		w[m] = logistic(rows[m], 2)
	}
	return w
}

func base(authors []planted.Author, corpora map[string]*mining.Corpus) mining.Weights {
	w := mining.Weights{}
	for _, m := range models {
		var rows []mining.Example
		for i := range authors {
			rows = append(rows, corpora[authors[i].Name].Examples(m.name, w, &judge{&authors[i]})...)
		}
		w[m.name] = logistic(rows, m.ridge)
	}
	return w
}

// score looks as the program does: in each project behind its last session, at all that
// was done until then.
func score(a *planted.Author, all []*mining.Session, w mining.Weights, m *marks) (planted.Report, error) {
	projects, last := make(map[string]string), make(map[string]int)
	for i := range a.Sessions {
		projects[a.Sessions[i].Name], last[a.Sessions[i].Project] = a.Sessions[i].Project, i
	}
	var out []planted.Instinct
	for i := range all {
		project := a.Sessions[i].Project
		if last[project] != i {
			continue
		}
		found, err := mining.Collect(all[:i+1]).Mine(context.Background(), w)
		if err != nil {
			return planted.Report{}, err
		}
		own, everywhere := mining.Split(found, projects, project)
		if i == len(all)-1 {
			own = append(own, everywhere...)
		}
		for _, f := range own {
			if !f.Suggested() {
				continue
			}
			in := planted.Instinct{ID: fmt.Sprint(len(out)), Kind: string(f.Kind), Confidence: f.Confidence(), Trigger: f.Trigger, Action: fmt.Sprintf("%s (p %.2f)", f.Action, f.P)}
			for _, e := range f.Evidence {
				in.Seen = append(in.Seen, planted.Seen{Session: e.Session, Line: int(e.Turn), Text: e.Text})
			}
			out = append(out, in)
			m.add(&f, a, &in)
		}
	}
	return planted.Score(a, out), nil
}

// marks are how likely what was found was, and whether it was right, by kind.
type marks map[habit.Kind][]mark

type mark struct {
	p     float64
	right bool
}

func (m *marks) add(f *mining.Found, a *planted.Author, in *planted.Instinct) {
	if *m == nil {
		*m = make(marks)
	}
	if f.Believed() < 0.5 || len(f.Against) > 0 {
		return // only suggested, however likely
	}
	right := slices.ContainsFunc(a.Labels, func(l planted.Label) bool { return l.Habit() && l.Matches(in) })
	(*m)[f.Kind] = append((*m)[f.Kind], mark{f.P, right})
}

// print tells the precision from each mark on.
func (m marks) print() {
	for _, k := range []habit.Kind{habit.Correction, habit.Fix, habit.Sequence} {
		fmt.Printf("%-11s", k)
		for _, from := range []float64{0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95} {
			n, right := 0, 0
			for _, x := range m[k] {
				if x.p >= from {
					n++
					if x.right {
						right++
					}
				}
			}
			if n > 0 {
				fmt.Printf("  %.2f: %d/%d=%.2f", from, right, n, float64(right)/float64(n))
			}
		}
		fmt.Println()
	}
}

// judge knows what an author planted.
type judge struct{ a *planted.Author }

func (j *judge) Corrects(e *habit.Evidence) bool {
	for i := range j.a.Labels {
		l := &j.a.Labels[i]
		if l.Kind != "correction" && l.Kind != "preference" {
			continue
		}
		for _, place := range l.At {
			if at(place, e) {
				return true
			}
		}
	}
	return false
}

func (j *judge) Ends(e *habit.Evidence) bool {
	return slices.ContainsFunc(j.a.Labels, func(l planted.Label) bool { return l.Back != "" && at(l.Back, e) })
}

// at reports whether something was said at a place.
func at(place string, e *habit.Evidence) bool {
	session, line, _ := strings.Cut(place, ":")
	n, err := strconv.Atoi(line)
	return err == nil && session == e.Session && int64(n) == e.Turn
}

func (j *judge) Same(a, b *habit.Evidence) bool {
	for i := range j.a.Labels {
		l := &j.a.Labels[i]
		if l.Why == "other-purpose" {
			continue
		}
		p, ok1 := l.Place(a.Session, int(a.Turn))
		q, ok2 := l.Place(b.Session, int(b.Turn))
		if ok1 && ok2 && p != q {
			return true
		}
	}
	return false
}

func (j *judge) Back(places []habit.Evidence, e *habit.Evidence) bool {
	return j.any(places, func(l *planted.Label) bool { return l.Back != "" && planted.Near(l.Back, e.Session, int(e.Turn)) })
}

func (j *judge) Holds(places []habit.Evidence) bool {
	return j.any(places, func(l *planted.Label) bool { return l.Habit() })
}

func (j *judge) Planted(places []habit.Evidence) bool {
	return j.any(places, func(l *planted.Label) bool { return l.Why != "other-purpose" })
}

// any reports whether places are those of a label of some sort.
func (j *judge) any(places []habit.Evidence, sort func(*planted.Label) bool) bool {
	in := planted.Instinct{}
	for _, e := range places {
		in.Seen = append(in.Seen, planted.Seen{Session: e.Session, Line: int(e.Turn)})
	}
	return slices.ContainsFunc(j.a.Labels, func(l planted.Label) bool { return sort(&l) && l.Matches(&in) })
}

func format(w mining.Weights) string {
	var b strings.Builder
	b.WriteString("# Made by go run ./internal/mining/fit. A model and what it gives each fact, in the order of its code.\n")
	for _, m := range slices.Sorted(maps.Keys(w)) {
		b.WriteString(m)
		for _, x := range w[m] {
			fmt.Fprintf(&b, " %.4g", x)
		}
		b.WriteString("\n")
	}
	return b.String()
}
