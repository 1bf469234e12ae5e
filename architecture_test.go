package orihon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the import path of the root package; every room's path begins
// with it.
const module = "orihon"

// leaves are small rooms with one job each. Any room that does work may use
// them; they know the words of memory and otherwise stand alone.
var leaves = []string{
	"internal/jsonl",
	"internal/redact",
	"internal/copies",
	"internal/memo",
	"internal/terms",
	"internal/tokens",
	"internal/dates",
	"internal/inert",
}

// rooms is every package of the module and what of ours it may import. What is
// not listed is forbidden, a room that is not listed too: adding one means to
// say here where it stands. Arrows point downwards, and the verbs (recall,
// capture, learn) never see each other: the front door hands values from one
// to the next.
//
// Tests may go further, see [TestTestsKeepTheVerbsApart].
var rooms = map[string][]string{
	"memory":            {},
	"memory/memorytest": with(leaves, "memory"),

	"internal/jsonl":   {"memory"},
	"internal/redact":  {"memory"},
	"internal/copies":  {"internal/redact", "internal/terms"},
	"internal/memo":    {},
	"internal/terms":   {"memory", "internal/memo"},
	"internal/tokens":  {"memory"},
	"internal/dates":   {"memory"},
	"internal/inert":   {},
	"internal/config":  {"internal/jsonl", "internal/trust", "memory", "window"},
	"internal/project": {"internal/child", "internal/jsonl", "internal/redact", "memory"},
	"internal/watch":   {"memory"},
	"internal/trust":   with(leaves, "memory"),

	// Asks servers; whoever needs one brings its own words.
	"internal/apiclient": {"memory"},

	// Runs programs of others within bounds.
	"internal/child": {},

	// What words mean, and whether a passage is wanted; the commands fit both.
	"internal/meaning":       {"internal/memo"},
	"internal/meaning/train": {"internal/terms", "internal/lives", "internal/meaning"},
	"internal/gate":          {},
	"internal/gate/boost":    {"internal/gate"},
	"internal/gate/fit":      {"", "memory", "journal", "internal/asks/learn", "internal/gate", "internal/gate/boost", "internal/lives", "internal/reader", "internal/terms"},

	// What of a prompt is worth keeping; the command trains it, and measures the
	// grammar of capture beside it.
	"internal/reader":       {"internal/terms", "internal/meaning"},
	"internal/reader/train": {"internal/lives", "internal/terms", "internal/reader"},

	// What a prompt asks of memory; the command trains it.
	"internal/revise":     {"internal/gate", "internal/learn", "internal/meaning", "internal/reader", "internal/terms"},
	"internal/revise/fit": {"internal/gate", "internal/gate/boost", "internal/lives", "internal/meaning", "internal/revise", "internal/terms"},
	"internal/asks":       {"internal/reader", "internal/terms"},
	"internal/asks/learn": {"internal/asks", "internal/lives", "internal/reader"},
	"internal/asks/train": {"internal/asks", "internal/asks/learn", "internal/lives", "internal/reader"},

	// What agents do with their tools; knows no journal and no client.
	"internal/activity": {},

	// The project's own files: which of them, and cut into what.
	"internal/gitignore": {},
	"internal/chunk":     {"internal/tokens"},
	"internal/corpus":    {"memory", "internal/gitignore", "internal/chunk"},

	// The protocols' implementations: text, index, vectors.
	"internal/store":  with(leaves, "memory"),
	"internal/score":  {"memory", "internal/terms"},
	"internal/sqlite": with(leaves, "memory", "internal/score"),
	"embed":           with(leaves, "memory", "internal/apiclient", "internal/meaning"),

	"journal":          with(leaves, "memory", "internal/meaning", "internal/transcript"),
	"internal/session": with(leaves, "memory", "internal/activity", "internal/project"),

	// What is watched for in a session: rules over values, and nothing else.
	"guard": {},

	// Instincts as files, and how habits are found in sessions; the command fits the
	// models that find them.
	"habit":               {"memory", "internal/jsonl"},
	"internal/mining":     {"memory", "internal/activity", "habit", "internal/meaning", "internal/reader", "internal/terms"},
	"internal/mining/fit": {"internal/activity", "habit", "internal/mining", "internal/planted"},

	// What other programs keep, read and never written.
	"internal/transcript": with(leaves, "memory"),
	"internal/importer":   with(leaves, "memory", "journal", "internal/transcript"),
	"internal/histories":  {"internal/importer", "internal/jsonl"},
	"backup":              with(leaves, "memory"),

	// What a model sees, and models as far as the rest knows them.
	"llm":           {},
	"llm/llmtest":   {"llm"},
	"llm/provider":  {"llm", "memory", "internal/apiclient", "internal/child", "internal/redact", "internal/tokens"},
	"llm/gateway":   with(leaves, "llm", "memory"),
	"workmem":       {"memory", "llm", "internal/inert"},
	"window":        with(leaves, "memory", "journal", "llm", "workmem", "internal/activity", "internal/capture", "internal/child"),
	"window/plugin": with(leaves, "journal"),

	// Views on a context, which only look.
	"window/inspect": with(leaves, "memory", "journal", "llm", "window", "internal/activity"),

	// What models say is worth keeping.
	"internal/extract": with(leaves, "llm", "internal/meaning"),

	// The handles that programs use.
	"runs": with(leaves, "memory", "journal", "llm", "window", "window/inspect", "workmem", "internal/session", "internal/importer", "internal/capture"),

	// How what is known is told.
	"internal/wording": with(leaves, "memory"),

	// The verbs.
	"internal/recall":  with(leaves, "memory", "internal/asks", "internal/gate", "internal/meaning", "internal/reader", "internal/score", "internal/wording"),
	"internal/capture": with(leaves, "memory", "internal/asks", "internal/dates", "internal/meaning", "internal/reader", "journal", "internal/activity"),
	"internal/learn":   with(leaves, "memory", "internal/meaning", "internal/reader"),

	// What is told unasked: at a session's start, and before an action.
	"internal/opening": with(leaves, "memory", "internal/recall", "internal/wording"),
	"internal/advice":  with(leaves, "memory", "internal/recall", "internal/wording"),

	// What their tests share.
	"internal/recall/recalltest": with(leaves, "memory", "memory/memorytest", "embed", "internal/recall", "internal/sqlite"),

	// One home of memory, and who asks where.
	"internal/space": with(leaves, "memory", "journal", "embed", "internal/project", "internal/score", "internal/session", "internal/sqlite", "internal/store"),
	"internal/home":  with(leaves, "memory", "journal", "embed", "internal/reader", "llm", "llm/gateway", "llm/provider", "runs", "window", "internal/child", "internal/config", "internal/project", "internal/space", "internal/store", "internal/transcript", "internal/trust"),
	"documents":      with(leaves, "memory", "embed", "internal/corpus", "internal/home", "internal/recall", "internal/session", "internal/sqlite"),
	"internal/verbs": with(leaves, "memory", "documents", "internal/capture", "internal/home", "internal/learn", "internal/recall", "internal/revise", "internal/session", "internal/space", "internal/store"),

	// Files for clients without hooks.
	"internal/memoryindex": with(leaves, "memory", "internal/opening", "internal/project", "internal/recall", "internal/space", "internal/store", "internal/verbs"),

	// What programs hold, and what the handle does for them.
	"items":     with(leaves, "memory", "internal/home", "internal/learn", "internal/space", "internal/store", "internal/verbs"),
	"instincts": with(leaves, "memory", "items", "journal", "llm", "llm/gateway", "internal/activity", "internal/capture", "habit", "internal/home", "internal/meaning", "internal/mining", "internal/project", "internal/session"),
	"projects":  with(leaves, "internal/home", "internal/project"),
	"review":    with(leaves, "memory", "items", "internal/home", "internal/learn", "internal/memoryindex", "internal/revise", "internal/space", "internal/store", "internal/verbs"),
	"erase":     with(leaves, "memory", "journal", "documents", "embed", "items", "backup", "internal/capture", "internal/corpus", "internal/home", "internal/project", "internal/session", "internal/space", "internal/sqlite", "internal/store"),
	"follow": with(leaves, "memory", "guard", "instincts", "journal", "llm", "llm/gateway", "window", "workmem", "items", "projects", "review", "runs",
		"internal/activity", "internal/asks", "internal/capture", "internal/child", "internal/extract", "internal/gitignore", "internal/home", "internal/importer", "internal/learn", "internal/meaning", "internal/memoryindex", "internal/project", "internal/reader", "internal/recall", "internal/advice", "internal/opening", "internal/revise", "internal/session", "internal/space", "internal/store", "internal/verbs", "internal/wording"),
	"transfer": with(leaves, "memory", "journal", "items", "internal/home", "internal/importer", "internal/learn", "internal/project", "internal/wording", "internal/session", "internal/space", "internal/verbs"),
	"health":   with(leaves, "memory", "journal", "embed", "llm/gateway", "follow", "items", "projects", "internal/home", "internal/memoryindex", "internal/project", "internal/session", "internal/space", "internal/sqlite", "internal/store", "internal/verbs"),

	// What becomes of habits, and whether work got better.
	"evolve":     with(leaves, "memory", "instincts", "llm", "llm/gateway", "habit", "internal/home", "internal/project"),
	"checkpoint": with(leaves, "memory", "internal/child", "internal/home", "internal/project"),

	// The runner, and the servers whose tools it calls.
	"internal/mcptools": {"memory", "internal/child"},
	"agent/registry":    with(leaves, "memory", "agent", "internal/child", "internal/project"),
	"agent":             with(leaves, "memory", "journal", "llm", "window", "workmem", "follow", "internal/child", "internal/config", "internal/mcptools", "internal/project"),

	// What clients load besides the program: files, no code.
	"plugin": {},

	// The front door.
	"": with(leaves,
		"memory", "documents", "follow", "health", "instincts", "items", "llm/gateway", "projects", "review", "runs", "transfer",
		"backup", "checkpoint", "internal/config", "erase", "evolve", "internal/home", "internal/learn", "internal/memoryindex", "internal/project", "internal/verbs", "internal/watch",
	),

	// Surfaces and commands: translation, no rules.
	"internal/mcp":                   with(leaves, "", "memory", "items", "journal", "runs", "window", "window/inspect", "workmem", "internal/recall", "internal/wording"),
	"internal/claudecode":            with(leaves, "", "memory", "follow", "journal", "internal/transcript", "internal/config", "internal/project"),
	"internal/claudecode/clienttest": with(leaves, "memory", "journal", "internal/claudecode", "internal/npmtest"),
	"internal/npmtest":               {"internal/jsonl"},
	"cmd/orihon": with(leaves, "", "agent", "agent/registry", "memory", "journal", "embed", "llm", "llm/gateway", "llm/provider", "window", "window/inspect", "window/plugin", "workmem",
		"backup", "documents", "follow", "health", "instincts", "items", "projects", "review", "runs", "transfer",
		"internal/claudecode", "internal/config", "checkpoint", "erase", "evolve", "internal/eval", "internal/histories", "internal/lives", "internal/mcp", "internal/mcptools", "internal/planted", "internal/project", "plugin"),

	// Measures the product through the front door; what it times or fills in
	// bulk, and fuses with rankings from elsewhere, it reaches by itself.
	"internal/eval": with(leaves, "", "memory", "follow", "guard", "items", "journal", "runs", "transfer", "workmem", "internal/activity", "internal/capture", "internal/config", "internal/importer", "internal/mcp", "internal/planted", "internal/recall", "internal/session", "internal/sqlite", "internal/store", "internal/transcript"),

	// Folders that mean harm; tests alone, which see no more than the built
	// program.
	"internal/hostile": {},

	// Measure a program from outside.
	"internal/lives":   {"memory", "internal/mcptools", "internal/terms"},
	"internal/planted": {},
	// Counts transcripts again; tests alone, which see no more than the built program.
	"internal/recount": {},

	// Generators of source files, run by hand and never linked.
	"internal/terms/internal/gen": {},
}

// fences keep what is not ours in the rooms that exist to hold it. A name ending
// in "/" stands for everything below it.
var fences = []struct {
	imports []string
	rooms   []string
	tests   bool // whether the fence holds for tests as well
	why     string
}{
	{
		imports: []string{"database/sql", "database/sql/", "modernc.org/sqlite", "modernc.org/sqlite/"},
		rooms:   []string{"internal/sqlite"},
		tests:   true,
		why:     "only internal/sqlite knows a database",
	},
	{
		imports: []string{"net", "net/http", "net/http/"},
		rooms:   []string{"internal/apiclient", "internal/claudecode", "internal/claudecode/clienttest", "internal/mcp", "llm/llmtest"},
		why:     "memory works offline; only servers of models and a client's socket are dialled, and only internal/mcp and a test's servers listen",
	},
	{
		imports: []string{"github.com/gofrs/flock"},
		rooms:   []string{"internal/jsonl"},
		why:     "internal/jsonl is where files are locked",
	},
	{
		imports: []string{"github.com/kljensen/snowball", "github.com/kljensen/snowball/"},
		rooms:   []string{"internal/terms"},
		why:     "internal/terms is where words are cut and stemmed",
	},
	{
		imports: []string{"github.com/fsnotify/fsnotify"},
		rooms:   []string{"internal/watch"},
		why:     "internal/watch is where the system is asked to tell of changes",
	},
	{
		imports: []string{"mvdan.cc/sh/"},
		rooms:   []string{"internal/activity"},
		why:     "internal/activity is where shell lines are read",
	},
	{
		imports: []string{"github.com/tailscale/hujson"},
		rooms:   []string{"internal/claudecode"},
		why:     "only a client's settings are JSON with comments",
	},
	{
		imports: []string{"modernc.org/quickjs", "modernc.org/libquickjs"},
		rooms:   []string{"window/plugin"},
		tests:   true,
		why:     "window/plugin is where other people's JavaScript runs",
	},
	{
		imports: []string{"github.com/modelcontextprotocol/"},
		rooms:   []string{"internal/mcp", "internal/mcptools", "internal/eval"},
		why:     "internal/mcp is where the Model Context Protocol is served, internal/mcptools where it is called; internal/eval times it",
	},
	{
		imports: []string{"github.com/google/jsonschema-go/"},
		rooms:   []string{"agent", "internal/mcp", "internal/eval", "llm/provider"},
		why:     "internal/mcp describes its tools by schemas; llm/provider and agent hold answers against them",
	},
	{
		imports: []string{"github.com/spf13/"},
		rooms:   []string{"cmd/orihon"},
		why:     "flags and commands are the command line's",
	},
	{
		imports: []string{
			"testing", "testing/", "go.uber.org/goleak", "pgregory.net/rapid",
			"github.com/google/go-cmp/", "github.com/rogpeppe/go-internal/",
			module + "/memory/memorytest", module + "/internal/claudecode/clienttest", module + "/internal/npmtest", module + "/internal/recall/recalltest",
		},
		rooms: []string{"memory/memorytest", "internal/claudecode/clienttest", "internal/recall/recalltest"},
		why:   "test tools stay out of the binary",
	},
}

// calls are what a package never does by itself unless it is a command, which
// hands on in Options what it reads.
var calls = map[string]string{
	"os.Getenv":      "take the value in Options",
	"os.LookupEnv":   "take the value in Options",
	"os.Environ":     "take the values in Options",
	"os.ExpandEnv":   "take the value in Options",
	"syscall.Getenv": "take the value in Options",
	"os.Exit":        "return an error",
	"log.*":          "take a *slog.Logger in Options",
}

// vagueNames say nothing about what a package is for.
var vagueNames = []string{"base", "common", "helper", "helpers", "misc", "models", "shared", "types", "util", "utils"}

func TestEveryRoomIsKnownAndImportsOnlyWhatItMay(t *testing.T) {
	for room, allowed := range rooms {
		for _, other := range allowed {
			if _, ok := rooms[other]; !ok {
				t.Errorf("the table lets %s import %s, which is no room", show(room), show(other))
			}
		}
	}
	for _, p := range packages(t) {
		allowed, ok := rooms[p.room]
		if !ok {
			t.Errorf("%s is not in the table of rooms: say there what it may import", show(p.room))
			continue
		}
		for _, f := range p.files {
			for _, imported := range f.imports() {
				other, ours := roomOf(imported)
				if ours && !f.test && !slices.Contains(allowed, other) {
					t.Errorf("%s: %s must not import %s", f.path, show(p.room), show(other))
				}
			}
		}
	}
}

func TestTestsKeepTheVerbsApart(t *testing.T) {
	verbs := []string{"internal/recall", "internal/capture", "internal/learn"}
	for _, p := range packages(t) {
		if !slices.Contains(verbs, p.room) {
			continue
		}
		for _, f := range p.files {
			for _, imported := range f.imports() {
				other, ours := roomOf(imported)
				if ours && other != p.room && slices.Contains(verbs, other) {
					t.Errorf("%s: %s and %s never import each other, in tests either", f.path, p.room, other)
				}
			}
		}
	}
}

func TestForeignPackagesStayBehindTheirFences(t *testing.T) {
	within := func(imported, fence string) bool {
		if strings.HasSuffix(fence, "/") {
			return strings.HasPrefix(imported, fence)
		}
		return imported == fence
	}
	for _, p := range packages(t) {
		for _, f := range p.files {
			for _, imported := range f.imports() {
				if imported == "C" {
					t.Errorf("%s: cgo: the binary is pure Go", f.path)
				}
				for _, fence := range fences {
					if f.test && !fence.tests || slices.Contains(fence.rooms, p.room) {
						continue
					}
					if slices.ContainsFunc(fence.imports, func(s string) bool { return within(imported, s) }) {
						t.Errorf("%s imports %s: %s", f.path, imported, fence.why)
					}
				}
			}
		}
	}
}

func TestOnlyCommandsReadTheEnvironmentExitAndPrintLogs(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			if f.test || f.syntax.Name.Name == "main" || strings.HasSuffix(p.room, "test") {
				continue
			}
			f.selectors(func(pos token.Pos, name string) {
				pkg, _, _ := strings.Cut(name, ".")
				why, banned := calls[name]
				if !banned {
					why, banned = calls[pkg+".*"]
				}
				if banned {
					t.Errorf("%s: %s: %s", f.fset.Position(pos), name, why)
				}
			})
		}
	}
}

func TestNothingHappensWhenThePackagesAreLoaded(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			if f.test {
				continue
			}
			for _, decl := range f.syntax.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						t.Errorf("%s: func init: every start of the program pays for it; do the work when it is asked for", f.fset.Position(d.Pos()))
					}
				case *ast.GenDecl:
					for _, pos := range f.compiledPatterns(d) {
						t.Errorf("%s: a pattern is compiled at every start of the program; wrap it in sync.OnceValue", f.fset.Position(pos))
					}
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for _, p := range packages(t) {
		var docs []string
		name, last := "", ""
		for _, f := range p.files {
			if f.test {
				continue
			}
			name = f.syntax.Name.Name
			if f.syntax.Doc != nil {
				docs = append(docs, f.path)
				last = f.syntax.Doc.Text()
			}
		}
		if name == "" {
			continue // nothing but tests so far
		}
		if len(docs) != 1 {
			t.Errorf("%s has %d package comments %v, want one", show(p.room), len(docs), docs)
			continue
		}
		begin := "Package " + name + " "
		if name == "main" {
			begin = "Command " + path.Base(p.room) + " "
		}
		text := strings.TrimSpace(last)
		if !strings.HasPrefix(text, begin) {
			t.Errorf("%s: the package comment begins %q, want %q", docs[0], firstLine(text), begin+"…")
		}
		if lines := strings.Count(text, "\n") + 1; lines < 2 || len(strings.Fields(text)) < 15 {
			t.Errorf("%s: the package comment is too short to say what it is for, what it is not for and where to start:\n%s", docs[0], text)
		}
	}
}

func TestPackageNamesSayWhatIsInside(t *testing.T) {
	for _, p := range packages(t) {
		for part := range strings.SplitSeq(p.room, "/") {
			if slices.Contains(vagueNames, part) {
				t.Errorf("%s: %q says nothing; name the room by the job it does", p.room, part)
			}
		}
		for _, f := range p.files {
			if slices.Contains(vagueNames, f.syntax.Name.Name) {
				t.Errorf("%s: package %s says nothing; name it by the job it does", f.path, f.syntax.Name.Name)
			}
		}
	}
}

func TestEveryDirectDependencyIsExplained(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	const page = "docs/dependencies.md"
	explained, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`) // those for others carry a comment
	found := direct.FindAllStringSubmatch(string(mod), -1)
	if len(found) == 0 {
		t.Fatal("go.mod has no direct dependencies")
	}
	for _, m := range found {
		if row := "| " + m[1] + " | " + m[2] + " |"; !strings.Contains(string(explained), row) {
			t.Errorf("%s has no row %q", page, row+" licence | what for |")
		}
	}
}

func TestNoSourceNamesAPathOfSomebodysMachine(t *testing.T) {
	// The people in examples and tests; nobody else's home belongs here.
	people := []string{"ann", "ben", "dev", "me", "someone", "user", "you"}

	home := regexp.MustCompile(`/(?:home|Users)/([\w.-]+)`)
	other := regexp.MustCompile(`(?:^|[\s"'` + "`" + `(=:])(/root/|/mnt/)`)
	for _, p := range packages(t) {
		for _, f := range p.files {
			for i, line := range strings.Split(string(f.source), "\n") {
				where := fmt.Sprintf("%s:%d", f.path, i+1)
				for _, m := range home.FindAllStringSubmatch(line, -1) {
					if !slices.Contains(people, m[1]) {
						t.Errorf("%s: %s: write one of %v, or a temporary folder", where, m[0], people)
					}
				}
				if m := other.FindStringSubmatch(line); m != nil && f.path != "architecture_test.go" {
					t.Errorf("%s: %s: a path of one machine", where, m[1])
				}
			}
		}
	}
}

// pkg is one package with all its Go files, those for other systems included.
type pkg struct {
	room  string // path below the module, "" for the root
	files []file
}

type file struct {
	path   string // below the module's root, with slashes
	test   bool
	source []byte
	syntax *ast.File
	fset   *token.FileSet
}

// packages lists and parses the whole module.
func packages(t *testing.T) []pkg {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	watch(t, root)
	cmd := exec.Command("go", "list", "-e",
		"-json=Dir,ImportPath,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct {
			Dir, ImportPath                                              string
			GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&listed); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		room, ours := roomOf(listed.ImportPath)
		if !ours {
			t.Fatalf("go list names %s, which is not below %s", listed.ImportPath, module)
		}
		p := pkg{room: room}
		for _, name := range slices.Concat(listed.GoFiles, listed.CgoFiles, listed.IgnoredGoFiles, listed.TestGoFiles, listed.XTestGoFiles) {
			p.files = append(p.files, parse(t, root, filepath.Join(listed.Dir, name)))
		}
		all = append(all, p)
	}
	return all
}

// watch opens every folder of the module: go test keeps a result as long as
// nothing changes that the test itself has opened, and does not see what
// go list reads.
func watch(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, root, name string) file {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		t.Fatal(err)
	}
	rel = filepath.ToSlash(rel)
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, rel, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file{path: rel, test: strings.HasSuffix(rel, "_test.go"), source: source, syntax: syntax, fset: fset}
}

func (f *file) imports() []string {
	var out []string
	for _, spec := range f.syntax.Imports {
		out = append(out, importPath(spec))
	}
	return out
}

// selectors calls fn with every name that is taken from an imported package,
// spelled as the package's own last element, whatever the file calls it.
func (f *file) selectors(fn func(pos token.Pos, name string)) {
	imported := f.importNames()
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imported[x.Name] != "" {
				fn(sel.Pos(), imported[x.Name]+"."+sel.Sel.Name)
			}
		}
		return true
	})
}

// compiledPatterns finds regular expressions that a package-level variable
// compiles outside of any function.
func (f *file) compiledPatterns(d *ast.GenDecl) []token.Pos {
	imported := f.importNames()
	var found []token.Pos
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && imported[x.Name] == "regexp" && strings.HasPrefix(n.Sel.Name, "MustCompile") {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

// importNames maps what the file calls an imported standard package to its
// path.
func (f *file) importNames() map[string]string {
	names := map[string]string{}
	for _, spec := range f.syntax.Imports {
		imported := importPath(spec)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imported
	}
	return names
}

func importPath(spec *ast.ImportSpec) string {
	// The parser has checked the literal.
	s, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(err)
	}
	return s
}

// roomOf cuts the module's path off an import path.
func roomOf(imported string) (room string, ours bool) {
	if imported == module {
		return "", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// show names a room in a message.
func show(room string) string {
	if room == "" {
		return "the root package"
	}
	return room
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// with joins a group of rooms and single ones.
func with(group []string, more ...string) []string {
	return slices.Concat(group, more)
}
