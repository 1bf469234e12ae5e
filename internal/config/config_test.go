package config_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/config"
	"orihon/memory"
)

var update = flag.Bool("update", false, "write the golden files")

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load reads a user's and a project's file and gives the problems as text, the
// folder left out.
func load(t *testing.T, user, project string) (*config.Config, []string) {
	t.Helper()
	dir := t.TempDir()
	c, err := config.Load(config.Sources{
		UserFile:    write(t, filepath.Join(dir, "user.yaml"), user),
		ProjectFile: write(t, filepath.Join(dir, "p", "project.yaml"), project),
	})
	var out []string
	for _, p := range config.Problems(err) {
		out = append(out, strings.ReplaceAll(p.Error(), dir+string(filepath.Separator), ""))
	}
	if (err == nil) != (len(out) == 0) {
		t.Errorf("error %v holds %d problems", err, len(out))
	}
	return c, out
}

func get(t *testing.T, c *config.Config, key string) string {
	t.Helper()
	v, err := c.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLaterLayersWin(t *testing.T) {
	dir := t.TempDir()
	user := write(t, filepath.Join(dir, "user.yaml"), "language: en\nrecall:\n  threshold: 0.6\n  max_terms: 10\nroles: [planner]\n")
	project := write(t, filepath.Join(dir, "project.yaml"), "# 專案\nlanguage: zh-Hant\nrecall.threshold: 0.8\n")
	env := map[string]string{"ORIHON_USER": "林小明", "ORIHON_RECALL_THRESHOLD": "0.85", "ORIHON_ROLES": "art, programmer", "ORIHON_LOG_LEVEL": ""}
	c, err := config.Load(config.Sources{
		UserFile: user, ProjectFile: project,
		Env:   func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Flags: map[string]string{"recall.threshold": "0.9", "session.orphan_idle": "2d"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ key, want, origin string }{
		{"language", "zh-Hant", project + ":2"},
		{"user", "林小明", "environment ORIHON_USER"},
		{"roles", "art,programmer", "environment ORIHON_ROLES"},
		{"recall.threshold", "0.9", "flag"},
		{"recall.max_terms", "10", user + ":4"},
		{"session.orphan_idle", "48h", "flag"},
		{"log.level", "warn", "default"},
	} {
		if got := get(t, c, tt.key); got != tt.want || c.Origin(tt.key) != tt.origin {
			t.Errorf("%s is %q from %s, want %q from %s", tt.key, got, c.Origin(tt.key), tt.want, tt.origin)
		}
	}
	if c.Session.OrphanIdle != 48*time.Hour {
		t.Errorf("orphan_idle is %s", c.Session.OrphanIdle)
	}
}

func TestNothingConfiguredIsTheDefault(t *testing.T) {
	c, err := config.Load(config.Sources{UserFile: filepath.Join(t.TempDir(), "none.yaml"), ProjectFile: filepath.Join(t.TempDir(), "none.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range config.Keys() {
		if got := get(t, c, k.Name); got != k.Default {
			t.Errorf("%s is %q, want %q", k.Name, got, k.Default)
		}
		if k.Doc == "" || k.Type == "" {
			t.Errorf("%s is not documented", k.Name)
		}
	}
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "recall:\n", "recall: ~\n", "\ufefflanguage: auto\r\n"} {
		if _, problems := load(t, text, text); problems != nil {
			t.Errorf("%q: %q", text, problems)
		}
	}
}

func TestEveryProblemIsNamedAndTheRestHolds(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"misspelt", "recal.thresold: 1", `user.yaml:2: unknown key "recal.thresold": did you mean "recall.threshold"?`},
		{"misspelt in two places", "recal:\n  thresold: 1", `user.yaml:3: unknown key "recal.thresold": did you mean "recall.threshold"?`},
		{"without its section", "max_terms: 3", `user.yaml:2: unknown key "max_terms": did you mean "recall.max_terms"?`},
		{"like nothing", "記憶: 3", `user.yaml:2: unknown key "記憶"`},
		{"not a number", "recall:\n  threshold: high", `user.yaml:3: invalid recall.threshold "high": want a number from 0 to 1`},
		{"not finite", "recall:\n  threshold: NaN", `user.yaml:3: invalid recall.threshold "NaN": want a number from 0 to 1`},
		{"too large", "recall:\n  threshold: 7", `user.yaml:3: invalid recall.threshold "7": want 0 to 1`},
		{"a fraction", "recall:\n  max_terms: 1.5", `user.yaml:3: invalid recall.max_terms "1.5": want a whole number`},
		{"a number for a path", "context_builder:\n  plugin_path: 7", `user.yaml:3: invalid context_builder.plugin_path "7": want text; write it in quotes if that is meant`},
		{"a switch for a name", "embedder:\n  model: true", `user.yaml:3: invalid embedder.model "true": want text; write it in quotes if that is meant`},
		{"a list for a number", "recall:\n  max_terms: [1]", `user.yaml:3: invalid recall.max_terms "a list": want one value of type int`},
		{"nothing for a number", "recall:\n  max_terms:", `user.yaml:3: invalid recall.max_terms "": want one value of type int`},
		{"not a bool", "capture: {enabled: perhaps}", `user.yaml:2: invalid capture.enabled "perhaps": want true or false`},
		{"not a choice", "recall:\n  turns: often", `user.yaml:3: invalid recall.turns "often": want auto, always, never`},
		{"not a time", "sync:\n  interval: 30", `user.yaml:3: invalid sync.interval "30": want a time such as 90s, 10m or 24h`},
		{"too short", "sync:\n  interval: 1ms", `user.yaml:3: invalid sync.interval "1ms": want 1m to 24h`},
		{"a path for a name", "user: ../x", `user.yaml:2: invalid user "../x": it may hold only letters, digits and . _ - @ +`},
		{"lists in a list", "roles: [[a]]", `user.yaml:2: invalid roles "a list": want a list of words`},
		{"a section", "recall: 5", "user.yaml:2: recall is a section: write its settings indented below it"},
		{"a short form that is none of it", "embedder: gpt", `user.yaml:2: invalid embedder.provider "gpt": want builtin, static, ollama, openai`},
		{"a key for its variable", "embedder: {key_env: sk-123-456}", `user.yaml:2: invalid embedder.key_env: want the name of an environment variable, such as OPENAI_API_KEY, not the key`},
		{"a password in an address", "embedder: {url: 'https://me:hunter2@x/v1'}", `user.yaml:2: invalid embedder.url: want an address such as http://127.0.0.1:11434, without a password`},
		{"no address", "embedder: {url: localhost}", `user.yaml:2: invalid embedder.url: want an address such as http://127.0.0.1:11434, without a password`},
		{"too patient", "embedder: {timeout: 2m}", `user.yaml:2: invalid embedder.timeout "2m": want 50ms to 1m`},
		{"twice", "user: a\nuser: b", "user.yaml:3: user is set twice: also in line 2, which does not count"},
		{"contradicting", "recall: {threshold_min: 0.9}", "user.yaml:2: recall.threshold_min 0.9 is above recall.threshold 0.7, which is used for both"},
		{"zones of more than a window", "context_builder:\n  options:\n    working: 0.6\n    short_term: 0.3", "user.yaml:4: working, short_term, long_term, retrieved and dynamic of context_builder.options are 1.3 together: want 1 at most; the defaults are used"},
		{"a strategy without its program", "context_builder: {strategy: custom}", "user.yaml:2: context_builder.strategy custom: set context_builder.hook.command to a program and its arguments; the default strategy builds"},
		{"a strategy without its plug-in", "context_builder: {strategy: plugin}", "user.yaml:2: context_builder.strategy plugin: set context_builder.plugin_path to the path of a .js or .ts file; the default strategy builds"},
		{"no plug-in there", "context_builder:\n  strategy: plugin\n  plugin_path: /gone.js", `user.yaml:4: context_builder.plugin_path "/gone.js": there is no such file; the default strategy builds`},
		{"no script", "context_builder: {plugin_path: /gone.py}", `user.yaml:2: context_builder.plugin_path "/gone.py": it must be a .js or .ts file; the default strategy builds`},
		{"nobody sums up so", "auto_summarize: {summarizer_agent: summarizer-poems}", `user.yaml:2: auto_summarize.summarizer_agent "summarizer-poems" is no summariser: did you mean "summarizer-events"?; summarizer-chapter is used`},
		{"no program sums up", "auto_summarize: {summarizer_agent: /gone}", `user.yaml:2: auto_summarize.summarizer_agent "/gone" is no summariser: want one of summarizer-chapter, summarizer-events, summarizer-errors, summarizer-adaptive, or the path of a program; summarizer-chapter is used`},
		{"a slip in a summariser", "auto_summarize: {summarizer_agent: /sumarizer-errors}", `user.yaml:2: auto_summarize.summarizer_agent "/sumarizer-errors" is no summariser: did you mean "summarizer-errors"?; summarizer-chapter is used`},
		{"a short name of a summariser", "auto_summarize: {summarizer_agent: /chapter}", `user.yaml:2: auto_summarize.summarizer_agent "/chapter" is no summariser: did you mean "summarizer-chapter"?; summarizer-chapter is used`},
		{"no program there", "context_builder: {hook: {command: [nosuchprog]}}", `user.yaml:2: context_builder.hook.command: there is no program "nosuchprog" on your PATH: install it, or give its path; the default strategy builds`},
		{"no program at a path", "context_builder: {hook: {command: [/gone/prog]}}", `user.yaml:2: context_builder.hook.command: there is no program "/gone/prog": mend the path, or make the file executable; the default strategy builds`},
		{"a command in one text", "context_builder: {hook: {command: python3 x.py}}", `user.yaml:2: context_builder.hook.command: there is no program "python3 x.py": write it as a list, [python3, x.py]; the default strategy builds`},
		{"no script behind the program", "context_builder: {hook: {command: [go, /gone/nope.py]}}", `user.yaml:2: context_builder.hook.command: there is no file "/gone/nope.py": mend the path; the default strategy builds`},
		{"percent of what is no share", "context_builder: {options: {cache_read_price: 80%}}", `user.yaml:2: invalid context_builder.options.cache_read_price "80%": want a number from 0.001 to 10`},
		{"too many percent", "context_builder: {options: {fold_at: 180%}}", `user.yaml:2: invalid context_builder.options.fold_at "180%": want 0.1 to 1`},
		{"an option that is like none", "context_builder: {options: {last: 5}}", `user.yaml:2: unknown key "context_builder.options.last": options of your own are for context_builder.strategy: plugin, and are written into the file`},
		{"an option of no strategy", "context_builder: {options: {window_siz: 3}}", `user.yaml:2: unknown key "context_builder.options.window_siz": did you mean "context_builder.options.window_size"?`},
		{"an option like none", "context_builder: {strategy: folding, options: {tone_of_voice_and_so_on: 3}}", `user.yaml:2: unknown key "context_builder.options.tone_of_voice_and_so_on": options of your own are for context_builder.strategy: plugin, and are written into the file`},
		{"options in the wrong place", "context_builder: {plugin_options: [a=1]}", `user.yaml:2: unknown key "context_builder.plugin_options": the options of a plug-in stand under context_builder.options`},
		{"a setting of another section", "context_builder: {auto_summarize: {enabled: true}}", `user.yaml:2: unknown key "context_builder.auto_summarize.enabled": did you mean "auto_summarize.enabled"?`},
		{"too heavy", "recall: {recency_weight: 0.6, access_weight: 0.6}", "user.yaml:2: recall.recency_weight and recall.access_weight are more than 1 together; the defaults are used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, problems := load(t, "language: en\n"+tt.text+"\ndecay: {per_month: 0.02}\n", "")
			if diff := cmp.Diff([]string{tt.want}, problems); diff != "" {
				t.Error(diff)
			}
			if get(t, c, "language") != "en" || get(t, c, "decay.per_month") != "0.02" {
				t.Error("the settings around the problem are lost")
			}
		})
	}
}

func TestUnreadableFilesAreNamedAndDefaultsHold(t *testing.T) {
	for text, want := range map[string]string{
		"language: [": "user.yaml:1: the list that begins here with [ is not closed: put a comma between its entries and ] behind the last; nothing of the file is used",
		"rag:\n  enabled: true\nroles: [a, b\nuser: c\n":      "user.yaml:3: the list that begins here with [ is not closed: put a comma between its entries and ] behind the last; nothing of the file is used",
		"roles: [\n a,\n b\n]\nrag: {include: [a}\n":          "user.yaml:5: the list that begins here with [ is not closed: put a comma between its entries and ] behind the last; nothing of the file is used",
		"roles: [a]\nrecall: {threshold: 0.7\nuser: c\n":      "user.yaml:2: the section that begins here with { is not closed: put a comma between its settings and } behind the last; nothing of the file is used",
		"user: a\nlanguage: \"en\nrecall: 1\n":                "user.yaml:2: the text that begins here is not closed: put the same quote behind it; nothing of the file is used",
		"roles: [a,\n b]\nrag:\n  enabled: true\n hooks: 1\n": "user.yaml:5: this line does not fit those above: indent the settings of a section alike, with blanks; nothing of the file is used",
		"recall:\n\tthreshold: 4":                             "user.yaml:2: a tab or a sign cannot stand here: indent with blanks, and put quotes around a value that begins with a sign; nothing of the file is used",
		"user: a\nlanguage: b: c":                             "user.yaml:2: this colon makes no setting: indent the settings of a section alike, and put quotes around a value with a colon; nothing of the file is used",
		"user: *x":                                            "user.yaml: unknown anchor 'x' referenced; nothing of the file is used",
		"- a\n":                                               "user.yaml:1: want lines of `key: value`; nothing of the file is used",
		"user: a\n---\nuser: b":                               "user.yaml: more than one document in the file; nothing of the file is used",
	} {
		c, problems := load(t, text, "language: zh-Hans\n")
		if diff := cmp.Diff([]string{want}, problems); diff != "" {
			t.Error(diff)
		}
		if c.User != "" || c.Language != "zh-Hans" {
			t.Errorf("%q gave user %q, language %q", text, c.User, c.Language)
		}
	}
	dir := t.TempDir()
	c, err := config.Load(config.Sources{UserFile: dir})
	if err == nil || c.Recall.Threshold != 0.7 {
		t.Errorf("a folder as the file gave %v", err)
	}
	c, err = config.Load(config.Sources{Flags: map[string]string{"recall.treshold": "1"}, Env: func(n string) (string, bool) { return "x", n == "ORIHON_RECALL_MAX_TERMS" }})
	want := "environment ORIHON_RECALL_MAX_TERMS: invalid recall.max_terms \"x\": want a whole number\n" +
		`flag: unknown key "recall.treshold": did you mean "recall.threshold"?`
	if err == nil || err.Error() != want || c.Recall.MaxTerms != 12 {
		t.Errorf("got %v", err)
	}
}

func TestProjectFileCannotWidenAnything(t *testing.T) {
	user := "recall: {max_tokens: 0, threshold: 0.6}\nhooks: {detach: false}\ncapture: {daily_log: false}\nrag: {include: [src/], exclude: [private/]}\n"
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{"user: root", false},
		{"roles: [management]", false},
		{"local: true", false},
		{"redact: {off: [aws]}", false},
		{"embedder: openai", false},
		{"embedder: {provider: ollama}", false},
		{"embedder: {url: 'https://example.com/v1'}", false},
		{"embedder: {key_env: AWS_SECRET_ACCESS_KEY}", false},
		{"embedder: {model: other}", false},
		{"embedder: {query_prefix: 'x'}", false},
		{"memory: {extra_dirs: [/etc]}", false},
		{"memory: {extra_dirs: [docs]}", false},
		{"recall: {threshold: 0.59}", false},
		{"recall: {threshold: 0.61}", true},
		{"recall: {max_tokens: 1501}", false}, // what a short prompt gets
		{"recall: {max_tokens: 1000}", true},
		{"recall: {budget_long: 6000}", false},
		{"recall: {budget_short: 0}", false}, // the default, which may be above the user's
		{"recall: {hook_chars: 0}", false},   // no limit
		{"recall: {hook_chars: 500}", true},
		{"recall: {session_tokens: 100}", true},
		{"recall: {turns: always}", false},
		{"recall: {max_terms: 1}", false}, // the fewer words count, the easier they are all there
		{"recall: {common_share: 0.01}", false},
		{"recall: {adaptive: false}", false},
		{"recall: {show_sources: false}", false},
		{"recall: {blind_spot: false}", true},
		{"context_builder: {options: {checkpoint_prompt: Tell me}}", false},
		{"context_builder: {hook: {type: off}}", true},
		{"capture: {daily_log: true}", false},
		{"capture: {enabled: false}", true},
		{"hooks: {detach: true}", false},
		{"sync: {interval: 1m}", false},
		{"session: {orphan_max: 1h}", false},
		{"decay: {per_month: 0}", false},
		{"rag: {include: ['*']}", false},
		{"rag: {include: []}", false},
		{"rag: {exclude: ['!private/']}", false},
		{"rag: {exclude: [docs/]}", true},
		{"rag: {max_file_bytes: 104857600}", false},
		{"language: zh-Hans", true},
	} {
		dir := t.TempDir()
		root := filepath.Join(dir, "p")
		before, err := config.Load(config.Sources{UserFile: write(t, filepath.Join(dir, "u.yaml"), user)})
		if err != nil {
			t.Fatal(err)
		}
		after, err := config.Load(config.Sources{UserFile: filepath.Join(dir, "u.yaml"), ProjectFile: write(t, filepath.Join(root, "p.yaml"), tt.text)})
		if tt.ok != (err == nil) || !tt.ok && !errors.Is(err, memory.ErrRefused) {
			t.Errorf("%s: %v", tt.text, err)
		}
		changed := false
		for _, k := range config.Keys() {
			changed = changed || get(t, before, k.Name) != get(t, after, k.Name)
		}
		if changed != tt.ok {
			t.Errorf("%s: changed something: %v, want %v", tt.text, changed, tt.ok)
		}
	}
	for user, project := range map[string]string{"1000": "0", "0": "5000", "2000": "2001"} {
		if c, problems := load(t, "recall: {max_tokens: "+user+"}", "recall: {max_tokens: "+project+"}"); len(problems) != 1 || get(t, c, "recall.max_tokens") != user {
			t.Errorf("max_tokens %s over %s: %q", project, user, problems)
		}
	}
}

// Whoever adds a setting says what a file that somebody else wrote may do with
// it; what nobody says, nobody else may.
func TestEverySettingSaysWhatAProjectMayDo(t *testing.T) {
	// These order or word what is shown, or what the doctor warns of, and
	// neither read, keep nor inject more, whatever they are.
	harmless := []string{"language", "recall.recency_weight", "recall.access_weight", "recall.fusion", "memory.core_lines", "memory.atom_lines"}
	for _, k := range config.Keys() {
		list := k.Type == "list"
		ordered := k.Type == "bool" || k.Type == "int" || k.Type == "number" || k.Type == "duration"
		switch k.Project {
		case config.OnlyUser:
		case config.Anything:
			// These shape what is shown of a run out of what the run holds.
			if strings.HasPrefix(k.Name, "context_builder.") || strings.HasPrefix(k.Name, "auto_summarize.") {
				continue
			}
			if !slices.Contains(harmless, k.Name) {
				t.Errorf("%s: a project may set it to anything: say here why that is harmless", k.Name)
			}
		case config.Lower, config.Raise:
			if !ordered {
				t.Errorf("%s is a %s and has no order", k.Name, k.Type)
				continue
			}
			worst := map[string]string{"bool": "true"}[k.Type]
			if k.Project == config.Lower && worst == "" {
				worst = k.Max
			} else if k.Project == config.Raise && worst == "" {
				worst = k.Min
			}
			if c, problems := load(t, "", k.Name+": "+worst+"\n"); get(t, c, k.Name) != k.Default || worst != k.Default && len(problems) != 1 {
				t.Errorf("a project sets %s to %s, the default is %s: %q", k.Name, get(t, c, k.Name), k.Default, problems)
			}
		case config.Runs: // see TestWhatAProjectRunsIsAcceptedByContent
		case config.Unset, config.Add, config.Offering:
			if !list {
				t.Errorf("%s is a %s and no list", k.Name, k.Type)
			}
		default:
			t.Errorf("%s: nothing says what a project may do with it", k.Name)
		}
	}
}

func TestProjectFileThatIsASymlinkIsNotRead(t *testing.T) {
	dir := t.TempDir()
	secret := write(t, filepath.Join(dir, "secret"), "password: hunter2\n")
	link := filepath.Join(dir, "config.yaml")
	if err := os.Symlink(secret, link); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	_, err := config.Load(config.Sources{ProjectFile: link})
	if err == nil || strings.Contains(err.Error(), "password") {
		t.Errorf("got %v", err)
	}
	if err := config.Set(link, "language", "en", config.ProjectLayer); err == nil {
		t.Error("Set wrote through the symlink")
	}
	if err := config.Set(link, "language", "en", config.UserLayer); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the user's own symlink was replaced")
	}
}

func TestSchemaIsAsReviewed(t *testing.T) {
	got, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "schema.json")
	if *update {
		write(t, golden, string(got))
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"language: en\n", "recall:\n  threshold: 0.6\n", "a: &a {b: *a}\n", "recall: &r {turns: auto}\nx: *r\n", "? [a]\n: b\n",
		"roles: [a, 記憶]\n", "<<: {user: a}\n", "\x00", "recall.threshold: .inf\n", "memory: {extra_dirs: [a/../../b]}\n", "!!binary a: b\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, filepath.Join(t.TempDir(), "c.yaml"), text)
		c, err := config.Load(config.Sources{UserFile: path, ProjectFile: path})
		if c == nil || (err != nil && len(config.Problems(err)) == 0) {
			t.Fatalf("config %v, error %v", c, err)
		}
		if c.Recall.Threshold < c.Recall.ThresholdMin || c.Recall.Threshold > 1 || c.Recall.RecencyWeight+c.Recall.AccessWeight > 1 {
			t.Errorf("%q made %+v", text, c.Recall)
		}
		if c.User != "" && !memory.ValidName(c.User) {
			t.Errorf("%q made the user %q", text, c.User)
		}
	})
}

func BenchmarkLoadTwoFiles(b *testing.B) {
	dir := b.TempDir()
	user, project := filepath.Join(dir, "u.yaml"), filepath.Join(dir, "p.yaml")
	text := "# settings\nlanguage: zh-Hant\nrecall:\n  threshold: 0.75 # stricter\n  max_terms: 10\ncapture:\n  daily_log: false\nlog:\n  level: debug\n"
	for _, f := range []string{user, project} {
		if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		c, _ := config.Load(config.Sources{UserFile: user, ProjectFile: project, Env: os.LookupEnv})
		if c.Recall.MaxTerms != 10 {
			b.Fatal("not read")
		}
	}
}

func TestAProjectNarrowsWhichOfItsFilesAreIndexed(t *testing.T) {
	c, problems := load(t, "rag:\n  exclude: [private/]\n  max_file_bytes: 5000\n",
		"rag:\n  enabled: true\n  exclude: ['*.gen.go', /docs/old]\n  include: ['src/**']\n  max_file_bytes: 9000\n")
	if got := get(t, c, "rag.exclude"); got != "private/,*.gen.go,/docs/old" {
		t.Errorf("exclude is %q", got)
	}
	if got := get(t, c, "rag.include") + " " + get(t, c, "rag.max_file_bytes") + " " + get(t, c, "rag.enabled"); got != "src/** 5000 false" {
		t.Errorf("got %s", got)
	}
	if len(problems) != 2 {
		t.Errorf("problems: %q", problems)
	}
	_, problems = load(t, "", "rag:\n  include: [../other]\n")
	if len(problems) != 1 || !strings.Contains(problems[0], `rag.include "../other": want a pattern of paths within the project`) {
		t.Errorf("problems: %q", problems)
	}
}

// What a project's file wants to have run counts once it was accepted, and waits
// again when anything of it changes.
func TestWhatAProjectRunsIsAcceptedByContent(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "tools", "build.js"), "export default () => []\n")
	file := write(t, filepath.Join(root, ".orihon", "config.yaml"), "context_builder:\n  strategy: plugin\n  plugin_path: tools/build.js\n  hook:\n    type: script\n    command: [go, tools/build.js]\n")
	accepted := map[string]bool{}
	read := func() (*config.Config, []*config.Problem) {
		c, err := config.Load(config.Sources{ProjectFile: file, Root: root, Accepts: func(hash string) bool { return accepted[hash] }})
		return c, config.Problems(err)
	}
	c, problems := read()
	if len(problems) != 2 || c.ContextBuilder.PluginPath != "" || c.ContextBuilder.Hook.Command != nil || len(c.Programs()) != 2 {
		t.Fatalf("nothing was accepted: %+v, %q", c.ContextBuilder, problems)
	}
	for _, p := range c.Programs() {
		if !strings.Contains(p.Text, "export default") || p.Line == 0 || p.Accepted {
			t.Errorf("the person would see %+v", p)
		}
		accepted[p.Hash] = true
	}
	want := filepath.Join(root, "tools", "build.js")
	if c, problems = read(); len(problems) != 0 || c.ContextBuilder.PluginPath != want || !slices.Equal(c.ContextBuilder.Hook.Command, []string{"go", want}) {
		t.Errorf("accepted: %+v, %q", c.ContextBuilder, problems)
	}
	write(t, want, "export default () => [1]\n")
	if c, problems = read(); len(problems) != 2 || c.ContextBuilder.PluginPath != "" {
		t.Errorf("changed: %+v, %q", c.ContextBuilder, problems)
	}
	// What leads out of the folder, or is none of its files, never counts.
	for _, path := range []string{"../elsewhere.js", "/etc/passwd", "tools", "gone.js"} {
		write(t, file, "context_builder: {plugin_path: "+path+"}\n")
		c, err := config.Load(config.Sources{ProjectFile: file, Root: root, Accepts: func(string) bool { return true }})
		if err == nil || c.ContextBuilder.PluginPath != "" {
			t.Errorf("%s was taken: %v", path, err)
		}
	}
	// A summariser that comes with the program needs nobody's word.
	write(t, file, "auto_summarize: {summarizer_agent: summarizer-errors}\n")
	if c, problems := read(); len(problems) != 0 || c.AutoSummarize.Agent != "summarizer-errors" {
		t.Errorf("a standard summariser: %q, %q", c.AutoSummarize.Agent, problems)
	}
}

// A plug-in's options have names of their own; what the strategies know besides
// reaches it, too.
func TestAPluginGetsWhatStandsUnderOptions(t *testing.T) {
	script := write(t, filepath.Join(t.TempDir(), "build.js"), "export default () => []\n")
	file := write(t, filepath.Join(t.TempDir(), "u.yaml"), "context_builder:\n  strategy: plugin\n  plugin_path: "+script+"\n  options:\n    keep: {last: 2, names: [a, 1]}\n    tone: calm\n    window_size: 9\n    odd: {1: 2}\n")
	c, err := config.Load(config.Sources{UserFile: file, Flags: map[string]string{"context_builder.options.tone": "warm", "context_builder.options.deep": "true"}})
	want := map[string]any{"keep": map[string]any{"last": 2.0, "names": []any{"a", 1.0}}, "tone": "warm", "window_size": 9, "deep": true}
	if diff := cmp.Diff(want, c.ContextBuilder.PluginOptions); diff != "" {
		t.Error(diff)
	}
	if p := config.Problems(err); len(p) != 1 || p[0].Line != 8 {
		t.Errorf("what JSON does not have: %q", p)
	}
	c, err = config.Load(config.Sources{UserFile: file, Flags: map[string]string{"context_builder.strategy": "folding", "context_builder.options.deep": "1"}})
	if p := config.Problems(err); len(p) != 4 || c.ContextBuilder.PluginOptions != nil {
		t.Errorf("with another strategy: %v, %q", c.ContextBuilder.PluginOptions, p)
	}
}

func TestTheRightWordInTheWrongSectionIsNamed(t *testing.T) {
	_, problems := load(t, "context:\n  strategy: folding\ncontext_builder:\n  optoins:\n    window_size: 3\n", "")
	if len(problems) != 2 || !strings.Contains(problems[0], `:2: `) || !strings.Contains(problems[0], `did you mean "context_builder.strategy"`) ||
		!strings.Contains(problems[1], `:5: `) || !strings.Contains(problems[1], `did you mean "context_builder.options.window_size"`) {
		t.Errorf("%q", problems)
	}
}

func TestSharesMayBePercentages(t *testing.T) {
	for text, want := range map[string]string{"80%": "0.8", "12.5 %": "0.125", "100%": "1", "0.7": "0.7"} {
		if c, problems := load(t, "context_builder: {options: {fold_at: "+text+"}}", ""); problems != nil || get(t, c, "context_builder.options.fold_at") != want {
			t.Errorf("%s: %q, %q", text, get(t, c, "context_builder.options.fold_at"), problems)
		}
	}
}

// A repository's file may say which kind of hook it has, and not switch one on.
func TestAProjectDoesNotSwitchOnAHook(t *testing.T) {
	c, problems := load(t, "context_builder: {hook: {type: off}}", "context_builder: {hook: {type: script}}")
	if c.ContextBuilder.Hook.Type != "off" || len(problems) != 1 || !strings.Contains(problems[0], "you have switched it off") {
		t.Errorf("%s, %q", c.ContextBuilder.Hook.Type, problems)
	}
}

func TestTheScriptOfAHookLiesInTheHome(t *testing.T) {
	home := t.TempDir()
	file := write(t, filepath.Join(home, "config.yaml"), "context_builder: {hook: {command: [go, '${AGENT_HOME}/x.py']}}\n")
	if _, err := config.Load(config.Sources{UserFile: file, Home: home}); err == nil || !strings.Contains(err.Error(), "x.py") {
		t.Errorf("a script that is not there: %v", err)
	}
	write(t, filepath.Join(home, "x.py"), "")
	if _, err := config.Load(config.Sources{UserFile: file, Home: home}); err != nil {
		t.Error(err)
	}
}
