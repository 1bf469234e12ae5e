package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"orihon"
	"orihon/internal/claudecode"
	"orihon/internal/jsonl"
	"orihon/memory"
)

// What tells a canary from everything else.
const (
	canaryWord    = "canary"
	canaryText    = "The word " + canaryWord
	canarySession = "doctor-"
)

// purgeCanaries erases what a doctor left that did not come to its end: another
// canary would be taken for the same statement.
func purgeCanaries(ctx context.Context, m *orihon.Memory) error {
	old, err := m.Items().List(ctx, memory.Filter{Tags: []string{canaryWord}, Retired: true, Superseded: true})
	if err != nil {
		return err
	}
	for i := range old {
		it := &old[i].Item
		if it.Metadata.Source != memory.FromSystem || !strings.HasPrefix(it.Content, canaryText) {
			continue
		}
		if _, err := m.Erase().Purge(ctx, it.ID); err != nil {
			return err
		}
	}
	first := m.Project().Session(canarySession + canaryWord)
	sessions, err := os.ReadDir(filepath.Dir(first))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, s := range sessions {
		if strings.HasPrefix(s.Name(), filepath.Base(first)) {
			if err := os.RemoveAll(filepath.Join(filepath.Dir(first), s.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// canary takes one item through the whole way, so that nothing can fail
// silently: written, found by recall, injected by a real hook, erased.
func (a *app) canary(ctx context.Context, m *orihon.Memory, x *examination) {
	start := time.Now()
	unlock, free, err := jsonl.TryLock(filepath.Join(m.Project().Home, ".doctor.lock"))
	if err != nil {
		x.bad("canary", "", "could not be tried: %v", err)
		return
	}
	if !free {
		x.good("canary", "another doctor is trying it")
		return
	}
	defer unlock()
	if err := purgeCanaries(ctx, m); err != nil {
		x.bad("canary", "", "one of an earlier try could not be erased: %v", err)
		return
	}
	word := canaryWord + strings.ToLower(strings.NewReplacer("-", "", ":", "").Replace(start.UTC().Format("20060102T150405.000000000")))
	word = strings.ReplaceAll(word, ".", "")
	text := canaryText + strings.TrimPrefix(word, canaryWord) + " shows that this memory works"
	out, err := m.Remember(ctx, orihon.Statement{Text: text, Source: memory.FromSystem, Explicit: true, Confidence: memory.StatedConfidence, Tags: []string{canaryWord}})
	if err == nil && out.Action != "add" {
		// What it was taken for is somebody's, and stays.
		err = fmt.Errorf("it was taken for what is known already: %s (%s)", out.Item.ID, out.Why)
	}
	if err != nil {
		x.bad("canary", "", "could not be written: %v", err)
		return
	}
	session := canarySession + word
	defer func() {
		// The session first: to purge brings the index up to date.
		os.RemoveAll(m.Project().Session(session))
		if _, err := m.Erase().Purge(ctx, out.Item.ID); err != nil {
			x.bad("canary", "orihon forget --purge "+out.Item.ID, "could not be erased: %v", err)
		}
	}()
	r, err := m.Recall(ctx, memory.Query{Text: "what does " + word + " show?"})
	if err != nil || !strings.Contains(r.Text, text) {
		x.bad("canary", "", "was written but not recalled (%v)", errors.Join(err, fmt.Errorf("degraded: %v", r.Degraded)))
		return
	}
	got, err := a.tryHook(ctx, m, session, "what does "+word+" show?")
	if err != nil || !strings.Contains(got, text) {
		x.bad("canary", "", "was recalled but not injected by the hook (%v): %q", err, got)
		return
	}
	x.good("canary", "written, recalled, injected by a hook and erased in %.0f ms", ms(time.Since(start)))
}

// tryHook runs this program as the client would and returns what it injects.
func (a *app) tryHook(ctx context.Context, m *orihon.Memory, session, prompt string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	event, err := json.Marshal(map[string]any{
		"hook_event_name": claudecode.UserPromptSubmit, "session_id": session, "prompt_id": session, "cwd": m.Project().Root, "prompt": prompt,
	})
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, self, "hook", "--home", m.Project().Home)
	cmd.Stdin = bytes.NewReader(event)
	cmd.Env = append(os.Environ(), "ORIHON_USER="+m.User())
	data, err := cmd.Output()
	if err != nil || len(data) == 0 {
		return "", errors.Join(err, errors.New("it printed nothing; hook.log in the home may say why"))
	}
	answer, err := parseHookAnswer(data, string(claudecode.UserPromptSubmit))
	return answer.Specific.Context, err
}
