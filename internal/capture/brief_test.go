package capture_test

import (
	"strings"
	"testing"

	"orihon/internal/capture"
)

func TestBriefNamesOnlyErrorsThatWereNotResolved(t *testing.T) {
	const broken = "!Exit code 1\nerror: no such table: carts"
	for _, tc := range []struct {
		name string
		tell func(*story)
		want string // in the brief; empty: no errors at all
	}{
		{"a failing command", func(s *story) { s.runs("make test", broken) }, "`make test`: error: no such table: carts"},
		{"the same command succeeds later", func(s *story) { s.runs("make test", broken).runs("make test", "ok") }, ""},
		{"it succeeds from another folder, with less output", func(s *story) { s.runs("make test 2>&1", broken).runs("cd /tmp && make test 2>&1 | tail -5", "ok") }, ""},
		{"it succeeded before", func(s *story) { s.runs("make test", "ok").runs("make test", broken) }, "`make test`"},
		{"another command succeeds", func(s *story) { s.runs("make test", broken).runs("make build", "ok") }, "`make test`"},
		{"the file is edited by another tool", func(s *story) {
			s.does("Edit", map[string]any{"file_path": storyCWD + "/a.go"}, "!String to replace not found").
				does("Write", map[string]any{"file_path": storyCWD + "/a.go"}, "ok")
		}, ""},
		{"an edit fails", func(s *story) {
			s.does("Edit", map[string]any{"file_path": storyCWD + "/a.go"}, "!String to replace not found").reads("a.go")
		}, "Edit a.go: String to replace not found"},
		{"a search finds nothing", func(s *story) { s.runs("cd x && grep -rn foo . | head", "!Exit code 1") }, ""},
		{"the user refuses", func(s *story) { s.runs("rm -rf x", "!The user doesn't want to proceed") }, ""},
		{"an error without words", func(s *story) { s.runs("./check", "!Exit code 3") }, "`./check`: failed without a message"},
		{"colours and returns", func(s *story) { s.runs("make", "!\x1b[31mfatal:\x1b[0m broken\r\nhint") }, "`make`: fatal: broken"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStory(t)
			s.asks("Repair the database")
			tc.tell(s)
			b := capture.Brief(s.run(), "en", 1000)
			if tc.want == "" && strings.Contains(b, "Errors") || !strings.Contains(b, tc.want) {
				t.Errorf("want %q in\n%s", tc.want, b)
			}
		})
	}
}

func TestBriefTakesOpenItemsFromTheLastAnswerThatHasSome(t *testing.T) {
	for _, tc := range []struct{ answer, want string }{
		{"Done.\n\n## Next steps\n\n1. Add tests\n2. Update the docs\n\nThat is all.", "Open items:\n- Add tests\n- Update the docs"},
		{"Done.\nTODO: add tests\nBye.", "Open items:\n- add tests"},
		{"**Remaining:**\n- [x] parser\n- [ ] printer\n", "Open items:\n- printer"},
		{"完成。\n下一步：\n- 補測試\n- 更新文件", "Open items:\n- 補測試\n- 更新文件"},
		{"完成。\n\n待办事项：补测试", "Open items:\n- 补测试"},
		{"Remaining:\n\n- one\n- two\n\nFacts:\n- three", "Open items:\n- one\n- two\n@"},
		{"Remaining:\n- one\n\n- not announced", "Open items:\n- one\n@"},
		{"The next thing is fine: nothing.\n- one\n- two", ""},
		{"```\nTODO: in code\n```\nFine.", ""},
	} {
		r := capture.Run{
			Prompts: []capture.Said{{Text: "Write the printer"}},
			Answers: []capture.Said{{Text: "TODO: outdated"}, {Text: "a."}, {Text: "b."}, {Text: tc.answer}},
		}
		b := capture.Brief(r, "en", 1000) + "\n@" // marks the end
		if tc.want == "" && strings.Contains(b, "Open items") || !strings.Contains(b, tc.want) || strings.Contains(b, "outdated") {
			t.Errorf("%q: want %q in\n%s", tc.answer, tc.want, b)
		}
	}
}

func TestBriefFollowsTheLastListOfTheClientsOwnTool(t *testing.T) {
	list := func(s *story, status, output string) {
		s.does("TodoWrite", map[string]any{"todos": []map[string]string{{"content": "write the lexer", "status": status}}}, output)
	}
	s := newStory(t)
	s.asks("Write the parser")
	list(s, "in_progress", "ok")
	if b := capture.Brief(s.run(), "en", 500); !strings.Contains(b, "Open items:\n- write the lexer") {
		t.Errorf("the list is missing:\n%s", b)
	}
	list(s, "completed", "ok")
	list(s, "pending", "!the list was refused")
	if b := capture.Brief(s.run(), "en", 500); strings.Contains(b, "Open items") {
		t.Errorf("the list was done, and a refused one is none:\n%s", b)
	}
}

func TestBriefGivesInstructionsWholeOrNotAtAll(t *testing.T) {
	r := capture.Run{Prompts: []capture.Said{
		{Text: "Port the server to Go."},
		{Text: "Remember: never push to the main branch of the shop unless Ben has approved it."},
		{Text: "以後一律用繁體中文回覆，但是程式碼裡的註解用英文寫。"},
	}}
	seen := map[bool]int{}
	for budget := range 300 {
		b := capture.Brief(r, "en", budget)
		for _, whole := range []string{"unless Ben has approved it.", "註解用英文寫。"} {
			_, instructions, _ := strings.Cut(b, "verbatim:")
			instructions, _, _ = strings.Cut(instructions, "\nLatest")
			begun := strings.Contains(instructions, "main branch") && whole[0] == 'u' || strings.Contains(instructions, "繁體中文") && whole[0] != 'u'
			if begun != strings.Contains(instructions, whole) {
				t.Fatalf("budget %d cuts an instruction:\n%s", budget, b)
			}
			seen[begun]++
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("instructions were given %d times and left out %d times, want both", seen[true], seen[false])
	}
}

func TestBriefSaysWhetherTheLastRequestWasAnswered(t *testing.T) {
	r := capture.Run{
		Prompts: []capture.Said{{Seq: 1, Text: "Write the parser"}, {Seq: 3, Text: "Now write the printer"}},
		Answers: []capture.Said{{Seq: 2, Text: "The parser is written."}},
	}
	if b := capture.Brief(r, "en", 500); !strings.Contains(b, "Latest request (not answered yet): Now write the printer") {
		t.Errorf("an open request is not told apart:\n%s", b)
	}
	r.Answers = append(r.Answers, capture.Said{Seq: 4, Text: "The printer is written too."})
	if b := capture.Brief(r, "zh-Hant", 500); !strings.Contains(b, "最近的要求：Now write the printer\n最近的答覆：The printer is written too.") {
		t.Errorf("an answered request:\n%s", b)
	}
}
