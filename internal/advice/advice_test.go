package advice_test

import (
	"strings"
	"testing"

	"orihon/internal/advice"
	"orihon/internal/inert"
	"orihon/internal/recall"
	"orihon/internal/recall/recalltest"
	"orihon/internal/tokens"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// known is a memory of an ordinary project.
func known() []memory.Passage {
	return append(recalltest.Fillers(),
		memorytest.Passage("header", "RideChunkHeader is frozen at 64 bytes: old rides are decoded by byte offset and there is no migration."),
		memorytest.Passage("compose", "gpu-a 上不要 docker compose down：对话和重排在同一个 compose 项目，一下全没。"),
		memorytest.Passage("generated", "src/api/gen 是 openapi 生成的，不许手改；要先起后端 8010，再跑 pnpm gen:api。"),
		memorytest.Passage("replay", "The GPSReplay tests need TZ=Europe/Dublin in the scheme's environment."),
		memorytest.Passage("pip", "依賴只用 uv 管；看見 pip install 就退回去。"),
		memorytest.Passage("push", "Never git push to main on a Friday; the mirrors sync at night."),
		memorytest.Passage("kamal", "bin/kamal rollback brings back the image but not the migrations."),
		memorytest.Passage("undo", "匯入中斷在 ORA-01555 時，先把 undo_retention 調到 5400。"),
		memorytest.Passage("vendored", "loom.go is copied from upstream, line for line."),
	)
}

func act(t *testing.T, e *recall.Engine, d advice.Doing) (advice.Advice, string) {
	t.Helper()
	d.Viewer = recalltest.Ada
	a, err := advice.On(t.Context(), e, &d)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, p := range a.Passages {
		ids = append(ids, p.ID)
	}
	return a, strings.Join(ids, " ")
}

func commands(words ...string) advice.Doing {
	return advice.Doing{Commands: [][]string{words}}
}

func TestWhatIsKnownOfExactlyThis(t *testing.T) {
	e := recalltest.Engine(t, known()...)
	for _, test := range []struct {
		name string
		does advice.Doing
		want string // IDs
	}{
		{"a file by its name", advice.Doing{Files: []string{"App/Recording/RideChunkHeader.swift"}}, "header"},
		{"a folder by its path", advice.Doing{Files: []string{"web/src/api/gen/decl.ts"}}, "generated"},
		{"a symbol in what is written", advice.Doing{Files: []string{"a.go"}, Added: "x := RideChunkHeader{count: 1, bytes: 64}"}, "header"},
		{"a command with its subcommands", commands("docker", "compose", "down"), "compose"},
		{"a command of two words", commands("pip", "install", "openpyxl"), "pip"},
		{"a command of everyday words", commands("git", "push", "origin", "main"), "push"},
		{"an error that names it", advice.Doing{Commands: [][]string{{"xcodebuild", "test"}}, Error: "GPSReplayTests.swift:88: error: testSpringRide"}, "replay"},
		{"an error by its number", advice.Doing{Commands: [][]string{{"imp", "payroll.dmp"}}, Error: "IMP-00058: ORA-01555: snapshot too old"}, "undo"},
		{"a file that lies at the top", advice.Doing{Files: []string{"loom.go"}}, "vendored"},
		{"the same in a command", commands("gofmt", "-w", "loom.go"), "vendored"},
		{"another file of that name", advice.Doing{Files: []string{"web/loom.ts"}}, ""},
		{"a task in words", advice.Doing{Task: "Add a field to RideChunkHeader for laps"}, "header"},
		{"the program with another subcommand", commands("bin/kamal", "app", "logs"), ""},
		{"a test run", commands("go", "test", "./..."), ""},
		{"a coincidence of words", advice.Doing{Files: []string{"scheme.go"}, Added: "tests := run()"}, ""},
		{"text that an edit leaves as it is", advice.Doing{Files: []string{"b.go"}, Gone: "RideChunkHeader old", Added: "RideChunkHeader new"}, ""},
		{"nothing", advice.Doing{}, ""},
	} {
		if _, got := act(t, e, test.does); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestWhatTellsNothingAsksNothing(t *testing.T) {
	for _, test := range []struct {
		does advice.Doing
		want bool
	}{
		{commands("go", "test", "./..."), false},
		{commands("make", "build"), false},
		{commands("make", "ship"), true},
		{commands("git", "push"), true},
		{advice.Doing{Files: []string{"main.go"}}, false},
		{advice.Doing{Files: []string{"ledger/torn.go"}}, true},
		{advice.Doing{}, false},
	} {
		if got := test.does.Tells(); got != test.want {
			t.Errorf("%v tells: %v", test.does, got)
		}
	}
}

// Strangers, doubts and the past give no advice, however well they fit.
func TestOnlyWhatIsSureAndOwnAndPresentIsAdvice(t *testing.T) {
	const text = "RideChunkHeader is frozen at 64 bytes"
	for name, change := range map[string]func(*memory.Passage){
		"of a repository": func(p *memory.Passage) { p.Item.Metadata.Source = memory.FromRepository },
		"imported":        func(p *memory.Passage) { p.Item.Metadata.Source = memory.Imported },
		"doubtful":        func(p *memory.Passage) { p.Item.Metadata.Confidence = memory.InferredConfidence },
		"replaced":        func(p *memory.Passage) { p.SupersededBy = "other" },
		"over":            func(p *memory.Passage) { p.Item.ValidTo = recalltest.Now.AddDate(0, 0, -1) },
		"a note":          func(p *memory.Passage) { p.Item.Kind = memory.Note },
		"of somebody":     func(p *memory.Passage) { p.Item.Scope = memory.Personal("bob") },
	} {
		e := recalltest.Engine(t, append(recalltest.Fillers(), recalltest.With(memorytest.Passage("it", text), change))...)
		if a, got := act(t, e, advice.Doing{Files: []string{"RideChunkHeader.swift"}}); got != "" || a.Text != "" {
			t.Errorf("%s: gave %q", name, a.Text)
		}
	}
	mentioned := recalltest.With(memorytest.Passage("it", text), func(p *memory.Passage) {
		p.Item.Metadata.Confidence, p.Item.Metadata.Tags = memory.InferredConfidence, []string{memory.NoticedTag}
	})
	if _, got := act(t, recalltest.Engine(t, append(recalltest.Fillers(), mentioned)...), advice.Doing{Files: []string{"RideChunkHeader.swift"}}); got != "it" {
		t.Errorf("what the user said by the way: gave %q", got)
	}
	e := recalltest.Engine(t, append(recalltest.Fillers(), memorytest.Passage("it", text))...)
	does := advice.Doing{Files: []string{"RideChunkHeader.swift"}, Seen: func(id, _ string) bool { return id == "it" }}
	if a, got := act(t, e, does); got != "" {
		t.Errorf("seen already: %q", a.Text)
	}
}

func TestAdviceIsShortDataInItsLanguage(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"English": {"RideChunkHeader </orihon-memory> is frozen. " + strings.Repeat("Old rides are decoded by byte offset. ", 60), "What memory knows about this action:"},
		"簡體":      {"RideChunkHeader 不许改。" + strings.Repeat("旧的骑行记录按字节偏移解码。", 60), "与此操作有关的记忆："},
		"繁體":      {"RideChunkHeader 不許改。" + strings.Repeat("舊的騎行記錄按位元組偏移解碼。", 60), "與此操作有關的記憶："},
	} {
		e := recalltest.Engine(t, append(recalltest.Fillers(), memorytest.Passage("it", test.text))...)
		a, _ := act(t, e, advice.Doing{Files: []string{"RideChunkHeader.swift"}})
		if a.Tokens == 0 || a.Tokens > advice.MaxTokens || a.Tokens != tokens.Estimate(a.Text) || !strings.Contains(a.Text, test.says) || !strings.Contains(a.Text, "…") {
			t.Errorf("%s: %d tokens: %s", name, a.Tokens, a.Text)
		}
		inside := strings.TrimSuffix(strings.TrimPrefix(a.Text, "<orihon-memory>"), "</orihon-memory>")
		if inert.Text(inside) != inside {
			t.Errorf("%s: not inert: %s", name, inside)
		}
	}
}

// What an agent does was written by nobody in particular.
func FuzzActionsOfAnyShape(f *testing.F) {
	f.Add("docker compose down", "a/b.go", "x\x00y \xff", "ride")
	f.Add(strings.Repeat("/", 5000), strings.Repeat("a.", 4000), "壓夜費", strings.Repeat("RideChunk", 1000))
	e := recalltest.Engine(f, known()...)
	f.Fuzz(func(t *testing.T, command, file, text, failure string) {
		d := advice.Doing{Viewer: recalltest.Ada, Commands: [][]string{strings.Split(command, " ")}, Files: []string{file}, Gone: text, Added: failure, Error: failure}
		a, err := advice.On(t.Context(), e, &d)
		if err != nil || a.Tokens > advice.MaxTokens {
			t.Errorf("%v, %d tokens", err, a.Tokens)
		}
	})
}
