package capture_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/capture"
)

func TestAnEpisodeNamesOnlyErrorsThatWereNotResolved(t *testing.T) {
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
			e, ok := only(s.run())
			if !ok || tc.want == "" && strings.Contains(e.Text, "failing") || !strings.Contains(e.Text, tc.want) {
				t.Errorf("want %q in\n%s", tc.want, e.Text)
			}
		})
	}
}

func TestOpenItemsAreThoseOfTheLastAnswerThatHasSome(t *testing.T) {
	for _, tc := range []struct {
		answer string
		want   []string
	}{
		{"Done.\n\n## Next steps\n\n1. Add tests\n2. Update the docs\n\nThat is all.", []string{"Add tests", "Update the docs"}},
		{"Done.\nTODO: add tests\nBye.", []string{"add tests"}},
		{"**Remaining:**\n- [x] parser\n- [ ] printer\n", []string{"printer"}},
		{"完成。\n下一步：\n- 補測試\n- 更新文件", []string{"補測試", "更新文件"}},
		{"完成。\n\n待办事项：补测试", []string{"补测试"}},
		{"Remaining:\n\n- one\n- two\n\nFacts:\n- three", []string{"one", "two"}},
		{"Remaining:\n- one\n\n- not announced", []string{"one"}},
		{"The next thing is fine: nothing.\n- one\n- two", nil},
		{"```\nTODO: in code\n```\nFine.", nil},
	} {
		if diff := cmp.Diff(tc.want, capture.OpenItems([]string{"TODO: outdated", "a.", "b.", tc.answer})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.answer, diff)
		}
	}
}

func TestInstructionsAreWholeAndStandWhereTheyWereLastGiven(t *testing.T) {
	got := capture.Instructions([]string{
		"Port the server to Go.",
		"Remember: never push to the main branch of the shop unless Ben has approved it.",
		"以後一律用繁體中文回覆，但是程式碼裡的註解用英文寫。",
		"Remember: never push to the main branch of the shop unless Ben has approved it.",
	})
	if len(got) != 2 || !strings.Contains(got[0], "註解用英文寫") || !strings.HasSuffix(got[1], "unless Ben has approved it.") {
		t.Errorf("instructions %q", got)
	}
}
