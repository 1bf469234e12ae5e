package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orihon/memory"
)

// Bounds of what one call hands to a command, in bytes.
const (
	maxArgument = 100 << 10 // of a word: systems refuse more than 128 KiB
	maxInput    = 8 << 20   // of all
)

// injected is what a command gets of a call.
type injected struct {
	args  []string
	stdin []byte
	env   []string
}

// schemaOf derives the JSON schema of what a tool is called with.
func schemaOf(all []Parameter) json.RawMessage {
	type property struct {
		Type        string            `json:"type"`
		Description string            `json:"description,omitempty"`
		Enum        []string          `json:"enum,omitempty"`
		Items       map[string]string `json:"items,omitempty"`
	}
	// A map would sort the parameters; a model reads them in their order.
	var properties bytes.Buffer
	required := []string{}
	for i := range all {
		p := &all[i]
		made := property{Type: cmp.Or(p.Type, TypeString), Description: p.Description, Enum: p.Enum}
		switch made.Type {
		case TypePath:
			made.Type = TypeString
		case TypeList:
			made.Type, made.Items = "array", map[string]string{"type": "string"}
		}
		if p.Required {
			required = append(required, p.Name)
		}
		name, _ := json.Marshal(p.Name) // texts always encode
		value, _ := json.Marshal(made)
		if properties.Len() > 0 {
			properties.WriteByte(',')
		}
		properties.Write(name)
		properties.WriteByte(':')
		properties.Write(value)
	}
	names, _ := json.Marshal(required)
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, properties.Bytes(), names))
}

// inject turns the input of a call into what a command gets. work is where its
// paths have to lie. What is wrong with the input is a [memory.ErrInvalid] in
// words for the model.
func (t *ToolDef) inject(input json.RawMessage, work string) (injected, error) {
	var out injected
	values, err := objectOf(input)
	if err != nil {
		return out, err
	}
	for name := range values {
		if !slices.ContainsFunc(t.Parameters, func(p Parameter) bool { return p.Name == name }) {
			return out, fmt.Errorf("%w input: %s has no parameter %q", memory.ErrInvalid, t.Name, name)
		}
	}
	size := 0
	for i := range t.Parameters {
		p := &t.Parameters[i]
		value, given := values[p.Name]
		if !given || string(value) == "null" {
			switch {
			case p.Default != nil:
				value = defaultValue(p)
			case p.Required:
				return out, fmt.Errorf("%w input: %s needs the parameter %q", memory.ErrInvalid, t.Name, p.Name)
			default:
				continue
			}
		}
		texts, err := p.texts(value)
		if err != nil {
			return out, err
		}
		if p.Type == TypePath {
			if err := within(work, texts[0]); err != nil {
				return out, fmt.Errorf("%w input: %s: %w", memory.ErrInvalid, p.Name, err)
			}
			if strings.HasPrefix(texts[0], "-") {
				texts[0] = "./" + texts[0]
			}
		}
		for _, text := range texts {
			size += len(text)
		}
		if size > maxInput {
			return out, fmt.Errorf("%w input: it has more than %d bytes", memory.ErrInvalid, maxInput)
		}
		if err := out.add(p, texts, slices.Contains(t.Command, "--")); err != nil {
			return out, err
		}
	}
	return out, nil
}

// objectOf reads an input; nothing at all is an empty one.
func objectOf(input json.RawMessage) (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(input)) == 0 {
		return values, nil
	}
	if err := json.Unmarshal(input, &values); err != nil {
		return nil, fmt.Errorf("%w input: it must be a JSON object: %w", memory.ErrInvalid, err)
	}
	return values, nil
}

// add hands over one parameter. behind says that the command ends its options
// itself, with a --.
func (in *injected) add(p *Parameter, texts []string, behind bool) error {
	where := cmp.Or(p.InjectAs, InjectArgument)
	if where != InjectStdin {
		for _, text := range texts {
			if strings.ContainsRune(text, 0) {
				return fmt.Errorf("%w input: %s holds a NUL byte, which a program cannot be given", memory.ErrInvalid, p.Name)
			}
			if len(text) > maxArgument {
				return fmt.Errorf("%w input: %s has %d bytes, at most %d go here", memory.ErrInvalid, p.Name, len(text), maxArgument)
			}
		}
	}
	switch where {
	case InjectStdin:
		for i, text := range texts {
			if i > 0 || len(in.stdin) > 0 {
				in.stdin = append(in.stdin, '\n')
			}
			in.stdin = append(in.stdin, text...)
		}
	case InjectEnv:
		in.env = append(in.env, cmp.Or(p.EnvName, variable(p.Name))+"="+strings.Join(texts, "\n"))
	case InjectOption:
		option := cmp.Or(p.Option, "--"+p.Name+"=")
		if p.Type == TypeBoolean {
			if texts[0] == "true" {
				in.args = append(in.args, strings.TrimSuffix(option, "="))
			}
			return nil
		}
		for _, text := range texts {
			if strings.HasSuffix(option, "=") {
				in.args = append(in.args, option+text)
			} else {
				in.args = append(in.args, option, text)
			}
		}
	default:
		for _, text := range texts {
			if strings.HasPrefix(text, "-") && !behind && !p.Dash {
				return fmt.Errorf("%w input: %s begins with a dash, which the program would take for an option", memory.ErrInvalid, p.Name)
			}
			in.args = append(in.args, text)
		}
	}
	return nil
}

// texts are the words of a value that has the parameter's type; one but for a list.
func (p *Parameter) texts(value json.RawMessage) ([]string, error) {
	wrong := func(want string) error {
		return fmt.Errorf("%w input: %s must be %s", memory.ErrInvalid, p.Name, want)
	}
	switch cmp.Or(p.Type, TypeString) {
	case TypeInteger:
		text := strings.TrimSpace(string(value))
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, wrong("a whole number")
		}
		return []string{text}, nil
	case TypeNumber:
		var n json.Number
		if text := strings.TrimSpace(string(value)); strings.HasPrefix(text, `"`) || json.Unmarshal(value, &n) != nil {
			return nil, wrong("a number")
		}
		return []string{n.String()}, nil
	case TypeBoolean:
		var b bool
		if json.Unmarshal(value, &b) != nil {
			return nil, wrong("true or false")
		}
		return []string{strconv.FormatBool(b)}, nil
	case TypeList:
		var list []string
		if json.Unmarshal(value, &list) != nil {
			return nil, wrong("a list of texts")
		}
		return list, nil
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return nil, wrong("a text")
	}
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
		return nil, wrong("one of " + strings.Join(p.Enum, ", "))
	}
	if p.Type == TypePath && (text == "" || strings.ContainsRune(text, 0)) {
		return nil, wrong("a path")
	}
	return []string{text}, nil
}

// defaultValue is a default as if a model had given it.
func defaultValue(p *Parameter) json.RawMessage {
	switch p.Type {
	case TypeInteger, TypeNumber, TypeBoolean, TypeList:
		return json.RawMessage(*p.Default)
	}
	value, _ := json.Marshal(*p.Default) // texts always encode
	return value
}

// variable is the name of a parameter as a variable.
func variable(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }

var errOutside = errors.New("the path leads out of the working directory")

// within checks that a path lies below a folder, wherever its symlinks lead. What
// is not there yet counts as where it would come to be. A symlink that is placed
// between this look and the command's own is not caught.
func within(folder, path string) error {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	if filepath.IsAbs(path) {
		if path, err = filepath.Rel(folder, path); err != nil {
			return errOutside
		}
	}
	path = filepath.Clean(path)
	if !filepath.IsLocal(path) {
		return errOutside
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for {
		_, err := root.Stat(path)
		if err == nil || path == "." {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			if pe := (*fs.PathError)(nil); errors.As(err, &pe) && strings.Contains(pe.Err.Error(), "escapes") {
				return errOutside
			}
			return fmt.Errorf("%s cannot be used: %w", path, errors.Unwrap(err))
		}
		if info, err := root.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return errOutside // a link to what is not there could lead anywhere
		}
		path = filepath.Dir(path)
	}
}
