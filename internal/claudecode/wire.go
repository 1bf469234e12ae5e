package claudecode

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// wired lists the events that do something, in the order they are written.
func wired() []Name {
	return []Name{
		SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure,
		Stop, PreCompact, SubagentStart, SubagentStop, SessionEnd,
	}
}

// timeout is how many seconds the client waits for an event's hook.
func timeout(event Name) int {
	if event == SessionEnd {
		return 5
	}
	return 10
}

// acting are the tools before which the client starts a process: those that run
// a command, change a file or start a sub-agent.
const acting = "Bash|Edit|Write|MultiEdit|NotebookEdit|Task|Agent"

func group(event Name, command string) object {
	var out object
	if event == PreToolUse {
		out = append(out, member{"matcher", acting})
	}
	return append(out, member{"hooks", []any{object{
		{"type", "command"},
		{"command", command},
		{"timeout", timeout(event)},
	}}})
}

func eventMember(event Name, command string) member {
	return member{string(event), []any{group(event, command)}}
}

// handler is one of our hooks in a settings file.
type handler struct {
	event   Name
	events  hujson.Value // the array under the event
	group   int          // which of its elements
	hooks   hujson.Value // the array of handlers in that group
	index   int          // which of its elements
	command hujson.Value
	exec    bool // the arguments stand apart
}

// handlers finds our hooks, under whatever event they stand.
func (d *document) handlers(exact ...string) []handler {
	var found []handler
	for _, hooks := range members(d.root, "hooks") {
		o, ok := hooks.Value.(*hujson.Object)
		if !ok {
			continue
		}
		for _, m := range o.Members {
			for g, grp := range elements(m.Value) {
				for _, list := range members(grp, "hooks") {
					for i, h := range elements(list) {
						command, _ := last(h, "command")
						args, exec := last(h, "args")
						var words []string
						for _, a := range elements(args) {
							words = append(words, text(a))
						}
						if runsHook(text(command), words, exact) {
							found = append(found, handler{Name(text(m.Name)), m.Value, g, list, i, command, exec && len(words) > 0})
						}
					}
				}
			}
		}
	}
	return found
}

// wire adds what is missing of our hooks and gives those that are there the
// program of command. A blank file becomes a whole one.
func wire(path string, src []byte, command, recorded string) ([]byte, error) {
	if strings.TrimSpace(string(src)) == "" {
		src = []byte("{}\n")
	}
	for {
		d, err := parseSettings(path, src)
		if err != nil {
			return nil, err
		}
		edits, err := d.wiring(command, recorded)
		if err != nil || len(edits) == 0 {
			return src, err
		}
		src = d.apply(edits)
	}
}

// wiring is the next change on the way to a wired file.
func (d *document) wiring(command, recorded string) ([]edit, error) {
	ours := d.handlers(recorded, command)
	for _, h := range ours {
		if now := text(h.command); now != rebase(now, h.exec, recorded, command) {
			fresh := hujson.String(rebase(now, h.exec, recorded, command))
			return []edit{{h.command.StartOffset, h.command.EndOffset, string(fresh)}}, nil
		}
	}
	hooks, ok := last(d.root, "hooks")
	if !ok {
		var all object
		for _, event := range wired() {
			all = append(all, eventMember(event, command))
		}
		return d.insert(d.root, func(l layout) string { return l.member(member{"hooks", all}) }), nil
	}
	if _, ok := hooks.Value.(*hujson.Object); !ok {
		return nil, d.mismatch(hooks, `"hooks"`, "an object")
	}
	for _, event := range wired() {
		list, ok := last(hooks, string(event))
		if !ok {
			return d.insert(hooks, func(l layout) string { return l.member(eventMember(event, command)) }), nil
		}
		if _, ok := list.Value.(*hujson.Array); !ok {
			return nil, d.mismatch(list, `"hooks.`+string(event)+`"`, "an array")
		}
		if !slices.ContainsFunc(ours, func(h handler) bool { return h.events.StartOffset == list.StartOffset }) {
			return d.insert(list, func(l layout) string { return l.write(group(event, command)) }), nil
		}
	}
	return nil, nil
}

// unwire takes our hooks out, and the containers that they leave empty unless
// original, the file before we came, had them. A nil original had none.
func unwire(path string, src, original []byte, recorded string) ([]byte, error) {
	var before *document
	if strings.TrimSpace(string(original)) != "" {
		before, _ = parseSettings(path, original) // it was parsed when it was recorded
	}
	var touched []Name
	for {
		d, err := parseSettings(path, src)
		if err != nil {
			return nil, err
		}
		edits := d.unwiring(&touched, recorded)
		if len(edits) == 0 && len(touched) > 0 {
			edits = d.tidy(before, touched)
		}
		if len(edits) == 0 {
			return src, nil
		}
		src = d.apply(edits)
	}
}

func (d *document) unwiring(touched *[]Name, recorded string) []edit {
	ours := d.handlers(recorded)
	if len(ours) == 0 {
		return nil
	}
	h := ours[0]
	*touched = append(*touched, h.event)
	if len(elements(h.hooks)) > 1 {
		return d.remove(h.hooks, h.index)
	}
	return d.remove(h.events, h.group)
}

// tidy removes or restores one container that was emptied.
func (d *document) tidy(before *document, touched []Name) []edit {
	for h, hooks := range namedMembers(d.root, "hooks") {
		o, ok := hooks.Value.(*hujson.Object)
		if !ok {
			continue
		}
		for i, m := range o.Members {
			event := Name(text(m.Name))
			if slices.Contains(touched, event) {
				if edits := d.emptied(m.Value, hooks, i, before.at("hooks", string(event))); edits != nil {
					return edits
				}
			}
		}
		if edits := d.emptied(hooks, d.root, h, before.at("hooks")); edits != nil {
			return edits
		}
	}
	if before != nil && len(children(d.root)) == 0 {
		return d.emptied(d.root, d.root, 0, &found{before, before.root})
	}
	return nil
}

// found is a value in the file as it was.
type found struct {
	doc   *document
	value hujson.Value
}

// at looks a value up by its path; nil when it is not there.
func (d *document) at(names ...string) *found {
	if d == nil {
		return nil
	}
	v := d.root
	for _, name := range names {
		var ok bool
		if v, ok = last(v, name); !ok {
			return nil
		}
	}
	return &found{d, v}
}

// emptied deals with child i of parent, when nothing is left in it: gone if it
// was not there before, else as blank as it was.
func (d *document) emptied(v, parent hujson.Value, i int, was *found) []edit {
	if !empty(v) {
		return nil
	}
	now := d.inner(v)
	if was == nil {
		if strings.TrimSpace(now) != "" {
			return nil // somebody's comment stands in it
		}
		return d.remove(parent, i)
	}
	blank := ""
	if empty(was.value) {
		blank = was.doc.inner(was.value)
	}
	if now == blank || strings.TrimSpace(now) != strings.TrimSpace(blank) {
		return nil
	}
	return []edit{{v.StartOffset + 1, v.EndOffset - 1, blank}}
}

// empty reports whether v is an object or array without children.
func empty(v hujson.Value) bool {
	_, isObject := v.Value.(*hujson.Object)
	_, isArray := v.Value.(*hujson.Array)
	return (isObject || isArray) && len(children(v)) == 0
}

// namedMembers yields the members of an object with a name, with their
// positions.
func namedMembers(v hujson.Value, name string) func(yield func(int, hujson.Value) bool) {
	return func(yield func(int, hujson.Value) bool) {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return
		}
		for i, m := range o.Members {
			if text(m.Name) == name && !yield(i, m.Value) {
				return
			}
		}
	}
}

// HooksFile is a file of hooks alone, as a plugin has it.
func HooksFile(command string) []byte {
	var all object
	for _, event := range wired() {
		all = append(all, eventMember(event, command))
	}
	l := layout{newline: "\n", unit: "  ", colon: ": "}
	return []byte(l.write(object{{"hooks", all}}) + "\n")
}
