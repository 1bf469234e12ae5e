package orihon_test

import (
	"path"
	"slices"
	"testing"

	"orihon"
	"orihon/memory"
)

// questions about this repository, and the files that answer them. They were
// written before anything was tuned.
var questions = [...]struct {
	ask   string
	files []string // patterns
}{
	{"where are files locked between processes", []string{"internal/jsonl/lock.go"}},
	{"estimate how many tokens a text costs", []string{"internal/tokens/tokens.go"}},
	{"where are secrets taken out of text", []string{"internal/redact/*.go"}},
	{"how are near identical passages collapsed into one", []string{"internal/recall/twins.go"}},
	{"which weights does fusion use for the legs", []string{"internal/recall/rank.go", "internal/recall/recall.go"}},
	{"where is the project's identity made from the git remote", []string{"internal/project/identity.go", "internal/project/remote.go", "internal/project/doc.go"}},
	{"BM25 parameters", []string{"internal/score/query.go"}},
	{"convert traditional characters to simplified", []string{"internal/terms/*.go", "internal/terms/internal/gen/*.go"}},
	{"write the daily log of a session", []string{"follow/work.go", "internal/store/daily.go"}},
	{"how is a torn last line of a ledger repaired", []string{"internal/jsonl/repair.go", "docs/FORMAT.md"}},
	{"parse dates like 昨天 in Chinese", []string{"internal/dates/chinese*.go"}},
	{"merge hooks into the client's settings.json", []string{"internal/claudecode/settings.go", "internal/claudecode/install.go"}},
	{"restore a backup and check every hash", []string{"backup/*.go", "backup.go", "cmd/orihon/backup.go"}},
	{"import the memory of mem0", []string{"internal/importer/mem0.go"}},
	{"draw a line of progress on the terminal", []string{"cmd/orihon/progress.go"}},
	{"exit codes of the command line", []string{"cmd/orihon/root.go"}},
	{"quantize vectors to 8 bits", []string{"internal/score/vector.go", "internal/sqlite/vector*.go", "internal/sqlite/schema.sql"}},
	{"detach a process that outlives the hook on windows", []string{"cmd/orihon/detach_windows.go"}},
	{"JSON schema of the configuration for editors", []string{"internal/config/schema.go"}},
	{"以下是與目前內容有關的記憶", []string{"internal/wording/wording.go"}},
}

func TestQuestionsAboutThisRepositoryFindTheirFile(t *testing.T) {
	if !thorough() {
		t.Skip("SKIPPED: this indexes the whole repository; ORIHON_LONG=1 asks for it")
	}
	m, err := orihon.Open(t.Context(), &orihon.Options{
		Home: t.TempDir(), Dir: ".", User: "ann", Settings: map[string]string{"rag.exclude": "/corpus_quality_test.go"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Documents().Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	const depth, floor = 5, 16
	found, first, shown := 0, 0, 0
	for _, q := range questions {
		rank := rankOf(t, m, memory.Query{Text: q.ask, Documents: true, Threshold: -1, MaxTokens: 100_000}, q.files)
		if rank > 0 && rank <= depth {
			found++
		}
		if rank == 1 {
			first++
		}
		usual := rankOf(t, m, memory.Query{Text: q.ask, Documents: true}, q.files)
		if usual > 0 {
			shown++
		}
		t.Logf("rank %2d, shown at %d: %s", rank, usual, q.ask)
	}
	t.Logf("of %d questions %d are answered among the first %d, %d by the first; %d by what would be shown", len(questions), found, depth, first, shown)
	if found < floor {
		t.Errorf("%d questions are answered among the first %d passages, want %d at least", found, depth, floor)
	}
}

// rankOf is the place of the first passage out of one of the files, 0 for none.
func rankOf(t *testing.T, m *orihon.Memory, q memory.Query, files []string) int {
	t.Helper()
	r, err := m.Recall(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return 1 + slices.IndexFunc(r.Hits, func(h memory.Hit) bool {
		return slices.ContainsFunc(files, func(pattern string) bool {
			ok, err := path.Match(pattern, h.Passage.Source)
			return ok && err == nil
		})
	})
}
