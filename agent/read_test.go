package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/agent"
	"orihon/memory"
)

// What is wrong with a configuration is told with its line, all of it at once.
func TestAnAgentThatCannotBeReadSaysWhere(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		want   []string
	}{
		"empty":         {"", []string{"config.yaml: it is empty"}},
		"no yaml":       {"name: [", []string{"config.yaml:1: "}},
		"unknown":       {"name: a\nlimit: {}\nllm:\n  temprature: 1\ntools:\n  - {name: x, comand: [a]}\n", []string{`config.yaml:2: unknown key "limit": did you mean "limits"?`, `config.yaml:4: unknown key "temprature": did you mean "temperature"?`, `config.yaml:6: unknown key "comand": did you mean "command"?`}},
		"like none":     {"name: a\nhooks: {whenever: [a]}\n", []string{`config.yaml:2: unknown key "whenever": want one of start, iteration, end`}},
		"open list":     {"name: a\ntools: [b\nllm: {}\n", []string{"config.yaml:2: the list that begins here with [ is not closed"}},
		"no plug-in":    {"name: a\ncontext_builder:\n  options: {keep: 3}\n", []string{`config.yaml:3: unknown key "context_builder.options.keep"`}},
		"no JSON":       {"name: a\ncontext_builder:\n  strategy: plugin\n  plugin_path: x.js\n  options: {keep: {1: 2}}\n", []string{"a plug-in takes what JSON has"}},
		"type":          {"name: a\nlimits:\n  max_iterations: often\n", []string{"config.yaml:3: max_iterations: often is no whole number"}},
		"duration":      {"name: a\nlimits:\n  time: long\n", []string{"config.yaml:3: time: long is no time such as 30s or 10m"}},
		"no name":       {"version: 1.0.0\n", []string{`config.yaml:1: name: "": an agent needs a name`}},
		"strategy":      {"name: a\ncontext_builder:\n  strategy: magic\n", []string{`config.yaml:3: invalid context_builder.strategy "magic": want auto, sliding_window,`}},
		"section":       {"name: a\nllm: folding\nlimits: {time: 3m, tokens: [3]}\n", []string{"config.yaml:2: llm: folding is no section of settings", "config.yaml:3: tokens: a list is no whole number"}},
		"builder":       {"name: a\ncontext_builder: folding\n", []string{"config.yaml:2: context_builder is a section: write its settings indented below it"}},
		"too few":       {"name: a\ncontext_builder:\n  strategy: two_layer\n  options:\n    recent_size: 0\n    window_siz: 3\n  auto_summarize: {trigger: {iteration_intervall: 3}}\n", []string{`config.yaml:5: invalid context_builder.options.recent_size "0": want 1 to 100000`, `config.yaml:6: unknown key "context_builder.options.window_siz": did you mean "context_builder.options.window_size"?`, `config.yaml:7: unknown key "auto_summarize.trigger.iteration_intervall": did you mean`}},
		"plug-in path":  {"name: a\ncontext_builder:\n  strategy: plugin\n  plugin_path: ../x.js\n", []string{`config.yaml:4: context_builder.plugin_path: invalid "../x.js": name a file below the agent's folder`}},
		"summariser":    {"name: a\ncontext_builder:\n  auto_summarize: {summarizer_agent: /bin/true}\n", []string{`config.yaml:3: auto_summarize.summarizer_agent: invalid "/bin/true": name a file below the agent's folder`}},
		"several":       {"name: a\ntools:\n  - name: x\n  - name: x\n    command: [a]\n    parameters:\n      - name: p\n        inject_as: magic\n", []string{"config.yaml:3: tool x: it needs a command", `config.yaml:4: name: there is a tool "x" already`, `config.yaml:8: inject_as: there is no "magic"`}},
		"mcp":           {"name: a\ntools:\n  - name: m\n    type: mcp\n    command: [a]\n", []string{"config.yaml:3: tool m: name in allow which tools"}},
		"agent path":    {"name: a\ntools:\n  - name: m\n    type: sub_agent\n    agent_path: ../other\n", []string{`config.yaml:5: agent_path: "../other": name a folder below`}},
		"variable":      {"name: a\ntools:\n  - name: m\n    command: [a]\n    env:\n      LD_PRELOAD: x\n", []string{`config.yaml:5: env: "LD_PRELOAD"`}},
		"default":       {"name: a\ntools:\n  - name: m\n    command: [a]\n    parameters:\n      - name: n\n        type: integer\n        default: many\n", []string{"config.yaml:8: default: "}},
		"workdir":       {"name: a\ntools:\n  - name: m\n    command: [a]\n    workdir: /tmp\n", []string{`config.yaml:5: workdir: "/tmp"`}},
		"small window":  {"name: a\nlimits:\n  context_tokens: 10\n", []string{"config.yaml:3: context_tokens: 10: a window has at least 2000"}},
		"two documents": {"name: a\n---\nname: b\n", []string{"more than one document"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := agent.Read(folder(t, map[string]string{"config.yaml": c.config, "system_prompt.md": "x"}))
			if !errors.Is(err, memory.ErrInvalid) {
				t.Fatalf("Read = %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got:\n%v\nwant in it: %s", err, want)
				}
			}
		})
	}
}

func TestAnAgentNeedsItsFiles(t *testing.T) {
	if _, err := agent.Read(t.TempDir()); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("without config.yaml: %v", err)
	}
	dir := folder(t, map[string]string{"config.yaml": "name: a\n"})
	if _, err := agent.Read(dir); err == nil || !strings.Contains(err.Error(), "system_prompt.md: an agent needs a system prompt") {
		t.Errorf("without a prompt: %v", err)
	}
	secret := folder(t, map[string]string{"s": "outside"})
	if err := os.Symlink(filepath.Join(secret, "s"), filepath.Join(dir, "system_prompt.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Read(dir); err == nil || !strings.Contains(err.Error(), "system_prompt.md") {
		t.Errorf("a prompt outside of the folder is read: %v", err)
	}
}

func TestAPluginOfAnAgentHasOptionsOfItsOwn(t *testing.T) {
	d, err := agent.Read(folder(t, map[string]string{"system_prompt.md": "x", "x.js": "", "config.yaml": "name: a\ncontext_builder:\n  strategy: plugin\n  plugin_path: x.js\n  options: {keep: [3], window_size: 4}\n"}))
	if err != nil || d.Mended != nil {
		t.Fatal(err, d.Mended)
	}
	if diff := cmp.Diff(map[string]any{"keep": []any{3.0}, "window_size": 4}, d.Context.Options.Plugin.Options); diff != "" {
		t.Error(diff)
	}
	if want := filepath.Join(d.Dir, "x.js"); d.Context.Options.Plugin.Path != want {
		t.Errorf("the plug-in is %s, want %s", d.Context.Options.Plugin.Path, want)
	}
}

// An agent tunes its strategy with the options of the user's file.
func TestAnAgentHasTheOptionsOfTheSettings(t *testing.T) {
	d, err := agent.Read(folder(t, map[string]string{"system_prompt.md": "x", "good.py": "", "config.yaml": "name: a\ncontext_builder:\n  strategy: folding\n  options: {fold_at: 70%, cooldown: 9}\n  auto_summarize: {enabled: true, trigger: {iteration_interval: 7}, summarizer_agent: ./good.py}\n"}))
	if err != nil || d.Mended != nil {
		t.Fatal(err, d.Mended)
	}
	o := &d.Context.Options
	if d.Context.Strategy != "folding" || o.Folding.Trigger != 0.7 || o.Folding.Cooldown != 9 || !o.AutoSummarize.Enabled || o.AutoSummarize.IterationInterval != 7 {
		t.Errorf("got %+v", d.Context)
	}
	if diff := cmp.Diff([]string{filepath.Join(d.Dir, "good.py")}, o.AutoSummarize.Options.Program.Command); diff != "" {
		t.Error(diff)
	}
}

// What an agent names and does not have leaves its run to the default, with one line.
func TestAnAgentWithoutItsBuilderCanBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"  strategy: plugin\n  plugin_path: no.js\n":                                `config.yaml:4: context_builder.plugin_path ".*no.js": there is no such file; the default strategy builds`,
		"  strategy: custom\n  hook: {type: script, command: [nosuchprog]}\n":       `config.yaml:4: context_builder.hook.command: there is no program "nosuchprog" on your PATH`,
		"  strategy: custom\n  hook:\n    command: [go, '${AGENT_HOME}/nope.py']\n": `config.yaml:5: context_builder.hook.command: there is no file ".*nope.py"`,
		"  strategy: custom\n": `config.yaml:3: context_builder.strategy custom: set context_builder.hook.command`,
		"  strategy: auto\n  auto_summarize: {summarizer_agent: summarizer-eventz}\n": `config.yaml:4: auto_summarize.summarizer_agent "summarizer-eventz" is no summariser: did you mean "summarizer-events"`,
		"  strategy: auto\n  auto_summarize:\n    summarizer_agent: ./gone.py\n":      `config.yaml:5: auto_summarize.summarizer_agent ".*gone.py" is no summariser`,
	} {
		d, err := agent.Read(folder(t, map[string]string{"system_prompt.md": "x", "config.yaml": "name: a\ncontext_builder:\n" + text}))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if len(d.Mended) != 1 || !regexp.MustCompile(want).MatchString(d.Mended[0].Error()) || d.Context.Strategy != "" {
			t.Errorf("%s: strategy %q, %v", text, d.Context.Strategy, d.Mended)
		}
	}
}

func TestStandardAgentsCanBeRead(t *testing.T) {
	for _, name := range []string{"summarizer-chapter", "summarizer-events", "summarizer-errors", "summarizer-adaptive"} {
		d, err := agent.Standard(name)
		if err != nil || d.Name != name || d.Prompt == "" || len(d.Schema) == 0 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("name: a\ntools:\n  - name: x\n    command: [a]\n")
	f.Add("name: &a [*a]\n")
	f.Add("a: {b: {c: !!binary x}}")
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "system_prompt.md"), []byte("x"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, config string) {
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if d, err := agent.Read(dir); err == nil && d.Name == "" {
			t.Error("an agent without a name was read")
		}
	})
}
