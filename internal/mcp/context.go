package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"orihon/internal/inert"
	"orihon/memory"
	"orihon/window"
	"orihon/window/inspect"
	"orihon/workmem"
)

type sessionArguments struct {
	Session string `json:"session,omitempty" jsonschema:"this one, else the newest"`
}

type inspected struct {
	told
	Tokens     int `json:"tokens"`
	Iterations int `json:"iterations"`
	Folds      int `json:"folds"`
}

// mostLines is how many parts and folds are named.
const mostLines = 200

// inspect is context_inspect.
func (s *Server) inspect(ctx context.Context, c call, in *sessionArguments) (out inspected, err error) {
	run, err := s.run(ctx, c, in.Session)
	if err != nil {
		return out, err
	}
	seen, err := run.Inspect(ctx, inspect.BuildOptions{Strategy: window.Folding, Limit: window.DefaultLimit})
	if err != nil {
		return out, err
	}
	out.Tokens, out.Iterations, out.Folds = seen.Tokens, seen.Iterations, seen.Folds
	lines := []string{fmt.Sprintf("Session %s: %d iterations, %d tokens of %d, %d folds.", inert.Line(run.Name), seen.Iterations, seen.Tokens, seen.Limit, seen.Folds)}
	for _, p := range seen.Parts {
		lines = append(lines, fmt.Sprintf("- %s: %d tokens", inert.Line(p.Name), p.Tokens))
	}
	for _, b := range run.Blocks() {
		lines = append(lines, fmt.Sprintf("- %s, iterations %d-%d: %s", b.Ref(), b.Iterations[0], b.Iterations[1], inert.Line(b.Summary.Title)))
	}
	out.Text = s.framed(lines[:min(len(lines), mostLines)]...)
	return out, nil
}

type foldArguments struct {
	Iterations string `json:"iterations" jsonschema:"as in 12-20"`
	Session    string `json:"session,omitempty" jsonschema:"this one, else the newest"`
}

type folded struct {
	told
	Fold string `json:"fold" jsonschema:"its name, such as F7"`
}

// fold is context_fold.
func (s *Server) fold(ctx context.Context, c call, in *foldArguments) (out folded, err error) {
	from, to, err := inspect.ParseIterations(in.Iterations)
	if err != nil {
		return out, fmt.Errorf("%w iterations %q: %w", memory.ErrInvalid, in.Iterations, err)
	}
	run, err := s.run(ctx, c, in.Session)
	if err != nil {
		return out, err
	}
	b, err := run.Fold(ctx, from, to)
	if err != nil {
		return out, err
	}
	out.Fold = b.Ref()
	out.Text = s.framed(fmt.Sprintf("Folded as %s: %s", b.Ref(), inert.Line(b.Summary.Title)))
	return out, nil
}

type unfoldArguments struct {
	Ref     string `json:"ref" jsonschema:"such as F7"`
	Session string `json:"session,omitempty" jsonschema:"this one, else the newest"`
}

// unfold is context_unfold.
func (s *Server) unfold(ctx context.Context, c call, in *unfoldArguments) (out folded, err error) {
	run, err := s.run(ctx, c, in.Session)
	if err != nil {
		return out, err
	}
	b, err := run.Unfold(ctx, in.Ref)
	if err != nil {
		return out, err
	}
	out.Fold, out.Text = b.Ref(), "Unfolded "+b.Ref()+"."
	return out, nil
}

type bookmarkArguments struct {
	Iteration int    `json:"iteration"`
	Note      string `json:"note" jsonschema:"why"`
	Session   string `json:"session,omitempty" jsonschema:"this one, else the newest"`
}

// bookmark is the tool of that name.
func (s *Server) bookmark(ctx context.Context, c call, in *bookmarkArguments) (out told, err error) {
	run, err := s.run(ctx, c, in.Session)
	if err != nil {
		return out, err
	}
	if err := run.Bookmark(ctx, in.Iteration, in.Note); err != nil {
		return out, err
	}
	return told{fmt.Sprintf("Iteration %d is kept.", in.Iteration)}, nil
}

type workingArguments struct {
	Command    string  `json:"command"`
	Path       string  `json:"path,omitempty" jsonschema:"below /memories"`
	ViewRange  []int   `json:"view_range,omitempty"`
	FileText   *string `json:"file_text,omitempty"`
	OldStr     *string `json:"old_str,omitempty"`
	NewStr     *string `json:"new_str,omitempty"`
	InsertLine *int    `json:"insert_line,omitempty"`
	InsertText *string `json:"insert_text,omitempty"`
	OldPath    string  `json:"old_path,omitempty"`
	NewPath    string  `json:"new_path,omitempty"`
}

// working is working_memory: the commands of the memory tool over the files of the
// calling session.
func (s *Server) working(ctx context.Context, c call, in *workingArguments) (out told, err error) {
	m := s.o.Memory
	if err := m.Register(ctx); err != nil {
		return out, err
	}
	store, err := workmem.Open(m.Project().Session(c.session), &workmem.Options{Redact: m.Redact, Overwrite: true})
	if err != nil {
		return out, err
	}
	defer store.Close()
	input, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	answer, failed := (&workmem.MemoryTool{Store: store}).Do(ctx, input)
	answer = inert.Text(strings.TrimSpace(answer))
	switch {
	case failed:
		return out, worded(answer)
	case in.Command == "view", in.Command == "str_replace":
		return told{s.framed(answer)}, nil // text of a file
	}
	return told{answer}, nil
}

// worded is a refusal in the words that models know of a tool.
type worded string

func (w worded) Error() string { return string(w) }

// Is makes it one of [memory.ErrInvalid].
func (worded) Is(target error) bool { return target == memory.ErrInvalid }
