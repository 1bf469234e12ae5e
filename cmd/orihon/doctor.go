package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/claudecode"
	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/memory"
)

// finding is one result of the doctor.
type finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	var fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything, and try memory out with a canary",
		Long: "Check configuration, permissions, text, index, hooks and sizes; then write an\n" +
			"item, find it by recall, see it injected by a real hook, and erase it again.\n\n" +
			"With --fix, what can be mended without touching what anybody wrote is mended\n" +
			"first: open permissions, torn last lines, a bad index, hooks whose program has\n" +
			"moved, work left undone, sessions that nobody will end.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fixed := []string{}
			if fix {
				did, err := a.fixNow(cmd.Context())
				if err != nil {
					a.warn("not everything could be mended: " + err.Error())
				}
				fixed = append(fixed, did...)
			}
			_, end := a.progress("examining")
			found, err := a.examine(cmd.Context())
			end()
			if err != nil {
				return err
			}
			bad := 0
			for _, f := range found {
				if !f.OK {
					bad++
				}
			}
			if err := a.print(map[string]any{"findings": found, "problems": bad, "fixed": fixed}, func(w io.Writer) {
				for _, text := range fixed {
					fmt.Fprintf(w, "%s %s\n", a.bold("did "), text)
				}
				for _, f := range found {
					mark := a.style("32", "ok  ")
					if !f.OK {
						mark = a.style("31", "BAD ")
					}
					fmt.Fprintf(w, "%s %-13s %s\n", mark, f.Check, f.Text)
					if f.Mend != "" {
						fmt.Fprintf(w, "     %-13s %s\n", "", f.Mend)
					}
				}
			}); err != nil {
				return err
			}
			if bad > 0 {
				return fmt.Errorf("%d of %d checks found something", bad, len(found))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "mend first what can be mended safely, and say what")
	return cmd
}

// examine runs every check. What a check finds is a finding; an error means
// that nothing could be examined.
func (a *app) examine(ctx context.Context) ([]finding, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	m, err := orihon.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	var x examination

	p := m.Project()
	x.good("project", "%s (%s), user %s", p.Name, p.ID, m.User())
	if p.Conflict != nil {
		x.bad("project", "", "%s", p.Conflict)
	}
	if c := p.Claim; c != nil {
		x.good("project", "%s", oneLine(c.String()+": its memory is kept apart; orihon project link ties it"))
	}
	if p.LocalRefused != "" {
		x.bad("local", "", "%s", p.LocalRefused)
	}
	for _, text := range m.Problems() {
		x.bad("configuration", "orihon config edit", "%s", text)
	}
	if len(m.Problems()) == 0 {
		x.good("configuration", "valid")
	}
	checkHome(p, &x)
	a.checkText(ctx, m, &x)
	checkEmbedder(m, &x)
	a.checkHooks(p, &x)
	healed := !slices.ContainsFunc(x.found, func(f finding) bool { return f.Check == "index" && !f.OK })
	checkLog(p.Home, time.Now(), healed, &x)
	a.canary(ctx, m, &x)
	return x.found, nil
}

// examination collects what the checks found.
type examination struct{ found []finding }

func (x *examination) good(check, format string, v ...any) {
	x.found = append(x.found, finding{Check: check, OK: true, Text: fmt.Sprintf(format, v...)})
}

func (x *examination) bad(check, mend, format string, v ...any) {
	x.found = append(x.found, finding{Check: check, Text: oneLine(fmt.Sprintf(format, v...)), Mend: mend})
}

// checkHome looks at who can read and write the private folders.
func checkHome(p *project.Project, x *examination) {
	if err := os.MkdirAll(p.Home, 0o700); err != nil {
		x.bad("home", "make it a folder that you can write", "%v", err)
		return
	}
	f, err := os.CreateTemp(p.Home, ".doctor-*")
	if err != nil {
		x.bad("home", "chmod u+rwx "+p.Home, "%s cannot be written: %v", p.Home, err)
		return
	}
	f.Close()
	os.Remove(f.Name())
	if runtime.GOOS != "windows" {
		open := 0
		_ = filepath.WalkDir(p.Home, func(path string, d os.DirEntry, err error) error {
			if err == nil {
				if info, err := d.Info(); err == nil && d.Type()&os.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
					open++
				}
			}
			return nil
		})
		if open > 0 {
			x.bad("home", "chmod -R go= "+p.Home, "%d files under %s can be read by others", open, p.Home)
			return
		}
	}
	x.good("home", "%s is yours alone", p.Home)
}

// checkText reads every file afresh and compares the index with it.
func (a *app) checkText(ctx context.Context, m *orihon.Memory, x *examination) {
	problems, err := m.Health().Examine(ctx)
	if err != nil {
		x.bad("text", "", "%v", err)
		return
	}
	for _, text := range problems.Text {
		x.bad("text", "", "%s", text)
	}
	if len(problems.Text) == 0 {
		x.good("text", "%d items, every file readable", problems.Items)
	}
	switch {
	case problems.InTheWay:
		x.bad("index", "orihon doctor --fix moves it aside and builds the index anew, as the next sync does", "%s", problems.Index)
	case problems.Index != "" && problems.IndexDir == "":
		x.bad("index", "see that the disk has room and that you can write there", "%s", problems.Index)
	case problems.Index != "":
		x.bad("index", "delete "+problems.IndexDir+"; it is built again", "%s", problems.Index)
	case problems.Busy:
		x.good("index", "a sync is under way; what it has not reached was not compared")
	default:
		x.good("index", "%d passages, whole and up to date", problems.Passages)
	}
	if n := problems.CoreLines; n > m.Config().Memory.CoreLines {
		x.bad("MEMORY.md", "move details into files of their own under memory/shared", "%d lines; every session pays for more than %d", n, m.Config().Memory.CoreLines)
	}
}

// checkEmbedder looks whether the embedder of the settings can be had at all,
// which a model that was removed cannot. Servers are not asked.
func checkEmbedder(m *orihon.Memory, x *examination) {
	provider := cmp.Or(m.Config().Embedder.Provider, "builtin")
	if err := m.CheckEmbedder(); err != nil {
		x.bad("embedder", "orihon model list shows what is there; orihon model use NAME or builtin chooses", "%v", err)
		return
	}
	x.good("embedder", "%s", provider)
}

// checkHooks looks at every settings file of the client.
func (a *app) checkHooks(p *project.Project, x *examination) {
	wired := false
	for _, scope := range []claudecode.Scope{claudecode.ProjectScope, claudecode.LocalScope, claudecode.UserScope} {
		path, err := a.settingsPath(scope, p.Root)
		if err != nil {
			continue
		}
		w, err := claudecode.Status(path)
		if err != nil {
			x.bad("claude-code", "", "%v", err)
			continue
		}
		if len(w.Hooks) == 0 {
			continue
		}
		wired = true
		again := fmt.Sprintf("orihon install claude-code --%s", scope)
		switch {
		case len(w.Missing) > 0:
			x.bad("claude-code", again, "%s lacks %v", path, w.Missing)
		case w.Hooks[0].Program == "":
			x.bad("claude-code", again, "%s runs %s, which is not there", path, w.Hooks[0].Runs)
		default:
			x.good("claude-code", "%d hooks in %s", len(w.Hooks), path)
		}
	}
	if !wired {
		x.good("claude-code", "no hooks installed (orihon install claude-code)")
	}
}

// checkLog tells of what hooks could not do lately. What an index was to blame
// for is past when that is whole.
func checkLog(home string, now time.Time, healed bool, x *examination) {
	path := hookLogPath(home)
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		x.good("hooks", "no failure logged")
		return
	}
	data, err := jsonl.ReadFile(path)
	if err != nil {
		x.bad("hooks", "", "%v", err)
		return
	}
	const tail = 64 << 10
	lines := strings.Split(strings.TrimSpace(string(data[max(0, len(data)-tail):])), "\n")
	for _, line := range slices.Backward(lines) {
		// What a process printed in passing has no time of its own and belongs
		// to a line that has one.
		if at, ok := logTime(line); ok {
			if now.Sub(at) > logRecent {
				break
			}
			if healed && ofIndex(line) {
				continue
			}
			x.bad("hooks", "read it, then delete it: "+path, "the last failure logged, %s: %s", at.Local().Format("2006-01-02 15:04"), line)
			return
		}
	}
	x.good("hooks", "no failure logged in the last day")
}

// logRecent is how old a line of the log may be to tell of a failure at
// present.
const logRecent = 24 * time.Hour

// ofIndex reports whether a line of the log tells of an index that was to be
// built anew.
func ofIndex(line string) bool {
	return slices.ContainsFunc([]string{
		"index is rebuilt", "index is stale", "stood where the index belongs", "a part of the file is gone",
		"database disk image is malformed", "file is not a database",
	}, func(reason string) bool { return strings.Contains(line, reason) })
}

// logTime is the time that a line of the log begins with.
func logTime(line string) (time.Time, bool) {
	rest, ok := strings.CutPrefix(line, "time=")
	if !ok {
		return time.Time{}, false
	}
	text, _, _ := strings.Cut(rest, " ")
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil
}

// What tells a canary from everything else.
const (
	canaryWord    = "canary"
	canaryText    = "The word " + canaryWord
	canarySession = "doctor-"
)

// purgeCanaries erases what a doctor left that did not come to its end: another
// canary would be taken for the same statement.
func purgeCanaries(ctx context.Context, m *orihon.Memory) error {
	old, err := m.Items().List(ctx, memory.Filter{Tags: []string{canaryWord}, Retired: true, Superseded: true})
	if err != nil {
		return err
	}
	for i := range old {
		it := &old[i].Item
		if it.Metadata.Source != memory.FromSystem || !strings.HasPrefix(it.Content, canaryText) {
			continue
		}
		if _, err := m.Erase().Purge(ctx, it.ID); err != nil {
			return err
		}
	}
	first := m.Project().Session(canarySession + canaryWord)
	sessions, err := os.ReadDir(filepath.Dir(first))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, s := range sessions {
		if strings.HasPrefix(s.Name(), filepath.Base(first)) {
			if err := os.RemoveAll(filepath.Join(filepath.Dir(first), s.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// canary takes one item through the whole way, so that nothing can fail
// silently: written, found by recall, injected by a real hook, erased.
func (a *app) canary(ctx context.Context, m *orihon.Memory, x *examination) {
	start := time.Now()
	unlock, free, err := jsonl.TryLock(filepath.Join(m.Project().Home, ".doctor.lock"))
	if err != nil {
		x.bad("canary", "", "could not be tried: %v", err)
		return
	}
	if !free {
		x.good("canary", "another doctor is trying it")
		return
	}
	defer unlock()
	if err := purgeCanaries(ctx, m); err != nil {
		x.bad("canary", "", "one of an earlier try could not be erased: %v", err)
		return
	}
	word := canaryWord + strings.ToLower(strings.NewReplacer("-", "", ":", "").Replace(start.UTC().Format("20060102T150405.000000000")))
	word = strings.ReplaceAll(word, ".", "")
	text := canaryText + strings.TrimPrefix(word, canaryWord) + " shows that this memory works"
	out, err := m.Remember(ctx, orihon.Statement{Text: text, Source: memory.FromSystem, Explicit: true, Confidence: memory.StatedConfidence, Tags: []string{canaryWord}})
	if err == nil && out.Action != "add" {
		// What it was taken for is somebody's, and stays.
		err = fmt.Errorf("it was taken for what is known already: %s (%s)", out.Item.ID, out.Why)
	}
	if err != nil {
		x.bad("canary", "", "could not be written: %v", err)
		return
	}
	session := canarySession + word
	defer func() {
		// The session first: to purge brings the index up to date.
		os.RemoveAll(m.Project().Session(session))
		if _, err := m.Erase().Purge(ctx, out.Item.ID); err != nil {
			x.bad("canary", "orihon forget --purge "+out.Item.ID, "could not be erased: %v", err)
		}
	}()
	r, err := m.Recall(ctx, memory.Query{Text: "what does " + word + " show?"})
	if err != nil || !strings.Contains(r.Text, text) {
		x.bad("canary", "", "was written but not recalled (%v)", errors.Join(err, fmt.Errorf("degraded: %v", r.Degraded)))
		return
	}
	got, err := a.tryHook(ctx, m, session, "what does "+word+" show?")
	if err != nil || !strings.Contains(got, text) {
		x.bad("canary", "", "was recalled but not injected by the hook (%v): %q", err, got)
		return
	}
	x.good("canary", "written, recalled, injected by a hook and erased in %.0f ms", ms(time.Since(start)))
}

// tryHook runs this program as the client would and returns what it injects.
func (a *app) tryHook(ctx context.Context, m *orihon.Memory, session, prompt string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	event, err := json.Marshal(map[string]any{
		"hook_event_name": claudecode.UserPromptSubmit, "session_id": session, "prompt_id": session, "cwd": m.Project().Root, "prompt": prompt,
	})
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, self, "hook", "--home", m.Project().Home)
	cmd.Stdin = bytes.NewReader(event)
	cmd.Env = append(os.Environ(), "ORIHON_USER="+m.User())
	data, err := cmd.Output()
	if err != nil || len(data) == 0 {
		return "", errors.Join(err, errors.New("it printed nothing; hook.log in the home may say why"))
	}
	var answer struct {
		HookSpecificOutput struct {
			AdditionalContext string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	err = json.Unmarshal(data, &answer)
	return answer.HookSpecificOutput.AdditionalContext, err
}
