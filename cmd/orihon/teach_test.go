package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"orihon/internal/session"
	"orihon/llm/llmtest"
	"orihon/memory"
	"orihon/review"
)

// TestSessionsTeach plays sessions to the built program, with a server of models beside
// it that says what it likes.
func TestSessionsTeach(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: a short run, and this starts hundreds of processes")
	}
	t.Parallel()
	program := demoProgram(t)
	for name, test := range map[string]func(*testing.T, string){
		"a perfect extractor loses nothing":     perfectExtractorLosesNothing,
		"hostile answers change nothing":        hostileAnswersChangeNothing,
		"what fails is passed over":             failingModelIsPassedOver,
		"eight processes keep the day's budget": eightProcessesKeepTheBudget,
		"a kill loses and doubles nothing":      killsLoseNothing,
		"nobody's words teach nothing":          nobodysWordsTeachNothing,
		"what memory gave is no news":           saidAgainIsNoNews,
		"work does not pile up":                 workDoesNotPileUp,
		"clients are models":                    clientsAsModels,
	} {
		t.Run(name, func(t *testing.T) { test(t, program) })
	}
}

// teaching is a home in which sessions teach through a model: the built program, its
// hooks as a client calls them, and a server that speaks a real protocol.
type teaching struct {
	t                      *testing.T
	program, user, project string
	path                   string // where programs are found, unless empty
	server                 *llmtest.Server

	mu    sync.Mutex
	asked []inquiry
}

// inquiry is what the server was asked.
type inquiry struct {
	step string // worth, statement, knowledge or relation
	data string // what of the conversation was sent
}

// teach makes the home. settings are lines of the user's configuration.
func teach(t *testing.T, program, wire, settings string, answer func(inquiry) llmtest.Reply) *teaching {
	t.Helper()
	w := &teaching{t: t, program: program, user: t.TempDir()}
	w.enter("p")
	w.server = llmtest.Serve(func(_ int, a llmtest.Asked) llmtest.Reply {
		q, err := readInquiry(a)
		if err != nil {
			t.Error(err)
		}
		w.mu.Lock()
		w.asked = append(w.asked, q)
		w.mu.Unlock()
		return answer(q)
	})
	t.Cleanup(func() {
		w.server.Close()
		w.until("all workers are gone", func() bool { return len(w.workers()) == 0 })
	})
	at := w.server.URL
	if wire == "openai" {
		at += "/v1"
	}
	w.configure(fmt.Sprintf("models: [{name: m, type: %s, model: m1, url: '%s', key_env: TEACH_KEY, timeout: 2s}]\n%s", wire, at, settings))
	return w
}

// configure writes the user's configuration.
func (w *teaching) configure(text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(w.user, ".orihon"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.user, ".orihon", "config.yaml"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// questions are those that were asked so far.
func (w *teaching) questions() []inquiry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// readInquiry reads a question as the Messages API or chat completions word it. Its
// step is told by the form that is asked for.
func readInquiry(a llmtest.Asked) (inquiry, error) {
	var body struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		OutputConfig struct{ Format struct{ Schema form } } `json:"output_config"`
		Format       struct {
			Schema struct{ Schema form } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return inquiry{}, err
	}
	q := inquiry{step: body.OutputConfig.Format.Schema.step() + body.Format.Schema.Schema.step()}
	for _, m := range body.Messages {
		if m.Role != "user" {
			continue
		}
		var blocks []struct{ Text string }
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			if err := json.Unmarshal(m.Content, &blocks); err != nil {
				return q, err
			}
		}
		for _, b := range blocks {
			text += b.Text
		}
		q.data += text
	}
	return q, nil
}

// form is a schema, as far as it tells what is asked.
type form struct{ Properties map[string]any }

func (f form) step() string {
	for property, step := range map[string]string{"keep": "worth", "statement": "statement", "pieces": "knowledge", "relation": "relation", "statements": "phrases"} {
		if f.Properties[property] != nil {
			return step
		}
	}
	return ""
}

// parts are the documents of a question: what is known already, and what it is about.
func (q *inquiry) parts() (known, text string) {
	known, text, told := strings.Cut(q.data, "</orihon-data>\n<orihon-data")
	if !told {
		known, text = "", q.data
	}
	_, text, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "\n</orihon-data>")
	return known, text
}

// replied is an answer with these words.
func replied(v any) llmtest.Reply {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return llmtest.Reply{Text: string(data)}
}

// enter goes to another project.
func (w *teaching) enter(project string) {
	w.t.Helper()
	w.project = filepath.Join(w.user, "src", project)
	if err := os.MkdirAll(w.project, 0o700); err != nil {
		w.t.Fatal(err)
	}
}

// command is the program in the project of this home.
func (w *teaching) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.program, args...)
	cmd.Dir = w.project
	cmd.Env = append(os.Environ(), "HOME="+w.user, "USERPROFILE="+w.user, "ORIHON_USER=mia", "ORIHON_HOME=", "TEACH_KEY=none")
	if w.path != "" {
		cmd.Env = append(cmd.Env, "PATH="+w.path)
	}
	return cmd
}

// run runs it, reads what it prints into v, unless that is nil, and returns it.
func (w *teaching) run(v any, args ...string) string {
	w.t.Helper()
	if v != nil {
		args = append(args, "--json")
	}
	var errs bytes.Buffer
	cmd := w.command(args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err == nil && v != nil {
		err = json.Unmarshal(out, v)
	}
	if err != nil {
		w.t.Fatalf("orihon %v: %v\n%s%s", args, err, out, errs.String())
	}
	return string(out)
}

// hook tells of an event of the client. Whatever a model does, a hook ends well and says
// nothing on stderr.
func (w *teaching) hook(event map[string]any) hookAnswer {
	w.t.Helper()
	event["cwd"] = w.project
	in, err := json.Marshal(event)
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := w.command("hook")
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &errs
	out, err := cmd.Output()
	answer, perr := parseHookAnswer(out, event["hook_event_name"].(string))
	if err != nil || perr != nil || errs.Len() > 0 {
		w.t.Fatalf("hook %v: %v, %v, %s", event["hook_event_name"], err, perr, errs.String())
	}
	return answer
}

// turn is a prompt and its answer.
func (w *teaching) turn(session, id, prompt, answer string) hookAnswer {
	w.t.Helper()
	in := w.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt_id": id, "prompt": prompt})
	w.hook(map[string]any{"hook_event_name": "Stop", "session_id": session, "prompt_id": id, "last_assistant_message": answer})
	return in
}

func (w *teaching) end(session string) {
	w.t.Helper()
	w.hook(map[string]any{"hook_event_name": "SessionEnd", "session_id": session, "reason": "other"})
}

// settle waits until nothing is left to do.
func (w *teaching) settle() {
	w.t.Helper()
	w.until("the work is done", func() bool {
		var jobs []struct{}
		w.run(&jobs, "jobs")
		return len(jobs) == 0
	})
}

func (w *teaching) until(what string, done func() bool) {
	w.t.Helper()
	const patience = 2 * time.Minute // of a machine that is busy
	for start := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > patience {
			w.t.Fatalf("waited %v until %s", patience, what)
		}
	}
}

// kept is what memory holds of what sessions taught, and what waits for a person.
func (w *teaching) kept() (items []memory.Item, waiting []review.Pending) {
	w.t.Helper()
	w.run(&items, "list", "--kind", "semantic,procedural", "--limit", "0")
	w.run(&waiting, "review", "--list")
	return items, waiting
}

// workers are the processes of this home that do what sessions left; none where the
// system does not tell.
func (w *teaching) workers() (pids []int) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range found {
		line, err := os.ReadFile(f)
		if err != nil || !strings.HasPrefix(string(line), w.program+"\x00work") || !strings.Contains(string(line), w.user) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// peeked is what orihon peek tells.
type peeked struct {
	Hot   []session.Entry
	Calls []struct {
		Session, Feature       string
		Payload, Most, Refused int
		Failed                 bool
	}
}
