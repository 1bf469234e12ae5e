package learn

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheLexiconsAreWellMade(t *testing.T) {
	for name, lines := range map[string]string{"english": englishLines, "chinese": chineseLines} {
		seen := map[string]bool{}
		for line := range strings.Lines(lines) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			columns := strings.Split(line, "\t")
			if len(columns) != 4 {
				t.Errorf("%s: %q has %d columns", name, line, len(columns))
				continue
			}
			if !slices.Contains(classNames[:], columns[0]) {
				t.Errorf("%s: %q is of no class", name, line)
			}
			if (columns[0] == "axis") != (columns[2] == "+" || columns[2] == "-") {
				t.Errorf("%s: %q has no side, or one too many", name, line)
			}
			for w := range strings.FieldsSeq(columns[3]) {
				if seen[w] {
					t.Errorf("%s: %s stands twice", name, w)
				}
				seen[w] = true
				if name == "chinese" && utf8.RuneCountInString(w) > zhLongest {
					t.Errorf("%s is longer than %d characters", w, zhLongest)
				}
			}
		}
		if len(seen) < 900 {
			t.Errorf("%s has %d words", name, len(seen))
		}
	}
}

func TestUnitsAreWellMade(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(unitLines) {
		if line == "\n" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 3 || columns[0] == "" {
			t.Errorf("%q is no unit", line)
			continue
		}
		if size, err := strconv.ParseFloat(columns[1], 64); err != nil || size <= 0 {
			t.Errorf("%q has no size", line)
		}
		for w := range strings.FieldsSeq(columns[2]) {
			if seen[w] {
				t.Errorf("%s stands twice", w)
			}
			seen[w] = true
			if dim, size := unit(w); dim == "" || size <= 0 {
				t.Errorf("%s measures %q by %g", w, dim, size)
			}
		}
	}
	if dim, size := unit("周"); dim != "s" || size != 604800 {
		t.Errorf("a week is %g %s", size, dim)
	}
}
