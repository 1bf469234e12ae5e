package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/internal/histories"
	"orihon/internal/project"
	"orihon/transfer"
)

// pastProject is what agents' programs keep of the sessions in one project.
type pastProject struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Folder   string    `json:"folder"` // one that was worked in
	Clients  []string  `json:"clients"`
	Sessions int       `json:"sessions"`
	Bytes    int64     `json:"bytes"`
	Newest   time.Time `json:"newest"`
	Unread   int       `json:"unread"` // files
	Left     int64     `json:"unread_bytes"`
	// Gone says that the folder is not there any more: nobody can work in that
	// project, and its sessions are not read.
	Gone bool `json:"gone,omitempty"`

	unread []pastFile // the one written last first
}

type pastFile struct {
	histories.File
	client string
	again  bool
}

// readPerSecond is how many bytes of transcripts are read in a second, on a
// machine of which there is little to be had.
const readPerSecond = 8 << 20

// atRest is how long ago a file must have been written to be read without being
// asked for: whoever writes it is then most likely done.
const atRest = 10 * time.Minute

// past lists what lies on this machine, the present project first, then by what
// was written last. What was written after rested counts as read.
func (a *app) past(m *orihon.Memory, rec *histories.Record, rested time.Time) []*pastProject {
	var out []*pastProject
	by := make(map[string]*pastProject)
	o := project.Options{Lenient: true, TrustRemotes: strings.Split(setting(m, "project.trust_remotes"), ",")}
	for _, h := range histories.Find(a.pastPlaces(m)) {
		if project.Within(m.ChildFolder(), h.Folder) {
			continue // what models were asked for memory
		}
		p := &pastProject{ID: string(h.Client) + " " + h.Folder, Name: filepath.Base(cmp.Or(h.Folder, "unknown")), Folder: h.Folder, Gone: true}
		if info, err := os.Stat(h.Folder); err == nil && info.IsDir() && filepath.IsAbs(h.Folder) {
			if found, err := project.Resolve(m.Project().Home, h.Folder, &o); err == nil {
				p.ID, p.Name, p.Gone = found.ID, found.Name, false
			}
		}
		if known := by[p.ID]; known != nil {
			p = known
		} else {
			by[p.ID] = p
			out = append(out, p)
		}
		p.add(&h, rec, rested)
	}
	current := m.Project().ID
	slices.SortStableFunc(out, func(a, b *pastProject) int {
		if (a.ID == current) != (b.ID == current) {
			return map[bool]int{true: -1, false: 1}[a.ID == current]
		}
		return b.Newest.Compare(a.Newest)
	})
	for _, p := range out {
		slices.Sort(p.Clients)
		slices.SortStableFunc(p.unread, func(a, b pastFile) int { return b.Modified.Compare(a.Modified) })
	}
	return out
}

func (p *pastProject) add(h *histories.History, rec *histories.Record, rested time.Time) {
	if client := string(h.Client); !slices.Contains(p.Clients, client) {
		p.Clients = append(p.Clients, client)
	}
	for _, f := range h.Files {
		if !f.Agent {
			p.Sessions++
		}
		p.Bytes += f.Size
		if f.Modified.After(p.Newest) {
			p.Newest = f.Modified
		}
		if again, same := rec.Known(&f); !same && !p.Gone && !f.Modified.After(rested) {
			p.unread = append(p.unread, pastFile{f, string(h.Client), again})
			p.Unread++
			p.Left += f.Size
		}
	}
}

// pastPlaces are where programs keep their sessions for this user.
func (a *app) pastPlaces(m *orihon.Memory) *histories.Places {
	home, err := os.UserHomeDir()
	if err != nil {
		return &histories.Places{}
	}
	p := &histories.Places{Claude: filepath.Join(home, ".claude"), Gemini: filepath.Join(home, ".gemini")}
	if dir, ok := a.env("CLAUDE_CONFIG_DIR"); ok && dir != "" {
		p.Claude = dir
	}
	if records, err := project.List(m.Project().Home); err == nil {
		for i := range records {
			p.Folders = append(p.Folders, records[i].Paths...)
		}
	}
	p.Folders = append(p.Folders, m.Project().Root)
	return p
}

// pastReport is what became of reading.
type pastReport struct {
	Projects int `json:"projects"`
	Files    int `json:"files"`
	transfer.ImportedSessions
	Broken   int      `json:"broken"`
	Problems []string `json:"problems,omitempty"`
}

// One batch is read, summed up and noted before the next, so that what was written
// last is there first.
const (
	batchFiles = 20
	batchBytes = 32 << 20
)

// errUnwanted is that the person has taken their yes back while histories were read.
var errUnwanted = errors.New("the rest is left unread: it is not wanted any more")

// readPast reads what is unread of the projects, each into its own memory. What
// cannot be read is told, and does not keep the rest. It needs the turn to read
// histories, and stops once they are not wanted any more.
func (a *app) readPast(ctx context.Context, home string, list []*pastProject, step func(done, total int)) (*pastReport, error) {
	r := &pastReport{Problems: []string{}}
	total, done := int64(0), int64(0)
	for _, p := range list {
		total += p.Left
	}
	for _, p := range list {
		if len(p.unread) == 0 {
			continue
		}
		err := a.readProject(ctx, home, p, r, func(n int64) {
			done += n
			step(int(done>>10), int(total>>10))
		})
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if errors.Is(err, errUnwanted) {
			r.Problems = append(r.Problems, err.Error())
			break
		}
		if err != nil {
			r.Problems = append(r.Problems, fmt.Sprintf("%s: %v", p.Folder, err))
			continue
		}
		r.Projects++
	}
	return r, nil
}

func (a *app) readProject(ctx context.Context, home string, p *pastProject, r *pastReport, read func(int64)) error {
	if !histories.Wanted(home) {
		return errUnwanted
	}
	o, err := a.options()
	if err != nil {
		return err
	}
	o.Dir = p.Folder
	m, err := orihon.Open(ctx, o)
	if err != nil {
		return err
	}
	defer m.Close()
	for len(p.unread) > 0 {
		if !histories.Wanted(home) {
			return errUnwanted
		}
		n, bytes := 0, int64(0)
		var files []transfer.SessionFile
		for ; n < len(p.unread) && n < batchFiles && (n == 0 || bytes+p.unread[n].Size <= batchBytes); n++ {
			f := &p.unread[n]
			bytes += f.Size
			files = append(files, transfer.SessionFile{Path: f.Path, Format: f.client, Again: f.again})
		}
		got, err := m.Transfer().Sessions(ctx, files, follow.ImportedWork(n == len(p.unread))...)
		if err != nil {
			return err
		}
		r.Files += n
		r.Sessions += got.Sessions.Sessions
		r.New += got.Sessions.New
		r.Known += got.Sessions.Known
		r.Broken += got.Broken
		if err := m.Sessions().Work(ctx); err != nil {
			r.Problems = append(r.Problems, err.Error())
		}
		if _, err := os.Stat(histories.Path(home)); err != nil {
			return errUnwanted // the home was removed, and is not to be made again
		}
		if err := histories.Update(ctx, home, func(rec *histories.Record) {
			for i := range p.unread[:n] {
				rec.Note(&p.unread[i].File)
			}
		}); err != nil {
			return err
		}
		p.unread = p.unread[n:]
		// Not only at the end: a hook would read meanwhile what the index lacks.
		if _, err := m.Sync(ctx); err != nil {
			return err
		}
		read(bytes)
	}
	return nil
}

// importFound is "import --found".
func (a *app) importFound(ctx context.Context, m *orihon.Memory, dryRun bool) error {
	home := m.Project().Home
	rec, err := histories.Open(home)
	if err != nil {
		return err
	}
	if dryRun {
		list := a.past(m, rec, time.Now())
		return a.print(map[string]any{"past": listed(list), "dry_run": true}, func(w io.Writer) { a.showPast(w, list) })
	}
	unlock, free, err := histories.TryLock(home)
	if err != nil {
		return err
	}
	if !free {
		return a.print(map[string]any{"busy": true}, func(w io.Writer) { fmt.Fprintln(w, "another process is reading them") })
	}
	defer unlock()
	if err := histories.Update(ctx, home, func(now *histories.Record) {
		now.Answer = histories.Yes
		now.DropGone(a.pastPlaces(m))
		rec = now // what another process has read by now is read
	}); err != nil {
		return err
	}
	list := a.past(m, rec, time.Now())
	step, end := a.progress("reading kilobytes")
	defer end()
	start := time.Now()
	r, err := a.readPast(ctx, home, list, step)
	end()
	if err != nil {
		return err
	}
	a.warn(r.Problems...)
	return a.print(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s of %s, %s, in %s\n", a.bold("read"), plural(r.Sessions, "session"), plural(r.Projects, "project"),
			plural(r.New, "new event"), time.Since(start).Round(time.Second))
		if r.Broken > 0 {
			fmt.Fprintf(w, "broken %d places were left out\n", r.Broken)
		}
	})
}

// readRested reads what the person let us read and what was written since, of the
// project at hand, as far as nobody seems to be at it.
func (a *app) readRested(ctx context.Context, m *orihon.Memory) error {
	home := m.Project().Home
	if !histories.Wanted(home) {
		return nil
	}
	unlock, free, err := histories.TryLock(home)
	if err != nil || !free {
		return err
	}
	defer unlock()
	var rec *histories.Record
	if err := histories.Update(ctx, home, func(now *histories.Record) {
		now.DropGone(a.pastPlaces(m))
		rec = now
	}); err != nil {
		return err
	}
	list := slices.DeleteFunc(a.past(m, rec, time.Now().Add(-atRest)), func(p *pastProject) bool { return p.ID != m.Project().ID })
	r, err := a.readPast(ctx, home, list, func(int, int) {})
	if err == nil && len(r.Problems) > 0 {
		err = errors.New(strings.Join(r.Problems, "; "))
	}
	return err
}

// pastOffer lists what lies on this machine, and returns what offers to read it.
func (a *app) pastOffer(m *orihon.Memory) ([]*pastProject, func(ctx context.Context, yes bool) error, error) {
	rec, err := histories.Open(m.Project().Home)
	if err != nil {
		return nil, nil, err
	}
	list := listed(a.past(m, rec, time.Now()))
	return list, func(ctx context.Context, yes bool) error { return a.offerPast(ctx, m, list, rec, yes) }, nil
}

// offerPast shows what lies on this machine and reads it in the background after
// one yes, which is asked for once.
func (a *app) offerPast(ctx context.Context, m *orihon.Memory, list []*pastProject, rec *histories.Record, yes bool) error {
	unread := 0
	for _, p := range list {
		unread += p.Unread
	}
	if unread == 0 {
		return nil
	}
	out := a.out
	if a.json {
		out = io.Discard // the list is in the JSON
	}
	if rec.Answer == "" || yes {
		a.showPast(out, list)
	}
	switch {
	case yes:
	case rec.Answer == "" && a.asks && !a.json:
		answer := histories.No
		if a.confirm("shall they be read now, in the background, each into the memory of its own project?") {
			answer = histories.Yes
		}
		if err := m.Register(ctx); err != nil {
			return err
		}
		if err := histories.Update(ctx, m.Project().Home, func(rec *histories.Record) { rec.Answer = answer }); err != nil {
			return err
		}
		if answer == histories.No {
			fmt.Fprintln(out, "not read, and not asked again; orihon import --found reads them later")
			return nil
		}
	default:
		if rec.Answer != histories.No {
			fmt.Fprintln(out, "to read them: orihon import --found")
		}
		return nil
	}
	if err := a.readInBackground(m.Project().Root); err != nil {
		return err
	}
	fmt.Fprintln(out, "they are being read, the newest first; orihon import --found --dry-run shows what is left")
	return nil
}

// readInBackground starts the reading in a process of its own, which leaves the
// machine to others.
func (a *app) readInBackground(dir string) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, a.likewise(o, dir, "import", "--found")...)
	cmd.Dir = dir
	detached(cmd)
	if err := gently(cmd.Start); err != nil {
		return fmt.Errorf("start %s: %w", self, err)
	}
	return cmd.Process.Release()
}

// showPast shows what was found to a person.
func (a *app) showPast(w io.Writer, list []*pastProject) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no agent's past sessions were found on this machine")
		return
	}
	const most = 12
	sessions, bytes, left := 0, int64(0), int64(0)
	for _, p := range list {
		sessions, bytes, left = sessions+p.Sessions, bytes+p.Bytes, left+p.Left
	}
	fmt.Fprintf(w, "%s  %s of %s on this machine, %s", a.bold("past sessions"), plural(sessions, "session"), plural(len(list), "project"), humanBytes(bytes))
	if left > 0 {
		fmt.Fprintf(w, "; reading %s takes about %s", humanBytes(left), max(time.Second, time.Duration(left/readPerSecond)*time.Second))
	}
	fmt.Fprintln(w, "; nothing leaves it")
	t := table(w)
	for _, p := range list[:min(most, len(list))] {
		state := "read"
		switch {
		case p.Gone:
			state = "left out: its folder is not there"
		case p.Unread > 0:
			state = fmt.Sprintf("%s to read", plural(p.Unread, "file"))
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", oneLine(p.Name), strings.Join(p.Clients, ", "), plural(p.Sessions, "session"), humanBytes(p.Bytes), ago(time.Now(), p.Newest), state)
	}
	t.Flush()
	if more := len(list) - most; more > 0 {
		fmt.Fprintf(w, "  and %s\n", plural(more, "more project"))
	}
}

// listed makes an empty list of none, for JSON.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
