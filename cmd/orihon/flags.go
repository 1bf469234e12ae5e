package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// errUsage marks errors of the command line itself.
var errUsage = errors.New("usage")

// args is one of cobra's argument checks with our exit code.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fmt.Errorf("%w: %v: %s", errUsage, err, cmd.UseLine())
		}
		return nil
	}
}

// parseDay reads a date or a time.
func parseDay(s string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: date %q: want YYYY-MM-DD or RFC 3339", errUsage, s)
}

// readDay puts what [parseDay] reads into at; nothing leaves it as it is.
func readDay(s string, at *time.Time) (err error) {
	if s != "" {
		*at, err = parseDay(s)
	}
	return err
}

// readDayEnd is readDay for the end of a span: a day without a time counts whole.
func readDayEnd(s string, at *time.Time) error {
	err := readDay(s, at)
	if err == nil && isDay(s) {
		*at = at.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return err
}

// inOrder refuses a span that ends before it begins; a zero time leaves it open.
func inOrder(since, until *time.Time) error {
	if !until.IsZero() && since.After(*until) {
		return fmt.Errorf("%w: --since is later than --until", errUsage)
	}
	return nil
}

// isDay reports whether a date that [parseDay] took has no time.
func isDay(s string) bool { return len(s) == len(time.DateOnly) }

// readAll puts what every word of a flag that may be repeated means into a list.
func readAll[T any](words []string, parse func(string) (T, error), into *[]T) error {
	for _, word := range words {
		v, err := parse(word)
		if err != nil {
			return err
		}
		*into = append(*into, v)
	}
	return nil
}

// fields are the parts between commas.
func fields(list string) []string {
	var out []string
	for s := range strings.SplitSeq(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// textOf is what the words of a command line say; a single - stands for standard
// input.
func (a *app) textOf(words []string) (string, error) {
	text := strings.Join(words, " ")
	if text != "-" {
		return text, nil
	}
	data, err := a.readInput("-", 1<<20)
	return string(data), err
}

// readInput reads at most so many bytes of a file, - for standard input.
func (a *app) readInput(path string, most int64) ([]byte, error) {
	in := a.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, most))
}

// confirm asks on the terminal; anything but yes, and no answer, is no.
func (a *app) confirm(question string) bool {
	fmt.Fprintf(a.errs, "orihon: %s [yes/no] ", question)
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(line), "yes")
}
