package learn

import (
	"slices"

	"orihon/internal/terms"
)

// Probes are further words by which statements may be found that exclude a
// text: the alternatives of what it names. An index asked for the text alone
// would not find "use spaces" for "use tabs".
func Probes(text string) []string {
	r := read(text)
	var out []string
	for i := range r.words {
		if w := &r.words[i]; w.class == member {
			out = append(out, alternatives(w.key)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// alternatives lists the members of the categories that are worth searching
// for, as the terms package cuts them.
func alternatives(category string) []string {
	var words string
	switch category {
	case "js packages":
		words = "npm pnpm yarn bun"
	case "python packages":
		words = "pip poetry uv pipenv conda"
	case "database":
		words = "postgres postgresql mysql mariadb sqlite mongodb"
	case "queue":
		words = "kafka rabbitmq nats sqs"
	case "js tests":
		words = "jest vitest mocha"
	case "browser tests":
		words = "cypress playwright selenium"
	case "python tests":
		words = "pytest unittest"
	case "indentation":
		words = "tabs spaces 空格 空白 縮排"
	case "frontend":
		words = "react vue angular svelte"
	case "bundler":
		words = "webpack vite rollup esbuild"
	case "python formatter":
		words = "black yapf"
	case "cloud":
		words = "aws gcp azure"
	case "language":
		words = "english chinese british american 英文 中文 繁體 簡體"
	case "naming":
		words = "snake_case camelCase 駝峰 底線"
	case "merging":
		words = "rebase merge squash"
	case "editor":
		words = "vim emacs vscode"
	case "shell":
		words = "bash zsh fish"
	case "api style":
		words = "rest graphql grpc"
	case "ci":
		words = "jenkins circleci travis"
	}
	return terms.Query(words)
}
