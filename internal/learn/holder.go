package learn

import (
	"slices"
	"strings"
)

// holding is a statement of whose something is, or where somebody belongs, which
// people say from either side: "Ann owns search", "search belongs to Ann".
type holding struct {
	kind  string // "role", "home" or "job"
	of    string // what is held, or who lives and works there
	value string // who holds it, or where
	state bool   // it says how it is, and not only how it became
}

// handedOver reports whether both statements say such a thing of the same, with
// another holder.
func (c *comparison) handedOver() bool {
	if c.a.denies() || c.b.denies() || c.b.has(also) || c.dated() {
		return false
	}
	a, b := c.a.holds(), c.b.holds()
	return a.state && a.kind != "" && a.kind == b.kind && a.of == b.of && a.value != "" && b.value != "" && a.value != b.value &&
		!strings.Contains(" "+a.value+" ", " "+b.value+" ") && !strings.Contains(" "+b.value+" ", " "+a.value+" ")
}

func (r *reading) holds() holding {
	ws := r.words
	for i := range ws {
		switch next := r.textAt(i + 1); ws[i].text {
		case "owns", "maintains", "manages", "leads":
			return role(ws[i+1:], ws[:i])
		case "took", "takes", "take":
			if next == "over" {
				return role(ws[i+2:], ws[:i])
			}
		case "接手", "接管":
			if i+1 < len(ws) && said(ws[i+1:]) != "" {
				return role(ws[i+1:], ws[:i])
			}
			if from := slices.IndexFunc(ws[:i], func(w word) bool { return w.text == "由" || w.text == "改由" }); from >= 0 {
				return role(ws[:from], ws[from+1:i])
			}
		case "belongs":
			return role(ws[:i], ws[i+1:])
		case "owned", "maintained", "managed", "handled", "led":
			if next == "by" {
				return role(ws[:i], ws[i+2:])
			}
		case "负责", "维护", "管理", "管":
			if from := slices.IndexFunc(ws[:i], func(w word) bool { return w.text == "由" || w.text == "归" || w.text == "改由" }); from >= 0 {
				return role(ws[:from], ws[from+1:i])
			}
			return role(ws[i+1:], ws[:i])
		case "归":
			if !r.says("负责", "维护", "管理", "管") {
				return role(ws[:i], ws[i+1:])
			}
		case "is", "是":
			switch {
			case (next == "the" || next == "our" || next == "my") && hasRole(ws[i:]):
				return role(ws[i+1:], ws[:i])
			case hasRole(ws[:i]):
				return role(ws[:i], ws[i+1:])
			}
		case "lives", "live", "resides", "住", "住在":
			return where("home", ws[:i], ws[i+1:], true)
		case "搬到", "搬去":
			return where("home", ws[:i], ws[i+1:], false)
		case "moved", "relocated":
			if next == "to" {
				return where("home", ws[:i], ws[i+2:], false)
			}
		case "works", "work":
			if next == "at" || next == "for" {
				return where("job", ws[:i], ws[i+2:], true)
			}
		case "joined":
			return where("job", ws[:i], ws[i+1:], false)
		}
	}
	return holding{}
}

// role is that somebody answers for something.
func role(thing, holder []word) holding {
	h := holding{kind: "role", of: said(held(thing)), value: said(held(holder)), state: true}
	if h.of == "" || strings.Count(h.value, " ") > 2 {
		return holding{}
	}
	return h
}

// held leaves out since when and after what somebody has a thing: "billing since
// Priya left", 小陈离职后登入.
func held(ws []word) []word {
	for i := range ws {
		if i > 0 && (ws[i].class == pause || ws[i].class == reason) {
			return ws[:i]
		}
		switch ws[i].text {
		case "since", "from", "once", "after", "as", "instead", "when":
			if i > 0 {
				return ws[:i]
			}
		case "后", "之后", "以后":
			if i+1 < len(ws) && said(ws[i+1:]) != "" {
				return ws[i+1:]
			}
		}
	}
	return ws
}

// where is the place at which somebody lives or works.
func where(kind string, who, place []word, state bool) holding {
	if end := slices.IndexFunc(place, func(w word) bool { return w.class == pause || w.class == qualifier && w.text != "in" && w.text != "at" }); end >= 0 {
		place = place[:end]
	}
	if len(place) > 1 && (place[0].text == "in" || place[0].text == "at") && (place[1].text == "a" || place[1].text == "an") && kind == "home" {
		return holding{} // what sort of place, and not which one
	}
	h := holding{kind: kind, of: said(who), value: said(place), state: state}
	if h.of == "" && slices.ContainsFunc(who, func(w word) bool {
		return w.text == "user" || w.text == "i" || w.text == "用户" || w.text == "使用者" || w.text == "我"
	}) {
		h.of = "the user"
	}
	if h.of == "" || strings.Count(h.value, " ") > 3 || h.value == "night" || h.value == "home" {
		return holding{}
	}
	return h
}

func hasRole(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool { return lists.Words("role")[w.key] })
}

// said are the words that name something, in one order; that one owns it goes
// without saying.
func said(ws []word) string {
	var out []string
	for i := range ws {
		if w := &ws[i]; w.says() && !w.when() && w.key != "owner" && w.key != "负责人" && w.key != "maintain" && w.class != axis {
			out = append(out, w.name())
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
