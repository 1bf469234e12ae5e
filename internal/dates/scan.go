package dates

// scanner is one pass over a text.
type scanner struct {
	text  string
	cal   calendar
	found []Period

	start, end int // of the last period found
}

// match is a period and the offset behind the text that names it; the zero
// match says that nothing was found.
type match struct {
	Period
	end int
}

// full reports whether nothing that begins at i could still be added.
func (s *scanner) full(i int) bool {
	return len(s.found) == most && i >= s.end
}

// add takes m, which begins at start, unless a longer match is in its way.
func (s *scanner) add(start int, m match) {
	if m.end == 0 {
		return
	}
	m.Text = s.text[start:m.end]
	if start >= s.end {
		s.found = append(s.found, m.Period)
	} else if m.end-start > s.end-s.start {
		s.found[len(s.found)-1] = m.Period
	} else {
		return
	}
	s.start, s.end = start, m.end
}

// clean reports whether a word or number may begin at i: not inside an
// identifier, a path, a flag, a decimal number or an issue number.
func (s *scanner) clean(i int) bool {
	if i == 0 {
		return true
	}
	switch c := s.text[i-1]; c {
	case '_', '-', '.', '/', '\\', ':', '#', '@', '$', '%':
		return false
	default:
		return !isLetter(c) && !isDigit(c)
	}
}

func isLetter(c byte) bool {
	c |= 'a' - 'A'
	return 'a' <= c && c <= 'z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// longest returns the longest of matches that begin at one place.
func longest(matches ...match) (best match) {
	for _, m := range matches {
		if m.end > best.end {
			best = m
		}
	}
	return best
}
