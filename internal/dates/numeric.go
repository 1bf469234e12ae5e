package dates

import "time"

// numeric reads a date of digits at i, wherever it stands in a path or a file
// name, but not inside a longer number or version.
func (s *scanner) numeric(i int) match {
	if i > 0 {
		switch c := s.text[i-1]; {
		case isDigit(c), isLetter(c), c == '.', c == ':', c == '#':
			return match{}
		case (c == '-' || c == '/') && i > 1 && isDigit(s.text[i-2]):
			return match{}
		}
	}
	return s.iso(i)
}

// iso reads 2023-05-08, 2023/5/8 or 2023-05 at i.
func (s *scanner) iso(i int) match {
	y, i := s.digits(i, 4)
	if i == 0 || i == len(s.text) || y < 1900 || y >= 2200 {
		return match{}
	}
	sep := s.text[i]
	if sep != '-' && sep != '/' {
		return match{}
	}
	m, j := s.digits(i+1, 2)
	if j == 0 || m < 1 || m > 12 {
		return match{}
	}
	if j == len(s.text) || s.text[j] != sep {
		// A month has its two digits and stands alone: 2023-05.
		if sep != '-' || j-i != 3 || !s.clean(i-4) || j < len(s.text) && s.goesOn(j) {
			return match{}
		}
		return match{monthOf(y, time.Month(m)), j}
	}
	d, k := s.digits(j+1, 2)
	if k == 0 || k+1 < len(s.text) && s.text[k] == '.' && isDigit(s.text[k+1]) {
		return match{}
	}
	p, ok := dayOf(y, time.Month(m), d)
	if !ok {
		return match{}
	}
	return match{p, k}
}

// goesOn reports whether what ends at i is only the beginning of a name or a
// number.
func (s *scanner) goesOn(i int) bool {
	switch c := s.text[i]; c {
	case '-', '_', '/', ':':
		return true
	case '.':
		return i+1 < len(s.text) && (isDigit(s.text[i+1]) || isLetter(s.text[i+1]))
	default:
		return isLetter(c)
	}
}

// digits reads a number of at most n digits at i, of exactly four for n = 4.
// The end is 0 if there is none, or a digit follows.
func (s *scanner) digits(i, n int) (value, end int) {
	j := i
	for j < len(s.text) && j-i < n && isDigit(s.text[j]) {
		value = 10*value + int(s.text[j]-'0')
		j++
	}
	if j == i || n == 4 && j-i < n || j < len(s.text) && isDigit(s.text[j]) {
		return 0, 0
	}
	return value, j
}
