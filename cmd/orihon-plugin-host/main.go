// Command orihon-plugin-host is the process in which a context builder written
// in JavaScript or TypeScript runs: it reads one question on standard input and
// writes the answer, or what went wrong, to standard output. orihon starts it
// for the strategy plugin and looks for it beside itself, then on the PATH.
//
// It is a program of its own because an interpreter would cost every hook the
// time to start it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"orihon/window/plugin"
)

// mostMemory bounds the address space, where the system can.
const mostMemory = 4 << 30

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "orihon-plugin-host:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := plugin.Confine(mostMemory); err != nil {
		return err
	}
	question, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	_, err = out.Write(plugin.Answer(ctx, question, nil))
	return err
}
