package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"orihon/window/plugin"
)

// pluginVerb makes this program the process in which a context builder in
// JavaScript runs. It is no command of the command line: like the hook, it is
// dispatched before that is read, and nothing but a plugin runs in it.
const pluginVerb = "context-plugin"

// pluginMemory bounds the address space of that process, where the system can.
const pluginMemory = 4 << 30

// pluginHost is the command that runs plugins: this program.
func pluginHost() []string {
	self, err := os.Executable()
	if err != nil {
		return nil // such a builder says that it has no host
	}
	return []string{self, pluginVerb}
}

// contextPlugin answers the one question on the standard input.
func (a *app) contextPlugin(ctx context.Context) int {
	err := plugin.Confine(pluginMemory)
	var question []byte
	if err == nil {
		question, err = io.ReadAll(a.in)
	}
	if err == nil {
		_, err = a.out.Write(plugin.Answer(ctx, question, nil))
	}
	if err != nil {
		fmt.Fprintln(a.errs, "orihon "+pluginVerb+":", err)
		return exitFailure
	}
	return exitOK
}
