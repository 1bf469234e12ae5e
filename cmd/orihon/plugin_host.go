package main

import (
	"io"

	"github.com/spf13/cobra"

	"orihon/window/plugin"
)

// pluginCommand is the process in which a context builder written in JavaScript
// runs; the strategy plugin starts it.
func (a *app) pluginCommand() *cobra.Command {
	return &cobra.Command{
		Use: "plugin-host", Short: "Run a context builder's plugin (started by the strategy plugin)", Hidden: true, Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := plugin.Confine(4 << 30); err != nil {
				return err
			}
			question, err := io.ReadAll(a.in)
			if err != nil {
				return err
			}
			_, err = a.out.Write(plugin.Answer(cmd.Context(), question, nil))
			return err
		},
	}
}
