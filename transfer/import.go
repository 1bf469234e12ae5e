package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/home"
	"orihon/internal/importer"
	"orihon/internal/learn"
	"orihon/internal/project"
	"orihon/internal/redact"
	"orihon/internal/space"
	"orihon/internal/verbs"
	"orihon/memory"
)

// ImportOptions of [Transfer.Import]; nil means all defaults.
type ImportOptions struct {
	// From names the format; empty tells it by the shape of each file.
	From string
	// Scope is where facts go; empty is the user's own in this project, whatever
	// the files say.
	Scope memory.Scope
	// KeepScopes puts each item of an export of Orihon where it was, as far as
	// the user may write there. It goes before Scope.
	KeepScopes bool
	// DryRun writes nothing.
	DryRun bool
	// Trust keeps confidence, tier and source as an export of Orihon has them.
	// Whoever wrote the file is then believed like the user.
	Trust bool
	// All takes the sessions of other projects, too, when a folder with the
	// sessions of several is read.
	All bool
	// Progress hears how many bytes of how many are read.
	Progress func(done, total int64)
}

// ImportReport says what was found and what became of it.
type ImportReport struct {
	Formats map[string]int `json:"formats"` // files by format
	DryRun  bool           `json:"dry_run,omitempty"`

	Items    ImportedItems    `json:"items"`
	Sessions ImportedSessions `json:"sessions"`
	// SessionIDs name the first few of the sessions.
	SessionIDs []string `json:"session_ids,omitempty"`

	Lines     map[string]int `json:"lines"` // valid lines or elements, by type
	ToolCalls int            `json:"tool_calls"`
	Answers   int            `json:"answers"` // by message id
	Usage     Usage          `json:"usage"`   // tokens, once for each answer

	Elsewhere int            `json:"sessions_of_other_projects,omitempty"`
	Unknown   []string       `json:"unknown_files,omitempty"` // the first few
	Unknowns  int            `json:"unknown,omitempty"`
	Problems  []string       `json:"problems,omitempty"` // "file:line: why", the first few
	Broken    int            `json:"broken"`             // how many problems there are
	Redacted  map[string]int `json:"redacted,omitempty"` // by rule
	First     []string       `json:"first,omitempty"`    // the first few facts
}

// Usage is what answers cost, in tokens.
type Usage struct {
	Input         int64 `json:"input"`
	CacheCreation int64 `json:"cache_creation"`
	CacheRead     int64 `json:"cache_read"`
	Output        int64 `json:"output"`
}

// ImportedItems counts facts.
type ImportedItems struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`
	Confirmed int `json:"confirmed"` // known, and now known from here as well
	Known     int `json:"known"`
	Skipped   int `json:"skipped"`           // nothing but a secret, or not for this user
	Waiting   int `json:"waiting,omitempty"` // shared ones that management must approve
}

// ImportedSessions counts sessions and their events.
type ImportedSessions struct {
	Sessions int `json:"sessions"`
	New      int `json:"new_events"`
	Known    int `json:"known_events"`
}

// firstFacts and firstSessions are how many facts and sessions a report names.
const firstFacts, firstSessions = 5, 3

// Import takes in what another program remembers: a file, a folder or an
// archive. Facts become items that are believed up to
// [memory.ImportedConfidence], sessions become journals of their own, whatever
// they are called: none is written that a client's session has. Secrets are taken
// out, what is known is confirmed, and the same import again changes nothing. The
// error wraps [memory.ErrInvalid] when nothing there can be read.
func (t *Transfer) Import(ctx context.Context, path string, o *ImportOptions) (*ImportReport, error) {
	if o == nil {
		o = &ImportOptions{}
	}
	h := t.h
	format, err := importer.ParseFormat(o.From)
	if err != nil {
		return nil, err
	}
	if o.Scope != "" {
		if _, err := memory.ParseScope(string(o.Scope)); err != nil {
			return nil, err
		}
		if _, err := h.SpaceOf(o.Scope); err != nil {
			return nil, err
		}
	}
	if !o.DryRun {
		if err := h.Register(ctx); err != nil {
			return nil, err
		}
	}
	run := &imported{
		h: h, o: o, report: &ImportReport{DryRun: o.DryRun, Redacted: make(map[string]int)},
		intakes: make(map[*space.Space]*learn.Intake), sessions: newInflow(h.Home, o.DryRun),
	}
	ro := &importer.Options{Format: format, Progress: o.Progress}
	if !o.All {
		ro.Within = t.belongs
	}
	found := false
	read, err := importer.Read(ctx, path, ro, func(r importer.Record) error {
		found = true
		return run.take(ctx, r)
	})
	if err == nil && !found {
		err = unread(path, format, read)
	}
	if err == nil {
		err = errors.Join(run.flush(ctx, 0), run.sessions.close(ctx))
	}
	if read != nil {
		run.tell(read)
	}
	if err != nil || o.DryRun {
		return run.report, err
	}
	for _, sp := range h.Spaces() {
		if err := sp.Follow(ctx); err != nil {
			h.Log.Warn("import: the index lags behind", "err", err)
		}
	}
	return run.report, nil
}

// unread says why nothing was found; nil where there was nothing to find.
func unread(path string, format importer.Format, read *importer.Report) error {
	name := filepath.Base(path)
	switch {
	case len(read.Problems) > 0:
		return fmt.Errorf("%w import: nothing in %s could be read: %s", memory.ErrInvalid, name, read.Problems[0])
	case format != "" && read.Elsewhere == 0:
		return fmt.Errorf("%w import: nothing in %s could be read as %s: without --from the format is told by its shape", memory.ErrInvalid, name, format)
	}
	return nil
}

// SessionFile is a file with one or more sessions of this project.
type SessionFile struct {
	Path   string
	Format string // empty tells it by its shape
	// Again says that the file was read before: its sessions that are gone since
	// were taken away by a person, and do not come back.
	Again bool
}

// Sessions takes in the sessions in files that clients of the user wrote, in their
// order, under the names that hooks give them, but for what was said in
// a folder that is another project's. What they leave to be done is work, see
// follow.ImportedWork; the index is not brought up to date. A file that cannot be
// read is a problem in the report.
func (t *Transfer) Sessions(ctx context.Context, files []SessionFile, work ...string) (*ImportReport, error) {
	if err := t.h.Register(ctx); err != nil {
		return nil, err
	}
	flow := newInflow(t.h.Home, false)
	flow.client, flow.work, flow.others = true, work, make(map[string]bool)
	run := &imported{h: t.h, o: &ImportOptions{}, report: &ImportReport{Redacted: make(map[string]int)}, sessions: flow}
	read := &importer.Report{Formats: make(map[importer.Format]int), Lines: make(map[string]int)}
	for _, f := range files {
		format, err := importer.ParseFormat(f.Format)
		if err != nil {
			return nil, err
		}
		flow.again, flow.away = f.Again, make(map[string]bool)
		one, err := importer.Read(ctx, f.Path, &importer.Options{Format: format}, func(r importer.Record) error {
			if r.Event == nil {
				return nil // a session holds no facts
			}
			return flow.take(ctx, r.Event)
		})
		switch {
		case err == nil:
			read.Add(one)
		case errors.Is(err, memory.ErrInvalid), errors.Is(err, memory.ErrNotFound):
			read.Broken++
			read.Problems = append(read.Problems, err.Error())
		default:
			return nil, errors.Join(err, flow.close(ctx))
		}
	}
	err := flow.close(ctx)
	run.tell(read)
	return run.report, err
}

// belongs reports whether a folder is of this project.
func (t *Transfer) belongs(cwd string) bool {
	p := t.h.Project
	for _, root := range []string{p.Root, p.Worktree} {
		rel, err := filepath.Rel(root, cwd)
		if root != "" && err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	other, err := project.Resolve(p.Home, cwd, &project.Options{TrustRemotes: t.h.Config.Project.TrustRemotes})
	return err == nil && other.ID == p.ID
}

// imported is one import.
type imported struct {
	h        *verbs.Verbs
	o        *ImportOptions
	report   *ImportReport
	intakes  map[*space.Space]*learn.Intake
	sessions *inflow
}

// batch is how many items are written at once.
const batch = 500

func (t *imported) take(ctx context.Context, r importer.Record) error {
	if r.Event != nil {
		return t.sessions.take(ctx, r.Event)
	}
	f := t.foreign(r)
	if known, err := t.knownElsewhere(ctx, r.Fact.Item, f.Scope); known || err != nil {
		t.report.Items.Known++
		return err
	}
	sp, err := t.h.SpaceOf(f.Scope)
	if err != nil {
		t.report.Items.Skipped++ // of a role, or of somebody, that the user is not
		return nil
	}
	in, err := t.intakeOf(ctx, sp)
	if err != nil {
		return err
	}
	out, err := in.Take(f)
	for _, rule := range out.Redacted {
		t.report.Redacted[rule]++
	}
	if errors.Is(err, memory.ErrRefused) || errors.Is(err, memory.ErrInvalid) {
		t.report.Items.Skipped++
		return nil
	}
	if err != nil {
		return err
	}
	n := &t.report.Items
	switch {
	case out.Action != learn.Known && t.h.Waits(ctx, &out.Item):
		n.Waiting++
	case out.Action == learn.Added:
		n.New++
	case out.Action == learn.Updated:
		n.Updated++
	case out.Action == learn.Confirmed:
		n.Confirmed++
	default:
		n.Known++
	}
	if len(t.report.First) < firstFacts {
		text := out.Item.Content
		if out.Item.Title != "" {
			text = out.Item.Title + ": " + text
		}
		t.report.First = append(t.report.First, text)
	}
	return t.flush(ctx, batch)
}

// knownElsewhere reports whether an item of an export stands already in the
// scope it had, which is not the one it would go to: it stays as it is there.
func (t *imported) knownElsewhere(ctx context.Context, it *memory.Item, to memory.Scope) (bool, error) {
	if it == nil || it.Scope == to {
		return false, nil
	}
	sp, err := t.h.SpaceOf(it.Scope)
	if err != nil {
		return false, nil // not for this user, so that they have nothing there
	}
	in, err := t.intakeOf(ctx, sp)
	return err == nil && in.Has(it.ID), err
}

// foreign makes a statement of a record.
func (t *imported) foreign(r importer.Record) learn.Foreign {
	fact := r.Fact
	f := learn.Foreign{
		Statement: learn.Statement{
			Text: fact.Text, Title: fact.Title, Kind: fact.Kind, Topic: fact.Topic, Scope: t.o.Scope,
			Session: fact.Session, Confidence: fact.Confidence, Evidence: []string{r.Where()},
		},
		Created: fact.Created, Updated: fact.Updated, ValidFrom: fact.ValidFrom, ValidTo: fact.ValidTo,
	}
	personal := memory.Personal(t.h.User)
	if fact.Item == nil {
		if f.Session != "" {
			f.Session = home.ImportedSession(f.Session)
		}
		if f.Scope == "" {
			f.Scope = personal
		}
		f.Tags = append([]string{"imported", string(r.Format)}, fact.Tags...)
		f.Key = key(r)
		return f
	}
	switch {
	case t.o.KeepScopes && !strings.HasPrefix(string(fact.Item.Scope), "personal:"):
		f.Scope = fact.Item.Scope
	case t.o.KeepScopes || f.Scope == "":
		f.Scope = personal // whatever the user was called there
	}
	f.ID, f.Triggers, f.Aliases, f.NeededWhen, f.Tags = fact.Item.ID, fact.Item.Triggers, fact.Item.Aliases, fact.Item.NeededWhen, fact.Tags
	f.Evidence = fact.Item.Metadata.Evidence
	if t.o.Trust {
		f.Own = fact.Item
		return f
	}
	f.Evidence = append(slices.Clone(f.Evidence), r.Where())
	for _, tag := range []string{"imported", string(r.Format)} {
		if !slices.Contains(f.Tags, tag) {
			f.Tags = append(f.Tags, tag)
		}
	}
	return f
}

// key is what tells a fact apart for good. A short ID counts only within its
// file, so that the words must help.
func key(r importer.Record) string {
	const unique = 16
	id := r.Fact.ID
	switch {
	case id == "":
		return ""
	case len(id) < unique:
		return strings.Join([]string{string(r.Format), id, r.Fact.Title, r.Fact.Text}, "\x00")
	}
	return string(r.Format) + "\x00" + id
}

// intakeOf is the intake of a space, begun when it is first needed.
func (t *imported) intakeOf(ctx context.Context, sp *space.Space) (*learn.Intake, error) {
	in := t.intakes[sp]
	if in == nil {
		var err error
		if in, err = intake(ctx, t.h, sp); err != nil {
			return nil, err
		}
		t.intakes[sp] = in
	}
	return in, nil
}

// flush writes the facts of every space where more than so many wait.
func (t *imported) flush(ctx context.Context, more int) error {
	if t.o.DryRun {
		return nil
	}
	for _, sp := range t.h.Spaces() {
		if in := t.intakes[sp]; in != nil && in.Waiting() > more {
			if err := in.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell completes the report.
func (t *imported) tell(read *importer.Report) {
	r := t.report
	r.Formats = make(map[string]int, len(read.Formats))
	for f, n := range read.Formats {
		r.Formats[string(f)] = n
	}
	r.Lines, r.ToolCalls, r.Answers, r.Usage = read.Lines, read.ToolCalls, read.Answers, Usage(read.Usage)
	r.Elsewhere, r.Unknown, r.Unknowns = read.Elsewhere, read.Unknown, read.Unknowns
	r.Broken, r.Sessions = read.Broken, t.sessions.count
	r.SessionIDs = slices.Sorted(maps.Keys(t.sessions.known))
	r.SessionIDs = r.SessionIDs[:min(len(r.SessionIDs), firstSessions)]
	clean := func(list []string) {
		for i, text := range list {
			list[i], _ = t.h.Redactor.Text(redact.Private(text))
		}
	}
	r.Problems = read.Problems
	clean(r.Problems)
	for rule, n := range t.sessions.redacted {
		r.Redacted[rule] += n
	}
}

// String sums the report up in one line.
func (r *ImportReport) String() string {
	verb := "new"
	if r.DryRun {
		verb = "would be new"
	}
	return fmt.Sprintf("items: %d %s, %d updated, %d confirmed, %d known, %d skipped; sessions: %d, events: %d %s, %d known; %d broken",
		r.Items.New, verb, r.Items.Updated, r.Items.Confirmed, r.Items.Known, r.Items.Skipped,
		r.Sessions.Sessions, r.Sessions.New, verb, r.Sessions.Known, r.Broken)
}

// intake begins to take facts into a space.
func intake(ctx context.Context, v *verbs.Verbs, sp *space.Space) (*learn.Intake, error) {
	return learn.New(v.Learning(sp, nil)).Intake(ctx)
}
