package follow

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"orihon/internal/session"
	"orihon/internal/terms"
	"orihon/items"
	"orihon/memory"
)

// language is the one to tell something in, to a prompt.
func (s *Session) language(ctx context.Context, prompt string) string {
	return cmp.Or(s.v.Language(""), terms.LangLike(prompt, s.scriptOf(ctx, prompt)))
}

// scriptOf is the Chinese script of a prompt, or else the one that the user usually
// writes; empty where nothing tells.
func (s *Session) scriptOf(ctx context.Context, prompt string) string {
	if own := cmp.Or(terms.Script(prompt), s.script()); own != "" || s.state.Prompts > 0 {
		return own
	}
	return s.inMemory(ctx, prompt)
}

// script is the Chinese script that the user wrote last, in this session or one
// before; empty for none.
func (s *Session) script() string {
	if s.state.Script != "" || s.state.Prompts > 0 {
		return s.state.Script
	}
	return s.before()
}

// scriptBefore is the Chinese script that the user wrote last in the sessions before.
func (s *Session) scriptBefore() string {
	const most = 10 // sessions
	dirs, err := session.Recent(s.v.Project.Sessions())
	if err != nil {
		return ""
	}
	for _, dir := range dirs[:min(len(dirs), most)] {
		if dir == s.dir {
			continue
		}
		if before, err := session.Load(dir); err == nil && before.Script != "" {
			return before.Script
		}
	}
	return ""
}

// inMemory is the script of the user's own statements, for a prompt in Chinese.
func (s *Session) inMemory(ctx context.Context, prompt string) string {
	if !strings.ContainsFunc(prompt, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return ""
	}
	all, err := items.New(s.v.Home).List(ctx, memory.Filter{Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, AsOf: s.v.Now(), Present: true})
	if err != nil {
		s.v.Log.Warn("session: the script of memory is not known", "session", s.start.ID, "err", err)
		return ""
	}
	var own strings.Builder
	for i := range all {
		if all[i].Item.Scope.Private() {
			own.WriteString(all[i].Item.Content + "\n")
		}
	}
	return terms.Script(own.String())
}
