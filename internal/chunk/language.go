package chunk

import (
	"path"
	"strings"
)

// language is how a file is looked at.
type language int

const (
	plain language = iota
	markdown
	golang
	python
	javascript
	java // and what resembles it: C#, Kotlin, Swift, Scala, Dart, Groovy
	clang
	rust
	php
	ruby
	shell
	sql
	yaml
	json
	toml
	proto
)

// extensions are the ends of files' names by language.
var extensions = map[string]language{
	"md": markdown, "markdown": markdown, "mdx": markdown, "mdc": markdown, "mkd": markdown,
	"go": golang, "py": python, "pyi": python, "pyx": python,
	"js": javascript, "jsx": javascript, "mjs": javascript, "cjs": javascript, "ts": javascript, "tsx": javascript, "mts": javascript, "cts": javascript,
	"java": java, "cs": java, "kt": java, "kts": java, "swift": java, "scala": java, "dart": java, "groovy": java, "gradle": java,
	"c": clang, "h": clang, "cc": clang, "cpp": clang, "cxx": clang, "hh": clang, "hpp": clang, "hxx": clang, "m": clang, "mm": clang, "ino": clang, "cu": clang,
	"rs": rust, "php": php, "rb": ruby, "rake": ruby, "gemspec": ruby,
	"sh": shell, "bash": shell, "zsh": shell, "ksh": shell, "sql": sql, "yaml": yaml, "yml": yaml,
	"json": json, "jsonc": json, "json5": json, "toml": toml, "ini": toml, "cfg": toml, "conf": toml, "proto": proto,
}

// languageOf tells the language by a file's name, or by its first line.
func languageOf(name string, lines []line) language {
	name = strings.ToLower(path.Base(name))
	extension := strings.TrimPrefix(path.Ext(name), ".")
	if extension == "" {
		return byFirstLine(name, lines)
	}
	return extensions[extension] // plain for any other
}

func byFirstLine(name string, lines []line) language {
	switch name {
	case "readme", "changelog", "contributing":
		return markdown
	case "rakefile", "gemfile":
		return ruby
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0].text, "#!") {
		return plain
	}
	for _, l := range [...]struct {
		program string
		is      language
	}{{"python", python}, {"node", javascript}, {"ruby", ruby}, {"php", php}, {"sh", shell}} {
		if strings.Contains(lines[0].text, l.program) {
			return l.is
		}
	}
	return plain
}

// sections finds where things begin. The first section begins at the first
// line.
func sections(is language, lines []line) []section {
	o := outline{lines: lines, sections: []section{{}}}
	switch is {
	case markdown:
		o.headings()
	case python, ruby:
		o.indented(is)
	case shell, sql, yaml, json, toml:
		o.flat(is)
	case golang, javascript, java, clang, rust, php, proto:
		o.braces(is)
	}
	return o.sections
}
