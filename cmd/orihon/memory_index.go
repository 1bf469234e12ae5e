package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
)

func (a *app) memoryIndexCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "memory-index",
		Short: "Write what a session begins with into MEMORY.md, for clients without hooks",
		Long: "Write what a session begins with into MEMORY.md, for clients that have no hooks and\n" +
			"read files instead, and beside it _ATOM_INDEX.md, which leads from triggers to\n" +
			"items. The project's files get shared items alone, those in your home all others.\n" +
			"Each has one section between two marks that is written anew; what you write outside\n" +
			"it stays as it is. Of a large memory recall.start_tokens fit into each MEMORY.md.\n" +
			"With memory_index.auto it happens by itself.",
		Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			return a.memoryIndex(cmd, m, check)
		}),
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, and exit with 1 when a file is out of date")
	return cmd
}

func (a *app) memoryIndex(cmd *cobra.Command, m *orihon.Memory, check bool) error {
	changed, err := m.WriteMemoryIndex(cmd.Context(), check)
	if err != nil {
		return err
	}
	root := m.Project().Root
	key := "written"
	if check {
		key = "out_of_date"
	}
	err = a.print(map[string][]string{key: orEmpty(changed)}, func(w io.Writer) {
		for _, file := range changed {
			fmt.Fprintf(w, "%s  %s\n", strings.ReplaceAll(key, "_", " "), oneLine(relative(root, file)))
		}
		if len(changed) == 0 {
			fmt.Fprintln(w, "everything is up to date")
		}
	})
	if err == nil && check && len(changed) > 0 {
		err = fmt.Errorf("%s out of date: run orihon memory-index", plural(len(changed), "file"))
	}
	return err
}
