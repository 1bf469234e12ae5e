package chunk

import "strings"

// headings begins a section at every heading of a Markdown text.
func (o *outline) headings() {
	type level struct {
		n    int
		name string
	}
	var trail []level
	enter := func(at, n int, name string) {
		for len(trail) > 0 && trail[len(trail)-1].n >= n {
			trail = trail[:len(trail)-1]
		}
		trail = append(trail, level{n, name})
		var path []string
		for _, l := range trail {
			path = join(path, l.name)
		}
		o.begin(at, path, true)
	}
	fence := ""
	for i := range o.lines {
		if o.lines[i].blank() {
			continue
		}
		text := strings.TrimSpace(o.lines[i].text)
		if fence != "" {
			if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == "" {
				fence = ""
			}
			continue
		}
		if fence = fenceOf(text); fence != "" || o.lines[i].indent >= 4 {
			continue
		}
		if n, name := heading(text); n > 0 {
			enter(i, n, name)
			continue
		}
		// A single line with a rule below it is a heading as well.
		if n := underline(text); n > 0 && i > 0 && !o.lines[i-1].blank() && (i == 1 || o.lines[i-2].blank()) {
			if above := strings.TrimSpace(o.lines[i-1].text); !strings.ContainsAny(above[:1], "#|>-*+`~<") {
				enter(i-1, n, above)
			}
		}
	}
}

func heading(text string) (level int, name string) {
	n := len(text) - len(strings.TrimLeft(text, "#"))
	if n == 0 || n > 6 || len(text) > n && text[n] != ' ' && text[n] != '\t' {
		return 0, ""
	}
	return n, clip(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text[n:]), "#")))
}

func underline(text string) int {
	switch {
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "" && len(text) > 1:
		return 2
	}
	return 0
}

func fenceOf(text string) string {
	if text[0] != '`' && text[0] != '~' {
		return ""
	}
	n := len(text) - len(strings.TrimLeft(text, text[:1]))
	if n < 3 || text[0] == '`' && strings.Contains(text[n:], "`") {
		return ""
	}
	return text[:n]
}
