package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// recorded is one line of a recording: an event as a client sends it, and what
// the recording expects of the answer.
type recorded struct {
	line int
	raw  []byte // the event alone

	Name       string `json:"hook_event_name"`
	Source     string `json:"source"`
	Session    string `json:"session_id"`
	PromptID   string `json:"prompt_id"`
	Transcript string `json:"transcript_path"`
	CWD        string `json:"cwd"`
	Prompt     string `json:"prompt"`
	Answer     string `json:"last_assistant_message"`

	Tool      string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id"`
	Input     json.RawMessage `json:"tool_input"`
	Response  json.RawMessage `json:"tool_response"`
	Error     string          `json:"error"`

	// Each of Expect must stand in what the hook answers, to the agent or to
	// the user. With ExpectNothing the agent must get nothing.
	Expect        []string `json:"expect"`
	ExpectNothing bool     `json:"expect_nothing"`
}

// readRecording reads a recording, with {{name}} replaced for every
// placeholder.
func readRecording(from fs.FS, name string, placeholders map[string]string) ([]recorded, error) {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, err
	}
	var replace []string
	for name, value := range placeholders {
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		replace = append(replace, "{{"+name+"}}", string(quoted[1:len(quoted)-1]))
	}
	data = []byte(strings.NewReplacer(replace...).Replace(string(data)))
	var out []recorded
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e := recorded{line: number}
		var fields map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(line, &e), json.Unmarshal(line, &fields)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		delete(fields, "expect")
		delete(fields, "expect_nothing")
		if e.raw, err = json.Marshal(fields); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// demoSecrets are made up, and put together only here, so that nobody who scans
// this repository finds one.
func demoSecrets() map[string]string {
	return map[string]string{
		"fake_aws_key":    "AKIA" + "Q7ZL2MNB4XVC" + "9RTD",
		"fake_aws_secret": "pT8vKq2Z" + "/mW4xNc7Lr1Bd" + "+Ys9Hf3Jg6Uo" + "EaXi0Ve",
	}
}

func (d *demo) placeholders() map[string]string {
	p := demoSecrets()
	p["cwd"], p["home"] = d.cwd, d.home
	return p
}

// transcribe appends what an event tells to the transcript, as the client
// does. It lags behind the hook, as the client's does.
func (e *recorded) transcribe(now time.Time) error {
	type content map[string]any
	var lines []map[string]any
	say := func(role string, text any) {
		n := map[string]any{
			"type": role, "uuid": fmt.Sprintf("%s-%d-%d", e.Session, e.line, len(lines)), "timestamp": now.UTC().Format(time.RFC3339Nano),
			"sessionId": e.Session, "cwd": e.CWD, "isSidechain": false,
			"message": map[string]any{"role": role, "content": text},
		}
		if role == "user" {
			n["promptId"] = e.PromptID
		}
		lines = append(lines, n)
	}
	switch e.Name {
	case "UserPromptSubmit":
		say("user", e.Prompt)
	case "PostToolUse":
		say("assistant", []content{{"type": "tool_use", "id": e.ToolUseID, "name": e.Tool, "input": e.Input}})
		say("user", []content{{"type": "tool_result", "tool_use_id": e.ToolUseID, "content": string(e.Response)}})
	case "PostToolUseFailure":
		say("assistant", []content{{"type": "tool_use", "id": e.ToolUseID, "name": e.Tool, "input": e.Input}})
		say("user", []content{{"type": "tool_result", "tool_use_id": e.ToolUseID, "content": e.Error, "is_error": true}})
	case "Stop":
		say("assistant", []content{{"type": "text", "text": e.Answer}})
	}
	var b bytes.Buffer
	for _, l := range lines {
		if err := json.NewEncoder(&b).Encode(l); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(e.Transcript), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(e.Transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}

// demoSearch is where the planted secrets were looked for and found.
type demoSearch struct {
	Planted int      `json:"planted"`
	Files   int      `json:"files"`
	Found   []string `json:"found"`
}

// search reads every file of Orihon's, in the home and in the project. That
// the client's own transcript holds the secrets shows that they were played
// and that the search finds them.
func (d *demo) search() error {
	s := &d.report.Secrets
	s.Planted, s.Found = len(demoSecrets()), []string{}
	var err error
	for _, dir := range []string{d.orihonHome(), d.memory.Project().Folder} {
		files, found, e := demoSearchFiles(dir)
		s.Files += files
		s.Found = append(s.Found, found...)
		err = errors.Join(err, e)
	}
	_, control, e := demoSearchFiles(filepath.Join(d.home, ".claude"))
	d.expect(len(control) > 0, "the recording plants no secret in a tool's output")
	d.expect(len(s.Found) == 0, "planted secrets were found in %s", strings.Join(s.Found, ", "))
	return errors.Join(err, e)
}

// demoSearchFiles counts the files below dir and lists those with a planted
// secret in them.
func demoSearchFiles(dir string) (files int, found []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary file that has been renamed meanwhile
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		files++
		for _, secret := range demoSecrets() {
			if bytes.Contains(data, []byte(secret)) {
				found = append(found, path)
				break
			}
		}
		return nil
	})
	return files, found, err
}
