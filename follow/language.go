package follow

import (
	"cmp"

	"orihon/internal/session"
	"orihon/internal/terms"
)

// language is the one to tell something in, to a prompt.
func (s *Session) language(prompt string) string {
	return cmp.Or(s.v.Language(""), terms.LangLike(prompt, s.script()))
}

// script is the Chinese script that the user wrote last, in this session or the one
// before; empty for none.
func (s *Session) script() string {
	if s.state.Script != "" || s.state.Prompts > 0 {
		return s.state.Script
	}
	return s.before()
}

// scriptBefore is the Chinese script that the user wrote last in the session before.
func (s *Session) scriptBefore() string {
	dirs, err := session.Recent(s.v.Project.Sessions())
	if err != nil {
		return ""
	}
	for _, dir := range dirs {
		if dir == s.dir {
			continue
		}
		if before, err := session.Load(dir); err == nil {
			return before.Script
		}
	}
	return ""
}
