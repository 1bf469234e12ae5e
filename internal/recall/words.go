package recall

import (
	_ "embed"
	"slices"
	"strings"

	"orihon/internal/terms"
)

//go:embed words.txt
var lists terms.Lists

func contains(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// telling lists the words and characters of a text that change what the rest
// of it says.
func telling(text string) []string {
	var out []string
	for _, w := range terms.Words(text) {
		if strings.ContainsAny(w, "0123456789") || tellingWords()[w] {
			out = append(out, w)
			continue
		}
		for _, r := range w {
			switch r {
			case '不', '没', '无', '未', '勿', '别', '非', '禁', '莫', '毋', '仅', '只', '除', '前', '后', '先', '开', '关',
				'零', '一', '二', '两', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万', '半':
				out = append(out, string(r))
			}
		}
	}
	return out
}

// tellingWords are words of negation, order and number.
var tellingWords = lists.Words("telling")
