package copies_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"orihon/internal/copies"
)

const (
	english = `The code <word> of "project" walrus & co. is it's-4711, kept in C:\new\vault since 12.3.`
	chinese = "海象專案的通關密語是「四七一一」，放在北邊倉庫的第三個抽屜裡。"
)

func TestCopiesAreFound(t *testing.T) {
	plain := "The walrus ships in spring, and Ann holds the key to the harbour gate."
	for _, tt := range []struct{ name, text, in, out string }{
		{"whole", plain, "he said: " + plain + " Then left.", "he said: [] Then left."},
		{"another final mark", plain, "so " + strings.TrimSuffix(plain, ".") + "? really", "so []? really"},
		{"another case", plain, strings.ToUpper(plain), "[]"},
		{"head", plain, "1. The walrus ships in spring, and An… → done", "1. []… → done"},
		{"tail", plain, "1. …olds the key to the harbour gate. Yes", "1. …[] Yes"},
		{"head and tail", plain, "The walrus ships in spring, [… 20 more …] the key to the harbour gate.", "[], [… 20 more …] []"},
		{"short head with a mark of the cut", plain, "log: The walrus ships…", "log: []…"},
		{"short head without one", plain, "The walrus ships tea.", "The walrus ships tea."},
		{"middle", plain, "x ships in spring, and Ann holds the y", "x [] y"},
		{"ends in another word", plain, "the walrus ships in spring, and Annabel", "[] Annabel"},
		{"too little", plain, "Ann holds the key, ships in spring", "Ann holds the key, ships in spring"},
		{"wrapped and quoted", plain, "> The walrus ships\n> in spring, and\n> Ann holds the key\n", "> []\n"},
		{"wrapped at every word", `He keeps the "blue" gate key [1] for us`, "  He\n  keeps\n  the\n  \"blue\"\n  gate\n  key\n  [1]\n  for\n  us\n", "  []\n"},
		{"numbered", plain, "     1\tThe walrus ships\n     2\tin spring, and Ann\n     3\tholds the key to the\n     4\tharbour gate.\n", "     1\t[]\n     2\t[]\n     3\t[]\n     4\t[]\n"},
		{"numbered, with a short line", plain, "docs/a.md:7:The walrus ships\ndocs/a.md:8:in\ndocs/a.md:9:spring, and Ann\n", "docs/a.md:7:[]\ndocs/a.md:8:in\ndocs/a.md:9:[]\n"},
		{"numbered, in JSON", plain, `{"a":"1→The walrus ships\n2→in spring, and Ann\n"}`, `{"a":"1→[]\n2→[]\n"}`},
		{"other lines between", plain, "The walrus ships\nfrom the north, as was agreed upon with all of them in the harbour office last year, and the year before that one, when it was still in use, they say\nin spring", "The walrus ships\nfrom the north, as was agreed upon with all of them in the harbour office last year, and the year before that one, when it was still in use, they say\nin spring"},
		{"coloured", plain, "\x1b[1mThe\x1b[0m wal\x1b[01;31m\x1b[Krus\x1b[m\x1b[K ships in spr\x1b(Bing, and \x1b[38;5;208mAnn", "\x1b[1m[]"},
		{"coloured, without the escapes", plain, "[1mThe[0m wal[01;31m[Krus[m[K ships in [4mspring[0m, and Ann", "[1m[]"},
		{"coloured, in JSON", plain, `{"a":"The \u001b[31mwalrus\u001b[0m ships \u001b[31min\u001b[m spring, and Ann"}`, `{"a":"[]"}`},
		{"in a link", plain, "\x1b]8;;The walrus ships in spring, and Ann\x1b\\x\x1b]8;;\x1b\\", "\x1b]8;;[]\x1b\\x\x1b]8;;\x1b\\"},
		{"a list in brackets", plain, "[the walrus ships in spring], [mother]", "[[]], [mother]"},
		{"Chinese, in the other script", chinese, "海象专案的通关密语是「四七一一」，放在北边仓库的第三个抽屉里。", "[]"},
		{"commented", plain, "// The walrus ships\n// in spring, and Ann\n", "// []\n"},
		{"shell", "Ann's badge is 'blue' and hangs in the hall", `echo 'Ann'\''s badge is '\''blue'\'' and hangs'`, `echo '[]'`},
		{"JSON in JSON", english, `{"a":"{\"b\":\"` + strings.Trim(quote(strings.Trim(quote(english), `"`)), `"`) + `\",\"c\":1}"}`, `{"a":"{\"b\":\"[]\",\"c\":1}"}`},
		{"JSON, torn", english, `{"a":` + strings.TrimSuffix(quote(english), `"`), `{"a":"[]`},
		{"HTML", english, "<p>" + html.EscapeString(english) + "</p>", "<p>[]</p>"},
		{"HTML twice", english, "<p>" + html.EscapeString(html.EscapeString(english)) + "</p>", "<p>[]</p>"},
		{"HTML in JSON in text", english, `data = ` + quote(html.EscapeString(english)) + ";", `data = "[]";`},
		{"URL", chinese, "/find?q=" + url.QueryEscape(chinese), "/find?q=[]%E3%80%82"},
		{"escapes", chinese, "msg=" + strconv.QuoteToASCII(chinese), `msg="[]\u3002"`},
		{"octal", chinese, `"` + octal(chinese) + `"`, `"[]\343\200\202"`},
		{"decomposed", "Das Café über dem Fluß schließt um drei Uhr", norm.NFD.String("x Café über dem Fluß schließt um y"), "x [] y"},
		{"Chinese, cut", chinese, "他說：海象專案的通關密語是「四七一一…", "他說：[]…"},
		{"Chinese, short", chinese, "海象專案的天氣", "海象專案的天氣"},
		{"numbers are not joined", "The gateway answers 12.3 of 45", "The gateway answers 1.23 of 45", "The gateway answers 1.23 of 45"},
		{"strings of JSON stay apart", plain, `var x = ["The walrus ships in spring, and Ann","holds the key to the harbour gate"]`, `var x = ["[]","[]"]`},
		{"a word", "Go", "go to google, Go, (GO) ergo go", "[] to google, [], ([]) ergo []"},
		{"a word with marks", "C++", "C++ and c++, not c", "[] and [], not c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(copies.New(tt.text).Clean([]byte(tt.in), "[]")); got != tt.out {
				t.Errorf("%q\n in %q\nleaves %q\n  want %q", tt.text, tt.in, got, tt.out)
			}
		})
	}
}

// What also stands in what stays is no copy; what goes beyond it is.
func TestWhatStaysIsKept(t *testing.T) {
	const text = "The frontend deploys to the staging cluster every night at 4711"
	for _, tt := range []struct{ name, in, out string }{
		{"another statement", "The backend deploys to the staging cluster every night at 3000", "The backend deploys to the staging cluster every night at 3000"},
		{"quoted in a sentence", "he: deploys to the staging cluster every night, she: no", "he: deploys to the staging cluster every night, she: no"},
		{"what is its own", "deploys to the staging cluster every night at 4711!", "deploys to the staging cluster every night at []!"},
		{"whole", "so " + text, "so []"},
	} {
		w := copies.New(text)
		w.Keep("The backend deploys to the staging cluster every night at 3000")
		if got := string(w.Clean([]byte(tt.in), "[]")); got != tt.out {
			t.Errorf("%s: %q leaves %q, want %q", tt.name, tt.in, got, tt.out)
		}
	}
	w := copies.New(text)
	for in, only := range map[string]bool{
		"The frontend deploys to the staging clus…": true, "deploys to the staging cluster every night": true,
		"The backend deploys to the staging cluster every night": false, "Ann: " + text: false, text: true,
	} {
		if got := w.Only(in); got != only {
			t.Errorf("%q is only a copy: %v, want %v", in, got, only)
		}
	}
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func octal(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < 0x80 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String()
}

// quotings are ways in which a text is copied.
var quotings = map[string]func(r *rand.Rand, s string) string{
	"plain": func(_ *rand.Rand, s string) string { return s },
	"shell": func(_ *rand.Rand, s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" },
	"shell, \"": func(_ *rand.Rand, s string) string {
		return `"` + regexp.MustCompile(`["\\$]`).ReplaceAllString(s, `\$0`) + `"`
	},
	"JSON": func(_ *rand.Rand, s string) string { return `{"a": ` + quote(s) + `}` },
	"JSON in JSON in JSON": func(_ *rand.Rand, s string) string {
		return `{"a":` + quote(`{"b":`+quote(`["x",`+quote(s)+`]`)+`}`) + `}`
	},
	"command in JSON": func(_ *rand.Rand, s string) string {
		return quote(map2("command", "git commit -m '"+strings.ReplaceAll(s, "'", `'\''`)+"'"))
	},
	"ASCII": func(_ *rand.Rand, s string) string { return strconv.QuoteToASCII(s) },
	"HTML":  func(_ *rand.Rand, s string) string { return "<td>" + html.EscapeString(s) + "</td>" },
	"URL":   func(_ *rand.Rand, s string) string { return url.PathEscape(s) },
	"Markdown": func(_ *rand.Rand, s string) string {
		return regexp.MustCompile("[*_`#<>()\\[\\]!.+-]").ReplaceAllString(s, `\$0`)
	},
	"NFD": func(_ *rand.Rand, s string) string { return norm.NFD.String(s) },
	"NFC": func(_ *rand.Rand, s string) string { return norm.NFC.String(s) },
	"wrapped": func(r *rand.Rand, s string) string {
		prefix := []string{"", "> ", "  ", "# ", "// ", "\t* "}[r.IntN(6)]
		return prefix + regexp.MustCompile(` +`).ReplaceAllStringFunc(s, func(blank string) string {
			if r.IntN(3) > 0 {
				return blank
			}
			return "\r\n"[r.IntN(2):] + prefix
		})
	},
	"torn JSON": func(_ *rand.Rand, s string) string { return `{"v":1,"text":` + strings.TrimSuffix(quote(s), `"`) },
}

func map2(k, v string) string {
	b, err := json.Marshal(map[string]string{k: v})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// somewhat is a text of random words.
func somewhat(r *rand.Rand) string {
	words := strings.Fields(`walrus harbour gate "quoted" it's Ann's key=value 4711 12.3 naïve Zürich über <tag> a&b C:\temp\new 50% #7 $HOME x/y/z ship; (often) – “so” rosebud`)
	han := []rune("海象專案的通關密語放在北邊倉庫第三個抽屜裡，。「」每週五部署到測試叢集")
	var b strings.Builder
	n := 3 + r.IntN(25)
	for range n {
		switch r.IntN(8) {
		case 0, 1:
			for range 3 + r.IntN(12) {
				b.WriteRune(han[r.IntN(len(han))])
			}
		case 2:
			b.WriteString("\n")
		case 3:
			fmt.Fprintf(&b, "%x ", r.Uint64())
		default:
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
	}
	return strings.TrimSpace(b.String())
}

// cut is a piece of a text, as a program cuts one.
func cut(r *rand.Rand, s string) string {
	runes := []rune(s)
	a, b := r.IntN(len(runes)+1), r.IntN(len(runes)+1)
	a, b = min(a, b), max(a, b)
	switch r.IntN(5) {
	case 0:
		return s
	case 1:
		return string(runes[:b]) + "…"
	case 2:
		return "..." + string(runes[a:])
	case 3:
		return string(runes[:a]) + "\n[… cut …]\n" + string(runes[b:])
	}
	return string(runes[a:b])
}

// Whatever of a text was copied in whatever way, nothing of it is left, and what
// was JSON still is.
func TestNoPieceIsLeft(t *testing.T) {
	for n := range uint64(3000) {
		r := rand.New(rand.NewPCG(n, 1))
		text := somewhat(r)
		w := copies.New(text)
		piece := cut(r, text)
		for name, quoted := range quotings {
			in := "before " + quoted(r, piece) + " after"
			if json.Valid([]byte(quoted(r, piece))) {
				in = quoted(r, piece)
			}
			out := w.Clean([]byte(in), "[]")
			if json.Valid([]byte(in)) && !json.Valid(out) {
				t.Fatalf("%d: %s: %q left %q, which is no JSON", n, name, in, out)
			}
			if at := remains(text, string(out)); at != "" {
				t.Fatalf("%d: %s: of %q\nin %q\nthere is %q\nleft in %q", n, name, text, in, at, out)
			}
		}
	}
}

// remains is a piece of a text of 24 letters' width or more that stands in another.
func remains(text, in string) string {
	runes := []rune(norm.NFC.String(text))
	in = norm.NFC.String(in)
	for i := range runes {
		size, letters, blank := 0, 0, 0
		for j := i; j < len(runes); j++ {
			if blank++; !unicode.IsSpace(runes[j]) {
				blank = 0
			}
			if blank > 4 {
				continue
			}
			size++
			if runes[j] >= 0x2e80 {
				size++
			}
			if unicode.IsLetter(runes[j]) || unicode.IsDigit(runes[j]) {
				letters++
			}
			if size >= 24 {
				if letters >= 6 && strings.Contains(in, string(runes[i:j+1])) {
					return string(runes[i : j+1])
				}
				break
			}
		}
	}
	return ""
}

func FuzzClean(f *testing.F) {
	f.Add(english, `{"a":"\u0041\\u00"}`)
	f.Add(chinese, "%e4%b8 \\344\\270 &#x4e2d; &amp;amp;lt; \xff \\u")
	f.Fuzz(func(t *testing.T, text, in string) {
		w := copies.New(text)
		w.Keep(in)
		out := w.Clean([]byte(in), "[]")
		if json.Valid([]byte(in)) && strings.ContainsAny(in, "{[\"") && !json.Valid(out) {
			t.Errorf("%q became %q, which is no JSON", in, out)
		}
		if len(w.Find([]byte(in))) == 0 && !strings.ContainsAny(in, "{[\"") && string(out) != in {
			t.Errorf("%q holds nothing and became %q", in, out)
		}
	})
}

// What lies on the edge of a window is found as anything else is.
func TestFindInLargeText(t *testing.T) {
	const text = "The walrus ships in spring, and Ann holds the key to the harbour gate."
	w := copies.New(text)
	filler := strings.Repeat("nothing to see here 12 ", 50_000) // about a window
	for shift := -100; shift <= 100; shift += 3 {
		in := filler[:1<<20+shift] + text + filler + text
		got := w.Find([]byte(in))
		if len(got) != 2 || in[got[0].From:got[0].To] != text || !got[1].Whole {
			t.Fatalf("shifted by %d: %v", shift, got)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	w := copies.New(english, chinese)
	in := []byte(strings.Repeat(`{"seq":7,"type":"USER_MESSAGE","payload":{"text":"how do we deploy \"this\" then? 我們怎麼部署？"}}`+"\n", 100_000))
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		w.Find(in)
	}
}
