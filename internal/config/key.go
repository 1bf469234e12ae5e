package config

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"orihon/memory"
)

// Key describes one setting.
type Key struct {
	Name    string // as in "recall.threshold"
	Doc     string
	Type    string // "bool", "int", "number", "string", "duration" or "list"
	Default string // as [Config.Get] writes it
	Enum    []string
	Min     string // least and most, empty without bounds
	Max     string
	Env     string // environment variable
	// Project is what a project's file may do, which somebody else may have
	// written: it may narrow what is read, kept and injected, never widen it.
	Project Allowance

	index []int
	check string
}

// Allowance is what a project's file may do with a setting.
type Allowance string

// The allowances. A setting without one of them is the user's alone.
const (
	OnlyUser Allowance = "no"      // nothing
	Lower    Allowance = "lower"   // lower the user's value, or switch it off
	Raise    Allowance = "raise"   // raise the user's value
	Unset    Allowance = "unset"   // set it where the user has not
	Add      Allowance = "add"     // add to the user's list, and take nothing back
	Runs     Allowance = "program" // name a program, once the person accepted it by content
	Offering Allowance = "offer"   // offer commands, which run only once the person has accepted them
	Anything Allowance = "any"     // set it: it widens nothing, whatever it is
)

// Keys lists every setting, in the order of [Config].
func Keys() []Key {
	keys, def := slices.Clone(allKeys()), Default()
	for i := range keys {
		keys[i].Default, keys[i].Doc = format(def.field(&keys[i])), descriptions()[keys[i].Name]
	}
	return keys
}

//go:embed settings.txt
var settingLines string

// descriptions are what each setting does, by its name.
var descriptions = sync.OnceValue(func() map[string]string {
	out := make(map[string]string, 256)
	for line := range strings.Lines(settingLines) {
		if name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && line[0] != '#' {
			out[name] = text
		}
	}
	return out
})

// allKeys are the keys without their defaults and descriptions, which only listings
// show.
var allKeys = sync.OnceValue(func() []Key { return keysOf(settings()) })

// settings are all settings, as far as it takes to find them.
var settings = sync.OnceValue(func() []setting {
	out := make([]setting, 0, 256)
	walk(reflect.TypeFor[Config](), "", nil, &out)
	return out
})

// setting is where a setting stands; [setting.key] reads the rest out of its tag.
type setting struct {
	name  string
	kind  reflect.Type
	tag   reflect.StructTag
	index []int
}

func walk(t reflect.Type, prefix string, index []int, out *[]setting) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "" {
			continue
		}
		at := append(slices.Clip(index), i)
		if f.Type.Kind() == reflect.Struct {
			walk(f.Type, prefix+name+".", at, out)
			continue
		}
		*out = append(*out, setting{prefix + name, f.Type, f.Tag, at})
	}
}

// env is the variable of the environment that sets it: a name in small letters, of
// which a hook asks for all.
func (s *setting) env() string {
	var room [64]byte
	env := append(room[:0], "ORIHON_"...)
	for i := range len(s.name) {
		switch c := s.name[i]; {
		case c == '.':
			env = append(env, '_')
		case 'a' <= c && c <= 'z':
			env = append(env, c-'a'+'A')
		default:
			env = append(env, c)
		}
	}
	return string(env)
}

func (s *setting) key() Key {
	k := Key{
		Name: s.name, Type: typeName(s.kind), Env: s.env(),
		Project: Allowance(s.tag.Get("project")), index: s.index, check: s.tag.Get("check"),
	}
	if e := s.tag.Get("enum"); e != "" {
		k.Enum = strings.Split(e, ",")
	}
	k.Min, k.Max, _ = strings.Cut(s.tag.Get("range"), "..")
	return k
}

func keysOf(settings []setting) []Key {
	out := make([]Key, len(settings))
	for i := range settings {
		out[i] = settings[i].key()
	}
	return out
}

func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "duration"
	case t.Kind() == reflect.Slice:
		return "list"
	case t.Kind() == reflect.Float64:
		return "number"
	}
	return t.Kind().String()
}

// findKey gives the key of a name, or nil.
func findKey(name string) *Key {
	all := settings()
	for i := range all {
		if all[i].name == name {
			k := all[i].key()
			return &k
		}
	}
	return nil
}

// section reports whether keys start with this name.
func section(name string) bool {
	return slices.ContainsFunc(settings(), func(s setting) bool { return strings.HasPrefix(s.name, name+".") })
}

func (c *Config) field(k *Key) reflect.Value {
	return reflect.ValueOf(c).Elem().FieldByIndex(k.index)
}

// Get is the value of a key as it may be written in a file. An unknown key
// wraps [memory.ErrNotFound].
func (c *Config) Get(name string) (string, error) {
	k := findKey(name)
	if k == nil {
		return "", fmt.Errorf("%w: %s", memory.ErrNotFound, unknown(name))
	}
	return format(c.field(k)), nil
}

// Origin says where the value of a key comes from: "default", "file:line",
// "environment ORIHON_…" or "flag".
func (c *Config) Origin(name string) string {
	if o, ok := c.origin[name]; ok {
		return o
	}
	return "default"
}

func format(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		s := x.String()
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
		return s
	case []string:
		return strings.Join(x, ",")
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	default:
		return fmt.Sprint(x)
	}
}

// Settings that other code knows by name.
const (
	optionsKey    = "context_builder.options."
	pluginPathKey = "context_builder.plugin_path"
	hookTypeKey   = "context_builder.hook.type"
	hookKey       = "context_builder.hook.command"
)

// optionOf is a key's name under context_builder.options; empty for any other.
func optionOf(key string) string {
	if name, ok := strings.CutPrefix(key, optionsKey); ok {
		return name
	}
	return ""
}

// unknown words the complaint about a key nobody knows.
func unknown(name string) string {
	text := fmt.Sprintf("unknown key %q", name)
	switch near := nearest(name); {
	case name == "context_builder.plugin_options":
		text += ": the options of a plug-in stand under context_builder.options"
	case near != "":
		text += fmt.Sprintf(": did you mean %q?", near)
	case optionOf(name) != "":
		text += ": options of your own are for context_builder.strategy: plugin, and are written into the file"
	}
	return text
}

// nearest is the known key that most resembles name, or empty. A key or a last
// part that is right on its own counts as near.
func nearest(name string) string {
	if len(name) > 100 {
		return ""
	}
	names := make([]string, 0, 256)
	for _, k := range settings() {
		names = append(names, k.name)
	}
	for _, outer, _ := strings.Cut(name, "."); outer != ""; _, outer, _ = strings.Cut(outer, ".") {
		if slices.Contains(names, outer) {
			return outer // in a section that it is not of
		}
	}
	at := strings.LastIndex(name, ".") + 1
	within, last := name[:at], name[at:]
	only := endingIn(last) // the right word in the wrong section
	if within != "" && section(name[:at-1]) {
		var words []string
		for _, k := range names {
			if word, ok := strings.CutPrefix(k, within); ok {
				words = append(words, word)
			}
		}
		if best, _ := near(last, words); best != "" {
			return within + best
		}
		// A part of one name alone stands for it, as plugin does for plugin_path.
		words = slices.DeleteFunc(words, func(w string) bool { return !strings.Contains("_"+w+"_", "_"+last+"_") })
		if len(words) == 1 {
			return within + words[0]
		}
		return only
	}
	best, least := near(name, names)
	if only != "" && least > 2 {
		best = only
	}
	return best
}

// DidYouMean ends the complaint about a name with the known one that most resembles
// it; empty when none does.
func DidYouMean(name string, known []string) string {
	if best, _ := near(name, known); best != "" {
		return fmt.Sprintf(": did you mean %q?", best)
	}
	return ""
}

// near is the name that most resembles another, and how many letters differ.
func near(name string, known []string) (best string, least int) {
	least = 1 + max(2, len(name)/4)
	for _, k := range known {
		if d := distance(strings.ToLower(name), k); d < least {
			best, least = k, d
		}
	}
	return best, least
}

// endingIn is the one key whose last part is a word; empty for none or several.
func endingIn(word string) (name string) {
	for _, k := range allKeys() {
		if strings.HasSuffix(k.Name, "."+word) {
			if name != "" {
				return ""
			}
			name = k.Name
		}
	}
	return name
}

// distance is the number of letters to insert, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
