package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"orihon/memory"
)

// object is any JSON object. Its methods take the first of several names that
// has a usable value, and never fail.
type object map[string]json.RawMessage

// parseObject fails on everything but an object.
func parseObject(raw []byte) (object, error) {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	return o, nil
}

// text is a string, or a number as it is written.
func (o object) text(names ...string) string {
	for _, name := range names {
		if s := asText(o[name]); strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

func asText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var s string
	switch c := raw[0]; {
	case c == '"':
		_ = json.Unmarshal(raw, &s) // what is no string is no text
		return s
	case c == '-' || c >= '0' && c <= '9':
		return string(raw)
	}
	return ""
}

// contentText is a string, or the texts of parts.
func contentText(raw json.RawMessage) string {
	if s := asText(raw); s != "" {
		return s
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		parts = []json.RawMessage{raw}
	}
	return partsText(parts, "text")
}

// partsText are the texts of parts, each a string or an object with a text under
// one of several names.
func partsText(parts []json.RawMessage, names ...string) string {
	var texts []string
	for _, p := range parts {
		s := asText(p)
		if o, err := parseObject(p); err == nil {
			s = o.text(names...)
		}
		if s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}

// list is the elements of an array.
func (o object) list(names ...string) []json.RawMessage {
	for _, name := range names {
		var list []json.RawMessage
		if json.Unmarshal(o[name], &list) == nil && len(list) > 0 {
			return list
		}
	}
	return nil
}

// texts is an array of strings, also one that is written as a string.
func (o object) texts(names ...string) []string {
	for _, name := range names {
		raw := o[name]
		if s := strings.TrimSpace(asText(raw)); strings.HasPrefix(s, "[") {
			raw = json.RawMessage(s)
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			continue
		}
		var out []string
		for _, e := range list {
			if s := strings.TrimSpace(asText(e)); s != "" {
				out = append(out, s)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

func (o object) object(name string) object {
	in, err := parseObject(o[name])
	if err != nil {
		return nil
	}
	return in
}

func (o object) flag(name string) bool {
	var b bool
	return json.Unmarshal(o[name], &b) == nil && b
}

// number is a finite number, else 0.
func (o object) number(name string) float64 {
	f, err := strconv.ParseFloat(asText(o[name]), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// time is the first of the times that can be read.
func (o object) time(names ...string) time.Time {
	for _, name := range names {
		if t := parseTime(asText(o[name])); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// parseTime reads the ways in which programs write times: RFC 3339 and what
// comes close to it, and seconds or milliseconds since 1970. Without a zone it
// is UTC. What is none, or lies outside the years 1970 to 2200, is zero.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	var t time.Time
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		const firstMillis = 1e11 // as seconds, the year 5138
		if f >= firstMillis {
			f /= 1000
		}
		if f > 0 && f < firstMillis {
			seconds, fraction := math.Modf(f)
			t = time.Unix(int64(seconds), int64(fraction*1e6)*1000)
		}
	} else {
		for _, layout := range []string{
			time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
			"2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", time.DateOnly,
		} {
			if t, err = time.Parse(layout, s); err == nil {
				break
			}
		}
	}
	if t.Year() < 1970 || t.Year() > 2200 {
		return time.Time{}
	}
	return t.UTC()
}

// singular names one of several things.
func singular(s string) string {
	if stem, ok := strings.CutSuffix(s, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(s, "s")
}

// topicOf reads what other programs call the type of an observation.
func topicOf(kind string) memory.Topic {
	switch strings.ToLower(kind) {
	case "decision":
		return memory.Decision
	case "bugfix", "bug", "gotcha", "pitfall", "problem", "mistake", "warning":
		return memory.Pitfall
	case "architecture", "design":
		return memory.Architecture
	case "preference", "feedback":
		return memory.Preference
	case "procedure", "how-to", "howto", "workflow", "how_it_works":
		return memory.Procedure
	}
	return memory.Fact
}

// about puts the subject before a text that does not name it.
func about(subject, text string) string {
	if subject == "" || strings.Contains(strings.ToLower(text), strings.ToLower(subject)) {
		return text
	}
	return subject + ": " + text
}

func numbered(id string, i int) string { return fmt.Sprintf("%s:%d", id, i) }

// tags are the words that are not empty.
func tags(words ...string) []string {
	var out []string
	for _, word := range words {
		if word != "" {
			out = append(out, word)
		}
	}
	return out
}
