package window

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/journal"
)

//go:embed words.txt
var wordLists terms.Lists

var lists = wordLists.Keep()

// DefaultHandoffTokens is the budget of [Handoff] when none is given.
const DefaultHandoffTokens = 1500

// HandoffOptions of [Handoff].
type HandoffOptions struct {
	Budget   int    // tokens; 0 is [DefaultHandoffTokens]
	Language string // "en", "zh-Hant" or "zh-Hans"; anything else is that of the first prompt
	// Instructions of the user that hold on, and what the last answers leave to be
	// done, each word for word.
	Instructions, Open []string
	// State is how far the work has come, and Decisions what was decided and why,
	// where somebody has worded them; else both come from the record.
	State     string
	Decisions []string
}

// Handoff writes what somebody needs who takes a run over from here: the task and
// where it stands, what was decided and why, what was tried and why it failed,
// what is open, the files, and how to tell that it works. Like [Fold] it invents
// nothing, and its text is foreign.
func Handoff(v *journal.View, o HandoffOptions) string {
	budget := cmp.Or(max(o.Budget, 0), DefaultHandoffTokens)
	r := readRecord(v, v.Events())
	if len(r.prompts)+len(r.acts)+len(r.spoken)+len(r.earlier) == 0 {
		return ""
	}
	language := o.Language
	if labels := handoffLabels(language); labels == nil {
		language = r.spokenIn()
	}
	l := handoffLabels(language)
	words := wordsFor(language)
	w := indexWriter{budget: budget}
	part := func(name string, entries []string, share int, first bool) []string {
		return w.reserve(labelled(l[name], entries, budget*share/100, first))
	}
	task := w.reserve(r.taskLines(budget*14/100, l))
	state := r.stateLines(budget*13/100, l)
	if o.State != "" {
		state = []string{l["state"] + clip(oneLine(o.State), 800)}
	}
	state = w.reserve(state)
	open := part("open", r.openLines(o.Open, &words), 16, true)
	verify := part("verify", r.checkLines(l), 9, false)
	failed := part("failed", r.triedLines(&words, l), 15, false)
	reasons := part("reasons", r.reasonLines(), 20, false)
	var decided []string
	for _, d := range o.Decisions {
		decided = append(decided, clip(oneLine(d), 300))
	}
	if decided = part("decided", decided, 16, true); decided == nil {
		decided = part("decided", r.decisions(), 8, false)
	}
	rules := part("rules", o.Instructions, 8, false)
	files := w.reserve(fileLine(l["files"], r.touched(activity.Editing), budget*9/100, &words))
	made := part("commits", commitLines(activity.Commits(r.acts)), 6, false)
	parts := slices.Concat(task, state, open, verify, failed, reasons, decided, rules, files, made)
	text := strings.Join(parts, "\n")
	ranked := r.names()
	found := w.reserve(r.findings(ranked, w.budget*55/100, text, &words))
	parts = append(parts, found...)
	text = strings.Join(parts, "\n")
	names := w.reserve(nameLines(ranked, min(w.budget, budget*28/100), text, &words))
	return strings.Join(slices.Concat(parts, names), "\n")
}

// taskLines are the first request and the last.
func (r *record) taskLines(limit int, l map[string]string) []string {
	n := len(r.prompts)
	if n == 0 {
		return nil
	}
	out := []string{l["task"] + clip(oneLine(r.prompts[0].text), limit*2)}
	if n > 1 {
		out = append(out, l["last"]+clip(oneLine(r.prompts[n-1].text), limit*2))
	}
	return out
}

// stateLines say how far the last request has come, in the words of the answer.
func (r *record) stateLines(limit int, l map[string]string) []string {
	if len(r.spoken) == 0 {
		return nil
	}
	last := r.spoken[len(r.spoken)-1]
	label := l["underway"]
	if last.answer && (len(r.prompts) == 0 || last.seq > r.prompts[len(r.prompts)-1].seq) {
		label = l["answered"]
	}
	return []string{label + outline(last.text, limit*4)}
}

// outline is a text in at most n characters: a longer one keeps its beginning and
// its points.
func outline(text string, n int) string {
	whole := oneLine(text)
	if len(whole) <= n {
		return whole
	}
	var points []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest := strings.TrimLeft(line, "#"); rest != line {
			line = strings.TrimSpace(rest)
		} else if withoutNumber(line) == line {
			continue
		}
		points = append(points, clip(oneLine(line), 100))
	}
	if len(points) < 2 {
		return clip(whole, n)
	}
	return clip(clip(whole, n/3)+" … "+strings.Join(points, "; "), n)
}

// openLines are what is to be done: by the agent's list, by its answers, by what
// it asked last, and by what still fails.
func (r *record) openLines(said []string, l *words) []string {
	items, _ := activity.Items(r.acts)
	out := itemLines(items, l)
	out = append(out, said...)
	if n := len(r.spoken); n > 0 {
		for _, s := range sentences(r.spoken[n-1].text) {
			if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
				out = append(out, clip(s, 200))
			}
		}
		if last := r.spoken[n-1]; !last.answer && len(r.prompts) > 0 {
			out = append(out, clip(oneLine(r.prompts[len(r.prompts)-1].text), 200))
		}
	}
	failing := activity.NewOutcomes(r.cwd, r.acts).Unresolved()
	for _, a := range failing[max(0, len(failing)-3):] {
		f := failure{Action: a}
		out = append(out, f.lineIn(60, 120, l))
	}
	return distinct(out)
}

// checkLines are the commands by which the work was checked, the latest last.
func (r *record) checkLines(l map[string]string) []string {
	var out []string
	for _, a := range activity.Attempts(r.acts) {
		what := oneLine(a.Line().Essence())
		if len(what) > 200 || !slices.ContainsFunc(a.Line().Commands, checks) {
			continue
		}
		end := l["ok"]
		if !a.Succeeded {
			end = l["broken"]
		}
		out = append(out, "`"+what+"` "+end)
	}
	return newest(out, 7)
}

// checks reports a command that tells whether something works.
func checks(c activity.Command) bool {
	return c.Program != "git" && c.Program != "gh" && slices.ContainsFunc(lists.Phrases("checking"), func(w string) bool { return strings.Contains(c.Text, w) })
}

// triedLines are what failed and what came of it, and what the user stopped.
func (r *record) triedLines(w *words, l map[string]string) []string {
	type line struct {
		iter int
		text string
	}
	var all []line
	for _, f := range r.failures(wrongLine) {
		told := *f.Action
		told.Output = wrongLine(told.Output)
		f.Action = &told
		all = append(all, line{f.Iter, f.lineIn(50, 110, w)})
	}
	for i := range r.acts {
		if a := &r.acts[i]; a.Failed && a.Refused() {
			_, said, _ := strings.Cut(a.Output, "the user said:")
			all = append(all, line{a.Iter, nameOf(a, 60) + ": " + l["stopped"] + clip(oneLine(said), 160)})
		}
	}
	for _, f := range r.plainFailures() {
		all = append(all, line{f.Iter, f.lineIn(50, 110, w)})
	}
	slices.SortStableFunc(all, func(a, b line) int { return a.iter - b.iter })
	var out []string
	for _, x := range all {
		out = append(out, x.text)
	}
	return distinct(out)
}

// wrongLine is the first line of an output that names a place in a file or a test
// that failed; without one it is the output.
func wrongLine(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- FAIL: ") {
			return line
		}
		_, rest, ok := strings.Cut(line, ":")
		number := strings.TrimLeft(rest, "0123456789")
		if ok && number != rest && strings.HasPrefix(number, ":") && !strings.Contains(line, " : #") {
			return line
		}
	}
	return output
}

// plainFailures are the runs that say that tests failed though a filter behind
// them went well: of each command the last one in a row, with what came of it.
func (r *record) plainFailures() []failure {
	var out []failure
	at := map[string]int{} // by subject, of those not settled
	for i := range r.acts {
		a := &r.acts[i]
		if a.Command == "" || !a.Done || a.Failed || a.Looks() {
			continue
		}
		subject := a.Subject(r.cwd)
		failed := ""
		for line := range strings.Lines(a.Output) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "--- FAIL: ") || strings.HasPrefix(line, "FAILED ") || strings.HasPrefix(line, "✕ ") {
				failed = line
				break
			}
		}
		j, open := at[subject]
		switch {
		case failed == "" && open:
			out[j].settled = a.Iter
			delete(at, subject)
		case failed == "":
		case open:
			out[j].again++
		default:
			at[subject] = len(out)
			told := *a
			told.Output = failed
			out = append(out, failure{Action: &told, retried: true})
		}
	}
	return out
}

// reasonLines are the sentences that say why something did not work.
func (r *record) reasonLines() []string {
	var out []string
	for _, s := range r.spoken {
		for _, sentence := range sentences(s.text) {
			if len(sentence) >= 40 && holdsAny(strings.ToLower(sentence), lists.Phrases("reasons")...) {
				out = append(out, clip(sentence, 230))
			}
		}
	}
	return distinct(out)
}

func handoffLabels(language string) map[string]string {
	switch language {
	case "en":
		return map[string]string{
			"task": "Task: ", "last": "Last asked: ", "state": "Where it stands: ", "answered": "Where it stands, by the last answer: ", "underway": "Under way, last said: ",
			"open": "Open:", "verify": "How to tell that it works:", "ok": "(ok last time)", "broken": "(failed last time)",
			"failed": "Tried, and what became of it:", "stopped": "the user stopped it: ", "reasons": "Why things did not work, as it was found:",
			"decided": "Decided:", "rules": "The user's instructions, word for word:", "files": "Files changed (times): ", "commits": "Commits made:",
		}
	case "zh-Hant":
		return map[string]string{
			"task": "任務：", "last": "最後的要求：", "state": "現況：", "answered": "現況（依最後的答覆）：", "underway": "進行中，最後說：",
			"open": "待辦：", "verify": "如何確認可行：", "ok": "（上次成功）", "broken": "（上次失敗）",
			"failed": "試過的與結果：", "stopped": "使用者中止：", "reasons": "找到的原因：",
			"decided": "決定：", "rules": "使用者的指示（原文）：", "files": "改過的檔案（次數）：", "commits": "提交：",
		}
	case "zh-Hans":
		return map[string]string{
			"task": "任务：", "last": "最后的要求：", "state": "现况：", "answered": "现况（依最后的答复）：", "underway": "进行中，最后说：",
			"open": "待办：", "verify": "如何确认可行：", "ok": "（上次成功）", "broken": "（上次失败）",
			"failed": "试过的与结果：", "stopped": "用户中止：", "reasons": "找到的原因：",
			"decided": "决定：", "rules": "用户的指示（原文）：", "files": "改过的文件（次数）：", "commits": "提交：",
		}
	}
	return nil
}
