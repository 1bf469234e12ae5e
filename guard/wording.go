package guard

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed wording.txt
var wordings string

// worded fills in a text of wording.txt, in the language of the event or else in
// English. It is read only when something is said.
func (e *Event) worded(name string, with ...any) string {
	text := wording(name, e.Language)
	if text == "" {
		text = wording(name, "en")
	}
	return fmt.Sprintf(text, with...)
}

func wording(name, language string) string {
	_, rest, ok := strings.Cut(wordings, "\n"+name+"["+language+"] = ")
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// quoted is a name as it stands in a text.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "'") + "`" }
