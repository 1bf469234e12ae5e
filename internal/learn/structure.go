package learn

import "unicode/utf8"

// structure finds clauses, subjects, restrictions and explanations.
func (r *reading) structure() {
	clause, from := 0, 0
	close := func(to int) {
		r.nouns(from, to)
		seen := false
		for i := from; i < to && !seen; i++ {
			if c := r.words[i].class; c == predicate || i > from && (c == change && r.words[i].text != "instead" || c == negator && r.words[i].text != "no" && r.words[i].text != "not") {
				spoken := false
				for j := from; j < i; j++ {
					spoken = spoken || r.words[j].weight() > 0
				}
				if spoken {
					for j := from; j < i; j++ {
						r.words[j].subject = r.words[j].weight() > 0
					}
					seen = true
				}
			}
		}
		if !seen {
			r.bare(from, to)
		}
		qualifies, leads, why := false, false, false
		for i := from; i < to; i++ {
			w := &r.words[i]
			switch w.class {
			case qualifier:
				// "stored in", "is at": this is what is said, no restriction.
				leads = i == from
				qualifies = i == from || r.words[i-1].class != predicate && r.words[i-1].class != change && r.words[i-1].class != noise
			case predicate:
				qualifies = false
			case reason:
				why = true
			}
			w.clause, w.qualifies, w.leads, w.reason = clause, qualifies, qualifies && leads, why
			r.place(i, from)
		}
		from = to
		clause++
	}
	for i := range r.words {
		if r.words[i].class == pause {
			close(i + 1)
		}
	}
	close(len(r.words))
}

// nouns makes words of the subject of those that look like verbs and function words:
// "the write timeout is", "returns listens on", "the US cluster". They stand behind a
// determiner or begin the clause, and a verb follows later.
func (r *reading) nouns(from, to int) {
	verbs := 0
	for i := from; i < to; i++ {
		if r.words[i].class == predicate && (i == from || r.words[i-1].text != "to") {
			verbs++
		}
	}
	determiners := lists.Words("determiners")
	for i := from; i+1 < to; i++ {
		w, named := &r.words[i], i > from && determiners[r.words[i-1].text]
		if w.text == "" || w.text[0] >= utf8.RuneSelf {
			return
		}
		switch w.class {
		case predicate:
			if !named && (i > from || verbs < 2) {
				return
			}
			verbs--
		case noise, negator, change, rejector:
			if !named || determiners[w.text] || r.words[i+1].weight() == 0 {
				continue
			}
		default:
			continue
		}
		w.class, w.key = content, canon(stem(w.text))
	}
}

// bare finds the subject of a clause without a predicate: what stands before a
// value or a state (連線逾時 5 秒, 報表模組已上線).
func (r *reading) bare(from, to int) {
	for i := from; i < to; i++ {
		if w := &r.words[i]; i > from && (w.class == quantity || w.class == axis && (w.key == "status" || w.key == "works")) {
			for j := from; j < i; j++ {
				r.words[j].subject = r.words[j].weight() > 0
			}
			return
		}
	}
}

// place settles whether a word names where something holds or what it is.
func (r *reading) place(i, from int) {
	w := &r.words[i]
	switch {
	case w.text == "go" && i+1 < len(r.words) && (i == from && (r.words[i+1].class == predicate || r.words[i+1].class == change) || r.words[i+1].class == quantity || r.words[i+1].text == "version" || r.words[i+1].text == "版本"):
	case w.text == "go" && (i == from || r.words[i-1].class != qualifier && r.words[i-1].class != predicate):
		w.class = noise // the verb
	case w.class == placed && (w.key == "programming language" || w.key == "system") && !w.qualifies && !w.subject:
		w.class = member
	case w.class == member && w.key == "format" && w.qualifies:
		w.class, w.key = placed, "programming language"
	case i == from && (w.text == "with" || w.text == "without"):
		w.class, w.key = placed, "with"
	}
}

// deny marks the words that each clause denies.
func (r *reading) deny() {
	for from := 0; from < len(r.words); {
		to := from
		for to < len(r.words) && r.words[to].clause == r.words[from].clause {
			to++
		}
		cut := from
		for cut < to && !r.words[cut].reason {
			cut++
		}
		denyClause(r.words[from:cut])
		denyClause(r.words[cut:to])
		from = to
	}
}

func denyClause(ws []word) {
	denied, rejected := false, 0
	from := -1 // where a negation begins that does not hold for the whole clause
	for i := range ws {
		w := &ws[i]
		switch w.class {
		case negator, verdict:
			denied = !denied // two negations say yes
			if denied && w.class == negator && contrasts(ws, i) {
				from = i
			}
		case relative:
			if denied = !denied && w.key == "without"; denied {
				from = i
			}
		case rejector:
			rejected = 2
		default:
			if w.text == "to" {
				rejected = 0
			}
			if rejected > 0 && w.weight() > 0 {
				w.neg, rejected = true, 0
			}
		}
	}
	if !denied {
		return
	}
	from, to := attribute(ws, from)
	for i := range ws[:to] {
		if i > from {
			ws[i].neg = !ws[i].neg
		}
	}
}

// attribute narrows a denial to the attribute it stands in: in 爱喝不加糖的咖啡
// it is the sugar that is denied.
func attribute(ws []word, from int) (begin, end int) {
	for i := 1; i < len(ws); i++ {
		if ws[i].text != "不" || !ws[i-1].says() {
			continue
		}
		for j := i + 2; j+1 < len(ws); j++ {
			if ws[j].text == "的" && ws[j+1].weight() > 0 {
				return i, j
			}
		}
	}
	return from, len(ws)
}

// contrasts reports whether a negation sets what follows against what stands
// before it in the same clause: use pnpm not npm, 用 pnpm 不用 npm.
func contrasts(ws []word, at int) bool {
	before, after := false, false
	verb := ""
	for i := range ws[:at] {
		if ws[i].class == predicate {
			verb = ws[i].text
		}
		before = before || ws[i].weight() > 0 && verb != ""
	}
	if !before {
		return false
	}
	han := ws[at].text != "" && ws[at].text[0] >= utf8.RuneSelf
	for i := at + 1; i < len(ws); i++ {
		after = after || ws[i].weight() > 0
		if ws[i].class == predicate && ws[i].text == verb && han {
			return true
		}
	}
	if han {
		return after && (ws[at].text == "不用" || ws[at].text == "不要" || ws[at].text == "不是" || ws[at].text == "别")
	}
	return after && (ws[at].text == "not" || ws[at].text == "never" || ws[at].text == "no") && ws[at-1].class != predicate
}
