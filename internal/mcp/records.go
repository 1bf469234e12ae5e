package mcp

import (
	"cmp"
	"context"
	"strings"

	"orihon/internal/inert"
)

type fixArguments struct {
	Query string `json:"query" jsonschema:"the error"`
	Limit int    `json:"limit,omitempty" jsonschema:"most errors, 5"`
}

type howArguments struct {
	Query string `json:"query" jsonschema:"what is to be done"`
	Limit int    `json:"limit,omitempty" jsonschema:"most commands, 8"`
}

type blameArguments struct {
	Path  string `json:"path" jsonschema:"a file or folder of the project"`
	Limit int    `json:"limit,omitempty" jsonschema:"most entries of each kind, 10"`
}

// found is what past sessions did, in lines.
type found struct {
	told
	Count int `json:"count"`
}

// fixes is error_fixes: errors like one, and what was done about them.
func (s *Server) fixes(ctx context.Context, _ call, in *fixArguments) (found, error) {
	met, err := s.o.Memory.Sessions().Fixes(ctx, in.Query, cmp.Or(in.Limit, 5))
	var lines []string
	for i := range met {
		lines = append(lines, met[i].Lines()...)
	}
	return s.tell(len(met), lines, "No error like this is known."), err
}

// how is commands_that_worked.
func (s *Server) how(ctx context.Context, _ call, in *howArguments) (found, error) {
	works, err := s.o.Memory.Sessions().How(ctx, in.Query, cmp.Or(in.Limit, 8))
	var lines []string
	for i := range works {
		lines = append(lines, works[i].Lines()...)
	}
	return s.tell(len(works), lines, "No command is known to have worked for this."), err
}

// blame is file_history: what past sessions did to a file.
func (s *Server) blame(ctx context.Context, _ call, in *blameArguments) (found, error) {
	known, err := s.o.Memory.Sessions().Blame(ctx, in.Path, cmp.Or(in.Limit, 10))
	if err != nil {
		return found{}, err
	}
	return s.tell(len(known.Touches)+len(known.Fixes)+len(known.Decisions), known.Lines(), "Nothing is known of this file."), nil
}

func (s *Server) tell(count int, lines []string, nothing string) found {
	if len(lines) == 0 {
		return found{told: told{nothing}}
	}
	const most = mostTokens - 200 // with what stands around it
	return found{told{s.framed(cut(inert.Text(strings.Join(lines, "\n")), most, "ask for fewer"))}, count}
}

type scoreArguments struct {
	Session string `json:"session,omitempty" jsonschema:"its ID or the beginning of it; without one, the last sessions"`
	Limit   int    `json:"limit,omitempty" jsonschema:"most sessions, 10"`
}

// score is session_score: what memory made of sessions.
func (s *Server) score(ctx context.Context, _ call, in *scoreArguments) (found, error) {
	all, err := s.o.Memory.Sessions().Scores(ctx)
	if err != nil {
		return found{}, err
	}
	var lines []string
	n := 0
	for i := range all.Sessions {
		if sc := &all.Sessions[i]; n < cmp.Or(in.Limit, 10) && strings.HasPrefix(sc.Session, in.Session) {
			lines = append(lines, sc.Lines()...)
			n++
		}
	}
	if n > 0 {
		lines = append(lines, all.Advice...)
	}
	return s.tell(n, lines, "No such session has asked for anything yet."), nil
}
