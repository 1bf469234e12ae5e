package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/redact"
	"orihon/memory"
)

// How a daily log marks what it holds.
const (
	logHeading = "## Conversation Log - "
	logSession = "<!-- session: "
	logUser    = "**USER**:"
	logAgent   = "**AI**:"
)

// LogTurn is one thing said, in a daily log.
type LogTurn struct {
	User bool // by the user, not the agent
	Text string
}

// AppendLog adds a conversation to the daily log of its day, in the first private
// root. A conversation of the same session and time that stands there already
// is left as it is, so that the call may be repeated.
func (s *Store) AppendLog(ctx context.Context, at time.Time, session string, turns []LogTurn) error {
	first := slices.IndexFunc(s.roots, func(r Root) bool { return r.Scope.Private() && !r.Notes })
	if first < 0 {
		return fmt.Errorf("daily log: %w: this space has no private folder", memory.ErrRefused)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("daily log: %w", err)
	}
	defer unlock()
	file := filepath.Join(s.roots[first].Dir, at.Format("2006-01-02")+".md")
	before, err := jsonl.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("daily log: %w", err)
	}
	head := logHeading + at.Format(time.RFC3339) + "\n" + logSession + escapeSession(session) + " -->\n"
	if strings.Contains(string(unixLines(before)), head) {
		return nil
	}
	var b strings.Builder
	b.Write(before)
	if len(before) > 0 {
		b.WriteString(strings.Repeat("\n", 2-min(2, len(before)-len(bytes.TrimRight(before, "\n")))))
	}
	b.WriteString(head)
	for _, t := range turns {
		who := logAgent
		if t.User {
			who = logUser
		}
		fmt.Fprintf(&b, "\n%s %s\n", who, escapeLog(redact.Printable(t.Text)))
	}
	if err := s.replace(file, []byte(b.String())); err != nil {
		return fmt.Errorf("daily log: %w", err)
	}
	return nil
}

// escapeSession writes a session's ID so that it stays within its comment: what
// could end it, or its line, becomes % and two hex digits.
func escapeSession(id string) string {
	var b strings.Builder
	for i := range len(id) {
		if c := id[i]; c < ' ' || c == '%' || c == '>' || c == 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

// unescapeSession reads what escapeSession wrote; what it did not is as it is.
func unescapeSession(s string) string {
	if id, err := url.PathUnescape(s); err == nil {
		return id
	}
	return s
}

// escapeLog keeps what was said from being taken for the log's own marks: a
// backslash goes before a line that looks like one, also before one that was
// escaped already.
func escapeLog(text string) string {
	lines := strings.Split(strings.TrimSpace(string(unixLines([]byte(text)))), "\n")
	for i, l := range lines {
		bare := strings.TrimLeft(l, " \t\\")
		for _, mark := range []string{strings.TrimSpace(logHeading), strings.TrimSpace(logSession), logUser, logAgent} {
			if strings.HasPrefix(bare, mark) {
				lines[i] = `\` + l
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// logPassages are the parts of a daily log that no journal covers.
func (y *catchUp) logPassages(m *markdown, r *reading, day time.Time) []memory.Passage {
	var out []memory.Passage
	for rest := m.lines; len(rest) > 0; {
		n := 1
		for n < len(rest) && !isLogHeading(&rest[n]) {
			n++
		}
		section := rest[:n]
		rest = rest[n:]
		session, at := sectionHead(section)
		if session != "" {
			covered := y.covered(session)
			if r.mark.Covered == nil {
				r.mark.Covered = make(map[string]bool)
			}
			r.mark.Covered[session] = covered
			if covered {
				continue
			}
		}
		it := note(m, r.entry.root)
		it.Metadata.Session = session
		it.Metadata.CreatedAt = at
		if at.IsZero() {
			it.Metadata.CreatedAt = day
		}
		for _, c := range chunks(section, m.item.Title) {
			out = append(out, chunkPassage(it, &r.entry, c, strconv.Itoa(len(out)+1)))
		}
	}
	return out
}

func isLogHeading(l *line) bool {
	return l.class == heading && strings.HasPrefix(l.text, logHeading)
}

// sectionHead reads the heading of a section and the session named below it.
func sectionHead(section []line) (session string, at time.Time) {
	if !isLogHeading(&section[0]) {
		return "", time.Time{}
	}
	// A time that does not parse leaves the day, which is near enough.
	at, _ = time.Parse(time.RFC3339, strings.TrimSpace(section[0].text[len(logHeading):]))
	for i := range section[1:] {
		l := &section[1+i]
		if name, ok := strings.CutPrefix(l.text, logSession); ok && l.class == unseen {
			return unescapeSession(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), "-->"))), at
		}
		if l.class != blank {
			break
		}
	}
	return "", at
}
