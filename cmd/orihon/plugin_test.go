package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"orihon/internal/claudecode"
	"orihon/plugin"
)

var updatePlugin = flag.Bool("update-plugin", false, "write the generated files of the plugin")

// The hooks of the plugin are those that install writes into settings that git
// shares, to the byte: a client that sees both runs them once.
func TestPluginHooksAreThoseOfTheSettings(t *testing.T) {
	path := filepath.Join("..", "..", "plugin", "orihon", "hooks", "hooks.json")
	want := claudecode.HooksFile(claudecode.Command(programName, "linux"))
	if *updatePlugin {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is out of date (%v): go test ./cmd/orihon -run PluginHooks -update-plugin", path, err)
	}
}

func TestPluginFiles(t *testing.T) {
	files, err := plugin.Files()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if strings.HasSuffix(name, ".json") && !json.Valid(data) {
			t.Errorf("%s is not valid JSON", name)
		}
	}
	icon, err := png.DecodeConfig(bytes.NewReader(files["orihon/.claude-plugin/icon.png"]))
	if err != nil || icon.Width != icon.Height || icon.Width < 512 || icon.Width > 2048 {
		t.Errorf("the icon is %dx%d (%v), want a square of 512 to 2048", icon.Width, icon.Height, err)
	}
	for _, skill := range []string{"remember", "recall", "forget", "memory-review"} {
		head, _, _ := strings.Cut(strings.TrimPrefix(string(files["orihon/skills/"+skill+"/SKILL.md"]), "---\n"), "\n---\n")
		if !strings.Contains(head, "name: "+skill+"\n") || !strings.Contains(head, "description: ") {
			t.Errorf("skill %s begins with %q", skill, head)
		}
	}
}

// What the plugin tells an agent to run exists, flags included.
func TestPluginNamesCommandsThatExist(t *testing.T) {
	files, err := plugin.Files()
	if err != nil {
		t.Fatal(err)
	}
	ran := regexp.MustCompile("`orihon ([a-z]+)([^`]*)`")
	flags := regexp.MustCompile(`--[a-z-]+`)
	root := (&app{env: func(string) (string, bool) { return "", false }}).root()
	find := func(name string) *cobra.Command {
		for _, c := range root.Commands() {
			if c.Name() == name {
				return c
			}
		}
		return nil
	}
	for name, data := range files {
		for _, m := range ran.FindAllStringSubmatch(string(data), -1) {
			cmd := find(m[1])
			if sub, _, err := root.Find(append([]string{m[1]}, strings.Fields(m[2])...)); cmd != nil && err == nil {
				cmd = sub
			}
			if cmd == nil {
				if m[1] != "mcp" {
					t.Errorf("%s: there is no command %q", name, m[1])
				}
				continue
			}
			for _, f := range flags.FindAllString(m[2], -1) {
				if cmd.Flag(strings.TrimPrefix(f, "--")) == nil {
					t.Errorf("%s: orihon %s has no flag %s", name, m[1], f)
				}
			}
		}
	}
}
