package guard

import (
	"strings"
	"unicode"
)

// ContentGateRule is the name of the rule about the form of the knowledge folder.
const ContentGateRule = "content_gate"

// Files of the knowledge folder with a form of their own.
const (
	IndexPage   = "_INDEX.md"
	ChangesPage = "_CHANGELOG.md"
)

func contentGate() Rule {
	return Rule{
		Name:     ContentGateRule,
		Reason:   "a knowledge folder is of use only as long as each page has one topic and its index lists what is there",
		Settings: "guard.knowledge, guard.content_checks",
		Cost:     "linear in the page",
		On:       []Kind{Acting},
		judge: func(_ *Options, e *Event, _ []byte) (Verdict, []byte, error) {
			if e.Call.Page == nil {
				return Verdict{}, nil, nil
			}
			why := e.Call.Page.wrong(e)
			return Verdict{Do: Block, Cause: "page", Text: why, Why: why}, nil, nil
		},
	}
}

// wrong says what is wrong with the form of a page; empty for nothing.
func (p *Page) wrong(e *Event) string {
	titles, body := 0, false
	fenced := false
	number := 0
	for line := range strings.Lines(p.Text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
		}
		switch {
		case strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> "):
			return e.worded("page-conflict", p.Path, number)
		case fenced || trimmed == "":
		case strings.HasPrefix(line, "# "):
			titles++
		case titles == 0 && !front(p.Text):
			return e.worded("page-title", p.Path)
		default:
			body = true
		}
		if fenced {
			body = true
			continue
		}
		if p.Name == ChangesPage && strings.HasPrefix(line, "- ") && !dated(line[2:]) {
			return e.worded("page-dated", p.Path, number)
		}
		if p.Name == IndexPage {
			if lost := p.lostLink(line); lost != "" {
				return e.worded("page-link", p.Path, quoted(lost))
			}
		}
	}
	switch {
	case titles == 0:
		return e.worded("page-title", p.Path)
	case titles > 1:
		return e.worded("page-topics", p.Path, titles)
	case !body && p.Name != IndexPage && p.Name != ChangesPage:
		return e.worded("page-empty", p.Path)
	case p.New && !pageName(p.Name):
		return e.worded("page-name", p.Path)
	case p.Foreign != "":
		return e.worded("page-check", p.Path, p.Foreign)
	}
	return ""
}

// front reports a page that begins with a block of fields.
func front(text string) bool {
	return strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n")
}

// dated reports an entry that begins with a day: 2026-01-31.
func dated(entry string) bool {
	entry = strings.TrimLeft(entry, "*[ ")
	if len(entry) < 10 {
		return false
	}
	for i, c := range []byte(entry[:10]) {
		if dash := i == 4 || i == 7; dash != (c == '-') || !dash && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// lostLink is a page that a line links to and the folder does not have.
func (p *Page) lostLink(line string) string {
	for rest := line; ; {
		_, after, ok := strings.Cut(rest, "](")
		if !ok {
			return ""
		}
		link, behind, ok := strings.Cut(after, ")")
		if !ok {
			return ""
		}
		rest = behind
		link, _, _ = strings.Cut(link, "#")
		link = strings.TrimPrefix(link, "./")
		if !strings.HasSuffix(link, ".md") || strings.Contains(link, "://") || strings.HasPrefix(link, "/") || strings.Contains(link, "..") {
			continue
		}
		if p.Exists != nil && !p.Exists(link) {
			return link
		}
	}
}

// pageName reports a name such as release-steps.md, or one of letters without
// case. A page may lie in a folder of the knowledge folder.
func pageName(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if base == IndexPage || base == ChangesPage {
		return true
	}
	stem, ok := strings.CutSuffix(base, ".md")
	return ok && stem != "" && !strings.ContainsFunc(stem, func(r rune) bool {
		return unicode.IsUpper(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '.'
	})
}
