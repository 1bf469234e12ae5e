package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v := version()
			return a.print(v, func(w io.Writer) {
				fmt.Fprintf(w, "orihon %s %s %s/%s\n", v["version"], v["go"], runtime.GOOS, runtime.GOARCH)
			})
		},
	}
}

// version is what the build knows of itself.
func version() map[string]string {
	v := map[string]string{"version": "unreleased", "go": runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v["version"] = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v["commit"] = s.Value
		case "vcs.time":
			v["built"] = s.Value // from a commit of this time
		}
	}
	return v
}
