package activity

import (
	"slices"
	"strings"
	"unicode"
)

// What follows are the names that clients give to their tools and to the
// members of the inputs, as data. A tool that is not told by its whole name is
// told by the words of it, so that those of MCP servers are known as well.
var (
	// editVerbs and readVerbs are what the words of a tool's name say that it
	// does to the files it names.
	editVerbs = []string{"edit", "write", "multiedit", "patch", "replace", "insert", "create", "append", "notebookedit"}
	readVerbs = []string{"read", "view", "open", "cat", "notebookread"}

	// Members of an input: the command of a shell call, the file that a tool
	// is about (the first that is there), the same where the command is only
	// the tool's verb, new text of an edit and the text it replaces, and what says most about a call of
	// another kind.
	commandField   = "command"
	fileFields     = []string{"file_path", "notebook_path", "path", "filename", "file"}
	verbOf         = []string{"path", "file_path"}
	writtenFields  = []string{"content", "new_string", "new_str", "file_text", "text", "insert_text", "new_source"}
	editsField     = "edits"
	replacedFields = []string{"old_string", "old_str"}
	tellingFields  = []string{"pattern", "query", "url", "description", "subject", "prompt"}

	// What a call asks the user.
	questionsField, questionField = "questions", "question"

	// Tools by which an agent keeps a list of what is to be done: those that
	// write all of it, and those that add and change one entry.
	listTools  = []string{"TodoWrite", "todo_write", "write_todos", "update_plan"}
	addTool    = "TaskCreate"
	changeTool = "TaskUpdate"

	// Tools that start a sub-agent, and the members of their inputs that say which
	// kind and what it is to do.
	taskTools  = []string{"Task", "Agent"}
	kindField  = "subagent_type"
	taskFields = []string{"description", "prompt"}

	// refusals are what a result says when the user stopped the call, or one beside it
	// failed first.
	refusals = []string{"user doesn't want to", "Request interrupted by user", "tool use was rejected", "Sibling tool call errored"}
)

// Effect is what a tool does to the files it names.
type Effect int

// The effects.
const (
	NoEffect Effect = iota
	Reading
	Editing
)

// Effect tells by the verbs in the tool's name. Where no file is named nothing
// is edited.
func (a *Action) Effect() Effect {
	for _, w := range nameWords(a.Tool) {
		switch {
		case slices.Contains(editVerbs, w) && len(a.Files) > 0:
			return Editing
		case slices.Contains(readVerbs, w):
			return Reading
		}
	}
	return NoEffect
}

// OfMemory reports whether it calls a tool of orihon mcp, whatever the client names the
// server by: what those answer is about memory and no part of the work.
func (a *Action) OfMemory() bool {
	i := strings.LastIndex(a.Tool, "__")
	return i > 0 && strings.HasPrefix(a.Tool, "mcp__") && strings.Contains(a.Tool[:i], "orihon")
}

// nameWords are the words of a tool's own name, folded: of NotebookEdit,
// read_file, mcp__server__write-file.
func nameWords(name string) []string {
	if i := strings.LastIndex(name, "__"); i >= 0 { // a tool of an MCP server
		name = name[i+2:]
	}
	var b strings.Builder
	for _, r := range name {
		switch {
		case 'A' <= r && r <= 'Z':
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}
