package claudecode_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"orihon/internal/claudecode"
)

// writer writes random settings in a random layout.
type writer struct {
	t     *rapid.T
	blank *rapid.Generator[string]
	comma bool // trailing commas
}

func settings(t *rapid.T) string {
	blanks := []string{"", " ", "\n", "\n  ", "\n\t\t", "  "}
	if rapid.Bool().Draw(t, "crlf") {
		for i := range blanks {
			blanks[i] = strings.ReplaceAll(blanks[i], "\n", "\r\n")
		}
	}
	if rapid.Bool().Draw(t, "comments") {
		blanks = append(blanks, " // 註\n", "/* 注 */", "\n// note\n  ")
	}
	w := writer{t, rapid.SampledFrom(blanks), rapid.Bool().Draw(t, "trailing commas")}
	return w.gap() + w.root() + w.gap()
}

func (w writer) gap() string { return w.blank.Draw(w.t, "blank") }

func (w writer) list(open, shut string, parts []string) string {
	for i := range parts {
		parts[i] = w.gap() + parts[i] + w.gap()
	}
	body := strings.Join(parts, ",")
	if len(parts) == 0 {
		body = w.gap()
	} else if w.comma && rapid.Bool().Draw(w.t, "comma") {
		body += "," + w.gap()
	}
	return open + body + shut
}

func (w writer) member(name, value string) string {
	return name + w.gap() + ":" + w.gap() + value
}

func (w writer) root() string {
	var parts []string
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{`"model"`, `"環境"`, `"a\"b"`, `"\u4e2d"`}), 0, 3, rapid.ID).Draw(w.t, "names") {
		parts = append(parts, w.member(name, w.value(2)))
	}
	if rapid.Bool().Draw(w.t, "hooks") {
		name := rapid.SampledFrom([]string{`"hooks"`, `"\u0068ooks"`}).Draw(w.t, "spelling")
		parts = append(parts, w.member(name, w.hooks()))
	}
	return w.list("{", "}", rapid.Permutation(parts).Draw(w.t, "order"))
}

func (w writer) hooks() string {
	var parts []string
	events := []string{`"Stop"`, `"PostToolUse"`, `"SessionSt\u0061rt"`, `"Notification"`, `"SessionEnd"`}
	for _, event := range rapid.SliceOfNDistinct(rapid.SampledFrom(events), 0, 4, rapid.ID).Draw(w.t, "events") {
		var groups []string
		for range rapid.IntRange(0, 2).Draw(w.t, "groups") {
			var handlers []string
			for range rapid.IntRange(0, 2).Draw(w.t, "handlers") {
				command := rapid.SampledFrom([]string{`"gofmt -w ."`, `"/bin/orihon status"`, `"說 hook"`, `"hook"`, `""`}).Draw(w.t, "command")
				handlers = append(handlers, w.list("{", "}", []string{w.member(`"type"`, `"command"`), w.member(`"command"`, command)}))
			}
			members := []string{w.member(`"hooks"`, w.list("[", "]", handlers))}
			if rapid.Bool().Draw(w.t, "matcher") {
				members = append(members, w.member(`"matcher"`, `"Edit|Write"`))
			}
			groups = append(groups, w.list("{", "}", members))
		}
		parts = append(parts, w.member(event, w.list("[", "]", groups)))
	}
	return w.list("{", "}", parts)
}

func (w writer) value(depth int) string {
	kinds := 4
	if depth == 0 {
		kinds = 2
	}
	switch rapid.IntRange(0, kinds-1).Draw(w.t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null"}).Draw(w.t, "literal")
	case 1:
		return rapid.SampledFrom([]string{`""`, `"記憶"`, `"记忆 // no comment"`, `"{[,]}"`, `"a\\"`}).Draw(w.t, "string")
	case 2:
		return w.list("[", "]", []string{w.value(depth - 1), w.value(depth - 1)})
	}
	return w.list("{", "}", []string{w.member(`"k"`, w.value(depth-1))})
}

// The properties hold without a record's hash, which the tables use: what was
// inserted is cut out again, wherever it stands by then.
func TestAnySettingsSurviveInstallAndUninstall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := settings(t)
		installed, err := claudecode.Wire(before, command)
		if err != nil {
			t.Fatalf("install into %q: %v", before, err)
		}
		if again, err := claudecode.Wire(installed, command); err != nil || again != installed {
			t.Fatalf("installing twice made %q of %q (%v)", again, installed, err)
		}
		if got := strings.Count(installed, command); got != 10 {
			t.Fatalf("%q became %q with %d hooks", before, installed, got)
		}
		if after, err := claudecode.Unwire(installed, before); err != nil || after != before {
			t.Fatalf("%q came back as %q (%v), after %q", before, after, err, installed)
		}
	})
}

func TestAnyEditInBetweenSurvivesUninstall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := settings(t)
		installed, err := claudecode.Wire(before, command)
		if err != nil {
			t.Fatal(err)
		}
		patch := rapid.SampledFrom([]string{
			`[{"op": "add", "path": "/mine", "value": "我的"}]`,
			`[{"op": "add", "path": "/hooks/Notification", "value": [{"hooks": [{"type": "command", "command": "bell"}]}]}]`,
			`[{"op": "add", "path": "/hooks/Stop/-", "value": {"hooks": [{"type": "command", "command": "after"}]}}]`,
			`[{"op": "add", "path": "/hooks/Stop/0", "value": {"hooks": [{"type": "command", "command": "before"}]}}]`,
		}).Draw(t, "patch")
		edited := apply(t, installed, patch)
		if rapid.Bool().Draw(t, "reformatted") {
			if formatted, err := hujson.Format([]byte(edited)); err == nil {
				edited = string(formatted)
			}
		}
		after, err := claudecode.Unwire(edited, before)
		if err != nil {
			t.Fatalf("uninstall from %q: %v", edited, err)
		}
		want := apply(t, ensure(t, before, patch), patch)
		if diff := cmp.Diff(decode(t, want), decode(t, after)); diff != "" {
			t.Fatalf("%q became %q (-want +got):\n%s", edited, after, diff)
		}
	})
}

// ensure adds the containers that a patch needs to the settings as they were.
func ensure(t *rapid.T, before, patch string) string {
	v := decode(t, before).(map[string]any)
	if strings.Contains(patch, "/hooks/") && v["hooks"] == nil {
		before = apply(t, before, `[{"op": "add", "path": "/hooks", "value": {}}]`)
		v = decode(t, before).(map[string]any)
	}
	if strings.Contains(patch, "/hooks/Stop") && v["hooks"].(map[string]any)["Stop"] == nil {
		before = apply(t, before, `[{"op": "add", "path": "/hooks/Stop", "value": []}]`)
	}
	return before
}

func apply(t *rapid.T, text, patch string) string {
	v, err := hujson.Parse([]byte(text))
	if err == nil {
		err = v.Patch([]byte(patch))
	}
	if err != nil {
		t.Fatalf("patch %s: %v\n%s", patch, err, text)
	}
	return string(v.Pack())
}

func FuzzInstall(f *testing.F) {
	for _, s := range layouts {
		f.Add(s)
	}
	f.Add("{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"orihon hook\"}]}]}}")
	f.Fuzz(func(t *testing.T, before string) {
		dir := t.TempDir()
		o := &claudecode.Options{
			SettingsPath: filepath.Join(dir, "settings.json"), Command: command, RecordDir: filepath.Join(dir, "records"),
		}
		write(t, o.SettingsPath, before)
		if _, err := claudecode.Install(o); err != nil {
			if got := read(t, o.SettingsPath); got != before {
				t.Fatalf("refused, but wrote %q", got)
			}
			return
		}
		std, err := hujson.Standardize([]byte(strings.TrimPrefix(read(t, o.SettingsPath), "\ufeff")))
		if err != nil || !json.Valid(std) {
			t.Fatalf("wrote %q: %v", read(t, o.SettingsPath), err)
		}
		if _, err := claudecode.Uninstall(o); err != nil {
			t.Fatal(err)
		}
		if got := read(t, o.SettingsPath); got != before && !strings.Contains(before, "orihon") {
			t.Fatalf("%q came back as %q", before, got)
		}
	})
}
