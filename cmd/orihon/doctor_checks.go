package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"orihon"
	"orihon/embed"
	"orihon/internal/claudecode"
	"orihon/internal/jsonl"
	"orihon/internal/project"
)

// finding is one result of the doctor.
type finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"`
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
func checkHome(p *orihon.Project, x *examination) {
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
	if n := problems.CoreLines; n > problems.CoreMost {
		x.bad("MEMORY.md", "move details into files of their own under memory/shared", "%d lines; every session pays for more than %d", n, problems.CoreMost)
	}
	for _, long := range problems.Long {
		x.bad("atom", "cut it into files of one topic each, or raise memory.atom_lines", "%s; more than %d are no small file on one topic", long, problems.LongMost)
	}
}

// checkEmbedder looks whether the embedder of the settings can be had at all,
// which a model that was removed cannot. Servers are not asked.
func checkEmbedder(m *orihon.Memory, x *examination) {
	provider := cmp.Or(setting(m, "embedder.provider"), embed.ProviderBuiltin)
	if err := m.CheckEmbedder(); err != nil {
		x.bad("embedder", "orihon model list shows what is there; orihon model use NAME or builtin chooses", "%v", err)
		return
	}
	x.good("embedder", "%s", provider)
}

// checkModels looks whether the language models of the settings can be had. None is
// asked: that is orihon model test.
func checkModels(m *orihon.Memory, x *examination) {
	states := m.Models().States()
	if len(states) == 0 {
		x.good("models", "none configured, none is asked")
	}
	now := time.Now()
	for i := range states {
		s := &states[i]
		switch {
		case s.Broken:
			x.bad("models", "orihon model disable "+s.Name+" if it is not wanted", "%s: %s", s.Name, s.Off)
		case s.Long:
			x.bad("models", "orihon model test "+s.Name, "%s: %s", s.Name, healthOf(s, now))
		default:
			x.good("models", "%s: %s", s.Name, oneLine(healthOf(s, now)))
		}
	}
	if _, err := m.Models().Today(); err != nil {
		x.bad("models", "", "%v", err)
	}
}

// checkClients tells what clients remember by themselves, and whose it is.
func checkClients(m *orihon.Memory, x *examination) {
	for _, c := range m.ClientMemories() {
		x.good("client memory", "%s keeps its own in %s: indexed, never written", c.Client, c.Dir)
	}
}

// checkHooks looks at every settings file of the client.
func (a *app) checkHooks(ctx context.Context, p *orihon.Project, x *examination) {
	wired := false
	for scope, path := range a.settingsFiles(p.Root) {
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
		older := a.older(ctx, w.Hooks[0].Program, p.Root)
		switch {
		case len(w.Missing) > 0:
			x.bad("claude-code", again, "%s lacks %v", path, w.Missing)
		case w.Hooks[0].Program == "" && strings.HasPrefix(w.Hooks[0].Runs, programName+" "):
			x.bad("claude-code", "put a link to orihon into a folder of your PATH, or: "+again, "%s runs %s, which is not on the PATH: its hooks are silent", path, w.Hooks[0].Runs)
		case w.Hooks[0].Program == "":
			x.bad("claude-code", again, "%s runs %s, which is not there", path, w.Hooks[0].Runs)
		case scope == claudecode.ProjectScope && !strings.HasPrefix(w.Hooks[0].Runs, programName+" "):
			x.bad("claude-code", again, "%s is shared and names a place on this machine: %s", path, w.Hooks[0].Program)
		case older != "":
			x.bad("claude-code", "update it, or remove it where this one is to run", "%s runs %s, which is %s", path, w.Hooks[0].Program, older)
		default:
			x.good("claude-code", "%d hooks in %s", len(w.Hooks), path)
		}
	}
	if !wired {
		x.good("claude-code", "no hooks installed (orihon install claude-code)")
	}
}

// older says how a program is older than this one, or that it does not tell; empty
// when it is the same or newer. One that lies in the project is not asked: whoever
// wrote the project chose it.
func (a *app) older(ctx context.Context, program, root string) string {
	self, err := installedProgram()
	if real, rerr := filepath.EvalSymlinks(program); err != nil || rerr != nil || real == self {
		return ""
	}
	if safe, err := project.Program(programName, root); err != nil || safe != program {
		return ""
	}
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "version", "--json")
	cmd.Env = append(os.Environ(), "PATH="+project.Path(root))
	out, err := cmd.Output()
	var other map[string]string
	if err != nil || json.Unmarshal(out, &other) != nil || other["version"] == "" {
		return "no orihon that tells its version"
	}
	own := version()
	if built, err := time.Parse(time.RFC3339, own["built"]); err == nil {
		if then, err := time.Parse(time.RFC3339, other["built"]); err != nil || then.Before(built) {
			return fmt.Sprintf("older than this one (%s, this is %s)", other["version"], own["version"])
		}
	}
	return ""
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
