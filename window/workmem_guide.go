package window

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/llm"
	"orihon/workmem"
)

// guides are what is said about the working memory in one language: a line at each
// fill level, what to do at which level, a reminder that grows firmer, and why
// something was done.
type guides struct {
	begin     string
	levels    [4]string // from the three guideFrom, and above the compaction
	table     string    // with the fill from which is compacted, twice
	decisions string    // the third level for a client, which has no tool to compact with
	reminders [4]string // up to half, up to the third of guideFrom, up to the compaction, above
	large     string    // with the bytes that the overview has, and should stay below
	compacted string    // with the fill
	untouched string    // with the turns; for a context that is built here
	neglected string    // the same, for a client that shows its own history
	write     string    // with the command that writes the overview
}

func guidesFor(language string) guides {
	switch language {
	case "zh-Hant":
		return guides{
			begin:     "overview.md 是你的工作記憶，只有你會維護它。",
			levels:    [4]string{"把已完成的工作摘要寫進去。", "把細節移到 detail/，在 overview.md 留下指引。", "只留下決定與任務；其餘呼叫 " + CompactHistory + "。", "上下文快滿了：現在就寫下所需，最舊的訊息即將離開。"},
			table:     "上下文用量：<20 %% 不必處理；20–40 %% 摘要已完成的工作；40–60 %% 細節移到 detail/；60–%s %% 只留決定與任務；>%s %% 引擎自行壓縮最舊的訊息。",
			decisions: "只留下決定與任務。",
			reminders: [4]string{"保持 overview.md 是最新的。", "上下文已用過半：請更新 overview.md。", "先更新 overview.md 再做別的事：沒寫進去的很快會被壓縮。", "先停下來更新 overview.md：接下來最舊的訊息就會離開。"},
			large:     "overview.md 有 %d 位元組，請保持在 %d 以下。",
			compacted: "上下文超過 %s %%，已替你壓縮最舊的訊息。仍需要的請存下來。",
			untouched: "overview.md 已有 %d 回合未更新：在你更新之前，預設策略會在它旁邊顯示歷史。",
			neglected: "overview.md 已有 %d 個要求未更新：下一次壓縮之後，留在眼前的只有它和摺疊的索引。",
			write:     "overview.md 是你的工作記憶：壓縮之後仍需要的，請用 %s 寫進去。",
		}
	case "zh-Hans":
		return guides{
			begin:     "overview.md 是你的工作记忆，只有你会维护它。",
			levels:    [4]string{"把已完成的工作摘要写进去。", "把细节移到 detail/，在 overview.md 留下指引。", "只留下决定与任务；其余调用 " + CompactHistory + "。", "上下文快满了：现在就写下所需，最旧的消息即将离开。"},
			table:     "上下文用量：<20 %% 不必处理；20–40 %% 摘要已完成的工作；40–60 %% 细节移到 detail/；60–%s %% 只留决定与任务；>%s %% 引擎自行压缩最旧的消息。",
			decisions: "只留下决定与任务。",
			reminders: [4]string{"保持 overview.md 是最新的。", "上下文已用过半：请更新 overview.md。", "先更新 overview.md 再做别的事：没写进去的很快会被压缩。", "先停下来更新 overview.md：接下来最旧的消息就会离开。"},
			large:     "overview.md 有 %d 字节，请保持在 %d 以下。",
			compacted: "上下文超过 %s %%，已替你压缩最旧的消息。仍需要的请存下来。",
			untouched: "overview.md 已有 %d 回合未更新：在你更新之前，默认策略会在它旁边显示历史。",
			neglected: "overview.md 已有 %d 个要求未更新：下一次压缩之后，留在眼前的只有它和折叠的索引。",
			write:     "overview.md 是你的工作记忆：压缩之后仍需要的，请用 %s 写进去。",
		}
	}
	return guides{
		begin:     "Your working memory is overview.md; only you keep it.",
		levels:    [4]string{" Summarise finished tasks in it.", " Move details to detail/ and keep pointers to them in overview.md.", " Keep only decisions and the task; call " + CompactHistory + " for the rest.", " The context is nearly full: write down now what you need, the oldest messages leave."},
		table:     "Fill of the context: below 20 %% nothing to do; 20–40 %% summarise finished tasks; 40–60 %% move details to detail/; 60–%s %% keep only decisions and the task; above %s %% the engine compacts the oldest messages.",
		decisions: " Keep only decisions and the task.",
		reminders: [4]string{
			"Keep overview.md up to date.", "More than half of the context is used: update overview.md.",
			"Update overview.md now, before anything else: what is not there will be compacted soon.", "STOP and update overview.md: the oldest messages leave next.",
		},
		large:     "overview.md has %d bytes; keep it below %d.",
		compacted: "The context was above %s %%, so the oldest messages were compacted for you. Save what you still need.",
		untouched: "overview.md was not touched for %d turns: the default strategy shows the history beside it until you update it.",
		neglected: "overview.md was not touched for %d requests: after the next compaction only it and the folded index stay in view.",
		write:     "Keep in overview.md, your working memory, what you will need after a compaction: %s writes it.",
	}
}

// percent is a share as a person writes it.
func percent(share float64) string { return strconv.Itoa(int(math.Round(100 * share))) }

// guided is what the memory's guides say at a fill level.
type guided struct {
	*guides
	guidance string // for the system prompt; empty while there is room
	reminder string
}

// FillLevel is how full a window is, as a share of it: 0 while there is nothing to say,
// then 1 to 4, the last above the share from which is compacted.
func FillLevel(fill, compactAt float64) (level int) {
	if fill > compactAt {
		return len(guideFrom) + 1
	}
	for i, from := range guideFrom {
		if fill >= from {
			level = i + 1
		}
	}
	return level
}

// at says what is to be said at a fill level, when the engine compacts from compactAt
// on.
func (g *guides) at(fill, compactAt float64) guided {
	out := guided{guides: g, reminder: g.reminders[0]}
	if level := FillLevel(fill, compactAt); level > 0 {
		out.guidance = g.begin + g.levels[level-1] + "\n" + fmt.Sprintf(g.table, percent(compactAt), percent(compactAt))
	}
	for i, above := range [...]float64{remindFrom, guideFrom[2], compactAt} {
		if fill > above {
			out.reminder = g.reminders[i+1]
		}
	}
	return out
}

// language is that of the task, else of the first thing the user said.
func (in Input) language() string { return terms.Lang(in.task()) }

// contextMeta is what a model is told of its context, as JSON.
type contextMeta struct {
	Used     int    `json:"tokens_used,omitempty"`
	Max      int    `json:"tokens_max,omitempty"`
	Percent  int    `json:"tokens_percent,omitempty"`
	Messages int    `json:"messages_in_history,omitempty"`
	Size     int    `json:"working_memory_size"`
	Notice   string `json:"notice,omitempty"`
	Reminder string `json:"reminder"`
}

// text closes the figures with a reminder.
func (meta contextMeta) text(g guided) string {
	meta.Percent, meta.Reminder = 100*meta.Used/max(1, meta.Max), g.reminder
	if meta.Size > workmem.OverviewGuide {
		meta.Reminder += " " + fmt.Sprintf(g.large, meta.Size, workmem.OverviewGuide)
	}
	raw, _ := json.Marshal(meta) // numbers and texts always encode
	return "<context_meta>" + string(raw) + "</context_meta>"
}

// finish puts the guidance into the system prompt and the figures at the very
// end, where a change costs no cache.
func (meta contextMeta) finish(in Input, messages []Placed, g guided) []Placed {
	out := slices.Clone(messages)
	if g.guidance != "" {
		if len(out) > 0 && out[0].Role == llm.System && out[0].Text == in.System {
			out[0].Text += "\n\n" + g.guidance
		} else {
			out = slices.Insert(out, 0, asSystem(g.guidance))
		}
	}
	meta.Used, meta.Max = in.cost(out), in.Limit
	for _, m := range out {
		if m.Role != llm.System {
			meta.Messages++
		}
	}
	return append(out, asUser(meta.text(g), "", ""))
}

// framedOverview is the overview in at most so many tokens, as data.
func framedOverview(over workmem.Overview, limit int) string {
	shown := over.Text
	if !over.Pristine { // the template's own comments are no news
		shown = inert.Text(shown)
	}
	return "<working_memory path=\"" + workmem.OverviewFile + "\">\n" + tokens.Fit(shown, limit) + "\n</working_memory>"
}

// WorkingNote is what an agent is told of its working memory at a prompt whose
// messages its client builds.
type WorkingNote struct {
	Overview workmem.Overview
	Show     bool   // the overview; else it stands in the window already
	Command  string // that writes it, where the agent is to be told
	// Used and Limit are the tokens of the window; 0 is not known.
	Used, Limit int
	Idle        int     // requests since the overview was written, where that is to be told
	CompactAt   float64 // share of the window from which the client compacts; 0.75
	Language    string  // "en", "zh-Hant" or "zh-Hans"
	Room        int     // tokens
}

// Text is the note in at most Room tokens: the overview, what to do at this fill
// level, and the figures. Without anything to say it is empty.
func (n *WorkingNote) Text() string {
	g := guidesFor(n.Language)
	g.levels[2] = g.decisions
	compactAt := n.CompactAt
	if compactAt <= 0 || compactAt > 1 {
		compactAt = fallbackFill
	}
	fill := float64(n.Used) / float64(max(1, n.Limit))
	at := g.at(fill, compactAt)
	meta := contextMeta{Used: n.Used, Max: n.Limit, Size: n.Overview.Size}
	var lines []string
	if what, _, _ := strings.Cut(at.guidance, "\n"); what != "" && n.Limit > 0 { // the table is of what is compacted here
		lines = append(lines, what)
	}
	if n.Command != "" {
		lines = append(lines, fmt.Sprintf(g.write, n.Command))
	}
	if n.Idle > 0 {
		meta.Notice = fmt.Sprintf(g.neglected, n.Idle)
	}
	if n.Limit > 0 || n.Idle > 0 {
		lines = append(lines, meta.text(at))
	}
	end := strings.Join(lines, "\n")
	room := n.Room - tokens.Estimate(end) - messageOverhead
	var parts []string
	if n.Show && room > leastOverview {
		parts = append(parts, framedOverview(n.Overview, room-2*messageOverhead-tokens.Estimate(framedOverview(workmem.Overview{}, 0))))
	}
	if end != "" && tokens.Estimate(end) <= n.Room {
		parts = append(parts, end)
	}
	return strings.Join(parts, "\n")
}
