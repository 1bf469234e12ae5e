// Command orihon gives coding agents a long-term memory: it remembers
// statements, recalls what bears on a prompt, and follows sessions by hooks.
//
// One file holds one command; root.go holds what all share (flags, how a
// memory is opened, exit codes, output). The hook is dispatched before the
// command line is parsed, because it runs on every prompt and tool call.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{
		in: os.Stdin, out: os.Stdout, errs: os.Stderr, env: os.LookupEnv,
		terminal: isTerminal(os.Stdout),
	}
	ci, _ := a.env("CI")
	a.asks = a.terminal && isTerminal(os.Stdin) && ci == ""
	os.Exit(a.main(ctx, os.Args[1:]))
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
