package window

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/llm"
	"orihon/memory"
)

// reportPrompt asks a sub-agent for what [ParseReport] reads.
const reportPrompt = `When you end, answer with one JSON object and nothing else:
{"status": "success" | "partial" | "failed", "summary": "under 200 words: results, decisions with reasons, problems and solutions", "files_modified": [], "key_decisions": [], "warnings": [], "needs_followup": []}
No reasoning traces, no failed attempts in detail, no raw tool output.`

// Report is what a main agent gets of a sub-agent's work, and all it gets.
type Report struct {
	Status    string   `json:"status"` // success, partial or failed
	Summary   string   `json:"summary"`
	Files     []string `json:"files_modified"`
	Decisions []string `json:"key_decisions"`
	Warnings  []string `json:"warnings"`
	Followup  []string `json:"needs_followup"`
	// FullOutput is where the whole output stands when it was too long, see
	// [StoreReport].
	FullOutput string `json:"full_output,omitempty"`
}

// Bounds of a report.
const (
	reportWords  = 200     // of its summary, fewer than; a Chinese character counts half a word
	reportTokens = 5000    // of all of it
	maxReport    = 8 << 20 // bytes that are read
)

// ReportSchema is the JSON schema of a report.
func ReportSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","required":["status","summary"],"additionalProperties":false,"properties":{` +
		`"status":{"enum":["success","partial","failed"]},"summary":{"type":"string","minLength":1},` +
		`"files_modified":{"type":"array","items":{"type":"string"}},"key_decisions":{"type":"array","items":{"type":"string"}},` +
		`"warnings":{"type":"array","items":{"type":"string"}},"needs_followup":{"type":"array","items":{"type":"string"}},"full_output":{"type":"string"}}}`)
}

// ParseReport reads a report and checks it against [ReportSchema]. A summary of
// 200 words or more, and a report over 5,000 tokens, are a [ReportTooLong]
// besides the report: [StoreReport] makes a short one. Anything else is a
// [memory.ErrInvalid] that says what to mend.
func ParseReport(raw []byte) (Report, error) {
	if len(raw) > maxReport {
		return Report{}, fmt.Errorf("%w report: %d bytes, at most %d are read", memory.ErrInvalid, len(raw), maxReport)
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	var r Report
	if err := dec.Decode(&r); err != nil {
		return Report{}, fmt.Errorf("%w report: %w", memory.ErrInvalid, err)
	}
	if dec.More() {
		return Report{}, fmt.Errorf("%w report: something follows the JSON object", memory.ErrInvalid)
	}
	if r.Status != "success" && r.Status != "partial" && r.Status != "failed" {
		return Report{}, fmt.Errorf("%w report: status %q: use success, partial or failed", memory.ErrInvalid, r.Status)
	}
	if strings.TrimSpace(r.Summary) == "" {
		return Report{}, fmt.Errorf("%w report: the summary is missing", memory.ErrInvalid)
	}
	words, size := countWords(r.Summary), tokens.Estimate(string(raw))
	if words >= reportWords || size > reportTokens {
		return r, ReportTooLong{words, size}
	}
	return r, nil
}

// ReportTooLong says how long a report is that is in order otherwise.
type ReportTooLong struct{ Words, Tokens int }

func (e ReportTooLong) Error() string {
	return fmt.Sprintf("the report has %d tokens and its summary %d words: less than %d words and at most %d tokens are taken", e.Tokens, e.Words, reportWords, reportTokens)
}

func countWords(s string) int { return int(wordCount(s) + 0.5) }

// StoreReport gives the report of a sub-agent's output that the main agent
// takes. One that is too long is stored whole under
// tasks/<task>/agent_<agent>_full_output.json by store, and shortened: the
// beginning of the summary, and of each list as many lines as fit.
func StoreReport(raw []byte, task, agent string, store func(name string, data []byte) error) (Report, error) {
	r, err := ParseReport(raw)
	var long ReportTooLong
	if !errors.As(err, &long) {
		return r, err
	}
	if !validID(task) || !validID(agent) {
		return Report{}, fmt.Errorf("%w ids %q and %q: letters, digits, - and _ only", memory.ErrInvalid, task, agent)
	}
	name := fmt.Sprintf("tasks/%s/agent_%s_full_output.json", task, agent)
	if err := store(name, raw); err != nil {
		return Report{}, fmt.Errorf("store %s: %w", name, err)
	}
	r.FullOutput = name
	r.Summary = shortSummary(r.Summary)
	left := reportTokens - tokens.Estimate(r.Summary) - 200
	for _, list := range []*[]string{&r.Warnings, &r.Followup, &r.Decisions, &r.Files} {
		var kept []string
		for _, line := range *list {
			line = clip(oneLine(line), 300)
			n := tokens.Estimate(line) + 4
			if n > left/2 {
				break
			}
			left -= n
			kept = append(kept, line)
		}
		*list = kept
	}
	return r, nil
}

func shortSummary(s string) string {
	var out []string
	for _, sentence := range sentences(s) {
		if countWords(strings.Join(append(out, sentence), " ")) >= reportWords {
			break
		}
		out = append(out, sentence)
	}
	if len(out) == 0 {
		return firstWords(oneLine(s), reportWords/2)
	}
	return strings.Join(out, " ")
}

// Message is the report as the main agent's context takes it.
func (r Report) Message() Message {
	raw, _ := json.Marshal(r) // texts always encode
	return Message{Role: llm.User, Text: "[Report of a sub-agent] " + inert.Text(string(raw))}
}
