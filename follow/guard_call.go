package follow

import (
	"slices"
	"strings"

	"orihon/guard"
	"orihon/internal/activity"
)

// acted is a call as the guardian sees it; false for one that the user stopped,
// which failed for no reason of its own.
func (s *Session) acted(a *Action) (guard.Event, bool) {
	call := activity.New(a.Tool, a.Input, nil)
	call.Done, call.Failed, call.Output = true, a.Error, a.Output
	if call.Failed && call.Refused() {
		return guard.Event{}, false
	}
	e := guard.Event{Kind: guard.Acted, Agent: a.Agent, Call: guard.Call{
		Subject: call.Subject(s.start.CWD), Name: named(&call), Failed: call.Failed, Output: call.Output,
	}}
	c := &e.Call
	if call.Command != "" {
		c.Command, c.Looks = s.clean(call.Command), call.Looks()
		c.Kin, c.Narrow, c.Commits, c.Keeps = kin(call.Line()), narrow(call.Line()), commits(call.Line()), keeps(call.Line())
	} else {
		c.Keeps = savesMemory(a.Tool)
	}
	if call.Effect() == activity.Editing {
		for _, f := range call.Files {
			if f = s.inProject(f); f != "" {
				c.Files = append(c.Files, f)
			}
		}
		c.Edits = len(c.Files) > 0
		c.Added, c.Gone = call.Written(), call.Replaced()
		if knowledge := s.knowledge(); knowledge != "" {
			c.Keeps = slices.ContainsFunc(c.Files, func(f string) bool { return strings.HasPrefix(f, knowledge+"/") })
		}
		if c.Edits && !c.Failed {
			e.Documents = s.documents(c)
		}
	}
	return e, true
}

// kin tells what kinds of commands a line runs: programs with their subcommands,
// without what only looks and without what only filters.
func kin(l *activity.Line) []string {
	var out []string
	for i := range l.Commands {
		c := &l.Commands[i]
		alone := activity.Line{Commands: []activity.Command{*c}}
		if c.Program == "" || c.Program == "cd" || alone.Looks() {
			continue
		}
		k := c.Program
		words := 1
		for _, w := range c.Words[min(1, len(c.Words)):] {
			if strings.HasPrefix(w, "-") || words == 0 {
				continue
			}
			k += " " + w
			if words--; lists.Words("runners")[w] {
				words = 1
			}
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// narrow reports a line that runs only some tests: by a flag, or by a name.
func narrow(l *activity.Line) bool {
	return slices.ContainsFunc(l.Commands, func(c activity.Command) bool {
		return slices.ContainsFunc(c.Words, func(w string) bool {
			flag, _, _ := strings.Cut(w, "=")
			return lists.Words("narrowing")[flag] || strings.Contains(w, "::")
		})
	})
}

// commits reports a line that makes an entry in version control.
func commits(l *activity.Line) bool {
	return slices.ContainsFunc(l.Commands, func(c activity.Command) bool {
		return (c.Program == "git" || c.Program == "hg" || c.Program == "jj" || c.Program == "svn") && slices.Contains(c.Words, "commit")
	})
}

// keeps reports a line that writes to memory.
func keeps(l *activity.Line) bool {
	saves := func(word string) bool { return word == "remember" || word == "handoff" || word == "edit" }
	return slices.ContainsFunc(l.Commands, func(c activity.Command) bool {
		return c.Program == "orihon" && slices.ContainsFunc(c.Words, saves)
	})
}

// savesMemory reports a tool of orihon mcp that writes.
func savesMemory(tool string) bool {
	return strings.HasSuffix(tool, "memory_add") || strings.HasSuffix(tool, "memory_update")
}
