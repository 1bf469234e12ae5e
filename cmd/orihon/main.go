// Command orihon gives coding agents a long-term memory: it remembers
// statements, recalls what bears on a prompt, and follows sessions by hooks.
//
// One file holds one command; root.go lists them and gives their exit codes. Below
// them stands what they share: how a memory is opened (app.go), flags.go, and
// what is printed (output.go, words.go). The hook is dispatched before
// the command line is parsed, because it runs on every prompt and tool call.
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
