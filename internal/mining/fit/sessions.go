package main

import (
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/mining"
	"orihon/internal/planted"
)

// sessionsOf are the sessions of an author as the miner sees those of a journal; the
// number of an event is that of its line.
func sessionsOf(a *planted.Author) []*mining.Session {
	var out []*mining.Session
	for i := range a.Sessions {
		s := &a.Sessions[i]
		day, err := time.Parse(time.DateOnly, s.Day)
		if err != nil {
			day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		b := mining.NewBuilder(s.Name, s.Project)
		for _, l := range s.Lines {
			at := day.Add(time.Duration(9*60+l.Number) * time.Minute)
			switch {
			case l.User != "":
				b.Say(int64(l.Number), at, l.User)
			case l.Tool != "":
				call := activity.New(l.Tool, l.Input, nil)
				call.Seq, call.At, call.Done, call.Failed, call.Output = int64(l.Number), at, true, !l.OK, strings.TrimSpace(l.Out)
				b.Do(&call)
			}
		}
		out = append(out, b.Session())
	}
	return out
}
