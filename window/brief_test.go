package window_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orihon/journal"
	"orihon/window"
)

// What a client writes in the user's place is no request of the user's; what the user
// typed beside it is one.
func TestWhatAClientWroteIsNoRequest(t *testing.T) {
	notice := "<task-notification>\n<task-id>b7</task-id>\n<summary>Background job qx_mirror ended</summary>\n</task-notification>"
	s := &script{t: t}
	s.user("<system-reminder>zq_hook is set</system-reminder>\nMend the rounding in the invoice totals.")
	s.call("Edit", m{"file_path": "/w/invoice.py", "old_string": "round(total)", "new_string": "round(total, 2)"}, "The file /w/invoice.py has been updated.", false)
	s.answer("The totals are rounded to cents now.")
	s.user(notice)
	s.answer("The job has ended.")
	s.user("/review invoice.py")
	s.answer("I looked it over.")
	v := journal.NewView(s.events...)
	for name, text := range map[string]string{
		"index": window.Fold(v, 800, "en"), "hand-over": window.Handoff(v, window.HandoffOptions{Language: "en"}),
	} {
		if !strings.Contains(text, "Mend the rounding in the invoice totals.") {
			t.Errorf("%s leaves out the request:\n%s", name, text)
		}
		for _, foreign := range [...]string{"task-notification", "system-reminder", "qx_mirror", "zq_hook", "2. ["} {
			if strings.Contains(text, foreign) {
				t.Errorf("%s has %q:\n%s", name, foreign, text)
			}
		}
	}
	b, err := window.New(window.SlidingWindow, &window.Options{WindowSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	built, err := window.Build(t.Context(), b, window.Input{View: v, Limit: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(built[0].Text, "Task: Mend the rounding in the invoice totals.") {
		t.Errorf("the task is told as %q", built[0].Text)
	}
}

// Frames of stack traces as the tools print them. The names in them are what ran, and
// no fold keeps them; what was thrown, and what the work is about, stays.
var traces = map[string]string{
	"go": `--- FAIL: TestVatOf (0.00s)
panic: runtime error: index out of range [3] with length 3 [recovered]
	panic: runtime error: index out of range [3] with length 3

goroutine 18 [running]:
testing.tRunner.func1.2({0x1006e0a40, 0x14000122018})
	/usr/local/go/src/testing/testing.go:1631 +0x1c8
testing.tRunner.func1()
	/usr/local/go/src/testing/testing.go:1634 +0x33c
shop/tax.innerLoop(...)
	/home/dev/shop/tax/inner_loop.go:12
created by testing.newRunner in goroutine 1
	/usr/local/go/src/testing/testing.go:1742 +0x668
FAIL	shop/tax	0.412s`,
	"python": `Traceback (most recent call last):
  File "/usr/lib/python3.12/unittest/case_runner.py", line 58, in test_part_executable
    self._call_test_method(test_method)
    ~~~~~~~~~~~~~~~~~~~~~~^^^^^^^^^^^^^
  File "/home/dev/shop/inner_loop.py", line 12, in inner_loop
    return rate_table[3]
IndexError: index out of range in vat_of`,
	"javascript": `TypeError: index out of range in vatOf
    at innerLoop (/home/dev/shop/innerLoop.js:12:9)
    at async Promise.allSettled (index 0)
    at Module._compileInner (node:internal/modules/cjs/loader_inner:1256:14)`,
	"java": `java.lang.IndexOutOfBounds: index out of range in vatOf
	at com.shop.InnerLoop.innerLoop(InnerLoop.java:12)
	at java.base/jdk.internal.reflect.NativeAccessor.invokeInner(Native Method)
	... 23 more`,
	"rust": `thread 'main' panicked at src/vat_of.rs:12:5:
index out of range
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90b35a6/library/std/src/panicking_inner.rs:597:5
   1: core::panicking::panic_bounds_check
   2: shop::inner_loop
             at ./src/inner_loop.rs:12:5
note: Some details are omitted.`,
}

func TestNamesOfStackTracesLeaveAFold(t *testing.T) {
	for name, trace := range traces {
		for _, said := range []bool{false, true} {
			s := &script{t: t}
			s.user("Mend the crash in `roundHalfUp`.")
			if said {
				s.user("It prints:\n" + trace)
			} else {
				s.call("Bash", m{"command": "make verify"}, trace, true)
			}
			s.call("Edit", m{"file_path": "/home/dev/shop/tax/vat.go", "old_string": "a[i]", "new_string": "a[roundHalfUp(i)]"}, "ok", false)
			_, b := window.StubOf(journal.NewView(s.events...))
			kept := strings.Join(b.Entities, " ")
			for _, frame := range []string{"tRunner", "newRunner", "inner", "Inner", "Native", "rust_begin", "panic_bounds", "allSettled", "test_method", "testing.go"} {
				if strings.Contains(kept, frame) {
					t.Errorf("%s, said %v: the fold keeps %s of a frame: %s", name, said, frame, kept)
				}
			}
			if !strings.Contains(kept, "roundHalfUp") {
				t.Errorf("%s: the fold does not keep what the work is about: %s", name, kept)
			}
			if err := strings.Join(b.Errors, " "); !said && (!strings.Contains(err, "index out of range") || strings.Contains(err, "goroutine 18")) {
				t.Errorf("%s: the fold does not tell what failed: %s", name, err)
			}
		}
	}
}

// The tools of the memory, and what they tell of each other, are no names of the work.
func TestToolsOfTheMemoryAreNoNamesOfTheWork(t *testing.T) {
	s := &script{t: t}
	s.user("Round every discount in `roundHalfUp`.")
	s.call("mcp__orihon__memory_add", m{"content": "Discounts are rounded half up"}, "Remembered: Discounts are rounded half up\nDoes that end one of these? Then take it out (memory_delete) or put it right (memory_update).", false)
	s.call("Edit", m{"file_path": "/home/dev/shop/tax/vat.go", "old_string": "a[i]", "new_string": "a[roundHalfUp(i)]"}, "ok", false)
	_, b := window.StubOf(journal.NewView(s.events...))
	if kept := strings.Join(b.Entities, " "); strings.Contains(kept, "memory_") || !strings.Contains(kept, "roundHalfUp") {
		t.Errorf("the fold keeps %s", kept)
	}
}

func TestMendedErrorsLeaveAFold(t *testing.T) {
	const broken, ok = "Exit code 1\n--- FAIL: TestVatOf (0.00s)\n    vat_test.go:12: got 2, want 3\nFAIL", "ok  \tshop/tax\t0.01s"
	for _, tc := range []struct {
		first, then string
		mended      bool
	}{
		{"go test ./tax", "go test ./tax", true},
		{"go test ./tax -run TestVatOf", "go test ./...", true},
		{"go test ./tax -run TestVatOf", "go test ./cart", false},
		{"go test ./tax", "go build ./...", false},
	} {
		s := &script{t: t}
		s.user("Round the tax half up.")
		s.call("Bash", m{"command": tc.first}, broken, true)
		s.call("Edit", m{"file_path": "/home/dev/shop/tax/vat.go", "old_string": "a", "new_string": "b"}, "ok", false)
		s.call("Bash", m{"command": tc.then}, ok, false)
		s.answer("The tax is rounded half up now.")
		stub, b := window.StubOf(journal.NewView(s.events...))
		if told := strings.Contains(stub, "TestVatOf (0.00s)"); told == tc.mended {
			t.Errorf("%s, then %s: told as an error: %v\n%s", tc.first, tc.then, told, stub)
		}
		if tc.mended && (len(b.Mended) != 1 || !strings.HasSuffix(b.Mended[0], "ok after a change of vat.go")) {
			t.Errorf("%s, then %s: mended: %q", tc.first, tc.then, b.Mended)
		}
	}
}

func TestAChapterTellsErrorsAsTheyEnded(t *testing.T) {
	s := &script{t: t}
	s.user("Round the tax half up.")
	s.call("Bash", m{"command": "go test ./tax"}, "Exit code 1\n--- FAIL: TestVatOf (0.00s)", true)
	s.say("It truncates.")
	s.user("Go on.")
	s.call("Edit", m{"file_path": "/home/dev/shop/tax/vat.go", "old_string": "a", "new_string": "b"}, "ok", false)
	s.call("Bash", m{"command": "go test ./tax"}, "ok  \tshop/tax\t0.01s", false)
	v := journal.NewView(s.events...)
	parts := window.BlocksOf(v, window.FoldTree{Level: window.Chapter, Iterations: [2]int{1, v.LastIteration()}, Children: []window.FoldTree{
		{Level: window.Digest, Iterations: [2]int{1, 2}}, {Level: window.Digest, Iterations: [2]int{3, v.LastIteration()}},
	}})
	if len(parts[0].Errors) != 1 || len(parts[1].Errors) != 0 {
		t.Fatalf("the parts have %q and %q", parts[0].Errors, parts[1].Errors)
	}
	if whole := parts[2]; len(whole.Errors) != 0 || len(whole.Mended) != 1 {
		t.Errorf("the chapter has the errors %q, mended %q", whole.Errors, whole.Mended)
	}
}

func TestACommitIsToldOnce(t *testing.T) {
	for name, command := range map[string]string{
		"flag":          `git commit -am "Round the tax half up"`,
		"here-document": "git add -A && git commit -q -F - <<'EOF'\nRound the tax half up\n\nAccounting asks for it.\nEOF",
		"file":          "cat > /tmp/msg <<'EOF'\nRound the tax half up\nEOF\ngit commit -F /tmp/msg",
		"pipe":          "printf 'Round the tax half up' | git commit -F -",
		"pushed":        "git commit -F - <<'EOF' && git push origin main\nRound the tax half up\nEOF",
	} {
		s := &script{t: t}
		s.user("Commit this, please.")
		s.call("Bash", m{"command": command}, "[main abc1234] Round the tax half up", false)
		s.answer("It is done.")
		stub, b := window.StubOf(journal.NewView(s.events...))
		if n := strings.Count(b.Summary.Content, "Round the tax half up"); n != 1 || strings.Contains(stub, "git commit") {
			t.Errorf("%s: told %d times:\n%s", name, n, stub)
		}
		if name == "pushed" && !strings.Contains(stub, "git push origin main") {
			t.Errorf("what else the line did is not told:\n%s", stub)
		}
	}
}

// What is to be remembered and what the run is for stand in a context whatever was
// folded, the task with its lines.
func TestFoldsKeepTheTaskAndWhatToRemember(t *testing.T) {
	task := "Write a booking system for the tea house.\n\n1. Keep no phone numbers.\n2. At most six people at a table.\n3. " +
		strings.Repeat("Each room has its own list of tables. ", 6) + "\n4. Answer with the name of the room."
	for name, remember := range map[string]string{
		"English":             "Remember: we are closed from 14:00 to 17:00, no bookings then.",
		"traditional Chinese": "請記住：午休時間 14:00–17:00 不接受訂位。",
		"simplified Chinese":  "请记住：午休时间 14:00–17:00 不接受订位。",
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t}
			s.user(task)
			s.answer("I will look at the rooms one by one.")
			for i := range 40 {
				s.user(fmt.Sprint("Look at room ", i, "."))
				if i == 4 {
					s.user(remember)
				}
				s.call("Read", m{"file_path": fmt.Sprintf("/w/room%d.go", i)}, strings.Repeat(fmt.Sprintf("func room%d() {}\n", i), 40), false)
				s.answer(fmt.Sprint("Room ", i, " has four tables."))
			}
			for _, limit := range [...]int{3000, 6000} {
				in := window.Input{View: journal.NewView(s.events...), Limit: limit}
				built, err := window.BuildPlaced(t.Context(), newFolder(t), in)
				if err != nil {
					t.Fatal(err)
				}
				var all strings.Builder
				for _, m := range built {
					all.WriteString(m.Text + "\n")
				}
				if !strings.Contains(all.String(), "[F") {
					t.Fatalf("nothing is folded at %d", limit)
				}
				for _, want := range [...]string{task, remember} {
					if !strings.Contains(all.String(), want) {
						t.Errorf("at %d no message holds %q:\n%s", limit, want, all.String()[:2000])
					}
				}
			}
		})
	}
}

// An error that was mended, in its stretch or behind it, leaves no names in a fold,
// and a fold does not say that nobody tried again where somebody did.
func TestAFoldKnowsWhatMendedItsErrorsBehindIt(t *testing.T) {
	const broken = "Exit code 1\nTraceback (most recent call last):\nKeyError: 'sf_hub_code'"
	for name, tt := range map[string]struct {
		fixed int // look behind which the check passes
		named bool
	}{"in the fold": {3, false}, "behind the fold": {12, false}, "never": {99, true}} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t}
			look := func(i int) {
				s.user(fmt.Sprint("Look at step ", i, "."))
				s.call("Read", m{"file_path": fmt.Sprintf("/w/step%d.py", i)}, strings.Repeat(fmt.Sprintf("step_%d_total = 1\n", i), 40), false)
				s.answer("Done.")
			}
			s.call("Edit", m{"file_path": "/w/first.py", "old_string": "a", "new_string": "b"}, "The file /w/first.py has been updated.", false)
			look(0)
			s.call("Bash", m{"command": "python -m pytest tests/test_hub.py"}, broken, true)
			// Older than an error that is never folded.
			for i := range 60 {
				look(1 + i)
				if i == tt.fixed {
					s.call("Edit", m{"file_path": "/w/hub.py", "old_string": "a", "new_string": "b"}, "The file /w/hub.py has been updated.", false)
					s.call("Bash", m{"command": "python -m pytest tests/test_hub.py"}, "3 passed", false)
				}
			}
			b, err := newFolder(t).FoldRange(t.Context(), window.Input{View: journal.NewView(s.events...), Limit: 1 << 20}, 2, 10)
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(b.Entities, "sf_hub_code"); got != tt.named {
				t.Errorf("names %q: the error's among them %v, want %v", b.Entities, got, tt.named)
			}
			if text := fmt.Sprint(b.Errors, b.Mended, b.Summary); strings.Contains(text, "not tried again") != tt.named {
				t.Errorf("the fold tells of the error:\n%s", text)
			}
		})
	}
}
