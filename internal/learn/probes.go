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
			out = append(out, terms.Query(alternatives[w.key])...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// alternatives are the members of the categories that are worth searching for.
var alternatives = map[string]string{
	"js packages":      "npm pnpm yarn bun",
	"python packages":  "pip poetry uv pipenv conda",
	"database":         "postgres postgresql mysql mariadb sqlite mongodb",
	"queue":            "kafka rabbitmq nats sqs",
	"js tests":         "jest vitest mocha",
	"browser tests":    "cypress playwright selenium",
	"python tests":     "pytest unittest",
	"indentation":      "tabs spaces 空格 空白 縮排",
	"frontend":         "react vue angular svelte",
	"bundler":          "webpack vite rollup esbuild",
	"python formatter": "black yapf",
	"cloud":            "aws gcp azure",
	"language":         "english chinese british american 英文 中文 繁體 簡體",
	"naming":           "snake_case camelCase 駝峰 底線",
	"merging":          "rebase merge squash",
	"editor":           "vim emacs vscode",
	"shell":            "bash zsh fish",
	"api style":        "rest graphql grpc",
	"ci":               "jenkins circleci travis",
}
