package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"orihon/journal"
	"orihon/window"
	"orihon/window/inspect"
)

// drawn is what a browser makes of the page of a run at a width, once its script
// has run. With words, they are searched for.
func drawn(t *testing.T, p *inspect.Picture, width int, words string) string {
	t.Helper()
	if brief() {
		t.Skip("SKIPPED: starts a browser; ORIHON_LONG=1 asks for it")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && browser == "" {
			browser = found
		}
	}
	if browser == "" {
		t.Skip("SKIPPED: no browser here")
	}
	page, err := contextPage(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	at := "file://" + filepath.ToSlash(file)
	if words != "" {
		at += "#q=" + url.PathEscape(words)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"),
		fmt.Sprintf("--window-size=%d,900", width), "--virtual-time-budget=2000", "--dump-dom", at).Output()
	if err != nil {
		t.Fatal(err)
	}
	// What the run says stands in the data as well: only what was drawn is looked at.
	dom, _, ok := strings.Cut(string(out), `<script type="application/json"`)
	if !ok {
		t.Fatalf("the browser drew %.200q", out)
	}
	return dom
}

// element is the inside of the first element with an id.
func element(t *testing.T, dom, id string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<(\w+)[^>]* id="` + id + `"[^>]*>(.*)`).FindStringSubmatch(" " + strings.ReplaceAll(dom, "<", " <"))
	if m == nil {
		t.Fatalf("nothing has the id %s", id)
	}
	inside, _, _ := strings.Cut(m[2], "</"+m[1]+">")
	return strings.Join(strings.Fields(inside), " ")
}

const markup = "</script><img src=x onerror=alert(1)>"

// pictured is a run of 120 iterations with folds that get narrower, a pause in the
// middle, and hostile text wherever a run has text.
func pictured(t *testing.T, strategy string) *inspect.Picture {
	t.Helper()
	var events []journal.Event
	add := func(at time.Time, typ journal.Type, id string, payload any) {
		e, err := journal.New(typ, id, payload)
		if err != nil {
			t.Fatal(err)
		}
		e.TS = at
		events = append(events, e)
	}
	at := time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC)
	for i := range 120 {
		if at = at.Add(time.Minute); i == 60 {
			at = at.Add(3 * time.Hour)
		}
		text := fmt.Sprintf("# Step **%d**\n%s", i, markup)
		if i == 7 || i == 90 {
			text += " the rare kingfisher, a kingfisher"
		}
		input, err := json.Marshal(map[string]string{"file_path": fmt.Sprintf("step%d.go%s", i, markup)})
		if err != nil {
			t.Fatal(err)
		}
		add(at, journal.UserMessage, fmt.Sprint("p", i), journal.Message{Role: journal.RoleUser, Text: text})
		add(at, journal.ActionRequest, fmt.Sprint("t", i), journal.Action{Tool: "Read" + markup, Input: input})
		add(at, journal.ActionResult, fmt.Sprint("t", i), journal.Result{Tool: "Read", Output: strings.Repeat(fmt.Sprintf("func step%d() {} %s\n", i, markup), 20)})
	}
	v := journal.NewView()
	if _, err := v.Append(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	for from, wide := 2, 12; wide > 0 && from+wide < 100; from, wide = from+wide, wide-1 {
		if _, err := f.FoldRange(t.Context(), window.Input{View: v}, from, from+wide-1); err != nil {
			t.Fatal(err)
		}
	}
	r := inspect.New(v)
	r.Name = "run " + markup
	p, err := r.Picture(t.Context(), inspect.BuildOptions{Strategy: strategy})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A label that is cut misleads: F1 for F14.
func TestThePageShowsWholeLabelsAndPauses(t *testing.T) {
	for _, width := range []int{1280, 500} {
		dom := drawn(t, pictured(t, window.Folding), width, "")
		labelled, bare := 0, 0
		for _, m := range regexp.MustCompile(`<button [^>]*title="(F\d+): [^>]*width: ([\d.]+)px[^>]*>([^<]*)<`).FindAllStringSubmatch(element(t, dom, "folds"), -1) {
			wide, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			// No character of a label is narrower than 5 pixels.
			switch label := strings.TrimSpace(m[3]); {
			case label == "":
				bare++
			case label != m[1] || wide < 5*float64(len(label)):
				t.Errorf("%s is labelled %q in %s pixels, the page has %d", m[1], label, m[2], width)
			default:
				labelled++
			}
		}
		if labelled == 0 || bare == 0 {
			t.Errorf("%d folds have a label, %d have none: want both at a width of %d", labelled, bare, width)
		}
		if bars := element(t, dom, "bars"); !strings.Contains(bars, "3 h 1 min") {
			t.Errorf("no pause is drawn at a width of %d", width)
		}
		if axis := element(t, dom, "axis"); !strings.Contains(axis, ">120 <small>14:00") {
			t.Errorf("the axis ends with %q at a width of %d", axis[max(0, len(axis)-150):], width)
		}
		if when := element(t, dom, "when"); !strings.Contains(when, "done by hand") {
			t.Errorf("why folding happened is not said: %q", when)
		}
		if strings.Contains(dom, "<img") {
			t.Error("text of the run became markup")
		}
		if h := element(t, dom, "task"); strings.Contains(h, "**") || strings.Contains(h, "#") || !strings.Contains(h, "Step 0") {
			t.Errorf("the page is headed %q", h)
		}
	}
}

// drawnFold is a fold on the timeline of a page, in pixels.
type drawnFold struct {
	label           string
	left, wide, top float64
}

// Folds by hand lie in each other without being made of each other.
func TestThePageGivesEachLevelOfNestingARowOfItsOwn(t *testing.T) {
	p := pictured(t, window.Folding)
	fold := func(number, from, to int, top bool) {
		p.Blocks = append(p.Blocks, inspect.FoldedBlock{Top: top, Block: window.Block{
			ID: fmt.Sprintf("fold_iter%d_to_%d", from, to), Number: number, Level: window.Digest, Iterations: [2]int{from, to},
		}})
	}
	p.Blocks = nil
	fold(3, 12, 40, true)
	fold(2, 13, 30, false)
	fold(1, 14, 20, false)
	fold(4, 50, 70, true)
	fold(5, 12, 40, false) // the same range at another level has the same ID
	fold(6, 90, 95, false) // it lies in none: that was opened again
	for _, width := range []int{1280, 500} {
		dom := drawn(t, p, width, "")
		bars := map[string]drawnFold{}
		number := func(text, name string) float64 {
			m := regexp.MustCompile(`[ "]` + name + `: ([\d.]+)px`).FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("no %s in %q", name, text)
			}
			n, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for _, m := range regexp.MustCompile(`<button ([^>]*title="(F\d+): [^>]*)>([^<]*)<`).FindAllStringSubmatch(element(t, dom, "folds"), -1) {
			bars[m[2]] = drawnFold{strings.TrimSpace(m[3]), number(m[1], "left"), number(m[1], "width"), number(m[1], "top")}
		}
		if len(bars) != 5 {
			t.Fatalf("drawn are %v", bars)
		}
		for _, pair := range [][2]string{{"F5", "F3"}, {"F2", "F5"}, {"F1", "F2"}} {
			if in, out := bars[pair[0]], bars[pair[1]]; in.top < out.top+24 || in.left < out.left || in.left+in.wide > out.left+out.wide {
				t.Errorf("%s at %v does not lie below %s at %v", pair[0], in, pair[1], out)
			}
		}
		if bars["F4"].top != bars["F3"].top {
			t.Errorf("F4 is at %v, F3 at %v: both lie in no other", bars["F4"], bars["F3"])
		}
		for name, b := range bars {
			if b.label != name {
				t.Errorf("%s is labelled %q", name, b.label)
			}
		}
		for _, inside := range []string{"1 fold inside", ">F3<", ">F4<"} {
			if run := strings.ReplaceAll(dom[strings.Index(dom, `id="run"`):], "> ", ">"); !strings.Contains(run, inside) {
				t.Errorf("the list of the run lacks %q", inside)
			}
		}
	}
}

// A pause that is counted is drawn, also in the last iteration.
func TestThePageDrawsThePausesItCounts(t *testing.T) {
	p := pictured(t, window.SlidingWindow)
	last := p.Moments[len(p.Moments)-1].Iteration
	p.Pauses = append(p.Pauses, inspect.Pause{Iteration: last, Within: true, Length: time.Hour, Text: "1 h"})
	dom := drawn(t, p, 1280, "")
	if facts := element(t, dom, "facts"); !strings.Contains(dom, "2 pauses") {
		t.Errorf("the run in figures is %q", facts)
	}
	if bars := element(t, dom, "bars"); strings.Count(bars, `class="pause"`) != 2 {
		t.Errorf("drawn are %d pauses", strings.Count(bars, `class="pause"`))
	}
}

func TestThePageMarksWhatIsSearchedForAndHidesTheRest(t *testing.T) {
	dom := drawn(t, pictured(t, window.SlidingWindow), 1280, "KINGFISHER")
	if got := element(t, dom, "hits"); got != "4 hits in 2 iterations" {
		t.Errorf("hits are told as %q", got)
	}
	if n := strings.Count(dom, "<details class=\"it "); n != 2 {
		t.Errorf("%d rows are shown, want the two that say it", n)
	}
	if n := strings.Count(dom, "<mark>kingfisher</mark>"); n < 2 {
		t.Errorf("%d hits are marked", n)
	}
	if n := len(regexp.MustCompile(` dim\b`).FindAllString(element(t, dom, "bars"), -1)); n != 118 {
		t.Errorf("%d bars are dimmed, want 118", n)
	}
	if strings.Contains(dom, "step8.go") {
		t.Error("a row that does not say it names its file")
	}
}

// The zones, the legend and the list are those of the strategy.
func TestThePageOfAStrategyWithoutFoldsHasNone(t *testing.T) {
	dom := drawn(t, pictured(t, window.TwoLayer), 1280, "")
	if zones := element(t, dom, "zones"); strings.Contains(zones, "short-term") || !strings.Contains(zones, "the story of what came before") {
		t.Errorf("the zones are %q", zones)
	}
	if legend := element(t, dom, "legend"); strings.Contains(legend, "fold") || !strings.Contains(legend, "in full") {
		t.Errorf("the legend is %q", legend)
	}
	if strings.Contains(dom, `class="fold"`) {
		t.Error("folds are listed")
	}
	if !strings.Contains(dom, "step3.go") {
		t.Error("rows do not name their files")
	}
}
