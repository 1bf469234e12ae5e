package window

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"orihon/internal/jsonl"
	"orihon/llm"
	"orihon/memory"
)

// Segment is what left a list of messages, for [Reconstruct]: a JSON document
//
//	{"version":1, "compacted":n, "sha256":"…", "messages":[{"kept":i} | {"role":…, "text":…, …}, …]}
//
// with one entry for each message of the list as it was: either its place among
// the n messages of the compacted list, whose hash tells them from others, or
// the message itself. A text that is not UTF-8 stands as {"base64":"…"}.
type Segment struct {
	Name string          `json:"name"` // history/<segment>.json
	Data json.RawMessage `json:"data"`
}

const segmentVersion = 1

type segmentFile struct {
	Version   int             `json:"version"`
	Compacted int             `json:"compacted"`
	SHA256    string          `json:"sha256"`
	Messages  []storedMessage `json:"messages"`
}

type storedMessage struct {
	Kept      *int              `json:"kept,omitempty"`
	Role      llm.Role          `json:"role,omitempty"`
	Text      exact             `json:"text,omitempty"`
	Reasoning []storedReasoning `json:"reasoning,omitempty"`
	Calls     []storedCall      `json:"calls,omitempty"`
	Result    *storedResult     `json:"result,omitempty"`
}

type storedReasoning struct {
	Text      exact `json:"text,omitempty"`
	Signature exact `json:"signature,omitempty"`
}

// storedCall has the input as a text: JSON inside JSON would lose its white
// space.
type storedCall struct {
	ID    exact  `json:"id"`
	Tool  exact  `json:"tool"`
	Input *exact `json:"input,omitempty"`
}

type storedResult struct {
	ID    exact `json:"id"`
	Tool  exact `json:"tool,omitempty"`
	Text  exact `json:"text"`
	Error bool  `json:"error,omitempty"`
}

// exact is a text that survives JSON byte for byte.
type exact string

// MarshalJSON implements [json.Marshaler].
func (s exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return json.Marshal(string(s))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(s))})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *exact) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		var in struct{ Base64 []byte }
		err := json.Unmarshal(raw, &in)
		*s = exact(in.Base64)
		return err
	}
	return json.Unmarshal(raw, (*string)(s))
}

func stored(m Message) storedMessage {
	out := storedMessage{Role: m.Role, Text: exact(m.Text)}
	for _, r := range m.Reasoning {
		out.Reasoning = append(out.Reasoning, storedReasoning{exact(r.Text), exact(r.Signature)})
	}
	for _, c := range m.Calls {
		call := storedCall{ID: exact(c.ID), Tool: exact(c.Tool)}
		if c.Input != nil {
			input := exact(c.Input)
			call.Input = &input
		}
		out.Calls = append(out.Calls, call)
	}
	if r := m.Result; r != nil {
		out.Result = &storedResult{exact(r.ID), exact(r.Tool), exact(r.Text), r.Error}
	}
	return out
}

func (s storedMessage) message() Message {
	out := Message{Role: s.Role, Text: string(s.Text)}
	for _, r := range s.Reasoning {
		out.Reasoning = append(out.Reasoning, Reasoning{Text: string(r.Text), Signature: string(r.Signature)})
	}
	for _, c := range s.Calls {
		call := Call{ID: string(c.ID), Tool: string(c.Tool)}
		if c.Input != nil {
			call.Input = json.RawMessage(*c.Input)
		}
		out.Calls = append(out.Calls, call)
	}
	if r := s.Result; r != nil {
		out.Result = &Result{ID: string(r.ID), Tool: string(r.Tool), Text: string(r.Text), Error: r.Error}
	}
	return out
}

// encodeMessages is the one form of messages that hashes are made of.
func encodeMessages(messages []Message) ([]byte, error) {
	all := make([]storedMessage, len(messages))
	for i, m := range messages {
		all[i] = stored(m)
	}
	return json.Marshal(all)
}

func hashMessages(messages []Message) (string, error) {
	raw, err := encodeMessages(messages)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

const (
	historyDir  = "history/"
	historyName = 16 // hex digits
)

// segmentName names the segment by the messages and how they are compacted.
func segmentName(messages []Message, o CompactOptions) string {
	hash, _ := hashMessages(messages) // strings always encode
	at := o.At(0)
	if at.IsZero() {
		at = o.Now() // which the summary gives in its place
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %g %g %d %d %d", hash, o.Limit, o.Threshold, o.Target, o.KeepTurns, o.KeepCalls, at.Unix()))
	return historyDir + hex.EncodeToString(sum[:])[:historyName] + ".json"
}

// segment is what leads from the compacted list back.
func (c *compaction) segment(compacted []Message) (Segment, error) {
	hash, err := hashMessages(compacted)
	if err != nil {
		return Segment{}, err
	}
	f := segmentFile{Version: segmentVersion, Compacted: len(compacted), SHA256: hash}
	at := 0
	for i, m := range c.whole {
		if c.digest != nil && i == c.systems() {
			at++
		}
		if c.gone[i] {
			f.Messages = append(f.Messages, stored(m))
			continue
		}
		place := at
		at++
		if same(m, c.now[i]) {
			f.Messages = append(f.Messages, storedMessage{Kept: &place})
		} else {
			f.Messages = append(f.Messages, stored(m))
		}
	}
	data, err := json.Marshal(f)
	return Segment{Name: c.ref, Data: data}, err
}

// Reconstruct undoes [Compact], also when messages were appended since and when
// the list was compacted several times. load returns the segment of a name.
// Messages that hold no segment that is theirs come back as they are; a name
// load does not know is passed over, since anybody may write one.
func Reconstruct(messages []Message, load func(name string) ([]byte, error)) ([]Message, error) {
	tried := map[string]bool{}
	for {
		before, err := reconstructOnce(messages, load, tried)
		if err != nil || before == nil {
			return messages, err
		}
		messages = before
	}
}

// reconstructOnce undoes the newest compaction; nil when there is none. Of
// several that hold for the beginning of the list the longest is the newest:
// what was compacted later began with what was there.
func reconstructOnce(messages []Message, load func(string) ([]byte, error), tried map[string]bool) ([]Message, error) {
	var newest *segmentFile
	last := ""
	for _, name := range segmentNames(messages) {
		if tried[name] {
			continue
		}
		data, err := load(name)
		if err != nil {
			continue
		}
		f, ok, err := readSegment(messages, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if ok && (newest == nil || f.Compacted > newest.Compacted) {
			newest, last = f, name
		}
	}
	if newest == nil {
		return nil, nil
	}
	tried[last] = true
	return newest.undo(messages), nil
}

// readSegment reads a segment and reports whether the messages begin with what
// it compacted.
func readSegment(messages []Message, data []byte) (f *segmentFile, ok bool, err error) {
	f = &segmentFile{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, false, fmt.Errorf("%w segment: %w", memory.ErrInvalid, err)
	}
	if f.Version != segmentVersion {
		return nil, false, fmt.Errorf("%w segment: version %d, this program knows %d", memory.ErrInvalid, f.Version, segmentVersion)
	}
	if f.Compacted < 0 || f.Compacted > len(messages) {
		return nil, false, nil
	}
	for _, s := range f.Messages {
		if s.Kept != nil && (*s.Kept < 0 || *s.Kept >= f.Compacted) {
			return nil, false, fmt.Errorf("%w segment: it keeps message %d of %d", memory.ErrInvalid, *s.Kept, f.Compacted)
		}
	}
	hash, err := hashMessages(messages[:f.Compacted])
	return f, hash == f.SHA256, err
}

func (f *segmentFile) undo(messages []Message) []Message {
	var out []Message
	for _, s := range f.Messages {
		if s.Kept != nil {
			out = append(out, messages[*s.Kept])
		} else {
			out = append(out, s.message())
		}
	}
	return append(out, messages[f.Compacted:]...)
}

// segmentNames are the names of segments that stand in messages.
func segmentNames(messages []Message) []string {
	var out []string
	seen := map[string]bool{}
	add := func(text string) {
		for {
			_, rest, ok := strings.Cut(text, historyDir)
			if !ok {
				return
			}
			text = rest
			if len(rest) < historyName+len(".json") || rest[historyName:historyName+5] != ".json" ||
				strings.Trim(rest[:historyName], "0123456789abcdef") != "" {
				continue
			}
			name := historyDir + rest[:historyName] + ".json"
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	for _, m := range messages {
		add(m.Text)
		for _, c := range m.Calls {
			add(string(c.Input))
		}
		if m.Result != nil {
			add(m.Result.Text)
		}
	}
	return out
}

// HistoryDir returns a Store for [CompactOptions] that writes below a folder,
// and the load for [Reconstruct] that reads there.
func HistoryDir(dir string) (store func(name string, data []byte) error, load func(name string) ([]byte, error)) {
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	store = func(name string, data []byte) error {
		if old, err := os.ReadFile(path(name)); err == nil && bytes.Equal(old, data) {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(path(name)), 0o700); err != nil {
			return err
		}
		return jsonl.WriteFile(path(name), data)
	}
	load = func(name string) ([]byte, error) {
		if names := segmentNames([]Message{{Text: name}}); len(names) != 1 || names[0] != name {
			return nil, fmt.Errorf("%w segment name %q", memory.ErrInvalid, name)
		}
		return os.ReadFile(path(name))
	}
	return store, load
}
