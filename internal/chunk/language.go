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

// languageOf tells the language by a file's name, or by its first line.
func languageOf(name string, lines []line) language {
	name = strings.ToLower(path.Base(name))
	switch strings.TrimPrefix(path.Ext(name), ".") {
	case "md", "markdown", "mdx", "mdc", "mkd":
		return markdown
	case "go":
		return golang
	case "py", "pyi", "pyx":
		return python
	case "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts":
		return javascript
	case "java", "cs", "kt", "kts", "swift", "scala", "dart", "groovy", "gradle":
		return java
	case "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "ino", "cu":
		return clang
	case "rs":
		return rust
	case "php":
		return php
	case "rb", "rake", "gemspec":
		return ruby
	case "sh", "bash", "zsh", "ksh":
		return shell
	case "sql":
		return sql
	case "yaml", "yml":
		return yaml
	case "json", "jsonc", "json5":
		return json
	case "toml", "ini", "cfg", "conf":
		return toml
	case "proto":
		return proto
	case "":
		return byFirstLine(name, lines)
	}
	return plain
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
