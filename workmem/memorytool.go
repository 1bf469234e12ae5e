package workmem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/inert"
	"orihon/memory"
)

// MemoryRoot is where the memory tool's paths begin: the store's folder.
const MemoryRoot = "/memories"

// MemoryTool answers the commands of the Anthropic memory tool
// (memory_20250818) over a store, in the words its models were trained on.
type MemoryTool struct {
	Store *Store
}

// Bounds of what the memory tool answers.
const (
	viewChars = 16_000  // of a file's text
	viewLines = 999_999 // of a file
)

// command is a call of the memory tool. The members with other names are what
// other clients send for the same.
type command struct {
	Command    string  `json:"command"`
	Path       string  `json:"path"`
	ViewRange  []int   `json:"view_range"`
	FileText   *string `json:"file_text"`
	OldStr     *string `json:"old_str"`
	NewStr     *string `json:"new_str"`
	OldString  *string `json:"old_string"`
	NewString  *string `json:"new_string"`
	InsertLine *int    `json:"insert_line"`
	InsertText *string `json:"insert_text"`
	OldPath    string  `json:"old_path"`
	NewPath    string  `json:"new_path"`
}

// Do carries out a call and returns what the tool result says; failed is its
// is_error. It fails on nothing else: what the system refuses is told to the
// model without the paths of the machine.
func (t *MemoryTool) Do(ctx context.Context, input json.RawMessage) (answer string, failed bool) {
	if ctx.Err() != nil {
		return "Error: the call was cancelled.", true
	}
	var c command
	if err := json.Unmarshal(input, &c); err != nil {
		return "Error: the input is no JSON object of a memory command.", true
	}
	t.Store.mu.Lock()
	defer t.Store.mu.Unlock()
	answer, err := t.Store.do(c)
	if err != nil {
		return err.Error(), true
	}
	return answer, false
}

func (s *Store) do(c command) (string, error) {
	if c.Command == "rename" {
		return s.rename(c)
	}
	run, known := map[string]func(name string, c command) (string, error){
		"view": s.view, "create": s.create, "str_replace": s.strReplace, "insert": s.insert, "delete": s.delete,
	}[c.Command]
	if !known {
		return "", refuse("Error: Unknown command %q. Use view, create, str_replace, insert, delete or rename.", c.Command)
	}
	name, err := memoryPath(c.Path)
	if err != nil {
		return "", err
	}
	return run(name, c)
}

// refusal is an error in the words the model gets.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// memoryPath finds what a path of the tool means in the store.
func memoryPath(p string) (string, error) {
	rest, ok := strings.CutPrefix(p, MemoryRoot)
	if !ok || rest != "" && rest[0] != '/' {
		return "", refuse("Error: The path %s is not allowed: paths begin with %s.", p, MemoryRoot)
	}
	name, err := clean(strings.TrimPrefix(rest, "/"))
	if err != nil {
		return "", refuse("Error: The path %s is not allowed: it leads out of %s.", p, MemoryRoot)
	}
	return name, nil
}

// systemError tells of what the system refused.
func systemError(p string, err error) error {
	if errors.Is(err, memory.ErrInvalid) {
		return refuse("Error: %s", err)
	}
	return refuse("Error: The path %s cannot be used.", p)
}

func (s *Store) view(name string, c command) (string, error) {
	info, err := s.root.Stat(name)
	switch {
	case err != nil && name != ".":
		return "", refuse("The path %s does not exist. Please provide a valid path.", c.Path)
	case err != nil:
		return "", systemError(c.Path, err)
	case info.IsDir():
		return s.list(strings.TrimRight(c.Path, "/"), name), nil
	}
	text, err := s.read(name)
	if err != nil {
		return "", systemError(c.Path, err)
	}
	lines := splitLines(text)
	if len(lines) > viewLines {
		return "", refuse("File %s exceeds maximum line limit of 999,999 lines.", c.Path)
	}
	from, to := 1, len(lines)
	if len(c.ViewRange) > 0 {
		if from, to, err = viewRange(c.ViewRange, len(lines)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("Here's the content of %s with line numbers:\n%s", c.Path, truncated(numbered(lines, from, to))), nil
}

func viewRange(r []int, n int) (from, to int, err error) {
	if len(r) == 2 {
		from, to = r[0], r[1]
		if to == -1 || to > n {
			to = n
		}
	}
	if len(r) != 2 || from < 1 || from > max(n, 1) || to < from && n > 0 {
		return 0, 0, refuse("Error: Invalid `view_range` parameter: %v. It should be two lines within the range [1, %d], or -1 for the last.", r, n)
	}
	return from, to, nil
}

// splitLines are the lines of a text; a newline at its end begins no line.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// numbered writes lines with their numbers, from 1, in six columns, as a model
// may see them.
func numbered(lines []string, from, to int) string {
	var b strings.Builder
	for i := max(from, 1); i <= min(to, len(lines)); i++ {
		if i > from {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%6d\t%s", i, inert.Line(lines[i-1]))
	}
	return b.String()
}

func truncated(text string) string {
	if len(text) <= viewChars || utf8.RuneCountInString(text) <= viewChars {
		return text
	}
	return string([]rune(text)[:viewChars]) + "\n[… the rest is left out: use view_range …]"
}

// list shows what lies in a folder, two levels deep.
func (s *Store) list(shown, name string) string {
	out := []string{fmt.Sprintf("Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:", shown)}
	var lines []string
	var walk func(dir, shown string, depth int) int64
	walk = func(dir, shown string, depth int) (size int64) {
		at := len(lines)
		if depth <= 2 {
			lines = append(lines, "")
		}
		entries, _ := fs.ReadDir(s.root.FS(), dir) // a folder that cannot be read looks empty
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
				continue
			}
			child := shown + "/" + e.Name()
			if e.IsDir() {
				size += walk(path.Join(dir, e.Name()), child, depth+1)
				continue
			}
			info, err := e.Info()
			if err != nil {
				continue
			}
			size += info.Size()
			if depth < 2 {
				lines = append(lines, humanSize(info.Size())+"\t"+inert.Line(child))
			}
		}
		if depth <= 2 {
			lines[at] = humanSize(size) + "\t" + inert.Line(shown)
		}
		return size
	}
	walk(name, shown, 0)
	return strings.Join(append(out, lines...), "\n")
}

// humanSize is a size as in 5.5K and 1.2M.
func humanSize(n int64) string {
	switch {
	case n == 0:
		return "0"
	case n < 100:
		return "0.1K"
	case n < 1<<20:
		return fmt.Sprintf("%.1fK", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1fM", float64(n)/(1<<20))
}

func (s *Store) create(name string, c command) (string, error) {
	if c.FileText == nil {
		return "", refuse("Error: The parameter `file_text` is missing.")
	}
	if info, err := s.root.Stat(name); err == nil && (info.IsDir() || !s.o.Overwrite) {
		return "", refuse("Error: File %s already exists", c.Path)
	}
	if err := s.write(name, *c.FileText); err != nil {
		return "", systemError(c.Path, err)
	}
	return "File created successfully at: " + c.Path, nil
}

// file reads a file that is to be edited; a folder does not exist as one.
func (s *Store) file(name string) (string, bool) {
	info, err := s.root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := s.read(name)
	return text, err == nil
}

func (s *Store) strReplace(name string, c command) (string, error) {
	text, ok := s.file(name)
	if !ok {
		return "", refuse("Error: The path %s does not exist. Please provide a valid path.", c.Path)
	}
	if c.OldStr == nil {
		c.OldStr = c.OldString
	}
	if c.NewStr == nil {
		c.NewStr = c.NewString
	}
	if c.OldStr == nil || *c.OldStr == "" {
		return "", refuse("Error: The parameter `old_str` is missing.")
	}
	old, replacement := *c.OldStr, ""
	if c.NewStr != nil {
		replacement = *c.NewStr
	}
	if !strings.Contains(text, old) {
		text = asShown(text) // the model copies what it was shown
	}
	at := strings.Index(text, old)
	if at < 0 {
		return "", refuse("No replacement was performed, old_str `%s` did not appear verbatim in %s.", old, c.Path)
	}
	if places := occurrences(text, old); len(places) > 1 {
		return "", refuse("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", old, strings.Join(places, ", "))
	}
	if err := s.write(name, text[:at]+replacement+text[at+len(old):]); err != nil {
		return "", systemError(c.Path, err)
	}
	// As it was written: without secrets.
	text, _ = s.file(name)
	lines := splitLines(text)
	first := 1 + strings.Count(text[:min(at, len(text))], "\n")
	last := first + strings.Count(replacement, "\n")
	const around = 4
	return "The memory file has been edited.\n" + truncated(numbered(lines, max(1, first-around), min(len(lines), last+around))), nil
}

// asShown is a file as [MemoryTool] shows it, without the numbers.
func asShown(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		body := strings.TrimSuffix(l, "\n")
		lines[i] = inert.Line(body) + l[len(body):]
	}
	return strings.Join(lines, "")
}

// occurrences are the lines in which a text begins, also where it overlaps
// itself.
func occurrences(text, old string) []string {
	var out []string
	line, from := 1, 0
	for {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return slices.Compact(out)
		}
		line += strings.Count(text[from:from+i], "\n")
		out = append(out, fmt.Sprint(line))
		if text[from+i] == '\n' {
			line++
		}
		from += i + 1
	}
}

func (s *Store) insert(name string, c command) (string, error) {
	text, ok := s.file(name)
	if !ok {
		return "", refuse("Error: The path %s does not exist", c.Path)
	}
	if c.InsertText == nil {
		return "", refuse("Error: The parameter `insert_text` is missing.")
	}
	lines := splitLines(text)
	if c.InsertLine == nil {
		return "", refuse("Error: The parameter `insert_line` is missing.")
	}
	if n := *c.InsertLine; n < 0 || n > len(lines) {
		return "", refuse("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", n, len(lines))
	}
	lines = slices.Insert(lines, *c.InsertLine, strings.TrimSuffix(*c.InsertText, "\n"))
	if err := s.write(name, strings.Join(lines, "\n")+"\n"); err != nil {
		return "", systemError(c.Path, err)
	}
	return fmt.Sprintf("The file %s has been edited.", c.Path), nil
}

func (s *Store) delete(name string, c command) (string, error) {
	if name == "." {
		return "", refuse("Error: The path %s is the root of the memory and stays", c.Path)
	}
	if _, err := s.root.Lstat(name); err != nil {
		return "", refuse("Error: The path %s does not exist", c.Path)
	}
	if err := s.root.RemoveAll(name); err != nil {
		return "", systemError(c.Path, err)
	}
	return "Successfully deleted " + c.Path, nil
}

func (s *Store) rename(c command) (string, error) {
	from, err := memoryPath(c.OldPath)
	if err != nil {
		return "", err
	}
	to, err := memoryPath(c.NewPath)
	if err != nil {
		return "", err
	}
	if from == "." || to == "." {
		return "", refuse("Error: The path %s is the root of the memory and stays", MemoryRoot)
	}
	if _, err := s.root.Lstat(from); err != nil {
		return "", refuse("Error: The path %s does not exist", c.OldPath)
	}
	if _, err := s.root.Lstat(to); err == nil {
		return "", refuse("Error: The destination %s already exists", c.NewPath)
	}
	if dir := path.Dir(to); dir != "." && to != from && !strings.HasPrefix(to, from+"/") {
		if err := s.root.MkdirAll(dir, 0o700); err != nil {
			return "", systemError(c.NewPath, err)
		}
	}
	if err := s.root.Rename(from, to); err != nil {
		return "", systemError(c.NewPath, err)
	}
	return fmt.Sprintf("Successfully renamed %s to %s", c.OldPath, c.NewPath), nil
}
