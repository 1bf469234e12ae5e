package session

import (
	"encoding/json"
	"slices"
	"time"
)

// Status is where a session stands.
type Status string

// The statuses. An event brings an ended session back to working, so
// that what is queued in it is not lost.
const (
	Working Status = "working"
	Ended   Status = "ended"
)

// Bounds of the lists in a state; the oldest entries go first.
const (
	MaxFiles  = 500
	MaxVCS    = 10
	maxTopics = 100
	maxTasks  = 64
)

// What is derived from a session's journal lies beside it, and may be deleted at will:
// what was done, request by request, for looking things up and for reading.
const (
	RecordName = "requests.json"
	PageName   = "session.md"
	// ObservationsName is what was done with tools and how it went, as habits are
	// looked for in it.
	ObservationsName = "observations.jsonl.gz"
)

// Head is what sessions know of one another: the small part of a [State].
type Head struct {
	Version int       `json:"version"`
	ID      string    `json:"id"` // as the client names it
	Client  string    `json:"client,omitempty"`
	CWD     string    `json:"cwd,omitempty"`
	Branch  string    `json:"branch,omitempty"`
	Process           // the client's own process
	Created time.Time `json:"created"`
	Last    time.Time `json:"last_event"`
	Status  Status    `json:"status"`
	Prompts int       `json:"prompts,omitempty"`

	Pending []string `json:"pending,omitempty"` // work left for a detached process
	// Guard is what the guardian remembers, in a form of its own.
	Guard json.RawMessage `json:"guard,omitempty"`
}

// State is what is known of one session while it runs.
type State struct {
	Head

	// Injected is what stands in the window: passage ID to hash of its text.
	Injected map[string]string `json:"injected,omitempty"`
	// InjectedTokens counts the whole session, compactions included: the cap
	// is on what a session spends.
	InjectedTokens int `json:"injected_tokens,omitempty"`
	// Advices counts how often actions were told what memory knows since the
	// prompt of number AdvicesAt.
	Advices   int `json:"advices,omitempty"`
	AdvicesAt int `json:"advices_at,omitempty"`
	// Tasks are the calls whose sub-agent has started, latest last.
	Tasks []string `json:"tasks,omitempty"`
	// Changes are the items that prompts seem to change, by the place of the prompt in
	// the journal, latest last.
	Changes []Change `json:"changes,omitempty"`
	// Kept are the items that prompts brought into memory, by the place of the prompt in
	// the journal, latest last.
	Kept []Change `json:"kept,omitempty"`
	// Script is the Chinese script that the user wrote last, if any: "zh-Hant", "zh-Hans".
	Script string `json:"script,omitempty"`
	// Latest are the latest prompts, but those that are not kept, latest last.
	Latest []Prompted `json:"latest,omitempty"`
	// BlindTopics are the topics of which it was said that nothing is known.
	BlindTopics []string `json:"blind_topics,omitempty"`

	FilesRead    []string       `json:"files_read,omitempty"`    // without repeats, latest last
	FilesChanged map[string]int `json:"files_changed,omitempty"` // path to number of edits
	VCS          []string       `json:"vcs,omitempty"`           // questions put to git or svn

	// Boundary is the journal's sequence number at the last compaction,
	// Answered the one after which the window was last given what it lost.
	Boundary int64 `json:"boundary,omitempty"`
	Answered int64 `json:"answered,omitempty"`

	HeardOffset   int64 `json:"heard_offset,omitempty"`   // bytes of the client's transcript that were read for what the agent said
	LoggedOffset  int64 `json:"logged_offset,omitempty"`  // bytes of the journal that are in the daily log
	NoticedOffset int64 `json:"noticed_offset,omitempty"` // bytes of the journal that were looked through for facts
	// Episodes are the items that tell of its requests, by the place of the request
	// in the journal; EpisodeID the one that older versions wrote of all of it.
	Episodes  map[int64]Episode `json:"episodes,omitempty"`
	EpisodeID string            `json:"episode_id,omitempty"`
	Failures  []string          `json:"failures,omitempty"`   // the items of what failed that were written or confirmed
	JudgedSeq int64             `json:"judged_seq,omitempty"` // up to here it is known which injected passages were used
	Extracted Extracted         `json:"extracted,omitzero"`
	// Unmined counts the calls since habits were looked for last.
	Unmined int `json:"unmined,omitempty"`

	// Overview is a digest of the overview that the agent keeps, OverviewAt the prompt
	// before which it was written.
	Overview   string `json:"overview,omitempty"`
	OverviewAt int    `json:"overview_at,omitempty"`
	// Purged is when something was last purged while the session ran, or from what is
	// known of it. What a client's transcript tells of the time before is not taken in.
	Purged time.Time `json:"purged,omitzero"`
	// FillLevel is how full the agent was last told that its window is.
	FillLevel int `json:"fill_level,omitempty"`
}

// Extracted is how far language models have read the session, in bytes of its
// journal.
type Extracted struct {
	Said    int64     `json:"said,omitempty"`   // what the user stated by the way
	Tokens  int       `json:"tokens,omitempty"` // of the user's words that they read for that
	Quick   int64     `json:"quick,omitempty"`  // answers, one by one
	Turns   int64     `json:"turns,omitempty"`  // stretches of the conversation
	TurnsAt time.Time `json:"turns_at,omitzero"`
	Whole   int64     `json:"whole,omitempty"`   // all of it, when the session ended
	Asked   int       `json:"asked,omitempty"`   // how many pieces a person is asked about
	Phrased []string  `json:"phrased,omitempty"` // the items for which phrases were asked for
}

// Episode is an item that tells of a request.
type Episode struct {
	ID     string `json:"id"`
	Digest string `json:"digest,omitempty"` // of what it says; empty until it is written
}

// Told notes that an item tells of a request.
func (s *State) Told(request int64, id, digest string) {
	if s.Episodes == nil {
		s.Episodes = make(map[int64]Episode)
	}
	s.Episodes[request] = Episode{ID: id, Digest: digest}
}

// Touch notes an event: the session is alive.
func (s *Head) Touch(now time.Time) {
	if now.After(s.Last) {
		s.Last = now.UTC()
	}
	s.Status = Working
}

// AnyText is the hash of a passage of which the window holds what counts, whatever its
// text is.
const AnyText = ""

// Seen reports whether a passage stands in the window, unchanged.
func (s *State) Seen(passage, hash string) bool {
	have, ok := s.Injected[passage]
	return ok && (have == hash || have == AnyText)
}

// Inject notes that passages (ID to hash) entered the window for so many
// tokens.
func (s *State) Inject(passages map[string]string, tokens int) {
	if s.Injected == nil {
		s.Injected = make(map[string]string, len(passages))
	}
	for id, hash := range passages {
		s.Injected[id] = hash
	}
	s.InjectedTokens += max(0, tokens)
}

// InWindow names a passage in the window of a sub-agent among those injected; of
// no sub-agent it is the passage itself.
func InWindow(agent, passage string) string {
	if agent == "" {
		return passage
	}
	return "agent " + agent + " " + passage
}

// Advised is how often actions were told something since the last prompt.
func (s *State) Advised() int {
	if s.AdvicesAt != s.Prompts {
		return 0
	}
	return s.Advices
}

// Advise notes that an action is told something.
func (s *State) Advise() { s.Advices, s.AdvicesAt = s.Advised()+1, s.Prompts }

// Started reports whether the sub-agent of a call has started.
func (s *State) Started(call string) bool { return slices.Contains(s.Tasks, call) }

// Start notes that it has.
func (s *State) Start(call string) { s.Tasks = last(append(s.Tasks, call), maxTasks) }

// Blind reports whether it is news that nothing is known of a topic, and
// remembers that it was said.
func (s *State) Blind(topic string) bool {
	if slices.Contains(s.BlindTopics, topic) {
		return false
	}
	s.BlindTopics = last(append(s.BlindTopics, topic), maxTopics)
	return true
}

// Compacted notes that the window was emptied, by a compaction or by the user,
// when the journal had reached boundary. What stood in the window may be
// injected again. It reports false for a boundary that is already known, since
// clients send the events around a compaction several times.
func (s *State) Compacted(boundary int64) bool {
	if boundary <= s.Boundary {
		return false
	}
	s.Boundary = boundary
	clear(s.Injected)
	s.BlindTopics = nil
	return true
}

// Answer reports whether the window still has to be given what the last
// compaction took, and notes that it is.
func (s *State) Answer() bool {
	if s.Answered >= s.Boundary {
		return false
	}
	s.Answered = s.Boundary
	return true
}

// Later leaves work for a detached process; the same work is left once.
func (s *Head) Later(work ...string) {
	for _, w := range work {
		if !slices.Contains(s.Pending, w) {
			s.Pending = append(s.Pending, w)
		}
	}
}

func last[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }
