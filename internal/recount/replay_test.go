package recount

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var built string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "recount-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if built = os.Getenv("RECOUNT_PROGRAM"); built == "" {
		built = filepath.Join(dir, "orihon.exe")
		if out, err := exec.Command("go", "build", "-o", built, "orihon/cmd/orihon").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build orihon: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// TestEveryEpisodeIsWhatTheTranscriptSays replays a transcript as hooks and holds each
// request and its episode against the count. Played again, it changes nothing.
func TestEveryEpisodeIsWhatTheTranscriptSays(t *testing.T) {
	t.Run("written", func(t *testing.T) { compare(t, "testdata/session.jsonl") })
	t.Run("real", func(t *testing.T) {
		dir := os.Getenv("RECOUNT_TRANSCRIPTS")
		if dir == "" {
			t.Skip("SKIPPED: without RECOUNT_TRANSCRIPTS, a folder of transcripts; each takes minutes")
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%d transcripts in %s: %v", len(files), dir, err)
		}
		for _, f := range files {
			name, _, _ := strings.Cut(filepath.Base(f), ".")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				compare(t, f)
			})
		}
	})
}

// TestKilledHooksLoseNothing kills every second hook somewhere. The end of the session,
// which is told again when it is resumed, finds the rest in the client's transcript.
func TestKilledHooksLoseNothing(t *testing.T) {
	rounds := 2
	if os.Getenv("ORIHON_LONG") != "" {
		rounds = 20
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		p := newPlayer(t, "testdata/session.jsonl")
		p.random = random
		p.play()
		p.random = nil
		p.end()
		p.check(count(p.all))
	}
}

func compare(t *testing.T, file string) {
	p := newPlayer(t, file)
	p.play()
	want := count(p.all)
	p.check(want)
	before := p.kept()
	p.transcript = filepath.Join(p.home, "again.jsonl")
	p.play()
	p.check(want)
	if diff := cmp.Diff(before, p.kept()); diff != "" {
		t.Errorf("a second replay changed (-first +second):\n%s", diff)
	}
	t.Logf("%d requests", len(want))
}

// player plays a transcript to the program as the client does: an event, and then
// the line in the client's own file.
type player struct {
	t                         *testing.T
	home, project, transcript string
	session                   string
	random                    *rand.Rand // kills hooks; nil kills none
	all                       []line
}

func newPlayer(t *testing.T, file string) *player {
	t.Helper()
	p := &player{t: t, home: t.TempDir()}
	p.project, p.transcript = filepath.Join(p.home, "src", "p"), filepath.Join(p.home, "first.jsonl")
	if err := os.MkdirAll(p.project, 0o700); err != nil {
		t.Fatal(err)
	}
	all, err := lines(file)
	if err != nil {
		t.Fatal(err)
	}
	cwd := ""
	for i := range all {
		if cwd == "" {
			cwd = all[i].CWD
		}
		if p.session == "" {
			p.session = all[i].SessionID
		}
	}
	// The session's folder is another one here.
	moved := filepath.Join(p.home, "moved.jsonl")
	var b strings.Builder
	for i := range all {
		raw := strings.ReplaceAll(all[i].raw, cwd, filepath.ToSlash(p.project))
		if all[i].typed() != "" && !strings.Contains(raw, `"promptId"`) {
			// Older clients did not write by what name their hooks know a prompt.
			raw = `{"promptId":"` + all[i].UUID + `",` + raw[1:]
		}
		b.WriteString(raw + "\n")
	}
	if err := os.WriteFile(moved, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if p.all, err = lines(moved); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *player) run(stdin []byte, args ...string) []byte {
	p.t.Helper()
	var errs bytes.Buffer
	cmd := p.command(stdin, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("orihon %v: %v: %s", args, err, errs.String())
	}
	return out
}

func (p *player) command(stdin []byte, args ...string) *exec.Cmd {
	cmd := exec.Command(built, args...)
	cmd.Dir, cmd.Stdin = p.project, bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "HOME="+p.home, "USERPROFILE="+p.home, "ORIHON_HOME="+filepath.Join(p.home, ".orihon"), "ORIHON_USER=mia", "ORIHON_HOOKS_DETACH=false")
	return cmd
}

func (p *player) event(name string, more map[string]any) {
	p.t.Helper()
	more["hook_event_name"], more["session_id"], more["cwd"], more["transcript_path"], more["permission_mode"] = name, p.session, p.project, p.transcript, "default"
	data, err := json.Marshal(more)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.random == nil || p.random.IntN(2) == 0 {
		p.run(data, "hook")
		return
	}
	cmd := p.command(data, "hook")
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	time.Sleep(time.Duration(p.random.IntN(60)) * time.Millisecond)
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

var when = regexp.MustCompile(`"timestamp": ?"[^"]*"`)

func (p *player) play() {
	p.event("SessionStart", map[string]any{"source": "startup"})
	said, prompt := "", ""
	stop := func() {
		if prompt != "" {
			p.event("Stop", map[string]any{"prompt_id": prompt, "stop_hook_active": false, "last_assistant_message": said})
		}
		said = ""
	}
	open := map[string]block{}
	for i := range p.all {
		l := &p.all[i]
		switch {
		case l.Subtype == "compact_boundary":
			p.event("PreCompact", map[string]any{"trigger": "auto"})
			p.event("SessionStart", map[string]any{"source": "compact"})
		case l.IsMeta || l.IsCompactSummary || l.IsSidechain:
		case l.typed() != "":
			// A prompt waits until the calls under way have ended.
			for j := i; j < len(p.all) && len(open) > 0; j++ {
				for _, b := range p.all[j].blocks {
					p.result(&p.all[j], b, open, prompt)
				}
			}
			stop()
			prompt = l.UUID
			p.event("UserPromptSubmit", map[string]any{"prompt": l.typed(), "prompt_id": prompt})
		}
		for _, b := range l.blocks {
			switch {
			case l.IsSidechain:
			case b.Type == "tool_use":
				open[b.ID], said = b, "" // PreToolUse records nothing, and is left out
			case b.Type == "tool_result":
				p.result(l, b, open, prompt)
			case b.Type == "text" && l.Type == "assistant" && !l.IsAPIErrorMessage && l.Message.Model != "<synthetic>":
				said = b.Text
			}
		}
		p.write(when.ReplaceAllString(l.raw, `"timestamp":"`+time.Now().UTC().Format(time.RFC3339Nano)+`"`))
	}
	stop()
	p.end()
}

// end ends the session and does what it left.
func (p *player) end() {
	p.t.Helper()
	p.event("SessionEnd", map[string]any{"reason": "other"})
	if p.random == nil {
		p.run(nil, "work", "--session", p.session, "--transcript", p.transcript)
		p.run(nil, "jobs", "--run")
	}
}

// result tells what came of a call. Of one that the person stopped the client tells
// nothing.
func (p *player) result(l *line, b block, open map[string]block, prompt string) {
	p.t.Helper()
	of, known := open[b.ToolUseID]
	if !known {
		return
	}
	delete(open, b.ToolUseID)
	output := words(b.Content)
	e := map[string]any{"tool_name": of.Name, "tool_input": of.Input, "tool_use_id": b.ToolUseID, "prompt_id": prompt}
	switch c := (call{output: output}); {
	case b.IsError && c.refused():
	case b.IsError:
		e["error"], e["is_interrupt"] = output, false
		p.event("PostToolUseFailure", e)
	default:
		e["tool_response"] = l.ToolUseResult
		if len(l.ToolUseResult) == 0 {
			e["tool_response"] = output
		}
		p.event("PostToolUse", e)
	}
}

func (p *player) write(raw string) {
	p.t.Helper()
	f, err := os.OpenFile(p.transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := f.WriteString(raw + "\n"); err != nil {
		p.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// told is what the program tells of a request.
type told struct {
	Seq           int64
	Changed, Read []struct {
		Name  string
		Times int
	}
	Commands []struct {
		Seq    int64
		Result string
	}
	Failures []struct{ Seq int64 }
	Outcome  string
}

// counted is what is compared of a request, in neither's own words.
type counted struct {
	Changed, Read map[string]int
	Commands      []string // call and result
	Errors        []string // calls
	Outcome       string
	Episodes      int
}

func (p *player) check(want []*request) {
	p.t.Helper()
	var session struct{ Requests []told }
	if err := json.Unmarshal(p.run(nil, "session", "show", p.session, "--json"), &session); err != nil {
		p.t.Fatal(err)
	}
	var items []struct {
		Metadata struct{ Tags, Evidence []string }
	}
	if err := json.Unmarshal(p.run(nil, "list", "--kind", "episodic", "--limit", "0", "--json"), &items); err != nil {
		p.t.Fatal(err)
	}
	episodes := map[string]int{} // by request and outcome
	for _, it := range items {
		for _, e := range it.Metadata.Evidence {
			for _, tag := range it.Metadata.Tags {
				episodes[e+" "+tag]++
			}
		}
	}
	calls := p.calls()
	if len(want) != len(session.Requests) {
		p.t.Fatalf("%d requests, the program says %d", len(want), len(session.Requests))
	}
	for i, w := range want {
		q := session.Requests[i]
		got := counted{Changed: map[string]int{}, Read: map[string]int{}, Outcome: q.Outcome, Episodes: episodes[fmt.Sprintf("%s/%d %s", p.session, q.Seq, q.Outcome)]}
		for _, f := range q.Changed {
			got.Changed[f.Name] = f.Times
		}
		for _, f := range q.Read {
			got.Read[f.Name] = f.Times
		}
		for _, c := range q.Commands {
			got.Commands = append(got.Commands, calls[c.Seq]+" "+c.Result)
		}
		for _, f := range q.Failures {
			got.Errors = append(got.Errors, calls[f.Seq])
		}
		count := counted{Changed: w.changed, Read: w.read, Errors: w.errors, Outcome: w.outcome}
		for _, c := range w.commands {
			count.Commands = append(count.Commands, c.call+" "+c.result)
		}
		// Of calls that run beside one another the order is another in a transcript.
		for _, list := range [][]string{got.Commands, got.Errors, count.Commands, count.Errors} {
			slices.Sort(list)
		}
		if len(w.calls) > 0 {
			count.Episodes = 1
		} else {
			got.Episodes = 0 // where nothing was done, what was said decides
		}
		if diff := cmp.Diff(count, got); diff != "" {
			p.t.Errorf("request %d of %d (-counted +the program):\n%s", i+1, len(want), diff)
		}
	}
}

// calls are the client's names of the events in the session's journal.
func (p *player) calls() map[int64]string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".orihon", "projects", "*", "sessions", p.session, "journal.jsonl"))
	if err != nil || len(files) != 1 {
		p.t.Fatalf("journals %v: %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		p.t.Fatal(err)
	}
	out := map[int64]string{}
	for l := range strings.Lines(string(data)) {
		var e struct {
			Seq int64
			ID  string
		}
		if json.Unmarshal([]byte(l), &e) == nil {
			out[e.Seq] = e.ID
		}
	}
	return out
}

// kept is what memory holds.
func (p *player) kept() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"memory/*.jsonl", "memory/failures/*.jsonl"} {
		files, err := filepath.Glob(filepath.Join(p.home, ".orihon", "projects", "*", pattern))
		if err != nil {
			p.t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				p.t.Fatal(err)
			}
			out[filepath.Base(f)] = string(data)
		}
	}
	return out
}
