package evolve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"orihon/habit"
	"orihon/instincts"
	"orihon/internal/home"
	"orihon/internal/project"
	"orihon/memory"
)

// Kind is what habits become.
type Kind string

// The kinds, as Claude Code has them.
const (
	Command Kind = "command" // a workflow that a person calls by its name
	Skill   Kind = "skill"   // knowledge that the agent looks up when it fits
	Agent   Kind = "agent"   // work in several steps that is handed over as a whole
	Rule    Kind = "rule"    // what holds always
)

// Scope is whose client reads an installed file.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // the user's own folder
	Project Scope = "project" // the project's folder, which git may share
)

// DefaultLeast is how many instincts make a group.
const DefaultLeast = 3

// Confidence below which an instinct takes no part, and a group is not worth a
// file; up to which an imported instinct is somebody else's word alone.
const (
	suggested = 0.3
	moderate  = 0.5
)

// Options of [Evolver.Evolve]; the zero value looks and writes nothing.
type Options struct {
	Domain string // of instincts; empty is all
	Least  int    // instincts that make a group; 0 is [DefaultLeast]
	// Imported takes instincts too that were imported and not seen here since.
	Imported bool

	Write   bool  // write the files into the project's private folder
	Install Scope // and, when it is not empty, copy them to where the client reads them
	// ClientDir is the client's folder of the user, such as ~/.claude; empty is
	// none. The project's is .claude in its root.
	ClientDir string
}

// Habit is an instinct as it takes part.
type Habit struct {
	ID         string  `json:"id"`
	Trigger    string  `json:"trigger"`
	Action     string  `json:"action"`
	Domain     string  `json:"domain"`
	Confidence float64 `json:"confidence"`
	Evidence   int     `json:"evidence"` // how often it was seen
	Imported   bool    `json:"imported,omitempty"`

	kind habit.Kind
}

// Proposal is what one group of habits would become, or became.
type Proposal struct {
	Name       string  `json:"name"`
	Kind       Kind    `json:"kind"`
	Why        string  `json:"why"` // it is of this kind
	By         string  `json:"by"`  // "rules", or the model that decided
	Confidence float64 `json:"confidence"`
	Habits     []Habit `json:"habits"`
	File       string  `json:"file"` // in the project's private folder
	Text       string  `json:"text"` // that the file has, or would have
	State      State   `json:"state"`
	// Refused is why it is not worth a file; it is not written.
	Refused string `json:"refused,omitempty"`
	// Clash names what had the name that would have been the first choice.
	Clash     string      `json:"clash,omitempty"`
	Installed []Installed `json:"installed,omitempty"`

	description string // by a model; empty is the usual one
	made        *made  // nil when it is new
}

// State is how a file stands to what it would be.
type State string

// The states.
const (
	Unwritten State = "new"
	Changed   State = "changed"
	Unchanged State = "unchanged"
	Edited    State = "edited" // by a person; it is left as it is
)

// Installed is the copy of a file where the client reads it.
type Installed struct {
	Path  string `json:"path"`
	State State  `json:"state"`
	// Problem is why it is not there or left as it was; empty when all is well.
	Problem string `json:"problem,omitempty"`
}

// Outcome is what came of evolving.
type Outcome struct {
	Instincts int        `json:"instincts"` // that took part
	Least     int        `json:"least"`     // how many of them make a group
	LeftOut   int        `json:"left_out"`  // imported ones that were not seen here
	Proposals []Proposal `json:"proposals"`
	Written   bool       `json:"written"`  // files were to be written
	Problems  []string   `json:"problems"` // one line each
}

// Evolver makes files of the instincts of a project.
type Evolver struct {
	h   *home.Home
	dir project.Space // the private folder of the project
}

// New makes files of the instincts of a home; programs call orihon.Memory.Evolve.
func New(h *home.Home) *Evolver { return &Evolver{h, h.Project.Private()} }

// Evolve puts instincts together and says what each group would become; with
// Write it writes that. What was made before keeps its name and its kind, so that
// without new instincts nothing changes. A configured model is asked once for each
// group.
func (e *Evolver) Evolve(ctx context.Context, o Options) (*Outcome, error) {
	o.Least = cmp.Or(o.Least, DefaultLeast)
	unlock, err := e.lock(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer unlock()
	rec, err := e.read()
	if err != nil {
		return nil, err
	}
	out := &Outcome{Least: o.Least, Written: o.Write, Proposals: []Proposal{}, Problems: []string{}}
	habits, err := e.habits(&o, out)
	if err != nil {
		return nil, err
	}
	shelf := e.shelf(&o, rec.Made, rec.installed())
	for _, group := range groups(habits, o.Least) {
		p := e.propose(ctx, group, rec, shelf)
		if p.Refused == "" && o.Write {
			if err := e.write(&p, rec, &o); err != nil {
				return nil, err
			}
		}
		out.Proposals = append(out.Proposals, p)
	}
	return out, e.keep(rec)
}

// habits are the instincts that take part.
func (e *Evolver) habits(o *Options, out *Outcome) ([]Habit, error) {
	all, problems, err := instincts.New(e.h).List()
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		out.Problems = append(out.Problems, p.Text)
	}
	var habits []Habit
	seen := make(map[string]bool)
	for i := range all {
		in := &all[i]
		imported := in.Source == habit.Imported && in.Confidence <= moderate
		switch {
		case seen[in.ID]: // in this project and everywhere: the surer one came first
			continue
		case o.Domain != "" && in.Domain != o.Domain, in.Confidence < suggested:
			continue
		case imported && !o.Imported:
			out.LeftOut++
			continue
		}
		seen[in.ID] = true
		habits = append(habits, Habit{
			ID: in.ID, Trigger: e.plain(in.Trigger), Action: e.plain(in.Action), Domain: in.Domain,
			Confidence: in.Confidence, Evidence: len(in.Evidence), Imported: imported, kind: in.Kind,
		})
	}
	slices.SortFunc(habits, func(a, b Habit) int { return cmp.Compare(a.ID, b.ID) })
	out.Instincts = len(habits)
	return habits, nil
}

// propose says what a group becomes.
func (e *Evolver) propose(ctx context.Context, group []Habit, rec *record, shelf *shelf) Proposal {
	p := Proposal{Habits: group}
	for i := range group {
		p.Confidence += group[i].Confidence / float64(len(group))
	}
	if p.made = rec.madeOf(group); p.made != nil {
		p.Name, p.Kind, p.Why, p.By, p.description = p.made.Name, p.made.Kind, p.made.Why, p.made.By, p.made.Description
	} else {
		d := e.decide(ctx, group, rec)
		p.Kind, p.Why, p.By, p.description = d.Kind, d.Why, d.By, d.Description
		p.Name, p.Clash = shelf.free(cmp.Or(slug(d.Name), nameOf(group)), p.Kind)
	}
	shelf.take(p.Name, p.Kind, "another group of habits")
	p.Text, p.File = p.text(), e.file(p.Kind, p.Name)
	p.State = e.state(&p)
	p.Refused = worth(&p, shelf)
	if err := check(p.Kind, p.Name, []byte(p.Text)); err != nil && p.Refused == "" {
		p.Refused = fmt.Sprintf("the client could not read it: %v", err) // a mistake of ours, and better said than written
	}
	return p
}

// worth is why a group is not worth a file; empty when it is.
func worth(p *Proposal, shelf *shelf) string {
	actions := make(map[string]bool)
	for i := range p.Habits {
		actions[folded(p.Habits[i].Action)] = true
	}
	switch by := shelf.covering(p.Habits); {
	case p.Confidence < moderate:
		return fmt.Sprintf("mean confidence %.2f is below %.1f: the habits are not sure enough yet", p.Confidence, moderate)
	case len(actions) < 2:
		return "all of them say the same: one instinct is enough"
	case by != "":
		return by + " says it already"
	}
	return ""
}

// lock keeps others from evolving the same project meanwhile; looking alone needs
// no lock as long as nothing is there.
func (e *Evolver) lock(ctx context.Context, o *Options) (func(), error) {
	switch {
	case o.Install != "" && !o.Write:
		return nil, fmt.Errorf("%w: what is not written cannot be installed", memory.ErrInvalid)
	case o.Install == User && o.ClientDir == "":
		return nil, fmt.Errorf("%w: no home folder is known to install into", memory.ErrNotFound)
	case o.Install != "" && o.Install != User && o.Install != Project:
		return nil, fmt.Errorf("%w install %q: want user or project", memory.ErrInvalid, o.Install)
	case o.Least < 2:
		return nil, fmt.Errorf("%w: a group has at least 2 instincts", memory.ErrInvalid)
	}
	return e.locked(ctx)
}
