package main

import (
	"fmt"
	"path/filepath"
	"time"

	"orihon/memory"
)

// shortID is the end of an ID, which tells items apart: the beginning of a
// UUIDv7 is its time.
func shortID(id string) string {
	const n = 12
	if len(id) <= n {
		return id
	}
	return id[len(id)-n:]
}

// headline is an item on one line, its title first.
func headline(it *memory.Item) string {
	text := it.Content
	if it.Title != "" {
		text = it.Title + ": " + text
	}
	return clipped(text, 100)
}

// when words a time; none stands for one that is not known.
func when(t time.Time, layout, none string) string {
	if t.IsZero() {
		return none
	}
	return t.Format(layout)
}

// describe names what sort of item it is.
func describe(it *memory.Item) string {
	if it.Topic == "" || string(it.Topic) == string(it.Kind) {
		return string(it.Kind)
	}
	return string(it.Kind) + "/" + string(it.Topic)
}

// plural counts things for people.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func humanBytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

func ago(now, t time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	}
}

// relative shortens a path under the project for people.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
