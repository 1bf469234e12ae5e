package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/follow"
)

func (a *app) jobsCommand() *cobra.Command {
	var run bool
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "Show what work is left or under way; --run does it",
		Long: "Show what sessions of this project have left for later (daily log, episode,\n" +
			"sync), which process is at it, and syncs under way. The next session does it by\n" +
			"itself; --run does it now.",
		Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			if run {
				_, end := a.progress("doing what sessions left")
				defer end()
				if err := m.Sessions().WorkAndSync(cmd.Context()); err != nil {
					return err
				}
				end()
			}
			jobs, err := m.Sessions().Jobs(cmd.Context())
			return a.result(jobs, err, func(w io.Writer) { printJobs(w, jobs, time.Now()) })
		}),
	}
	cmd.Flags().BoolVar(&run, "run", false, "do the work now")
	return cmd
}

func printJobs(w io.Writer, jobs []follow.Job, now time.Time) {
	if len(jobs) == 0 {
		fmt.Fprintln(w, "nothing is left to do")
		return
	}
	t := table(w)
	for i := range jobs {
		j := &jobs[i]
		what := "session " + j.Session
		if j.Kind == "sync" {
			what = "index of the " + j.Space + " memory"
		}
		doing := "waiting"
		if j.Running() {
			doing = fmt.Sprintf("process %d is at it", j.PID)
		}
		since := ""
		if !j.Since.IsZero() {
			since = "last event " + ago(now, j.Since)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", what, strings.Join(j.Work, ", "), doing, since)
	}
	t.Flush()
}
