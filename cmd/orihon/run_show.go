package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"orihon"
	"orihon/agent"
	"orihon/internal/redact"
)

// quiet is a logger for what is told by events already.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// runView shows a run as it goes: on a terminal the words of the model, its calls,
// and one line on how far it is; with --json every event on a line; else nothing
// but the answer and what is wrong.
type runView struct {
	a      *app
	clean  func(string) string
	live   bool // a terminal watches
	line   bool // the status line stands
	middle bool // the cursor stands behind words
	said   bool // the answer was shown as it came
}

func (a *app) watchRun(m *orihon.Memory) *runView {
	v := &runView{a: a, clean: m.Redact}
	f, ok := a.out.(*os.File)
	v.live = ok && !a.json && isTerminal(f)
	return v
}

// event shows one.
func (v *runView) event(e agent.Event) {
	if v.a.json {
		_ = json.NewEncoder(v.a.out).Encode(e) // whoever reads has gone
		return
	}
	if !v.live {
		if e.Kind == agent.EventNotice || e.Kind == agent.EventRetry {
			v.a.warn(e.Text)
		}
		return
	}
	v.wipe()
	who := ""
	if e.Agent != "" {
		switch e.Kind {
		case agent.EventCall, agent.EventResult, agent.EventRetry, agent.EventNotice:
			who = e.Agent + ": "
		default:
			return // its parent has its report
		}
	}
	switch e.Kind {
	case agent.EventText:
		v.said = true
		v.words(terminalText(e.Text))
	case agent.EventReasoning:
		v.words(v.a.dim(terminalText(e.Text)))
	case agent.EventCall:
		v.said = false
		v.fullLine(who + "→ " + e.Tool + " " + clipped(string(e.Input), 100))
	case agent.EventResult:
		mark := "✓ "
		if e.Error {
			mark = "✗ "
		}
		v.fullLine(fmt.Sprintf("%s%s%s %d ms  %s", who, mark, e.Tool, e.Millis, clipped(e.Output, 80)))
	case agent.EventRetry, agent.EventNotice:
		v.fullLine(who + "! " + clipped(e.Text, 200))
	case agent.EventIteration:
		v.status(e.Status)
	}
}

func (v *runView) words(text string) {
	fmt.Fprint(v.a.out, text)
	v.middle = !strings.HasSuffix(text, "\n")
}

// fullLine is a line of its own.
func (v *runView) fullLine(text string) {
	if v.middle {
		fmt.Fprintln(v.a.out)
		v.middle = false
	}
	fmt.Fprintln(v.a.out, v.a.dim(text))
}

// status puts one line below all else, which the next event takes away.
func (v *runView) status(s *agent.Status) {
	if v.middle {
		fmt.Fprintln(v.a.out)
		v.middle = false
	}
	fmt.Fprint(v.a.out, v.a.dim(statusLine(s)))
	v.line = true
}

func statusLine(s *agent.Status) string {
	text := fmt.Sprintf("%d iterations · %s of %s in view · %s in, %s out", s.Iterations, thousands(int64(s.Context)), thousands(int64(s.Window)), thousands(s.Input), thousands(s.Output))
	if s.Input > 0 && s.CacheRead > 0 {
		text += fmt.Sprintf(" · %d %% cached", 100*s.CacheRead/s.Input)
	}
	if s.Cost > 0 {
		text += fmt.Sprintf(" · %.4f", s.Cost)
	}
	if s.Folds > 0 {
		text += fmt.Sprintf(" · %d folds", s.Folds)
	}
	return text
}

// thousands is a number of tokens for people.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}

func (v *runView) wipe() {
	if v.line {
		fmt.Fprint(v.a.out, "\r\x1b[K")
		v.line = false
	}
}

func (v *runView) end() {
	v.wipe()
	if v.middle {
		fmt.Fprintln(v.a.out)
		v.middle = false
	}
}

// outcome tells how a run ended; the error is what the exit code is made of.
func (v *runView) outcome(out agent.Outcome, ephemeral bool) error {
	if out.Reason == agent.Answered {
		if !v.a.json && !v.said {
			fmt.Fprintln(v.a.out, terminalText(out.Answer))
		}
		if v.live {
			fmt.Fprintln(v.a.errs, v.a.dim("run "+out.Run+": "+statusLine(&out.Status)))
		}
		return nil
	}
	text := "the run ended without an answer: " + out.Reason
	if out.Detail != "" {
		text += ": " + out.Detail
	}
	if !ephemeral {
		text += "; go on with: orihon run --resume " + out.Run
	}
	return errors.New(text)
}

// terminalText is foreign text without what would steer the terminal.
func terminalText(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 && r <= 0x9f || r == '\r' {
			return -1
		}
		return r
	}, redact.Printable(s))
}
