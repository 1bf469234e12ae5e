package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/jsonl"
	"orihon/memory"
	"orihon/transfer"
)

func (a *app) exportCommand() *cobra.Command {
	var o transfer.ExportOptions
	var format, out string
	var scopes []string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write out what is remembered",
		Long: "Write out what is remembered and you may see, oldest first: as ledger lines,\n" +
			"which orihon import takes back (with --trust as they were), or as Markdown for\n" +
			"people. Sessions and notes are in orihon backup.",
		Example: "  orihon export --out memory.jsonl\n  orihon export --format markdown --scope shared",
		Args:    args(cobra.NoArgs),
		PreRunE: func(*cobra.Command, []string) error {
			switch format {
			case "markdown", "md":
				o.Markdown = true
			case "jsonl":
			default:
				return fmt.Errorf("%w: --format %s: want jsonl or markdown", errUsage, format)
			}
			return readAll(scopes, memory.ParseScope, &o.Scopes)
		},
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			if out == "" || out == "-" {
				_, err := m.Transfer().Export(cmd.Context(), a.out, &o)
				return err
			}
			if err := confined(m.Project().Root, out); err != nil {
				return err
			}
			var text bytes.Buffer
			n, err := m.Transfer().Export(cmd.Context(), &text, &o)
			if err != nil {
				return err
			}
			if err := jsonl.WriteFile(out, text.Bytes()); err != nil {
				return err
			}
			if err := m.Erase().WroteOutside(cmd.Context(), "export", out); err != nil {
				return err
			}
			return a.print(map[string]any{"items": n, "file": out}, func(w io.Writer) {
				fmt.Fprintf(w, "%s  %d items to %s\n", a.bold("exported"), n, out)
			})
		}),
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "jsonl", "jsonl or markdown")
	f.StringSliceVar(&scopes, "scope", nil, "only these scopes")
	f.StringVar(&out, "out", "", "file to write, which only you may read (default standard output)")
	return cmd
}
