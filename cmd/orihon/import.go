package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
	"orihon/transfer"
)

func (a *app) importCommand() *cobra.Command {
	var o transfer.ImportOptions
	var scope string
	var found bool
	cmd := &cobra.Command{
		Use:   "import PATH | --found",
		Short: "Take in what other programs remember",
		Long: "Take in what other programs remember: a file, a folder or an archive, also\n" +
			"compressed. The format is told by its shape, or by --from:\n\n" +
			"  claude-code    transcripts of sessions, or a folder of them (~/.claude/projects)\n" +
			"  claude-memory  Claude Code's own memory: MEMORY.md and topic files\n" +
			"  gemini-cli     sessions\n" +
			"  mcp-memory     memory.jsonl of the MCP memory server\n" +
			"  mem0, zep, letta, claude-mem, engram, cogx, chatgpt   their exports\n" +
			"  messages       of a chat, as APIs have them: a list, {\"messages\": [...]} or one a line\n" +
			"  markdown       files and folders: every bullet and paragraph is a statement\n" +
			"  orihon         orihon export\n\n" +
			"Sessions go to journals, facts to memory with where they come from. They are\n" +
			"believed up to 0.5 until you confirm them. Secrets are taken out; what is known\n" +
			"is not doubled; the same import again changes nothing. To have whole documents\n" +
			"found where they are, add their folder to memory.extra_dirs instead.\n\n" +
			"--found reads the sessions that Claude Code and Gemini CLI keep on this machine, the\n" +
			"newest first, each into the memory of its own project, and from then on what is added\n" +
			"to them. What you take away of it does not come back.",
		Example: "  orihon import --dry-run ~/.claude/projects\n  orihon import --found --dry-run\n  orihon import memory.jsonl\n  orihon import --from markdown notes/",
		Args: args(func(cmd *cobra.Command, paths []string) error {
			if found {
				return cobra.NoArgs(cmd, paths)
			}
			return cobra.ExactArgs(1)(cmd, paths)
		}),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, paths []string) error {
			if found {
				return a.importFound(cmd.Context(), m, o.DryRun)
			}
			if o.KeepScopes = scope == "keep"; !o.KeepScopes {
				o.Scope = memory.Scope(scope)
			}
			step, end := a.progress("reading kilobytes")
			defer end()
			o.Progress = func(done, total int64) { step(int(done>>10), int(total>>10)) }
			r, err := m.Transfer().Import(cmd.Context(), paths[0], &o)
			end()
			if err != nil {
				return err
			}
			a.warn(r.Problems...)
			if more := r.Broken - len(r.Problems); more > 0 {
				a.warn(fmt.Sprintf("%d more places are broken", more))
			}
			for _, rule := range slices.Sorted(maps.Keys(r.Redacted)) {
				a.warn(fmt.Sprintf("secrets were taken out (%s, %d)", rule, r.Redacted[rule]))
			}
			return a.print(r, func(w io.Writer) { a.imported(w, r) })
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "the format, where its shape does not tell")
	f.StringVar(&scope, "scope", "", "where facts go: global, shared, role:<name> or personal:<you> (default personal); keep: where an export of orihon had them")
	f.BoolVar(&o.DryRun, "dry-run", false, "write nothing, say what would be done")
	f.BoolVar(&found, "found", false, "the sessions of other programs on this machine, of all projects")
	f.BoolVar(&o.All, "all", false, "sessions of other projects, too")
	f.BoolVar(&o.Trust, "trust", false, "believe an export of orihon as far as it says itself")
	return cmd
}

// mostFirst is how much of a fact is shown, in characters.
const mostFirst = 200

// imported shows a report to a person.
func (a *app) imported(w io.Writer, r *transfer.ImportReport) {
	head := "imported"
	if r.DryRun {
		head = "would import"
	}
	var formats []string
	for f, n := range r.Formats {
		formats = append(formats, fmt.Sprintf("%s (%s)", f, plural(n, "file")))
	}
	slices.Sort(formats)
	fmt.Fprintf(w, "%s  %s\n", a.bold(head), strings.Join(formats, ", "))
	i, s := r.Items, r.Sessions
	if i != (transfer.ImportedItems{}) {
		fmt.Fprintf(w, "items     %d new, %d updated, %d confirmed, %d known, %d skipped\n", i.New, i.Updated, i.Confirmed, i.Known, i.Skipped)
	}
	if i.Waiting > 0 {
		fmt.Fprintf(w, "waiting   %d until management approves them: orihon review\n", i.Waiting)
	}
	if s.Sessions > 0 {
		fmt.Fprintf(w, "sessions  %d, events: %d new, %d known\n", s.Sessions, s.New, s.Known)
		if len(r.SessionIDs) == s.Sessions {
			fmt.Fprintf(w, "named     %s\n", strings.Join(r.SessionIDs, ", "))
		}
	}
	if r.ToolCalls > 0 || r.Answers > 0 {
		fmt.Fprintf(w, "calls     %d of tools, %d answers, %d tokens out\n", r.ToolCalls, r.Answers, r.Usage.Output)
	}
	var lines []string
	for kind, n := range r.Lines {
		lines = append(lines, fmt.Sprintf("%d %s", n, kind))
	}
	slices.Sort(lines)
	if len(lines) > 0 {
		fmt.Fprintf(w, "read      %s\n", strings.Join(lines, ", "))
	}
	if r.Broken > 0 {
		fmt.Fprintf(w, "broken    %d\n", r.Broken)
	}
	if r.Elsewhere > 0 {
		fmt.Fprintf(w, "left out  %d sessions of other projects: import them there, or --all\n", r.Elsewhere)
	}
	if r.Unknowns > 0 {
		fmt.Fprintf(w, "left out  %s of no known shape\n", plural(r.Unknowns, "file"))
	}
	if r.DryRun {
		for _, text := range r.First {
			fmt.Fprintf(w, "  %s\n", a.dim(clipped(text, mostFirst)))
		}
	}
}
