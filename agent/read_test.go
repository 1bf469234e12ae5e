package agent_test

import (
	"errors"
	"os"
	"path/filepath"
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
		"no plug-in":    {"name: a\ncontext_builder:\n  options: {keep: 3}\n", []string{`config.yaml:3: unknown key "keep"`}},
		"no JSON":       {"name: a\ncontext_builder:\n  strategy: plugin\n  plugin_path: x.js\n  options: {keep: {1: 2}}\n", []string{"config.yaml:5: options: a plug-in takes what JSON has"}},
		"type":          {"name: a\nlimits:\n  max_iterations: often\n", []string{"config.yaml:3: often is no whole number"}},
		"duration":      {"name: a\nlimits:\n  time: long\n", []string{"config.yaml:3: long is no time such as 30s or 10m"}},
		"no name":       {"version: 1.0.0\n", []string{`config.yaml:1: name: "": an agent needs a name`}},
		"strategy":      {"name: a\ncontext_builder:\n  strategy: magic\n", []string{`config.yaml:3: strategy: there is no "magic": use one of sliding_window,`}},
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
	d, err := agent.Read(folder(t, map[string]string{"system_prompt.md": "x", "config.yaml": "name: a\ncontext_builder:\n  strategy: plugin\n  plugin_path: x.js\n  options: {keep: [3], window_size: 4}\n"}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"keep": []any{3}, "window_size": 4}, d.Context.PluginOptions); diff != "" {
		t.Error(diff)
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
