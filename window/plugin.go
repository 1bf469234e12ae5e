package window

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/memory"
)

// PluginOptions describe the strategy [Plugin]. Zero means the default named.
type PluginOptions struct {
	Path    string         // of the .js or .ts file; required
	Options map[string]any // what the plugin gets as ctx.options
	// Host is the command that runs plugins, with its arguments; required. It
	// is asked as the process of [Custom] is, with the plugin's path, options
	// and the events of the run besides. Package window/plugin is what such a
	// command does.
	Host      []string
	Timeout   time.Duration // 10 seconds
	MaxOutput int           // bytes of the answer; 4 MiB
}

// newPlugin runs a plugin in a process of its own: an interpreter has no limit
// of memory, a process has.
func newPlugin(o Options) (Builder, error) {
	p := o.Plugin
	if len(p.Host) == 0 {
		return nil, fmt.Errorf("%w strategy %s: it needs a host, see Options.Plugin", memory.ErrInvalid, Plugin)
	}
	switch strings.ToLower(filepath.Ext(p.Path)) {
	case ".js", ".ts", ".mjs", ".mts":
	default:
		return nil, fmt.Errorf("%w plugin %q: it must be a .js or .ts file", memory.ErrInvalid, p.Path)
	}
	path, err := filepath.Abs(p.Path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%w plugin: %w", memory.ErrInvalid, err)
	}
	p.Timeout = cmp.Or(max(p.Timeout, 0), 10*time.Second)
	p.MaxOutput = cmp.Or(max(p.MaxOutput, 0), 4<<20)
	c, err := newCustom(CustomOptions{Command: p.Host, Timeout: p.Timeout, MaxOutput: p.MaxOutput})
	if err != nil {
		return nil, err
	}
	c.plugin = &pluginQuestion{Path: path, Options: p.Options}
	return withDefault(Plugin, c, o), nil
}
