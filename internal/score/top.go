package score

// top keeps the best few of a stream of scores: a binary heap with the worst
// of the kept on top.
type top struct {
	limit int
	ids   []int64
	score []float64
}

func newTop(limit int) *top { return &top{limit: limit} }

func (t *top) add(id int64, s float64) {
	if len(t.ids) < t.limit {
		t.ids, t.score = append(t.ids, id), append(t.score, s)
		for i := len(t.ids) - 1; i > 0; {
			up := (i - 1) / 2
			if !t.worse(i, up) {
				break
			}
			t.swap(i, up)
			i = up
		}
		return
	}
	if s <= t.score[0] {
		return
	}
	t.ids[0], t.score[0] = id, s
	for i := 0; ; {
		worst := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(t.ids) && t.worse(c, worst) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.swap(i, worst)
		i = worst
	}
}

// worse orders by score, then by age: the later of two equals goes first.
func (t *top) worse(i, j int) bool {
	if t.score[i] != t.score[j] {
		return t.score[i] < t.score[j]
	}
	return t.ids[i] > t.ids[j]
}

func (t *top) swap(i, j int) {
	t.ids[i], t.ids[j] = t.ids[j], t.ids[i]
	t.score[i], t.score[j] = t.score[j], t.score[i]
}
