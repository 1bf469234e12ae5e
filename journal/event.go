package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Event is one line of a journal.
type Event struct {
	Seq  int64     `json:"seq"`
	TS   time.Time `json:"ts"`
	Iter int       `json:"iter"`
	Type Type      `json:"type"`
	// ID is the tool-use id, message id, prompt id or uuid the event came with.
	// Together with Type it is the event's identity; an event without ID is
	// always a new one.
	ID string `json:"id,omitempty"`
	// Payload is one of the payload structs as JSON, or a reference into io/:
	// [Journal.Decode] reads both.
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Type says what an event tells of, and which payload it has.
type Type string

// The types, with their payloads. Readers pass over types they do not know.
const (
	RunStarted       Type = "RUN_STARTED"       // Run
	UserMessage      Type = "USER_MESSAGE"      // Message
	Thought          Type = "THOUGHT"           // Message
	AssistantMessage Type = "ASSISTANT_MESSAGE" // Message
	ActionRequest    Type = "ACTION_REQUEST"    // Action
	ActionResult     Type = "ACTION_RESULT"     // Result
	Fold             Type = "FOLD"              // the folding's own
	Unfold           Type = "UNFOLD"            // the folding's own
	Bookmark         Type = "BOOKMARK"          // Message
	Recalled         Type = "RECALL"            // Recall
	Summary          Type = "SUMMARY"           // Message
	Compacted        Type = "COMPACTION"        // Compaction
	ContextBuilt     Type = "CONTEXT_BUILT"     // the builder's own
	Report           Type = "REPORT"            // Message
	RunEnded         Type = "RUN_ENDED"         // Run
)

// Types lists the types, in the order in which a run comes to have them.
func Types() []Type {
	return []Type{
		RunStarted, UserMessage, Thought, AssistantMessage, ActionRequest, ActionResult, Fold, Unfold,
		Bookmark, Recalled, Summary, Compacted, ContextBuilt, Report, RunEnded,
	}
}

// Message is something said or thought.
type Message struct {
	Role    string `json:"role,omitempty"`
	Text    string `json:"text"`
	Speaker string `json:"speaker,omitempty"` // who, when it is not the session's user
	Model   string `json:"model,omitempty"`
	// Reasoning tells a model's thinking from what it said on the way; both
	// are THOUGHT. Signature is the provider's seal on it.
	Reasoning bool   `json:"reasoning,omitempty"`
	Signature string `json:"signature,omitempty"`
	// Sealed says that the provider shows none of the thinking: Signature holds it.
	Sealed bool `json:"sealed,omitempty"`
	// Was is the digest of the words before some of them were purged, by which a
	// transcript that still has them is known to tell this message again.
	Was string `json:"was,omitempty"`
}

// Action is a tool call. Input stays byte for byte as the model wrote it.
type Action struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input,omitempty"`
	Files []string        `json:"files,omitempty"`
}

// Result is what a tool answered; its event has the ID of the request.
type Result struct {
	Tool       string   `json:"tool"`
	Output     string   `json:"output,omitempty"`
	Error      bool     `json:"error,omitempty"`
	Files      []string `json:"files,omitempty"`
	DurationMS int64    `json:"duration_ms,omitempty"`
}

// Recall says which passages were put into the context.
type Recall struct {
	Query    string   `json:"query,omitempty"`
	Passages []string `json:"passages,omitempty"` // their IDs
	Tokens   int      `json:"tokens,omitempty"`
}

// Compaction tells that a client replaced its context by a summary.
type Compaction struct {
	Trigger string `json:"trigger,omitempty"` // "auto" or "manual"
	Summary string `json:"summary,omitempty"`
}

// SourceImport is the [Run] source of a session that was not followed but taken
// in from elsewhere. What is said in it is believed like any import.
const SourceImport = "import"

// Run describes the beginning or the end of a run.
type Run struct {
	Source string `json:"source,omitempty"` // how it began: "startup", "resume", "import" …
	CWD    string `json:"cwd,omitempty"`
	Branch string `json:"branch,omitempty"`
	Client string `json:"client,omitempty"`
	Reason string `json:"reason,omitempty"` // why it ended
}

// New makes an event of a payload; Append gives it its place. It fails with
// [memory.ErrInvalid] when the payload cannot be written as JSON.
func New(t Type, id string, payload any) (Event, error) {
	e := Event{Type: t, ID: id}
	if payload == nil {
		return e, nil
	}
	var err error
	if a, ok := payload.(Action); ok && a.Input != nil {
		e.Payload, err = encodeAction(a)
	} else {
		e.Payload, err = jsonl.Encode(payload)
	}
	if err != nil {
		return Event{}, fmt.Errorf("%w payload of %s %s: %w", memory.ErrInvalid, t, id, err)
	}
	return e, nil
}

// encodeAction writes the input in by hand: the encoder would change its
// whitespace.
func encodeAction(a Action) ([]byte, error) {
	input := a.Input
	if !json.Valid(input) {
		return nil, errors.New("the tool input is not JSON")
	}
	a.Input = nil
	rest, err := jsonl.Encode(a)
	if err != nil {
		return nil, err
	}
	out := append(rest[:len(rest)-1:len(rest)-1], `,"input":`...)
	return append(append(out, input...), '}'), nil
}

// encode writes the event as a line, without the newline.
func encode(e Event) ([]byte, error) {
	payload := e.Payload
	e.Payload = nil
	line, err := jsonl.Encode(e)
	if err != nil || payload == nil {
		return line, err
	}
	line = append(line[:len(line)-1], `,"payload":`...)
	return append(append(line, payload...), '}'), nil
}

func cleanAll(events []Event) ([]Event, error) {
	out := make([]Event, len(events))
	for i, e := range events {
		var err error
		if out[i], err = clean(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// clean checks an event before it is appended and gives it the form in which it
// comes back from disk.
func clean(e Event) (Event, error) {
	if e.Type == "" {
		return e, fmt.Errorf("%w event %q: no type", memory.ErrInvalid, e.ID)
	}
	e.ID = strings.ToValidUTF8(e.ID, "\ufffd")
	if len(e.Payload) == 0 {
		e.Payload = nil
		return e, nil
	}
	if !json.Valid(e.Payload) {
		return e, fmt.Errorf("%w event %s %q: the payload is not JSON", memory.ErrInvalid, e.Type, e.ID)
	}
	// Outside strings JSON may hold line breaks; a line may not.
	if bytes.ContainsAny(e.Payload, "\r\n") {
		var b bytes.Buffer
		if err := json.Compact(&b, e.Payload); err != nil {
			return e, fmt.Errorf("%w event %s %q: %w", memory.ErrInvalid, e.Type, e.ID, err)
		}
		e.Payload = b.Bytes()
	}
	return e, nil
}

// parse reads a line. The event shares no memory with it.
func parse(line []byte) (Event, error) {
	e, payload, ok := parseHead(line)
	if ok && inRange(e) && (payload == nil || valid(payload)) {
		e.Payload = bytes.Clone(payload)
		return e, nil
	}
	e = Event{}
	if err := json.Unmarshal(line, &e); err != nil {
		return Event{}, err
	}
	if !inRange(e) {
		return Event{}, errors.New("no event: seq, iter or type is missing or out of range")
	}
	return e, nil
}

// inRange leaves room to count on from a line that somebody else wrote.
func inRange(e Event) bool {
	return e.Seq > 0 && e.Seq < 1<<53 && e.Iter >= 0 && e.Iter < 1<<30 && e.Type != ""
}

// parseHead reads a line as [encode] writes it, several times as fast as the
// decoder. It does not look into the payload, which points into line. It is not
// ok when the line is written in any other way.
func parseHead(line []byte) (e Event, payload []byte, ok bool) {
	rest, found := bytes.CutPrefix(line, []byte(`{"seq":`))
	if !found {
		return e, nil, false
	}
	digits, rest, found := bytes.Cut(rest, []byte(`,"ts":"`))
	seq, number := parseNumber(digits)
	if !found || !number {
		return e, nil, false
	}
	ts, rest, found := bytes.Cut(rest, []byte(`","iter":`))
	if !found {
		return e, nil, false
	}
	if e.TS.UnmarshalText(ts) != nil {
		return e, nil, false
	}
	digits, rest, found = bytes.Cut(rest, []byte(`,"type":"`))
	iter, number := parseNumber(digits)
	if !found || !number {
		return e, nil, false
	}
	e.Seq, e.Iter = seq, int(iter)
	typ, rest, found := bytes.Cut(rest, []byte{'"'})
	if !found || !plain(typ) || len(typ) == 0 {
		return e, nil, false
	}
	e.Type = Type(typ)
	if after, has := bytes.CutPrefix(rest, []byte(`,"id":"`)); has {
		id, after, found := bytes.Cut(after, []byte{'"'})
		if !found || !plain(id) {
			return e, nil, false
		}
		e.ID, rest = string(id), after
	}
	if after, has := bytes.CutPrefix(rest, []byte(`,"payload":`)); has {
		if len(after) < 2 || after[len(after)-1] != '}' {
			return e, nil, false
		}
		return e, after[:len(after)-1], true
	}
	return e, nil, string(rest) == "}"
}

// parseNumber reads a whole number as JSON writes it, of at most 9 digits.
func parseNumber(digits []byte) (n int64, ok bool) {
	if len(digits) == 0 || len(digits) > 9 || (digits[0] == '0' && len(digits) > 1) {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// plain reports whether the bytes of a JSON string mean themselves.
func plain(s []byte) bool {
	for _, c := range s {
		if c < 0x20 || c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// Digest is a short name for a text: 16 hex digits of its SHA-256.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:digestSize])
}

// digestSize is that of a [Digest], in bytes.
const digestSize = 8

// AnswerID is the identity of an answer that comes without one: the same words to
// the same prompt, told by a hook or by a transcript, are one event. Where the prompt
// has no name either, [NthID] tells the turns apart.
func AnswerID(prompt, text string) string {
	return "said:" + Digest(prompt+"\x00"+strings.TrimSpace(text))
}

// NthID is the identity of what is said in the same words for the nth time in a
// session, where nothing but the words names it.
func NthID(id string, n int) string {
	if n < 2 {
		return id
	}
	return fmt.Sprintf("%s#%d", id, n)
}
