package learn

import (
	"strings"
	"unicode/utf8"

	"orihon/internal/terms"
)

// units joins a number with the unit behind it, in either language.
func (r *reading) units() {
	out := r.words[:0]
	for i := 0; i < len(r.words); i++ {
		w := r.words[i]
		if day, n := r.dateAt(i); n > 0 {
			w.val = value{dim: "date", number: day}
			out = append(out, w)
			i += n
			continue
		}
		if w.class == quantity && (w.val.dim == "" || w.val.dim == "clock") && i+1 < len(r.words) {
			next := &r.words[i+1]
			if at, ok := halfOfDay(w.val, next.text); ok {
				w.val = at
				out = append(out, w)
				i++
				continue
			}
			if w.val.dim == "clock" {
				out = append(out, w)
				continue
			}
			if next.text == "clock" || next.class == pause {
				out = append(out, w)
				continue
			}
			if dim, size := unit(next.text); dim != "" {
				w.val = value{dim: dim, number: w.val.number * size}
				if dim == "版" {
					w.val.dim = ""
				}
				i++
			}
		}
		// "an hour", "a week": one of it.
		if (w.text == "a" || w.text == "an") && i+1 < len(r.words) {
			if dim, size := unit(r.words[i+1].text); dim != "" && len(r.words[i+1].text) > 2 {
				if n := len(out); n > 0 && out[n-1].text == "half" {
					out, size = out[:n-1], size/2
				}
				out = append(out, word{text: r.words[i+1].text, key: dim, class: quantity, val: value{dim: dim, number: size}})
				i++
				continue
			}
		}
		if n := len(out); w.text == "half" && n > 2 && out[n-1].text == "a" && out[n-2].text == "and" && out[n-3].class == quantity {
			if _, size := unit(out[n-3].text); size > 0 {
				out[n-3].val.number += size / 2
			}
			out = out[:n-2]
			continue
		}
		out = append(out, w)
	}
	r.words = out
}

// dateAt reads a date such as 5月17日 at i: the month's number times 100 and the
// day, and how many words it has beside the first.
func (r *reading) dateAt(i int) (day float64, words int) {
	if i+2 >= len(r.words) || r.words[i].class != quantity || r.words[i].val.dim != "" || r.words[i+1].text != "月" {
		return 0, 0
	}
	switch d := &r.words[i+2]; {
	case d.class != quantity:
		return 0, 0
	case d.val.dim == "s" && (strings.HasSuffix(d.text, "日") || strings.HasSuffix(d.text, "号")):
		return 100*r.words[i].val.number + d.val.number/86400, 2
	case d.val.dim == "" && (r.textAt(i+3) == "日" || r.textAt(i+3) == "号"):
		return 100*r.words[i].val.number + d.val.number, 3
	}
	return 0, 0
}

// halfOfDay is the time that a number with "am" or "pm" behind it tells.
func halfOfDay(v value, half string) (value, bool) {
	if half != "am" && half != "pm" || v.dim == "" && (v.number < 1 || v.number > 12 || v.text != "") {
		return v, false
	}
	minutes := v.number
	if v.dim == "" {
		minutes *= 60
	}
	if half == "pm" && minutes < 720 {
		minutes += 720
	}
	return value{dim: "clock", number: minutes}, true
}

// labels finds numbers that name a thing and are no quantity of it (rule 3,
// ticket 41, PR #12), and gives bare counts the dimension of what they count.
func (r *reading) labels() {
	for i := range r.words {
		w := &r.words[i]
		if w.class != quantity {
			continue
		}
		if strings.HasPrefix(w.text, "#") {
			w.class, w.key = placed, "label"
			continue
		}
		if w.val.dim != "" && w.val.dim != "version" {
			continue
		}
		if w.val.dim == "" && w.val.text == "" && 1 <= w.val.number && w.val.number <= 24 && i > 0 && r.words[i-1].text == "at" && (i+1 == len(r.words) || r.words[i+1].class == pause) {
			w.val = value{dim: "clock", number: 60 * w.val.number} // the standup is at 9
			continue
		}
		if i > 0 && r.words[i-1].class == content && numbered(r.words[i-1].key) {
			w.class, w.key = placed, "label"
			continue
		}
		if i+1 < len(r.words) && w.val.dim == "" && (r.words[i+1].class == content || r.words[i+1].class == member && r.words[i+1].key == "indentation") && r.words[i+1].text[0] < utf8.RuneSelf {
			w.val.dim = "n:" + r.words[i+1].key
		}
	}
}

// numbered reports nouns whose things go by numbers.
func numbered(key string) bool {
	return !lists.Words("measured")[key] && (lists.Words("numbered")[key] || terms.Common(key))
}

// phrases joins English words that mean something together.
func (r *reading) phrases() {
	for i := 0; i+1 < len(r.words); i++ {
		a, b := &r.words[i], &r.words[i+1]
		if classes := lists.Table("pair")[a.text+"_"+b.text]; classes != "" {
			first, second, _ := strings.Cut(classes, " ")
			a.class, b.class = classOf(first, a.class), classOf(second, b.class)
		}
		ends := i+2 == len(r.words) || r.words[i+2].class == pause
		switch a.text + " " + b.text {
		case "traditional chinese", "simplified chinese":
			a.class, b.text = noise, a.text+" chinese"
		case "is up", "are up", "back up", "back online":
			if ends {
				a.class, b.class, b.key, b.sign = predicate, axis, "online", 1
			}
		case "out of":
			if !ends && (r.words[i+2].key == "order" || r.words[i+2].key == "date" || r.words[i+2].key == "sync") {
				a.class = negator
			}
		case "pull request", "pull requests":
			a.key = "pr"
		case "report to", "reports to":
			a.key = "manag"
		case "in progress":
			a.class, b.class, b.key, b.sign = noise, axis, "status", -1
		}
	}
	// A service for users is no statement about the user.
	for i := 0; i+1 < len(r.words); i++ {
		if w := &r.words[i]; (w.text == "用户" || w.text == "使用者") && w.class == noise && lists.Words("program-part")[r.words[i+1].text] {
			w.class, w.key = content, "user"
		}
	}
	// "migrated the builds from X to Y": X holds no longer.
	changed := false
	for i := range r.words {
		switch w := &r.words[i]; {
		case w.class == pause:
			changed = false
		case w.class == change || w.text == "moved":
			changed = true
		case changed && w.text == "from" && w.class == qualifier && i+2 < len(r.words) && r.words[i+2].text == "to":
			w.class = rejector
		}
	}
	// 30 天后删除: kept for 30 days.
	for i := 1; i+1 < len(r.words); i++ {
		if w := &r.words[i]; w.text == "后" && r.words[i-1].class == quantity && r.words[i-1].val.dim == "s" {
			if next := &r.words[i+1]; next.text == "删除" || next.text == "清除" || next.text == "清理" {
				w.class, next.class = noise, predicate
			}
		}
	}
	// 从 A 改用 B: A holds no longer.
	for i := range r.words {
		if w := &r.words[i]; w.text == "从" || w.text == "由" {
			for j := i + 1; j < len(r.words) && r.words[j].class != pause; j++ {
				if r.words[j].class == change {
					w.class = rejector
				}
			}
		}
	}
	// "prefer tabs to spaces": what stands behind to is what is not preferred.
	prefer := false
	for i := range r.words {
		w := &r.words[i]
		if strings.HasPrefix(w.text, "prefer") {
			prefer = true
		} else if prefer && w.text == "to" && i+1 < len(r.words) && r.words[i+1].weight() > 0 && r.words[i-1].weight() > 0 {
			w.class = rejector
		}
	}
}

// monthAt is the month that a number is the day of; 0 when it is no day.
func monthAt(r *reading, i int) float64 {
	if i > 0 && r.words[i-1].class == member && r.words[i-1].key == "month" {
		return monthNumber(r.words[i-1].text)
	}
	if i > 1 && r.words[i-1].text == "月" && r.words[i-2].class == quantity {
		return r.words[i-2].val.number
	}
	if i+1 < len(r.words) && r.words[i+1].class == member && r.words[i+1].key == "month" {
		return monthNumber(r.words[i+1].text)
	}
	return 0
}
