package opening

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"orihon/internal/inert"
	"orihon/internal/recall"
	"orihon/internal/terms"
	"orihon/internal/wording"
	"orihon/memory"
)

// A session begins with what is most worth knowing, whatever it will be about:
// no search finds what resembles no question. A small memory is told whole. Of a
// larger one the statements are chosen that tell most for their tokens and
// least of what others have told.

// view words an opening.
type view struct {
	*wording.View
	file bool // for a file, see [Options.Lasting]
	// heard is told among what was kept of what the user said by the way, by the day:
	// the latest first, so that a later word stands before the one that it ends.
	heard told
}

// worthy is a statement that a session may begin with.
type worthy struct {
	memory.Passage
	line  string // plain, with what is said of an older one
	plain string
	cost  wording.Cost
	worth float64
	seen  bool // it stands in the window
	// later is the ID of what was said later of it in another scope, see [recall.Beside].
	later string
	terms []int // each once, as numbers
	han   bool  // it is Chinese
	// topics are the words that it may be listed under, each once; nil before they
	// are asked for.
	topics []string
}

// How many statements a block is chosen from: of each kind of those that
// candidates asks for, and of these the most worthy, whose words are compared.
const (
	mostOfAKind  = 300
	mostCompared = 300
)

// lasting is the view of an opening for a file.
func (v *view) lasting() *view {
	out, w := *v.View, *v.Words
	w.Rest = w.More
	out.Words, out.Today = &w, v.Today.UTC()
	return &view{View: &out, file: true}
}

// fresh are the statements that no line of a text tells already, as a lasting
// opening words them.
func (v *view) fresh(all []worthy, text string) (left []worthy, standing []memory.Passage) {
	if text == "" {
		return all, nil
	}
	text = "\n" + text + "\n"
	lasting := v.lasting()
	for i := range all {
		p := &all[i].Passage
		if strings.Contains(text, "\n"+lasting.known(p, true)+"\n") || strings.Contains(text, "\n"+lasting.known(p, false)+"\n") {
			standing = append(standing, *p)
		} else {
			left = append(left, all[i])
		}
	}
	return left, standing
}

// block are the sections of what is worth knowing, within the room; used is what
// stands beside them. applied are the statements in them.
func (v *view) block(all []worthy, r wording.Room, used wording.Cost) (sections []wording.Section, applied []memory.Passage) {
	if len(all) == 0 && len(v.heard.lines) == 0 {
		return nil, nil
	}
	chosen := all
	if !v.fit(all, r, used) {
		chosen = v.choose(all, r, used)
	}
	rest := v.rest(all, chosen)
	// What was told gives no room to what is less worthy.
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(w worthy) bool { return w.seen })
	slices.SortFunc(chosen, func(a, b worthy) int {
		return cmp.Or(b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	titles := v.subjects()
	heard := v.heard
	groups := make([]wording.Section, len(titles))
	behind := make(map[string][]*worthy) // what is older than a statement
	for i := range chosen {
		w := &chosen[i]
		if slices.ContainsFunc(chosen, func(o worthy) bool { return o.ID == w.later }) {
			behind[w.later] = append(behind[w.later], w)
		} else if w.later != "" {
			w.line, w.later = w.plain, "" // nothing stands above it
		}
	}
	var tell func(g *wording.Section, w *worthy)
	tell = func(g *wording.Section, w *worthy) {
		g.Lines = append(g.Lines, w.line)
		applied = append(applied, w.Passage)
		for _, o := range behind[w.ID] {
			tell(g, o)
		}
	}
	for i := range chosen {
		w := &chosen[i]
		if w.later != "" {
			continue
		}
		n := v.subject(&w.Passage)
		g := &groups[n]
		g.Title = titles[n]
		for n == byTheWay && len(heard.items) > 0 && !heard.items[0].Metadata.CreatedAt.Before(w.Item.Metadata.CreatedAt) {
			g.Lines = append(g.Lines, heard.next())
		}
		tell(g, w)
	}
	if len(v.heard.lines) > 0 {
		g := &groups[byTheWay]
		g.Title = titles[byTheWay]
		g.Lines = append(g.Lines, heard.lines...)
	}
	for _, g := range groups {
		if len(g.Lines) > 0 {
			sections = append(sections, g)
		}
	}
	if len(chosen) > 0 && rest != "" {
		sections = append(sections, wording.Section{Lines: []string{rest}})
	}
	return sections, applied
}

// candidates are the current statements that may be told, the most worthy first.
func candidates(ctx context.Context, e *recall.Engine, o *Options) []worthy {
	usual := memory.Filter{
		Scopes: o.Scopes, Kinds: []memory.Kind{memory.Semantic, memory.Procedural},
		MinConfidence: memory.InjectConfidence, AsOf: e.Style().Now(), Present: true, NoTurns: true,
	}
	directive, settled := usual, usual
	directive.Topics = []memory.Topic{memory.Preference, memory.Pitfall, memory.Decision, memory.Procedure}
	settled.Tiers = []memory.Tier{memory.Settled}
	near, decay := make(map[string]nearness), 0.
	if !o.Lasting {
		near, decay = nearby(ctx, e, o, usual), e.Settings().IdleDecay
	}
	have := make(map[string]bool) // by ID, and by text: a statement may hold here and everywhere
	var all []worthy
	for _, src := range e.Sources() {
		for _, f := range []memory.Filter{settled, directive, usual} {
			found, err := newest(ctx, src.Index, f, mostOfAKind)
			if err != nil {
				e.Logger().Warn("opening: statements left out", "source", src.Name, "err", err)
				break
			}
			for _, p := range found {
				if s := p.Item.Metadata.Source; have[p.ID] || have[p.Item.Content] || s == memory.FromRepository || s == memory.Imported {
					continue // foreign text is found by a prompt, or not at all
				}
				if p.Item.Topic == memory.Preference && p.Item.Metadata.Source == memory.FromSystem && p.Item.Metadata.Confidence < memory.ApplyConfidence {
					continue // a guess from few files
				}
				if p.Item.FailedAt() != "" && p.Item.Tier != memory.Settled {
					continue // it is told when the failure returns
				}
				have[p.ID], have[p.Item.Content] = true, true
				all = append(all, worthy{Passage: p, seen: o.Seen != nil && o.Seen(p.ID, recall.Hash(&p)), worth: worth(&p, memory.Effective(p.Item.Metadata, e.Style().Now(), decay), near[p.ID])})
			}
		}
	}
	slices.SortFunc(all, func(a, b worthy) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.ID, b.ID))
	})
	said := make([]*memory.Item, len(all))
	for i := range all {
		said[i] = &all[i].Item
	}
	for older, later := range recall.Beside(said) {
		all[older].later = all[later].ID
	}
	return all
}

// languageOf is the language that most of some statements are written in.
func languageOf(list []worthy, heard []memory.Item) string {
	const looked = 20
	var text strings.Builder
	for i := range list[:min(len(list), looked)] {
		text.WriteString(list[i].Item.Content + "\n")
	}
	for i := range heard[:min(len(heard), max(0, looked-len(list)))] {
		text.WriteString(heard[i].Content + "\n")
	}
	return terms.Lang(text.String())
}

// newest asks an index for its newest passages; one that cannot tell them gives all.
func newest(ctx context.Context, index memory.Index, f memory.Filter, n int) ([]memory.Passage, error) {
	if recent, ok := index.(memory.Recent); ok {
		return recent.Newest(ctx, f, n)
	}
	found, err := index.Fetch(ctx, f)
	return found[:min(len(found), n)], err
}

// nearness is how a statement lies to the work at hand.
type nearness struct {
	near float64 // 0..1, by the words of the branch and of what was done last
	used int     // how often it was of use
}

// nearby finds the statements near the work at hand.
func nearby(ctx context.Context, e *recall.Engine, o *Options, f memory.Filter) map[string]nearness {
	const most = 100
	out := make(map[string]nearness)
	episode := f
	episode.Kinds, episode.MinConfidence = []memory.Kind{memory.Episodic}, 0
	for _, src := range e.Sources() {
		text := o.Work
		if last, err := newest(ctx, src.Index, episode, 1); err == nil && len(last) > 0 {
			text += "\n" + last[0].Item.Title + "\n" + last[0].Item.Content
		}
		words := terms.Query(text)
		if len(words) == 0 {
			continue
		}
		found, err := src.Index.Search(ctx, memory.Search{Terms: words, Filter: f, Limit: most, MaxTerms: e.Settings().MaxTerms, CommonShare: e.Settings().CommonShare})
		if err != nil {
			continue // what is near is told first; what is not known to be is told as well
		}
		best := 0.
		for i := range found.Hits {
			best = math.Max(best, found.Hits[i].Own)
		}
		for i := range found.Hits {
			h := &found.Hits[i]
			out[h.Passage.ID] = nearness{part(h.Own, best), len(h.Accesses)}
		}
	}
	return out
}

// worth is how much a statement that is believed so far is worth knowing
// beforehand: what tells how to work before what is the case, what is confirmed
// before what is not.
func worth(p *memory.Passage, believed float64, n nearness) float64 {
	w := believed
	switch p.Item.Topic {
	case memory.Preference:
		w *= 3
	case memory.Pitfall, memory.Decision, memory.Procedure:
		w *= 1.5
	}
	switch p.Item.Tier {
	case memory.Settled:
		w *= 1.5
	case memory.Provisional:
		w *= .7
	}
	return math.Round(1e6*w*(1+n.near)*(1+.2*math.Log1p(float64(n.used)))) / 1e6
}

// fit words all lines, and reports whether they fit the room.
func (v *view) fit(all []worthy, r wording.Room, used wording.Cost) bool {
	titled := make([]bool, len(v.subjects()))
	for i := range all {
		w := &all[i]
		v.word(w, true)
		used = used.Plus(wording.CostOf(w.line + "\n"))
		if n := v.subject(&w.Passage); !titled[n] {
			titled[n] = true
			used = used.Plus(wording.CostOf("\n" + v.subjects()[n] + "\n"))
		}
		if !used.Within(r) {
			return false
		}
	}
	return true
}

// choose takes statements one by one, until the room is full: of what is as worthy,
// each time the one of which the largest share is new, and that says least in rare
// words for its language, since those it is found by when they are asked for.
func (v *view) choose(all []worthy, r wording.Room, used wording.Cost) []worthy {
	const longest = 400 // characters; longer text waits for a prompt
	titles := ""
	for _, t := range v.subjects() {
		titles += "\n" + t + "\n"
	}
	used = used.Plus(wording.CostOf(titles)).Plus(wording.CostOf("\n" + v.rest(all, nil) + "\n"))
	left := slices.DeleteFunc(slices.Clone(all), func(w worthy) bool {
		return utf8.RuneCountInString(w.Item.Content) > longest
	})
	left = left[:min(len(left), mostCompared)]
	for i := range left {
		v.word(&left[i], false)
		left[i].cost = wording.CostOf(left[i].line + "\n")
	}
	weights := numbered(left)
	usual := usually(left, weights)
	told := make([]int, len(weights))
	// A gain only falls as more is told, so that one that was found earlier bounds
	// it: what is best by its bound is looked at again, and nothing else.
	best := ranking{gains: slices.Repeat([]float64{math.Inf(1)}, len(left))}
	for i := range left {
		best.heap = append(best.heap, i)
	}
	var out []worthy
	for len(left) > 0 {
		at := best.heap[0]
		if best.gains[at] <= 0 {
			break
		}
		w := &left[at]
		says, fresh := w.says(weights), 0.
		for _, t := range w.terms {
			fresh += weights[t] / float64(1+told[t])
		}
		if gain := w.worth * part(part(fresh, says), w.heavy(says)/usual[w.han]); gain < best.gains[at] {
			best.lower(gain)
			continue
		}
		best.lower(0)
		if next := used.Plus(w.cost); next.Within(r) {
			used = next
			out = append(out, *w)
			for _, t := range w.terms {
				told[t]++
			}
		}
	}
	return out
}

// says is how much a statement says in rare words.
func (w *worthy) says(weights []float64) (sum float64) {
	for _, t := range w.terms {
		sum += weights[t]
	}
	return sum
}

// heavy is how much a statement says, and by half how much room it takes.
func (w *worthy) heavy(says float64) float64 { return says * math.Sqrt(float64(w.cost.Quarters)) }

// usually is how heavy statements are on the average, by whether they are Chinese:
// that is cut into more terms than English and takes other wording.Room, and in a memory of
// both languages one must not stand back for it.
func usually(list []worthy, weights []float64) map[bool]float64 {
	sum, n := make(map[bool]float64), make(map[bool]float64)
	for i := range list {
		w := &list[i]
		w.han = terms.Lang(w.Item.Content) != "en"
		n[w.han]++
		sum[w.han] += w.heavy(w.says(weights))
	}
	for han := range sum {
		sum[han] /= n[han]
	}
	return sum
}

// ranking is a heap of places by their gains, among equals the earlier first.
type ranking struct {
	gains []float64 // by place
	heap  []int
}

// lower sets the gain of the first place, which no longer need be the first.
func (r *ranking) lower(gain float64) {
	r.gains[r.heap[0]] = gain
	before := func(a, b int) bool {
		return cmp.Or(cmp.Compare(r.gains[b], r.gains[a]), cmp.Compare(a, b)) < 0
	}
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(r.heap) && before(r.heap[child+1], r.heap[child]) {
			child++
		}
		if child >= len(r.heap) || before(r.heap[i], r.heap[child]) {
			return
		}
		r.heap[i], r.heap[child] = r.heap[child], r.heap[i]
		i = child
	}
}

// numbered gives every term of some statements a number, and says how much it tells.
func numbered(list []worthy) (weights []float64) {
	at := make(map[string]int)
	var df []int
	for i := range list {
		w := &list[i]
		words := terms.Index(w.Item.Title + "\n" + w.Item.Content)
		slices.Sort(words)
		for _, t := range slices.Compact(words) {
			n, ok := at[t]
			if !ok {
				n = len(df)
				at[t] = n
				df = append(df, 0)
			}
			df[n]++
			w.terms = append(w.terms, n)
		}
	}
	for _, n := range df {
		weights = append(weights, math.Log(1+float64(len(list))/float64(n)))
	}
	return weights
}

// subject is the group that a statement is told in. What does not always apply, and was
// not said by the user, is a fact with where it comes from.
func subject(p *memory.Passage) int {
	switch p.Item.Topic {
	case memory.Preference:
		switch {
		case p.Item.Metadata.Confidence >= memory.ApplyConfidence:
			return 0
		case slices.Contains(p.Item.Metadata.Tags, memory.NoticedTag):
			return 1
		}
		return 5
	case memory.Pitfall:
		return 2
	case memory.Decision:
		return 3
	case memory.Procedure:
		return 4
	}
	if p.Item.Kind == memory.Procedural {
		return 4
	}
	return 5
}

// byTheWay is the group of what was said by the way, while something of it waits.
const byTheWay = 6

// subject is the group that a statement is told in.
func (v *view) subject(p *memory.Passage) int {
	n := subject(p)
	if n != 0 && len(v.heard.lines) > 0 && slices.Contains(p.Item.Metadata.Tags, memory.NoticedTag) {
		return byTheWay
	}
	return n
}

// subjects are the titles of the groups.
func (v *view) subjects() [7]string {
	w := v.Words
	return [...]string{w.Always, w.Ways, w.Pitfalls, w.Decisions, w.Steps, w.Facts, w.Heard}
}

// known is a statement as a session begins with it. Dates are absolute, so that
// its bytes stay the same from day to day.
func (v *view) known(p *memory.Passage, dated bool, more ...string) string {
	text := v.Statement(p)
	if title := strings.TrimSuffix(p.Item.Title, "…"); title != "" && !strings.Contains(p.Item.Content, title) {
		text = wording.Shown(&p.Item, p.Item.Title) + ": " + text
	}
	var notes []string
	if at := p.Item.Metadata.CreatedAt; dated && !at.IsZero() {
		notes = append(notes, at.In(v.Today.Location()).Format(time.DateOnly))
	}
	if p.Item.Metadata.Source != memory.FromUser {
		if s := v.Origin(p); s != "" {
			notes = append(notes, s)
		}
	} else if s := v.Whose(p); s != "" && !v.file {
		notes = append(notes, s)
	}
	notes = append(notes, more...)
	line := "- " + wording.Inset(text, "  ")
	if len(notes) > 0 {
		line += " (" + strings.Join(notes, "; ") + ")"
	}
	return line
}

// word words a statement, and marks one that a later one may replace.
func (v *view) word(w *worthy, dated bool) {
	w.plain = v.known(&w.Passage, dated)
	if w.line = w.plain; w.later != "" {
		w.line = v.known(&w.Passage, dated, v.Words.Older)
	}
}

// rest says what else there is, and how to ask for it.
func (v *view) rest(all, chosen []worthy) string {
	n := len(all) - len(chosen)
	if n == 0 {
		return ""
	}
	told := make(map[string]bool, len(chosen))
	for i := range chosen {
		told[chosen[i].ID] = true
	}
	const shown, looked, few = 10, 75, 5
	counts := make(map[string]int)
	for i, left := 0, looked; i < len(all) && left > 0; i++ {
		if told[all[i].ID] {
			continue
		}
		left--
		if all[i].topics == nil {
			words := topics(all[i].Item.Content)
			slices.Sort(words)
			all[i].topics = slices.Compact(words)
		}
		for _, w := range all[i].topics {
			counts[w]++
		}
	}
	var names []string
	for w, c := range counts {
		if c > 1 && c <= max(few, n/3) {
			names = append(names, w)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for i, w := range names[:min(len(names), shown)] {
		names[i] = fmt.Sprintf("%s %d", w, counts[w])
	}
	names = names[:min(len(names), shown)]
	return inert.Line(fmt.Sprintf(v.Words.Rest, n, strings.Join(names, ", "), v.ask()))
}

// ask is how the agent asks memory itself.
func (v *view) ask() string {
	if v.Tool != "" {
		return fmt.Sprintf(v.Words.ByTool, v.Tool)
	}
	return v.Words.ByCommand
}

// episodes reports whether earlier sessions left something that no session begins
// with.
func episodes(ctx context.Context, e *recall.Engine, o *Options) bool {
	for _, src := range e.Sources() {
		found, err := newest(ctx, src.Index, memory.Filter{Scopes: o.Scopes, Kinds: []memory.Kind{memory.Episodic}, AsOf: e.Style().Now(), Present: true, NoTurns: true}, 1)
		if err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// topics are the words of a text that name what it is about.
func topics(text string) []string {
	var out []string
	for _, w := range terms.Words(text) {
		found := terms.Query(w)
		if len(found) == 1 && w[0] < utf8.RuneSelf {
			found[0] = w // as it is written, not its stem
		}
		for _, t := range found {
			if utf8.RuneCountInString(t) > 1 && strings.ContainsFunc(t, unicode.IsLetter) && !terms.Common(t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// part is a gain as part of the most there is.
func part(x, most float64) float64 {
	if most <= 0 || x <= 0 {
		return 0
	}
	return x / most
}
