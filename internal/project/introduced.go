package project

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
)

// Line is a line of a file: the file as a slash-separated path from the folder that is
// asked about, the text without a bullet and blanks around it.
type Line struct{ File, Text string }

// Introduction is the latest commit up to HEAD that put a line where it stands.
type Introduction struct {
	Committer
	// Before is what it took away in the same place, lines without their bullets, at
	// most 300 characters; empty where it took nothing, and in a merge.
	Before string
}

const (
	maxPatches = 16 << 20 // bytes of patches that are read
	maxBefore  = 300      // characters
	maxPatched = 64 << 10 // bytes of a line
)

// Bare is a line as [Line] names it.
func Bare(line string) string {
	line = strings.TrimSpace(line)
	for _, bullet := range []string{"- ", "* ", "+ "} {
		if text, ok := strings.CutPrefix(line, bullet); ok {
			return strings.TrimSpace(text)
		}
	}
	return line
}

// Introduced says of lines who committed them. A merge that took one side's lines is none
// of theirs, one that brought its own is. What no commit holds is absent. Like [Subjects] it
// starts a git process, one for all lines.
func Introduced(ctx context.Context, root string, lines []Line) (map[Line]Introduction, error) {
	out := make(map[Line]Introduction, len(lines))
	if len(lines) == 0 {
		return out, nil
	}
	var files []string
	open := make(map[Line]bool, len(lines))
	for _, l := range lines {
		if !open[l] {
			open[l], files = true, append(files, l.File)
		}
	}
	return out, askGitOf(ctx, root, files, func(prefix string, r io.Reader) error {
		heads := make(map[string]string, 3*len(files)) // a patch's first line, to its file
		for _, f := range files {
			p := prefix + path.Clean(f)
			heads["diff --git a/"+p+" b/"+p], heads["diff --cc "+p], heads["diff --combined "+p] = f, f, f
		}
		return patched(r, heads, func(l Line, by Committer, before []string) bool {
			if open[l] {
				delete(open, l)
				out[l] = Introduction{by, plain(strings.Join(before, " / "), maxBefore)}
			}
			return len(open) > 0
		})
	}, "-p", "-U0", "-c", "--no-renames", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
		"--format=%x00%ct %cn", fmt.Sprintf("-n%d", maxCommits))
}

// patched reads what git log -p -U0 -c prints. Each commit begins with NUL, each file with
// a line of heads or another that begins with "diff "; within a hunk every line begins with
// as many signs as there are parents, so that no content looks like either. visit gets each
// line that a commit added to all its parents.
func patched(r io.Reader, heads map[string]string, visit func(l Line, by Committer, before []string) bool) error {
	in := bufio.NewReaderSize(io.LimitReader(r, maxPatches), maxPatched)
	var by Committer
	var before []string
	file, parents := "", 0 // of the hunk; 0 outside of one
	for {
		raw, err := in.ReadSlice('\n')
		text := strings.TrimSuffix(string(raw), "\n")
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line is none
			_, err = in.ReadSlice('\n')
		}
		if err != nil {
			return nil // what is cut off is no line
		}
		switch {
		case strings.HasPrefix(text, "\x00"):
			at, name, _ := strings.Cut(text[1:], " ")
			seconds, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				return nil
			}
			by, file, parents = Committer{Name: plain(name, maxAuthor), At: time.Unix(seconds, 0).UTC()}, "", 0
		case strings.HasPrefix(text, "diff "):
			file, parents = heads[text], 0
		case file == "":
		case strings.HasPrefix(text, "@@"):
			parents, before = len(text)-len(strings.TrimLeft(text, "@"))-1, nil
		case parents == 0 || len(text) < parents:
		case parents == 1 && text[0] == '-':
			if gone := Bare(text[1:]); gone != "" {
				before = append(before, gone)
			}
		case strings.Count(text[:parents], "+") == parents:
			if !visit(Line{file, Bare(text[parents:])}, by, before) {
				return nil
			}
		}
	}
}
