package apiclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Error is a server's refusal, or an answer that cannot be used.
type Error struct {
	Host    string
	Status  int    // of HTTP
	Message string // one line: what the server said, else what is wrong
	// RetryAfter is how long the server asks to wait; 0 when it does not say.
	RetryAfter time.Duration
	// Lasting says that the same request will get the same: another address, a
	// page for people, more than is read.
	Lasting bool
}

// Error is one line.
func (e *Error) Error() string {
	if e.Status == http.StatusOK {
		return e.Host + ": " + e.Message
	}
	words := cmp.Or(e.Message, strings.ToLower(http.StatusText(e.Status)))
	return fmt.Sprintf("%s answered %d: %s", e.Host, e.Status, words)
}

// statusOverloaded is what some servers answer in place of 503.
const statusOverloaded = 529

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	return slices.Contains([]int{
		http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded,
	}, e.Status)
}

// Bounds of what is taken over of a refusal.
const (
	maxRefusal = 16 << 10 // bytes read
	maxMessage = 200      // characters kept
)

func (c *Client) refusal(resp *http.Response) error {
	e := &Error{Host: c.base.Host, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header)}
	e.Lasting = resp.StatusCode/100 == 3
	if at := resp.Header.Get("Location"); e.Lasting && at != "" {
		if u, err := resp.Request.URL.Parse(at); err == nil {
			e.Message = fmt.Sprintf("it points to %s; write that address into the configuration if it is right", c.clean(u.Redacted()))
			return e
		}
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	e.Message = c.quoteRefusal(text)
	return e
}

// quoteRefusal finds the words for a person in a refusal. The common shapes are
// {"error": "…"}, {"error": {"message": "…"}}, {"message": "…"} and
// {"detail": "…"}; of a page only its title is worth telling.
func (c *Client) quoteRefusal(text []byte) string {
	var shape struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(text, &shape) == nil {
		for _, raw := range []json.RawMessage{shape.Error, shape.Message, shape.Detail} {
			var inner struct{ Message string }
			var words string
			if json.Unmarshal(raw, &words) == nil && words != "" {
				return c.clean(words)
			}
			if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
				return c.clean(inner.Message)
			}
		}
	}
	return c.quote(text)
}

// page reports whether a text is a page for people.
func page(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) }

// quote is the beginning of any text as one line, of a page its title.
func (c *Client) quote(text []byte) string {
	if trimmed := bytes.TrimSpace(text); page(text) {
		low := bytes.ToLower(trimmed)
		from := bytes.Index(low, []byte("<title>"))
		if from < 0 {
			return "a web page"
		}
		from += len("<title>")
		if to := bytes.Index(low[from:], []byte("<")); to >= 0 && len(low) == len(trimmed) {
			return "a web page, " + c.clean(string(trimmed[from:from+to]))
		}
		return "a web page"
	}
	return c.clean(string(text))
}

// clean makes one short line of foreign words and takes the key out, which
// some servers repeat.
func (c *Client) clean(s string) string {
	s = strings.ToValidUTF8(s, "")
	if c.o.Key != "" {
		s = strings.ReplaceAll(s, c.o.Key, "[key]")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxMessage {
		s = string(r[:maxMessage]) + "…"
	}
	return s
}

// retryAfter reads the header in seconds or as a date (RFC 9110, 10.2.3). A
// date is compared with the server's own clock.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= 7*24*3600 {
		return time.Duration(n) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}
