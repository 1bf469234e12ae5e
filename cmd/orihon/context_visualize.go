package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/jsonl"
	"orihon/runs"
	"orihon/window/inspect"
)

// The page, its style and its script. The script makes text nodes only, so that
// nothing in a transcript is ever markup.
var (
	//go:embed context.html
	pageHTML string
	//go:embed context.css
	pageCSS string
	//go:embed context.js
	pageJS string
)

func (a *app) contextVisualize(l *lookAt) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "visualize [RUN]",
		Short: "Write a page that shows the zones, the folds and the timeline",
		Long: "Write one HTML file that shows how the window of a run is filled, its folds, which\n" +
			"open and close, and its iterations with their tokens, with a search box. The file\n" +
			"needs no network. It holds the text of the run: treat it as you treat the run.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := confinedHere(out); out != "-" && err != nil {
				return err
			}
			return a.onShown(cmd.Context(), l, words, func(m *orihon.Memory, r *runs.Run, s inspect.BuildOptions) error {
				p, err := r.Picture(cmd.Context(), s)
				if err != nil {
					return err
				}
				if r.File {
					p.Name = filepath.Base(p.Name)
				}
				page, err := contextPage(p)
				if err != nil {
					return err
				}
				if out == "-" {
					_, err := a.out.Write(page)
					return err
				}
				if err := jsonl.WriteFile(out, page); err != nil {
					return err
				}
				if err := m.Erase().WroteOutside(cmd.Context(), "page", out); err != nil {
					return err
				}
				return a.print(map[string]any{"run": r.Name, "file": out, "bytes": len(page), "folds": p.Inspection.Folds}, func(w io.Writer) {
					fmt.Fprintf(w, "%s  %s (%d KB): open it in a browser\n", a.bold("written"), out, (len(page)+1023)>>10)
				})
			})
		},
	}
	l.building(cmd)
	cmd.Flags().StringVar(&out, "out", "context.html", "file to write, - for the standard output")
	return cmd
}

// contextPage puts a picture into the page. The JSON of it has no character that
// could end its element, and the page may run this one script and load nothing.
func contextPage(p *inspect.Picture) ([]byte, error) {
	data, err := json.Marshal(p) // escapes <, > and &
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(pageJS))
	var b bytes.Buffer
	_, err = strings.NewReplacer(
		"{{hash}}", base64.StdEncoding.EncodeToString(sum[:]), "{{style}}", pageCSS, "{{data}}", string(data), "{{script}}", pageJS,
	).WriteString(&b, pageHTML)
	return b.Bytes(), err
}
