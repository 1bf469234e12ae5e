package guard

import (
	"slices"
	"strings"
)

// StopGateRule is the name of the rule that keeps an agent from stopping early.
const StopGateRule = "stop_gate"

// mostBlocks is how often in a row a stop is blocked.
const mostBlocks = 2

func stopGate() Rule {
	return Rule{
		Name:     StopGateRule,
		Reason:   "work whose outcome is neither in memory nor in the documents it belongs to is lost to the next session",
		Settings: "guard.stop_gate (off unless switched on), guard.documents",
		Cost:     "linear in the files a call names, against at most 100 that are open",
		On:       []Kind{Acted, Stopping},
		judge:    remembering(gateStop),
	}
}

// unsynced are the files that were changed and not written down.
type unsynced struct {
	Files  []changedFile  `json:"files,omitempty"`
	Blocks map[string]int `json:"blocks,omitempty"` // by agent, since it was last let go
}

type changedFile struct {
	Agent     string   `json:"agent,omitempty"`
	Path      string   `json:"path"`
	Documents []string `json:"docs,omitempty"` // that describe it and are unchanged
	Described bool     `json:"described,omitempty"`
}

func gateStop(_ *Options, e *Event, m *unsynced) Verdict {
	c := &e.Call
	switch {
	case e.Kind == Stopping:
		return m.stop(e)
	case c.Failed:
	case c.Keeps:
		m.Files = nil
	case c.Edits:
		m.change(e)
	}
	return Verdict{}
}

func (m *unsynced) change(e *Event) {
	for i := range m.Files { // the change of a document settles what it describes
		f := &m.Files[i]
		f.Documents = slices.DeleteFunc(f.Documents, func(d string) bool { return slices.Contains(e.Call.Files, d) })
	}
	m.Files = slices.DeleteFunc(m.Files, func(f changedFile) bool { return f.Described && len(f.Documents) == 0 })
	for _, path := range e.Call.Files {
		f := changedFile{Agent: e.Agent, Path: path}
		for _, d := range e.Documents {
			if d.Mapped && d.File == path {
				f.Documents, f.Described = append(f.Documents, d.Path), true
			}
		}
		m.Files = slices.DeleteFunc(m.Files, func(x changedFile) bool { return x.Path == path })
		if !document(path) {
			m.Files = last(append(m.Files, f), maxChanged)
		}
	}
}

// document reports a file that is text for people, and needs none of its own.
func document(path string) bool {
	low := strings.ToLower(path)
	return strings.HasSuffix(low, ".md") || strings.HasSuffix(low, ".rst") || strings.HasSuffix(low, ".adoc") || strings.HasSuffix(low, ".txt")
}

func (m *unsynced) stop(e *Event) Verdict {
	const most = 4 // files in one line
	var open []string
	for _, f := range m.Files {
		if f.Agent != e.Agent {
			continue
		}
		if f.Described {
			open = append(open, e.worded("gate-document", quoted(f.Path), quoted(strings.Join(f.Documents, ", "))))
		} else {
			open = append(open, e.worded("gate-file", quoted(f.Path)))
		}
	}
	blocked := m.Blocks[e.Agent]
	if !e.Continued {
		blocked = 0
	}
	if len(open) == 0 || e.Continued && blocked == 0 { // nothing to say, or another's block to respect
		delete(m.Blocks, e.Agent)
		return Verdict{}
	}
	if len(open) > most {
		open = append(open[:most], "…")
	}
	what := strings.Join(open, "; ")
	if blocked >= mostBlocks {
		delete(m.Blocks, e.Agent)
		m.Files = slices.DeleteFunc(m.Files, func(f changedFile) bool { return f.Agent == e.Agent })
		return Verdict{Do: Tell, Cause: "gate", Why: "let go after " + times(blocked) + ": " + what, Text: e.worded("gate-through", blocked, what)}
	}
	if m.Blocks == nil {
		m.Blocks = make(map[string]int)
	}
	m.Blocks[e.Agent] = blocked + 1
	return Verdict{Do: Block, Cause: "gate", Why: what, Text: e.worded("gate", what)}
}
