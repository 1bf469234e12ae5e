// Package plugin holds the plugin for coding agents that is shipped with the
// program: hooks, the MCP server, skills and slash commands in one folder that
// Claude Code, Codex and Copilot load as it is.
//
// It knows no client and starts nothing. [Files] is what is written, by path;
// the folder is a marketplace with this one plugin in it.
package plugin

import (
	"embed"
	"io/fs"
)

// Name is what the plugin and its marketplace are called.
const Name = "orihon"

//go:embed all:orihon
var files embed.FS

// marketplace lists the plugin beside it.
const marketplace = `{
  "name": "orihon",
  "description": "Long-term memory for coding agents, kept as text on your own machine.",
  "owner": {
    "name": "Orihon"
  },
  "plugins": [
    {
      "name": "orihon",
      "source": "./orihon",
      "description": "Long-term memory: hooks, the MCP server, skills and slash commands."
    }
  ]
}
`

// Files are the contents of the marketplace's folder by their paths, with slashes.
func Files() (map[string][]byte, error) {
	out := map[string][]byte{".claude-plugin/marketplace.json": []byte(marketplace)}
	err := fs.WalkDir(files, Name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		out[path], err = files.ReadFile(path)
		return err
	})
	return out, err
}
