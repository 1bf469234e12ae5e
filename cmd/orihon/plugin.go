package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon"
	"orihon/internal/jsonl"
	"orihon/memory"
	"orihon/plugin"
)

// pluginRecord remembers the folders that the plugin was written into.
type pluginRecord struct {
	Version int                 `json:"version"`
	Folders map[string][]string `json:"folders"` // files by folder, with slashes
}

const pluginRecordVersion = 1

func pluginRecordPath(m *orihon.Memory) string { return filepath.Join(recordDir(m), "plugin.json") }

func readPluginRecord(path string) pluginRecord {
	var r pluginRecord
	data, err := jsonl.ReadFile(path)
	if err != nil || json.Unmarshal(data, &r) != nil || r.Version != pluginRecordVersion || r.Folders == nil {
		return pluginRecord{pluginRecordVersion, make(map[string][]string)}
	}
	return r
}

func (r *pluginRecord) save(path string) error {
	if len(r.Folders) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return jsonl.WriteFile(path, append(data, '\n'))
}

// installPlugin writes the plugin, and what lists it, into a folder.
func (a *app) installPlugin(ctx context.Context, dir string, dryRun, yes bool) error {
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	if dir = strings.TrimSpace(dir); dir == "" {
		dir = filepath.Join(m.Project().Home, "plugin")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	files, err := plugin.Files()
	if err != nil {
		return err
	}
	record := readPluginRecord(pluginRecordPath(m))
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		have, err := jsonl.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(have, files[name]):
			continue
		case err == nil && !slices.Contains(record.Folders[dir], name):
			return fmt.Errorf("%w: %s is not ours; name an empty folder", memory.ErrRefused, path)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		changed = append(changed, name)
	}
	past, offer, err := a.pastOffer(m)
	if err != nil {
		return err
	}
	if !dryRun && len(changed) > 0 {
		// The record goes first: what a crash leaves in between is still ours.
		record.Folders[dir] = slices.Sorted(maps.Keys(files))
		if err := record.save(pluginRecordPath(m)); err != nil {
			return err
		}
		for _, name := range changed {
			if err := jsonl.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), files[name]); err != nil {
				return err
			}
		}
	}
	if err := a.print(map[string]any{"path": dir, "changed": len(changed) > 0, "dry_run": dryRun, "files": listed(changed), "past": past}, func(w io.Writer) {
		switch {
		case len(changed) == 0:
			fmt.Fprintf(w, "nothing to change in %s\n", dir)
		case dryRun:
			for _, name := range changed {
				fmt.Fprintf(w, "+ %s\n", filepath.Join(dir, filepath.FromSlash(name)))
			}
			return
		default:
			fmt.Fprintf(w, "%s %s\n", a.bold("plugin written to"), dir)
		}
		fmt.Fprintf(w, "next     claude plugin marketplace add %q\n         claude plugin install %[2]s@%[2]s\n", dir, plugin.Name)
		fmt.Fprintf(w, "or       codex plugin marketplace add %q\n         codex plugin add %[2]s@%[2]s\n", dir, plugin.Name)
		fmt.Fprintf(w, "or       copilot plugin marketplace add %q\n         copilot plugin install %[2]s@%[2]s\n", dir, plugin.Name)
	}); err != nil || dryRun {
		return err
	}
	if a.wired(m.Project().Root) {
		a.warn("the client's settings run the hooks as well: orihon uninstall takes those out, or they run twice")
	}
	return offer(ctx, yes)
}

// removePlugins takes the plugin out of every folder it was written into.
func (a *app) removePlugins(m *orihon.Memory, dryRun bool) []removed {
	path := pluginRecordPath(m)
	record := readPluginRecord(path)
	var out []removed
	for _, dir := range slices.Sorted(maps.Keys(record.Folders)) {
		r := removed{Path: dir, Changed: true, plugin: true}
		if !dryRun {
			if r.err = removePlugin(dir, record.Folders[dir]); r.err == nil {
				delete(record.Folders, dir)
				r.err = record.save(path)
			}
			if r.err != nil {
				r.Why = r.err.Error()
			}
		}
		out = append(out, r)
	}
	return out
}

// removePlugin removes the files of a plugin and the folders that they leave empty.
func removePlugin(dir string, files []string) error {
	folders := make(map[string]bool)
	for _, name := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			continue // the record was not written here
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for up := filepath.Dir(path); len(up) >= len(dir); up = filepath.Dir(up) {
			folders[up] = true
		}
	}
	deepest := slices.SortedFunc(maps.Keys(folders), func(a, b string) int { return len(b) - len(a) })
	for _, f := range deepest {
		_ = os.Remove(f) // only an empty one goes
	}
	return nil
}
