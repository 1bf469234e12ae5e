package orihon_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are the pages that people read, without the README.
func pages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	return pages
}

// paragraph is one block of running text and the line it begins in.
type paragraph struct {
	line int
	text string
}

// paragraphs cuts Markdown into paragraphs; each entry of a list is one. Code,
// tables, headings and comments are left out.
func paragraphs(text string) []paragraph {
	entry := regexp.MustCompile(`^\s*([-*+]|\d+\.)\s`)
	var out []paragraph
	open, fenced := false, false
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		switch {
		case fence:
			open, fenced = false, !fenced
		case fenced, strings.HasPrefix(line, "    ") && !open:
		case trimmed == "", strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, "<!--"):
			open = false
		case open && !entry.MatchString(line):
			out[len(out)-1].text += "\n" + trimmed
		default:
			out, open = append(out, paragraph{i + 1, trimmed}), true
		}
	}
	return out
}

func TestParagraphsOfThePagesAreShort(t *testing.T) {
	const most = 90 // words
	for _, page := range append(pages(t), "README.md") {
		for _, p := range paragraphs(read(t, page)) {
			if n := len(strings.Fields(p.text)); n > most {
				t.Errorf("%s:%d: %d words in one paragraph, at most %d: %.60s…", page, p.line, n, most, p.text)
			}
		}
	}
}

func TestParagraphsAreFound(t *testing.T) {
	got := paragraphs("# Title\n\nOne\ntwo.\n- three\n  four\n\n```\nfive\n\nsix\n```\n| seven |\n1. eight\n\n    code\n")
	var texts []string
	for _, p := range got {
		texts = append(texts, p.text)
	}
	if strings.Join(texts, "|") != "One\ntwo.|- three\nfour|1. eight" {
		t.Errorf("%q", texts)
	}
}

// heading is what a link to a heading ends with, as GitHub makes it.
func heading(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r == ' ':
			b.WriteRune('-')
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 0x7f:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func headings(text string) map[string]bool {
	out, fenced := map[string]bool{}, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if title := strings.TrimLeft(line, "#"); !fenced && title != line && strings.HasPrefix(title, " ") {
			out[heading(strings.TrimSpace(title))] = true
		}
	}
	return out
}

// Links to files are looked at by [TestLinksOfThePagesLeadSomewhere].
func TestLinksToHeadingsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]*\.md)?#([^)\s]+)\)`)
	for _, page := range append(pages(t), "README.md") {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))
			}
			if !headings(read(t, target))[m[2]] {
				t.Errorf("%s: %s has no heading #%s", page, target, m[2])
			}
		}
	}
}

// A page that nothing leads to is not read.
func TestTheReadmeLeadsToEveryPage(t *testing.T) {
	readme := read(t, "README.md")
	for _, page := range pages(t) {
		if !strings.Contains(readme, "]("+filepath.ToSlash(page)+")") {
			t.Errorf("README.md does not link %s", page)
		}
	}
}

func TestDependenciesAreThoseOfTheModule(t *testing.T) {
	page, mod := read(t, "docs/dependencies.md"), read(t, "go.mod")
	listed := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+|\S+\.\S+) \| (v\S+) \|`).FindAllStringSubmatch(page, -1) {
		listed[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)( // indirect)?\r?$`).FindAllStringSubmatch(mod, -1) {
		switch path, indirect := m[1], m[3] != ""; {
		case !indirect && listed[path] != m[2]:
			t.Errorf("docs/dependencies.md says %q of %s, go.mod %s", listed[path], path, m[2])
		case indirect:
			last := path[strings.LastIndexByte(path, '/')+1:]
			if !strings.Contains(page, last) {
				t.Errorf("docs/dependencies.md does not name %s", path)
			}
		}
		delete(listed, m[1])
	}
	for path := range listed {
		t.Errorf("docs/dependencies.md lists %s, which go.mod does not need", path)
	}
}
