package claudecode_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"

	"orihon/internal/claudecode"
	"orihon/memory"
)

const command = "/opt/orihon/bin/orihon hook"

// place is a settings file of a test with its record folder.
func place(t *testing.T, settings string) *claudecode.Options {
	t.Helper()
	dir := t.TempDir()
	o := &claudecode.Options{
		SettingsPath: filepath.Join(dir, "settings.json"),
		Command:      command,
		RecordDir:    filepath.Join(dir, "records"),
	}
	write(t, o.SettingsPath, settings)
	return o
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func install(t *testing.T, o *claudecode.Options) claudecode.Change {
	t.Helper()
	c, err := claudecode.Install(o)
	if err != nil {
		t.Fatalf("Install: %v", err)
	}
	return c
}

func uninstall(t *testing.T, o *claudecode.Options) claudecode.Change {
	t.Helper()
	c, err := claudecode.Uninstall(o)
	if err != nil {
		t.Fatalf("Uninstall: %v", err)
	}
	return c
}

// layouts are settings in the styles people and editors write them.
var layouts = map[string]string{
	"an empty object":                    "{}",
	"an empty object, nl":                "{\n}\n",
	"nothing":                            "",
	"blanks":                             " \n",
	"one line":                           `{"model":"opus"}`,
	"one line with blanks":               `{ "model": "opus", "hooks": { "Stop": [ ] } }`,
	"two spaces":                         "{\n  \"model\": \"opus\"\n}\n",
	"tabs":                               "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n",
	"four spaces, no newline at the end": "{\n    \"模型\": \"作品\",\n    \"hooks\": {}\n}",
	"windows":                            "\ufeff{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n  }\r\n}\r\n",
	"comments":                           "// 我的設定\n{\n  \"model\": \"opus\" // 模型\n  /* end */\n}\n",
	"trailing commas":                    "{\n  \"model\": \"opus\", // why\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []},],\n  },\n}\n",
	"a comment in hooks":                 "{\"hooks\": { // none yet\n}}",
	"somebody's hooks": `{
  "permissions": {"allow": ["Bash(git *)"]},
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{"type": "command", "command": "gofmt -w ."}]
      }
    ],
    "Stop": [{
      "hooks": [{"type": "command", "command": "echo 完成"}]
    }],
    "Notification": []
  },
  "env": {"A": "\u4e2d"}
}
`,
	"an escaped key": `{"\u0068ooks": {"S\u0074op": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
}

func TestUninstallGivesBackTheBytesThatWereThere(t *testing.T) {
	for name, before := range layouts {
		t.Run(name, func(t *testing.T) {
			o := place(t, before)
			if c := install(t, o); !c.Changed() || read(t, o.SettingsPath) != string(c.After) {
				t.Fatalf("install wrote\n%s\nwant\n%s", read(t, o.SettingsPath), c.After)
			}
			w, err := claudecode.Status(o.SettingsPath)
			if err != nil || len(w.Hooks) != 10 || len(w.Missing) != 0 {
				t.Fatalf("status = %+v, %v", w, err)
			}
			if c := install(t, o); c.Changed() {
				t.Errorf("installing again changed\n%s", c.Diff())
			}
			uninstall(t, o)
			if diff := cmp.Diff(before, read(t, o.SettingsPath)); diff != "" {
				t.Errorf("after uninstall (-want +got):\n%s", diff)
			}
			if left, _ := os.ReadDir(o.RecordDir); len(left) > 0 {
				t.Errorf("a record stayed: %v", left)
			}
		})
	}
}

func TestUninstallKeepsWhatTheUserWroteInBetween(t *testing.T) {
	for name, before := range layouts {
		t.Run(name, func(t *testing.T) {
			o := place(t, before)
			install(t, o)
			write(t, o.SettingsPath, read(t, o.SettingsPath)+"\n// 後記\n")
			uninstall(t, o)
			want := before + "\n// 後記\n"
			if strings.TrimSpace(before) == "" { // a whole file was made of it
				want = "{\n}\n\n// 後記\n"
			}
			if diff := cmp.Diff(want, read(t, o.SettingsPath)); diff != "" {
				t.Errorf("after uninstall (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUninstallTakesOurHandlerOutOfASharedGroup(t *testing.T) {
	o := place(t, "{}")
	install(t, o)
	mine := `{"type": "command", "command": "say done"}`
	edited := strings.Replace(read(t, o.SettingsPath), `"Stop": [
      {
        "hooks": [`, `"Stop": [
      {
        "hooks": [
          `+mine+`,`, 1)
	write(t, o.SettingsPath, edited)
	uninstall(t, o)
	want := `{"hooks": {"Stop": [{"hooks": [` + mine + `]}]}}`
	if diff := cmp.Diff(decode(t, want), decode(t, read(t, o.SettingsPath))); diff != "" {
		t.Errorf("after uninstall (-want +got):\n%s", diff)
	}
}

func TestUninstallWithoutARecordGoesByTheCommand(t *testing.T) {
	o := place(t, layouts["somebody's hooks"])
	install(t, o)
	if err := os.RemoveAll(o.RecordDir); err != nil {
		t.Fatal(err)
	}
	uninstall(t, o)
	if diff := cmp.Diff(layouts["somebody's hooks"], read(t, o.SettingsPath)); diff != "" {
		t.Errorf("after uninstall (-want +got):\n%s", diff)
	}
}

func TestInstallWritesAFileWhereThereIsNone(t *testing.T) {
	dir := t.TempDir()
	path, err := claudecode.SettingsPath(claudecode.ProjectScope, dir, "", "")
	if err != nil {
		t.Fatal(err)
	}
	o := &claudecode.Options{SettingsPath: path, Command: command, RecordDir: filepath.Join(dir, "records")}
	install(t, o)
	golden(t, "installed.json", read(t, path))
	if runtime.GOOS != "windows" {
		for file, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: mode %v, want %v (%v)", file, info.Mode().Perm(), want, err)
			}
		}
	}
	if c := uninstall(t, o); !c.Deleted {
		t.Errorf("uninstall = %+v, want the file deleted", c)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the folder that was made for the settings is still there: %v", err)
	}
}

func TestAFileThatWeCreatedGoesAlsoAfterAnEditThatLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	o := &claudecode.Options{SettingsPath: filepath.Join(dir, "settings.json"), Command: command, RecordDir: filepath.Join(dir, "r")}
	install(t, o)
	write(t, o.SettingsPath, strings.ReplaceAll(read(t, o.SettingsPath), "  ", "\t"))
	if c := uninstall(t, o); !c.Deleted {
		t.Errorf("left behind: %q", read(t, o.SettingsPath))
	}

	install(t, o)
	write(t, o.SettingsPath, strings.Replace(read(t, o.SettingsPath), "{", "{\n  \"model\": \"opus\",", 1))
	uninstall(t, o)
	if got, want := read(t, o.SettingsPath), "{\n  \"model\": \"opus\"\n}\n"; got != want {
		t.Errorf("left %q, want %q", got, want)
	}
}

func TestANewPathOfTheProgramIsUpdatedInPlace(t *testing.T) {
	for name, tc := range map[string]struct{ old, want string }{
		"plain":         {"/old/orihon hook", "/opt/orihon/bin/orihon hook"},
		"quoted":        {"'/old dir/orihon' hook", "/opt/orihon/bin/orihon hook"},
		"arguments":     {"/old/orihon hook --verbose", "/opt/orihon/bin/orihon hook --verbose"},
		"variables":     {"ORIHON_USER=mei /old/orihon hook", "ORIHON_USER=mei /opt/orihon/bin/orihon hook"},
		"windows":       {`C:\tools\Orihon.exe hook`, "/opt/orihon/bin/orihon hook"},
		"already there": {command, command},
	} {
		t.Run(name, func(t *testing.T) {
			quoted, _ := json.Marshal(tc.old)
			o := place(t, `{"hooks": {"Stop": [{"hooks": [{"timeout": 3, "command": `+string(quoted)+`, "type": "command"}]}]}}`)
			install(t, o)
			w, err := claudecode.Status(o.SettingsPath)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Hooks[0]; got.Event != claudecode.Stop || got.Command != tc.want {
				t.Errorf("the first hook is %+v, want %q", got, tc.want)
			}
			if !strings.Contains(read(t, o.SettingsPath), `"timeout": 3,`) || len(w.Hooks) != 10 {
				t.Errorf("settings = %s", read(t, o.SettingsPath))
			}
		})
	}
}

func TestAnUpdateAfterAnEditKeepsTheOriginalAndTheEdit(t *testing.T) {
	o := place(t, "{\n  \"model\": \"opus\"\n}\n")
	install(t, o)
	write(t, o.SettingsPath, strings.Replace(read(t, o.SettingsPath), "opus", "俳句", 1))
	o.Command = "/new/orihon hook"
	if c := install(t, o); !c.Changed() {
		t.Fatal("the new path was not written")
	}
	uninstall(t, o)
	if got, want := read(t, o.SettingsPath), "{\n  \"model\": \"俳句\"\n}\n"; got != want {
		t.Errorf("left %q, want %q", got, want)
	}
}

func TestARenamedProgramIsRecognisedByItsRecord(t *testing.T) {
	o := place(t, "{}")
	o.Command = "/opt/ori-dev hook"
	install(t, o)
	if c := install(t, o); c.Changed() {
		t.Errorf("installing again changed\n%s", c.Diff())
	}
	o.Command = command
	install(t, o)
	if got := read(t, o.SettingsPath); strings.Contains(got, "ori-dev") || strings.Count(got, command) != 10 {
		t.Errorf("settings = %s", got)
	}
	uninstall(t, o)
	if got := read(t, o.SettingsPath); got != "{}" {
		t.Errorf("left %q", got)
	}
}

func TestSettingsThatCannotBeUnderstoodAreRefused(t *testing.T) {
	for name, tc := range map[string]struct{ settings, where string }{
		"a missing comma":  {"{\n  \"a\": 1\n  \"b\": 2\n}", "settings.json:3:3"},
		"half a file":      {"{\n  \"a\": [1,", "settings.json:2:"},
		"an array":         {"[]", "settings.json:1: the settings must be an object"},
		"hooks a list":     {"{\n\n\"hooks\": []}", `settings.json:3: "hooks" must be an object`},
		"an event a text":  {"{\"hooks\": {\n\"Stop\": \"x\"}}", `settings.json:2: "hooks.Stop" must be an array`},
		"hooks null twice": {`{"hooks": {}, "hooks": null}`, `settings.json:1: "hooks" must be an object`},
	} {
		t.Run(name, func(t *testing.T) {
			o := place(t, tc.settings)
			_, err := claudecode.Install(o)
			if !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), tc.where) {
				t.Errorf("Install = %v, want a refusal that names %s", err, tc.where)
			}
			if got := read(t, o.SettingsPath); got != tc.settings {
				t.Errorf("the file was changed to %q", got)
			}
			if _, err := os.Stat(o.RecordDir); !os.IsNotExist(err) {
				t.Errorf("a record was written: %v", err)
			}
		})
	}
}

func TestASymlinkIsFollowedAndKept(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "settings.json")
	write(t, target, "{\"model\": \"opus\"}\n")
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dotfiles.json", link); err != nil {
		t.Skipf("SKIPPED: no symlinks here: %v", err)
	}
	o := &claudecode.Options{SettingsPath: link, Command: command, RecordDir: filepath.Join(dir, "r")}
	install(t, o)
	info, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(read(t, target), command) || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o640) {
		t.Errorf("target (mode %v): %s", info.Mode(), read(t, target))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info.Mode(), err)
	}
	uninstall(t, o)
	if got := read(t, target); got != "{\"model\": \"opus\"}\n" {
		t.Errorf("target after uninstall: %q", got)
	}
}

func TestAFolderBehindALinkIsCreatedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "project")); err != nil {
		t.Skipf("SKIPPED: no symlinks here: %v", err)
	}
	o := &claudecode.Options{
		SettingsPath: filepath.Join(dir, "project", ".claude", "settings.json"), Command: command, RecordDir: filepath.Join(dir, "r"),
	}
	install(t, o)
	if c := uninstall(t, o); !c.Deleted {
		t.Errorf("uninstall = %+v, want the file deleted", c)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "real")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestADryRunOnlySaysWhatWouldChange(t *testing.T) {
	o := place(t, layouts["somebody's hooks"])
	o.DryRun = true
	c := install(t, o)
	golden(t, "dry-run.diff", strings.ReplaceAll(c.Diff(), c.Path, "settings.json"))
	if read(t, o.SettingsPath) != layouts["somebody's hooks"] {
		t.Error("the settings were changed")
	}
	if _, err := os.Stat(o.RecordDir); !os.IsNotExist(err) {
		t.Errorf("a record was written: %v", err)
	}

	o.DryRun = false
	install(t, o)
	o.DryRun = true
	if c := uninstall(t, o); string(c.After) != layouts["somebody's hooks"] || !strings.Contains(read(t, o.SettingsPath), command) {
		t.Errorf("dry uninstall: After = %s", c.After)
	}
}

func TestAFailedWriteLeavesTheSettingsAlone(t *testing.T) {
	for _, fault := range []string{"write", "short", "sync", "close"} {
		t.Run(fault, func(t *testing.T) {
			o := place(t, "{}")
			claudecode.BreakWrites(o, fault)
			if _, err := claudecode.Install(o); err == nil {
				t.Fatal("Install succeeded")
			}
			if got := read(t, o.SettingsPath); got != "{}" {
				t.Errorf("settings = %q", got)
			}
			left, err := filepath.Glob(filepath.Join(filepath.Dir(o.SettingsPath), ".settings-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
			// What the failed attempt recorded must not mislead the next ones.
			claudecode.BreakWrites(o, "")
			uninstall(t, o)
			install(t, o)
			uninstall(t, o)
			if got := read(t, o.SettingsPath); got != "{}" {
				t.Errorf("after all: %q", got)
			}
		})
	}
}

func TestAChangeByAnotherProgramIsNotOverwritten(t *testing.T) {
	o := place(t, "{}")
	claudecode.OnWrite(o, func() { write(t, o.SettingsPath, `{"theirs": 1}`) })
	if _, err := claudecode.Install(o); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("Install = %v, want a refusal", err)
	}
	if got := read(t, o.SettingsPath); got != `{"theirs": 1}` {
		t.Errorf("settings = %q", got)
	}
}

func TestStatusTellsWhetherTheProgramExists(t *testing.T) {
	o := place(t, "{}")
	program := filepath.Join(t.TempDir(), "orihon")
	o.Command = claudecode.Command(program, runtime.GOOS)
	install(t, o)
	w, err := claudecode.Status(o.SettingsPath)
	if err != nil || w.Hooks[0].Program != "" {
		t.Errorf("before it exists: %+v, %v", w, err)
	}
	write(t, program, "")
	if w, err = claudecode.Status(o.SettingsPath); err != nil || w.Hooks[0].Program == "" {
		t.Errorf("when it exists: %+v, %v", w, err)
	}
	if w, err = claudecode.Status(o.SettingsPath + ".none"); err != nil || len(w.Hooks) != 0 || len(w.Missing) != 10 {
		t.Errorf("without a file: %+v, %v", w, err)
	}
}

func TestCommandQuotesForTheShell(t *testing.T) {
	for _, tc := range []struct{ binary, goos, want string }{
		{"/usr/bin/orihon", "linux", "{ trap 'exit 0' 0; /usr/bin/orihon hook; } 2>/dev/null"},
		{"/Users/林 美/orihon", "darwin", "{ trap 'exit 0' 0; '/Users/林 美/orihon' hook; } 2>/dev/null"},
		{"/it's/orihon", "linux", `{ trap 'exit 0' 0; '/it'\''s/orihon' hook; } 2>/dev/null`},
		{`C:\Tools\orihon.exe`, "windows", "C:/Tools/orihon.exe hook; exit 0"},
		{`C:\Program Files\orihon.exe`, "windows", `"C:/Program Files/orihon.exe" hook; exit 0`},
	} {
		if got := claudecode.Command(tc.binary, tc.goos); got != tc.want {
			t.Errorf("Command(%q, %s) = %s, want %s", tc.binary, tc.goos, got, tc.want)
		}
	}
}

func TestSettingsPathOfEachScope(t *testing.T) {
	for _, tc := range []struct {
		scope        claudecode.Scope
		config, want string
	}{
		{claudecode.UserScope, "", "/h/.claude/settings.json"},
		{claudecode.UserScope, "/c", "/c/settings.json"},
		{claudecode.ProjectScope, "/c", "/p/.claude/settings.json"},
		{claudecode.LocalScope, "", "/p/.claude/settings.local.json"},
	} {
		got, err := claudecode.SettingsPath(tc.scope, "/p", "/h", tc.config)
		if err != nil || filepath.ToSlash(got) != tc.want {
			t.Errorf("%s: %s, %v, want %s", tc.scope, got, err, tc.want)
		}
	}
	if _, err := claudecode.SettingsPath("team", "", "", ""); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("an unknown scope: %v", err)
	}
}

// decode reads settings as the client would.
func decode(t interface{ Fatalf(string, ...any) }, settings string) any {
	std, err := hujson.Standardize([]byte(strings.TrimPrefix(settings, "\ufeff")))
	if err != nil {
		t.Fatalf("not valid any more: %v\n%s", err, settings)
	}
	var v any
	if err := json.Unmarshal(std, &v); err != nil {
		t.Fatalf("not valid any more: %v\n%s", err, settings)
	}
	return v
}

func TestBottomlessSettingsAreRefused(t *testing.T) {
	for _, size := range []int{10_000, 1 << 20, 1 << 24} {
		before := `{"a":` + strings.Repeat("[", size)
		o := place(t, before)
		if _, err := claudecode.Install(o); !errors.Is(err, memory.ErrRefused) {
			t.Errorf("%d brackets: %v, want a refusal", size, err)
		}
		if read(t, o.SettingsPath) != before {
			t.Errorf("%d brackets: the file was changed", size)
		}
	}
}

func TestAHookWithItsArgumentsApartIsOursToo(t *testing.T) {
	o := place(t, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/orihon", "args": ["hook"]}]}]}}`)
	install(t, o)
	w, err := claudecode.Status(o.SettingsPath)
	if err != nil || len(w.Hooks) != 10 || w.Hooks[0].Command != "/opt/orihon/bin/orihon" {
		t.Errorf("status = %+v, %v", w, err)
	}
	uninstall(t, o)
	if got := read(t, o.SettingsPath); strings.Contains(got, "orihon") {
		t.Errorf("left %s", got)
	}
}

func TestDiffShowsWhatGoesAndWhatHasNoNewline(t *testing.T) {
	for _, tc := range []struct {
		change claudecode.Change
		want   string
	}{
		{claudecode.Change{Path: "s", Before: []byte("{}"), After: []byte("{}")}, ""},
		{claudecode.Change{Path: "s", Before: []byte("舊\n"), Deleted: true}, "--- s\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-舊\n"},
		{
			claudecode.Change{Path: "s", Before: []byte("a\nb"), After: []byte("a\nb\n")},
			"--- s\n+++ s\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
		},
	} {
		if diff := cmp.Diff(tc.want, tc.change.Diff()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
