package config

import (
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"orihon/memory"
)

// parse reads the value of a key from its text; lists come as several texts.
func (k *Key) parse(texts ...string) (reflect.Value, error) {
	if k.Type == "list" {
		list := slices.Clone(texts)
		for _, s := range list {
			if k.Enum != nil && !slices.Contains(k.Enum, s) {
				return reflect.Value{}, k.complain(s, "want "+strings.Join(k.Enum, ", "))
			}
			if err := k.checkText(s); err != nil {
				return reflect.Value{}, err
			}
		}
		return reflect.ValueOf(list), nil
	}
	text := texts[0]
	if k.check != "raw" { // a prefix ends in a space
		text = strings.TrimSpace(text)
	}
	switch k.Type {
	case "bool":
		switch strings.ToLower(text) {
		case "true", "yes", "on", "1":
			return reflect.ValueOf(true), nil
		case "false", "no", "off", "0":
			return reflect.ValueOf(false), nil
		}
		return reflect.Value{}, k.complain(text, "want true or false")
	case "int":
		n, err := strconv.Atoi(text)
		if err != nil {
			return reflect.Value{}, k.complain(text, "want a whole number")
		}
		lo, hi := number(k.Min), number(k.Max)
		if float64(n) < lo || float64(n) > hi {
			return reflect.Value{}, k.outside(text)
		}
		return reflect.ValueOf(n), nil
	case "number":
		x, err := strconv.ParseFloat(text, 64)
		if percent, ok := strings.CutSuffix(text, "%"); ok && k.share() {
			x, err = strconv.ParseFloat(strings.TrimSpace(percent), 64)
			x /= 100
		}
		if err != nil || math.IsNaN(x) {
			return reflect.Value{}, k.complain(text, "want a number from "+k.Min+" to "+k.Max)
		}
		if x < number(k.Min) || x > number(k.Max) {
			return reflect.Value{}, k.outside(text)
		}
		return reflect.ValueOf(x), nil
	case "duration":
		d, err := duration(text)
		if err != nil {
			return reflect.Value{}, k.complain(text, "want a time such as 90s, 10m or 24h")
		}
		lo, _ := duration(k.Min)
		hi, _ := duration(k.Max)
		if d < lo || d > hi {
			return reflect.Value{}, k.outside(text)
		}
		return reflect.ValueOf(d), nil
	}
	if k.Enum != nil && !slices.Contains(k.Enum, text) {
		return reflect.Value{}, k.complain(text, "want "+strings.Join(k.Enum, ", "))
	}
	if text == "" {
		return reflect.ValueOf(""), nil
	}
	return reflect.ValueOf(text), k.checkText(text)
}

// HookEvents are those that commands of guard.hooks may be for.
var HookEvents = []string{"start", "prompt", "before", "after", "stop"}

// checkText checks a string or one entry of a list.
func (k *Key) checkText(s string) error {
	switch k.check {
	case "name":
		if !memory.ValidName(s) {
			return k.complain(s, "it may hold only letters, digits and . _ - @ +")
		}
	case "glob":
		if s == "" || strings.ContainsAny(s, "\x00\n") || slices.Contains(strings.Split(filepath.ToSlash(s), "/"), "..") {
			return k.complain(s, "want a pattern of paths within the project")
		}
	case "remote":
		host, _, _ := strings.Cut(s, "/")
		if host == "" || !strings.Contains(host, ".") && host != "localhost" || strings.ContainsAny(s, " \t\n\x00:@?#\\*[]") || slices.Contains(strings.Split(s, "/"), "..") {
			return k.complain(s, "want a host, such as github.com, or one with an owner, such as github.com/acme")
		}
	case "path":
		if s == "" || strings.ContainsRune(s, 0) {
			return k.complain(s, "want the path of a folder")
		}
	case "url":
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
			// Not quoted: there may be a password in it.
			return fmt.Errorf("%w %s: want an address such as http://127.0.0.1:11434, without a password", memory.ErrInvalid, k.Name)
		}
	case "env":
		if strings.ContainsFunc(s, func(r rune) bool {
			return r != '_' && !(r >= 'A' && r <= 'Z') && !(r >= 'a' && r <= 'z') && !(r >= '0' && r <= '9')
		}) {
			// Not quoted: it may be the key itself.
			return fmt.Errorf("%w %s: want the name of an environment variable, such as OPENAI_API_KEY, not the key", memory.ErrInvalid, k.Name)
		}
	case "belongs":
		pattern, document, ok := strings.Cut(s, "=")
		if pattern, document = strings.TrimSpace(pattern), strings.TrimSpace(document); !ok || pattern == "" || !filepath.IsLocal(document) || strings.ContainsAny(s, "\x00\n") {
			return k.complain(s, "want a pattern and the document of the project that it belongs to, such as internal/store/** = docs/FORMAT.md")
		}
	case "hook":
		event, command, _ := strings.Cut(s, " ")
		if !slices.Contains(HookEvents, event) || strings.TrimSpace(command) == "" || strings.ContainsAny(s, "\x00\n") {
			return k.complain(s, "want an event ("+strings.Join(HookEvents, ", ")+") and a command, such as stop scripts/check")
		}
	case "command":
		if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\x00\n") {
			return k.complain(s, "want a program and its arguments")
		}
	case "program":
		if s == "" || strings.ContainsRune(s, 0) {
			return k.complain(s, "want a program, a path or an argument")
		}
	case "raw":
		if len(s) > 1000 || strings.ContainsRune(s, 0) {
			return k.complain(s, "want at most 1000 bytes of text")
		}
	}
	return nil
}

func (k *Key) complain(text, want string) error {
	return fmt.Errorf("%w %s %q: %s", memory.ErrInvalid, k.Name, clipped(text), want)
}

// clipped is what a message quotes of a value.
func clipped(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// share reports whether a setting is a part of a whole, which may be given in percent.
func (k *Key) share() bool { return k.Type == "number" && number(k.Max) <= 1 }

func (k *Key) outside(text string) error {
	return k.complain(text, "want "+k.Min+" to "+k.Max)
}

// number reads a bound that stands in a tag.
func number(s string) float64 {
	x, _ := strconv.ParseFloat(s, 64)
	return x
}

// duration reads a time as Go writes it, and whole days.
func duration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 36500 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	return time.ParseDuration(s)
}

// widens says why a project's file may not set the key to v; empty means that
// it may. base is the configuration before the project's file.
func (k *Key) widens(base *Config, v reflect.Value) string {
	was := base.field(k)
	switch k.Project {
	case Anything, Runs:
		if k.Name == hookTypeKey && was.String() == "off" && v.String() != "off" {
			return "you have switched it off"
		}
	case Lower:
		if wider(k, base, v) {
			if k.Type == "bool" {
				return "a project may only switch it off"
			}
			return fmt.Sprintf("a project may only lower it, and you have %s", format(was))
		}
	case Raise:
		if rank(v) < rank(was) {
			return fmt.Sprintf("a project may only raise it, and you have %s", format(was))
		}
	case Unset:
		if was.Len() > 0 {
			return fmt.Sprintf("a project may only set it where you have not, and you have %s", format(was))
		}
	case Add:
		if was.Len() > 0 && slices.ContainsFunc(v.Interface().([]string), func(p string) bool { return strings.HasPrefix(p, "!") }) {
			return "a project may only add to what you have, not take it back with !"
		}
	default:
		return "only your own config.yaml may set it"
	}
	return ""
}

// longer reports whether some prompt gets more with recall.max_tokens set to n:
// zero is no limit but goes by the length of the prompt.
func (c *Config) longer(n int) bool {
	r := &c.Recall
	if r.MaxTokens == 0 {
		return n > min(r.BudgetShort, r.BudgetMedium, r.BudgetLong)
	}
	return n == 0 || n > r.MaxTokens
}

// wider reports whether a value that may only be lowered is above the user's.
func wider(k *Key, base *Config, v reflect.Value) bool {
	if k.Name == "recall.max_tokens" {
		return base.longer(int(v.Int()))
	}
	return bound(k, v) > bound(k, base.field(k))
}

// unbounded are settings of which 0 sets no bound of its own.
var unbounded = []string{"recall.hook_chars", "recall.budget_short", "recall.budget_medium", "recall.budget_long", "spend.daily_tokens", "spend.call_tokens"}

// bound is how much a value lets through.
func bound(k *Key, v reflect.Value) float64 {
	if n := rank(v); n != 0 || !slices.Contains(unbounded, k.Name) {
		return n
	}
	return math.Inf(1)
}

// rank orders the values of a setting.
func rank(v reflect.Value) float64 {
	switch x := v.Interface().(type) {
	case bool:
		if x {
			return 1
		}
		return 0
	case int:
		return float64(x)
	case time.Duration:
		return float64(x)
	case float64:
		return x
	}
	return 0
}
