package orihon_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/memory"
)

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// preferences lists what is kept of the project's style, with its confidence.
func preferences(t *testing.T, p *place) []string {
	t.Helper()
	var out []string
	for _, s := range list(t, p.open(t), memory.Filter{Topics: []memory.Topic{memory.Preference}}) {
		out = append(out, fmt.Sprintf("%s %.1f", s.Item.Content, s.Item.Metadata.Confidence))
	}
	slices.Sort(out)
	return out
}

func TestTheCodeShowsHowAProjectIsWritten(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	p := newPlace(t)
	root := p.open(t).Project().Root
	const code = "export function loadUser(userId) {\n  const cacheKey = 'a' + userId\n  if (cacheKey) {\n    const firstName = 'b'\n    return open('c', 'd')\n  }\n  let lastName = 'y'\n}\n"
	for i := range 6 {
		write(t, filepath.Join(root, "src", fmt.Sprintf("f%d.ts", i)), code)
		write(t, filepath.Join(root, "ignored", fmt.Sprintf("f%d.py", i)), strings.ReplaceAll(code, "'", `"`))
	}
	write(t, filepath.Join(root, ".gitignore"), "ignored/\n")
	gitIn(t, root, "init", "-q")
	gitIn(t, root, "add", ".")
	day := func(id string) []string {
		t.Helper()
		p.prompt(t, id, "p1", "rename the button please")
		p.end(t, id)
		p.work(t)
		return preferences(t, p)
	}

	want := []string{
		"Functions and variables in TypeScript in this project are named in camelCase 0.6",
		"TypeScript in this project is indented with 2 spaces 0.6",
		"TypeScript in this project uses single quotes for strings 0.6",
	}
	if got := day("s1"); !slices.Equal(got, want) {
		t.Errorf("after the first session: %q, want %q", got, want)
	}
	if got := day("s2"); !slices.Equal(got, want) {
		t.Errorf("again on the same day: %q, want %q", got, want)
	}
	if in := p.begin(t, "s3", "startup"); strings.Contains(in.Text, "indented") {
		t.Errorf("what was seen once applies already: %s", in.Text)
	}

	// The next day it counts as seen again, and applies from then on.
	p.later(24 * time.Hour)
	for i := range want {
		want[i] = strings.Replace(want[i], "0.6", "0.7", 1)
	}
	if got := day("s4"); !slices.Equal(got, want) {
		t.Errorf("on the next day: %q, want %q", got, want)
	}
	if in := p.begin(t, "s5", "startup"); !strings.Contains(in.Text, "indented with 2 spaces") {
		t.Errorf("what was seen twice does not apply: %s", in.Text)
	}

	// What the user forgets does not come back, and what they say rules.
	m := p.open(t)
	if _, err := m.Items().Forget(context.Background(), "style:quote_style/TypeScript", "wrong"); err != nil {
		t.Fatal(err)
	}
	p.prompt(t, "s6", "p1", "from now on use tabs for indentation everywhere")
	for i := range 6 {
		write(t, filepath.Join(root, "src", fmt.Sprintf("f%d.ts", i)), strings.ReplaceAll(code, "  ", "    "))
	}
	gitIn(t, root, "add", ".")
	p.later(24 * time.Hour)
	for _, got := range day("s7") {
		if strings.Contains(got, "quotes") || strings.Contains(got, "4 spaces") {
			t.Errorf("kept against the user's word: %q", got)
		}
	}
}
