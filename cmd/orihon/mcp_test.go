package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// scriptTalks is the program talks FILE PROGRAM...: what a client of a server on
// standard input does. It sends the messages of FILE, one a line, waits for the
// answer to each that wants one, prints the answers and ends the input.
func scriptTalks() {
	if err := talks(os.Args[1], os.Args[2], os.Args[3:]...); err != nil {
		fmt.Fprintln(os.Stderr, "talks:", err)
		os.Exit(1)
	}
}

func talks(file, program string, args ...string) error {
	messages, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	answers := bufio.NewReader(out)
	for line := range bytes.Lines(messages) {
		if _, err := in.Write(line); err != nil {
			return err
		}
		var m struct{ ID *int }
		if json.Unmarshal(line, &m) == nil && m.ID == nil && !bytes.HasPrefix(line, []byte("[")) {
			continue
		}
		answer, err := answers.ReadBytes('\n')
		fmt.Printf("%s", answer)
		if err != nil {
			break // it ended
		}
	}
	if err := in.Close(); err != nil {
		return err
	}
	if _, err := io.Copy(os.Stdout, answers); err != nil {
		return err
	}
	return cmd.Wait()
}
