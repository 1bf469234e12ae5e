package mcp

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orihon/memory"
)

// types are the words by which callers name what an item is: its topic, or its
// kind where that says more.
var types = []struct {
	name  string
	topic memory.Topic
	kind  memory.Kind
}{
	{"fact", memory.Fact, ""},
	{"decision", memory.Decision, ""},
	{"preference", memory.Preference, ""},
	{"pitfall", memory.Pitfall, ""},
	{"procedure", memory.Procedure, ""},
	{"architecture", memory.Architecture, ""},
	{"episode", "", memory.Episodic},
	{"note", "", memory.Note},
}

func typeNames() []string {
	out := make([]string, len(types))
	for i := range types {
		out[i] = types[i].name
	}
	return out
}

// parseType reads what an item is; empty leaves both open.
func parseType(name string) (topics []memory.Topic, kinds []memory.Kind, err error) {
	if name == "" {
		return nil, nil, nil
	}
	for i := range types {
		if t := &types[i]; t.name == name {
			if t.topic != "" {
				return []memory.Topic{t.topic}, nil, nil
			}
			return nil, []memory.Kind{t.kind}, nil
		}
	}
	return nil, nil, fmt.Errorf("%w type %q: want one of %s", memory.ErrInvalid, name, strings.Join(typeNames(), ", "))
}

// parseTopic reads what an agent says that an item is; empty leaves it open.
func parseTopic(name string) (memory.Topic, error) {
	topics, kinds, err := parseType(name)
	if len(kinds) > 0 {
		err = fmt.Errorf("%w type %q: agents save facts, decisions, preferences, pitfalls, procedures and architecture", memory.ErrInvalid, name)
	}
	if err != nil || len(topics) == 0 {
		return "", err
	}
	return topics[0], nil
}

// parseScopes reads the scope that is asked for, of those that a viewer may see;
// none is all of them.
func parseScopes(name string, v memory.Viewer) ([]memory.Scope, error) {
	switch name {
	case "":
		return nil, nil
	case "personal":
		name = string(memory.Personal(v.User))
	}
	scope, err := memory.ParseScope(name)
	if err != nil {
		return nil, err
	}
	for _, visible := range v.Scopes() {
		if visible == scope {
			return []memory.Scope{scope}, nil
		}
	}
	return nil, fmt.Errorf("scope %s: %w: it is not this user's to see", scope, memory.ErrRefused)
}

// parseSpan reads two dates; a day that ends a span counts whole.
func parseSpan(since, until string) (from, to time.Time, err error) {
	if from, _, err = parseTime(since); err != nil {
		return from, to, err
	}
	to, day, err := parseTime(until)
	if day {
		to = to.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	if err == nil && !to.IsZero() && from.After(to) {
		err = fmt.Errorf("%w span: since %s is later than until %s", memory.ErrInvalid, since, until)
	}
	return from, to, err
}

func parseTime(s string) (at time.Time, day bool, err error) {
	if s == "" {
		return at, false, nil
	}
	if at, err = time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return at, true, nil
	}
	if at, err = time.Parse(time.RFC3339, s); err == nil {
		return at, false, nil
	}
	return at, false, fmt.Errorf("%w date %q: want YYYY-MM-DD or RFC 3339", memory.ErrInvalid, s)
}

// cursor is the last item of a page: the next one begins behind it, whatever was
// added meanwhile.
type cursor struct {
	at time.Time // when the item was created
	id string
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.at.UTC().Format(time.RFC3339Nano) + " " + c.id))
}

func parseCursor(s string) (c cursor, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		stamp, id, _ := strings.Cut(string(raw), " ")
		c.id = id
		c.at, err = time.Parse(time.RFC3339Nano, stamp)
	}
	if err != nil || c.id == "" {
		return cursor{}, fmt.Errorf("%w cursor: give the next_cursor of the page before as it is", memory.ErrInvalid)
	}
	return c, nil
}

// parsePlace reads a place in a session as search shows it: <session>/<event>.
func parsePlace(s string) (session string, seq int64, err error) {
	i := strings.LastIndexByte(s, '/')
	if i > 0 {
		seq, err = strconv.ParseInt(s[i+1:], 10, 64)
	}
	if i <= 0 || err != nil || seq < 1 {
		return "", 0, fmt.Errorf("%w place %q: want <session>/<event>, as a hit shows it", memory.ErrInvalid, s)
	}
	return s[:i], seq, nil
}
