package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"orihon/internal/jsonl"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
	"orihon/workmem"
)

// The files of a run beside its journal.
const (
	runFile  = "run.json"
	lockFile = "run.lock"
)

// record is run.json: what a run is, as far as its journal does not say it. It
// holds no word of what was said.
type record struct {
	Version      int       `json:"version"`
	Agent        string    `json:"agent"` // its name
	AgentVersion string    `json:"agent_version,omitempty"`
	AgentDir     string    `json:"agent_dir,omitempty"`
	Work         string    `json:"work"`
	ContinueFrom string    `json:"continue_from,omitempty"` // the folder of another run's journal
	Created      time.Time `json:"created"`
}

const recordNow = 1

// Recorded says which agent the run in a folder is of: the agent's name, its
// folder if it has one, and where it works. The error wraps [memory.ErrNotFound]
// where no run of an agent lies.
func Recorded(dir string) (name, agentDir, work string, err error) {
	r, err := readRecord(dir)
	return r.Agent, r.AgentDir, r.Work, err
}

func readRecord(dir string) (record, error) {
	var r record
	data, err := jsonl.ReadFile(filepath.Join(dir, runFile))
	if err != nil {
		return r, fmt.Errorf("run %w: %s has no %s", memory.ErrNotFound, dir, runFile)
	}
	if err := json.Unmarshal(data, &r); err != nil || r.Version != recordNow {
		return r, fmt.Errorf("%w %s: it is of another version, or broken", memory.ErrInvalid, filepath.Join(dir, runFile))
	}
	return r, nil
}

// run is one run of an agent, from its opening to its end.
type run struct {
	o   *Options
	def *Definition

	id, dir string
	unlock  func()
	view    *journal.View
	session Session // nil for none
	builder window.Builder
	notes   *workmem.Store // of the strategy working_memory; nil for none
	tools   *toolbox
	earlier string // the folder of the run that this one continues; empty for none
	system  string
	gauge   gauge

	place    place
	check    func(answer string) error // of the last answer; nil takes all
	strict   bool                      // no answer that fails the check is taken in the end
	prompt   string                    // the id of the last thing the user said
	answer   string
	recalled string // the passages that the last request had, to note only others
	urged    int    // times in a row that the model was told to go on
	shrunk   float64
	status   Status
	known    map[asking]int32 // acknowledged calls by what they ask for
	sentTo   int              // messages of the last request that later ones begin with
	estimate int              // the last request in tokens of ours
	flushing sync.Mutex
	flushed  int            // iterations at the last flush
	folds    int            // at the last flush
	below    used           // by sub-agents
	later    sync.WaitGroup // what goes on beside the loop
}

// used is what sub-agents took that the run's status does not count yet.
type used struct {
	mu    sync.Mutex
	total Status
}

func (u *used) add(s Status) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total.add(llm.Usage{Input: s.Input, Output: s.Output, CacheRead: s.CacheRead}, s.Cost)
}

// take moves it to the status: tokens and money, but no iterations.
func (u *used) take(s *Status) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s.add(llm.Usage{Input: u.total.Input, Output: u.total.Output, CacheRead: u.total.CacheRead}, u.total.Cost)
	u.total = Status{}
}

// say writes what the user says, or what the engine says in the user's place.
// Memory hears of the user's words alone, and writes them by itself.
func (r *run) say(ctx context.Context, text, speaker string) error {
	if r.session != nil && speaker == "" {
		if _, err := r.session.Prompt(ctx, r.prompt, text); err != nil {
			r.notice("memory did not take note of the task: %v", err)
		}
		r.catchUp(ctx)
	}
	return r.write(ctx, journal.UserMessage, r.prompt, journal.Message{Role: journal.RoleUser, Text: r.o.Redact(text), Speaker: speaker})
}

// write appends one event.
func (r *run) write(ctx context.Context, t journal.Type, id string, payload any) error {
	e, err := journal.New(t, id, payload)
	if err != nil {
		return err
	}
	_, err = r.view.Append(ctx, e)
	return err
}

func (r *run) lastSeq() int64 {
	seq, _ := r.view.Journal().Last()
	return seq
}

// catchUp reads what memory wrote into the journal.
func (r *run) catchUp(ctx context.Context) {
	if err := r.view.Update(ctx); err != nil {
		r.o.Logger.Warn("run: journal not read again", "run", r.id, "err", err)
	}
}

// notice tells that something goes on without a part of it.
func (r *run) notice(format string, v ...any) {
	text := r.o.Redact(fmt.Sprintf(format, v...))
	r.o.Logger.Warn("run: "+text, "run", r.id)
	r.o.Observe(Event{Kind: EventNotice, Run: r.id, Text: text})
}

// asking is what a call asks for: a digest of its tool and input. A long run has
// many, so it is no string.
type asking [16]byte

func callKey(tool string, input json.RawMessage) asking {
	return asking([]byte(journal.Digest(tool + "\x00" + string(input))))
}

// key is the idempotency key of a call: of the run, of what it asks for, and of
// how often that was asked for with a known outcome. more are the equal calls
// before it in the same answer.
func (r *run) key(asks asking, more int32) string {
	return journal.Digest(fmt.Sprintf("%s\x00%s\x00%d", r.id, asks[:], r.known[asks]+more))
}
