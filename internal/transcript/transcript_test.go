package transcript_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/transcript"
)

func entries(t *testing.T, path string, from int64) (list []transcript.Entry, end int64, skipped []transcript.Problem) {
	t.Helper()
	end, skipped, err := transcript.Read(path, from, func(e transcript.Entry) error {
		list = append(list, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, end, skipped
}

func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	write(t, path, strings.Join(lines, "\n")+"\n")
	return path
}

func TestRecordedTranscriptsAreRead(t *testing.T) {
	for _, version := range []string{"2.1.197", "2.1.329"} {
		t.Run(version, func(t *testing.T) {
			list, _, skipped := entries(t, filepath.Join("testdata", "transcript-"+version+".jsonl"), 0)
			if len(skipped) > 0 {
				t.Errorf("skipped %v", skipped)
			}
			var b strings.Builder
			for _, e := range list {
				if e.Kind == transcript.Other {
					continue
				}
				fmt.Fprintf(&b, "%s", e.Kind)
				for _, part := range []string{e.MessageID, e.ToolUseID, e.Tool, e.Trigger} {
					if part != "" {
						fmt.Fprintf(&b, " %s", part)
					}
				}
				if e.Meta {
					b.WriteString(" meta")
				}
				if e.IsError {
					b.WriteString(" error")
				}
				if e.Usage != nil {
					fmt.Fprintf(&b, " context=%d output=%d", e.Usage.Input+e.Usage.CacheCreation+e.Usage.CacheRead, e.Usage.Output)
				}
				b.WriteByte('\n')
				for _, text := range []string{e.Text, string(e.Input), e.Output} {
					if text != "" {
						fmt.Fprintf(&b, "\t%s\n", strings.ReplaceAll(text, "\n", "\n\t"))
					}
				}
			}
			golden(t, "entries-"+version+".golden", b.String())
		})
	}
}

func TestNothingInjectedIsContent(t *testing.T) {
	for _, version := range []string{"2.1.197", "2.1.329"} {
		list, _, _ := entries(t, filepath.Join("testdata", "transcript-"+version+".jsonl"), 0)
		for _, e := range list {
			for _, injected := range []string{"system-reminder", "session-start context", "prompt context", "post-tool context", "local-command"} {
				if strings.Contains(e.Text+e.Output, injected) {
					t.Errorf("%s: %s entry carries %q", version, e.Kind, injected)
				}
			}
		}
	}
}

func TestReadingOnFromAnOffsetCountsNothingTwice(t *testing.T) {
	path := filepath.Join("testdata", "transcript-2.1.329.jsonl")
	whole, size, _ := entries(t, path, 0)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for cut := range data {
		if cut%997 != 0 && data[cut] != '\n' {
			continue
		}
		grown := filepath.Join(dir, fmt.Sprint(cut))
		write(t, grown, string(data[:cut]))
		first, end, _ := entries(t, grown, 0)
		write(t, grown, string(data))
		rest, last, _ := entries(t, grown, end)
		if diff := cmp.Diff(whole, append(first, rest...)); diff != "" || last != size {
			t.Fatalf("cut at byte %d: end %d, want %d (-whole +parts):\n%s", cut, last, size, diff)
		}
	}
}

func TestBrokenLinesAreSkippedAndReported(t *testing.T) {
	path := file(t,
		`{"type":"user","message":{"role":"user","content":"第一"}}`,
		`{"type":"user","message":`,
		"\x00\x00\x00",
		``,
		`{"type":"user","message":7}`,
		`{"type":"future","message":{"content":"?"}}`,
		`{"type":"user","timestamp":"yesterday","isMeta":"no","message":{"role":"user","content":[{"type":"text","text":"last"},7,{"type":"hologram"}]}}`,
	)
	list, _, skipped := entries(t, path, 0)
	var got []string
	for _, e := range list {
		got = append(got, string(e.Kind)+" "+e.Text)
	}
	want := []string{"user 第一", "other ", "user last", "other ", "other "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	var runs []string
	for _, p := range skipped {
		runs = append(runs, fmt.Sprintf("%d+%d", p.Line, p.Lines))
		if p.Path != path {
			t.Errorf("%+v does not name the file", p)
		}
	}
	if diff := cmp.Diff([]string{"2+2", "5+1"}, runs); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestWhatTheUserTyped(t *testing.T) {
	for in, want := range map[string]string{
		"fix the build": "fix the build",
		"修好它<system-reminder>x</system-reminder>":      "修好它",
		"<system-reminder>only this</system-reminder>": "",
		"<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>登入 flow</command-args>": "/review 登入 flow",
		"<command-name>/compact</command-name>\n<command-args></command-args>":                                                  "",
		"<local-command-stdout>done</local-command-stdout>":                                                                     "",
		"[Request interrupted by user for tool use]":                                                                            "",
	} {
		path := file(t, fmt.Sprintf(`{"type":"user","message":{"role":"user","content":%q}}`, in))
		list, _, _ := entries(t, path, 0)
		if len(list) != 1 || list[0].Text != want || list[0].Meta != (want == "") {
			t.Errorf("%q: %+v, want %q", in, list, want)
		}
	}
}

func TestToolResultsKnowTheirTool(t *testing.T) {
	path := file(t,
		`{"type":"assistant","isSidechain":true,"agentId":"a1","message":{"id":"m","content":[{"type":"thinking","thinking":"嗯"},{"type":"tool_use","id":"t1","name":"Grep","input":{"pattern":"x"}}],"usage":{"input_tokens":1,"cache_read_input_tokens":5,"output_tokens":2}}}`,
		`{"type":"user","isSidechain":true,"message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no"},{"type":"image"}]}]}}`,
		`{"type":"assistant","isApiErrorMessage":true,"message":{"id":"e","content":[{"type":"text","text":"API Error: 529"}]}}`,
	)
	list, _, _ := entries(t, path, 0)
	want := []transcript.Entry{
		{Kind: transcript.Thinking, Type: "assistant", MessageID: "m", Text: "嗯", Sidechain: true, AgentID: "a1", Usage: &transcript.Usage{Input: 1, CacheRead: 5, Output: 2}},
		{Kind: transcript.ToolUse, Type: "assistant", MessageID: "m", Block: 1, ToolUseID: "t1", Tool: "Grep", Input: []byte(`{"pattern":"x"}`), Sidechain: true, AgentID: "a1"},
		{Kind: transcript.ToolResult, Type: "user", ToolUseID: "t1", Tool: "Grep", Output: "no\n[image]", IsError: true, Sidechain: true},
		{Kind: transcript.Assistant, Type: "assistant", MessageID: "e", Meta: true},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVeryLongLinesAreRead(t *testing.T) {
	long := strings.Repeat("長", 4<<20) // 12 MB
	path := file(t, `{"type":"user","message":{"content":"`+long+`"}}`, `{"type":"user","message":{"content":"short"}}`)
	list, _, _ := entries(t, path, 0)
	if len(list) != 2 || list[0].Text != long || list[1].Text != "short" {
		t.Errorf("%d entries", len(list))
	}
}

func TestReadStopsWithTheErrorOfItsCaller(t *testing.T) {
	path := file(t, `{"type":"user","message":{"content":"a"}}`, `{"type":"user","message":{"content":"b"}}`)
	stop := errors.New("enough")
	end, _, err := transcript.Read(path, 0, func(transcript.Entry) error { return stop })
	if err != stop || end != 0 {
		t.Errorf("Read = %d, %v", end, err)
	}
	if _, _, err := transcript.Read(path+".none", 0, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, version := range []string{"2.1.197", "2.1.329"} {
		data, err := os.ReadFile(filepath.Join("testdata", "transcript-"+version+".jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			f.Add(line)
		}
	}
	f.Add([]byte("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":{}}]}}\n{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		write(t, path, string(raw)+"\n")
		end, skipped, err := transcript.Read(path, 0, func(e transcript.Entry) error {
			if e.Kind == "" || (e.Meta && e.Text != "") || strings.Contains(e.Text+e.Output, "<system-reminder>") {
				return fmt.Errorf("entry %+v", e)
			}
			return nil
		})
		if err != nil || end != int64(len(raw)+1) {
			t.Fatalf("end %d of %d: %v", end, len(raw)+1, err)
		}
		lines := 0
		for _, p := range skipped {
			lines += p.Lines
		}
		if total := bytes.Count(raw, []byte("\n")) + 1; lines > total {
			t.Fatalf("%d lines skipped of %d", lines, total)
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
