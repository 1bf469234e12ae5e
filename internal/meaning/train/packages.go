package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Packages of the registries whose texts the table is trained on, each unpacked
// into a folder of its name. MANIFEST.md names their versions, checksums and
// licences; NOTICE says whose they are.
var packages = []struct {
	folder string
	read   func(fs.FS) (pairs, error)
}{
	{"typescript", typescript},
	{"monaco-editor", monaco},
	{"chromium", chromium},
	{"tomcat", tomcat},
	{"postgresql", gettext},
	{"subversion", gettext},
	{"horizon", gettext},
	{"django", gettext},
	{"wordnet", wordnet},
	{"python-doc", documents},
	{"nova-doc", documents},
	{"neutron-doc", documents},
	{"postgresql-doc", documents},
	{"nodejs-doc", documents},
}

// pair is two texts that mean about the same or belong together.
type pair struct {
	kind string // "parallel", "words" or "text"
	a, b string
}

type pairs []pair

func (p *pairs) add(kind, a, b string) {
	a, b = plain(a), plain(b)
	const most = 400 // bytes: what stands further on says little of the whole
	a, b = head(a, most), head(b, most)
	if a != "" && b != "" && a != b {
		*p = append(*p, pair{kind, a, b})
	}
}

var (
	placeholder = pattern(`%(?:\([a-z_]+\))?[-0-9.*]*l*[a-zA-Z]|\$?\{[^}]*\}|\$[A-Z_0-9]+|<[^>]*>|&[a-z]+;|&&|\\[nrt]`)
	blanks      = pattern(`\s+`)
)

func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// plain takes placeholders and mark-up out of a message.
func plain(s string) string {
	s = placeholder().ReplaceAllString(html.UnescapeString(s), " ")
	return strings.TrimSpace(blanks().ReplaceAllString(s, " "))
}

func head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

func typescript(f fs.FS) (out pairs, err error) {
	for _, language := range []string{"zh-cn", "zh-tw"} {
		text, err := fs.ReadFile(f, "lib/"+language+"/diagnosticMessages.generated.json")
		if err != nil {
			return nil, err
		}
		var messages map[string]string
		if err := json.Unmarshal(text, &messages); err != nil {
			return nil, err
		}
		for _, key := range sorted(messages) {
			name, _, _ := strings.Cut(key, "__")
			english := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || '0' <= r && r <= '9' }), " ")
			out.add("parallel", english, messages[key])
		}
	}
	return out, nil
}

func monaco(f fs.FS) (out pairs, err error) {
	read := func(name string) (list []string, err error) {
		text, err := fs.ReadFile(f, "esm/"+name)
		if err != nil {
			return nil, err
		}
		_, rest, _ := bytes.Cut(text, []byte("_VSCODE_NLS_MESSAGES="))
		end := bytes.LastIndexByte(rest, ']')
		if end < 0 {
			return nil, fmt.Errorf("%s: no list of messages", name)
		}
		return list, json.Unmarshal(rest[:end+1], &list)
	}
	english, err := read("nls.messages.js")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"nls.messages.zh-cn.js", "nls.messages.zh-tw.js"} {
		list, err := read(name)
		if err != nil {
			return nil, err
		}
		if len(list) != len(english) {
			return nil, fmt.Errorf("%s: %d messages beside %d", name, len(list), len(english))
		}
		for i, s := range list {
			out.add("parallel", english[i], s)
		}
	}
	return out, nil
}

// chromium reads resource packs of format 5: a header, then a table of resource
// IDs and offsets.
func chromium(f fs.FS) (out pairs, err error) {
	read := func(name string) (map[uint16]string, error) {
		data, err := fs.ReadFile(f, name)
		if err != nil {
			return nil, err
		}
		if len(data) < 12 || binary.LittleEndian.Uint32(data) != 5 {
			return nil, fmt.Errorf("%s: no resource pack of format 5", name)
		}
		n, size := int(binary.LittleEndian.Uint16(data[8:])), 6
		texts := make(map[uint16]string, n)
		for i := range n {
			e := data[12+i*size:]
			from, to := binary.LittleEndian.Uint32(e[2:]), binary.LittleEndian.Uint32(e[size+2:])
			if text := data[from:to]; len(text) < 400 && utf8.Valid(text) {
				texts[binary.LittleEndian.Uint16(e)] = string(text)
			}
		}
		return texts, nil
	}
	english, err := read("en-US.pak")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"zh-CN.pak", "zh-TW.pak"} {
		texts, err := read(name)
		if err != nil {
			return nil, err
		}
		for _, id := range sorted(texts) {
			if strings.ContainsAny(texts[id], "<{") && len(texts[id]) > 200 {
				continue // a page, or a message of many forms
			}
			out.add("parallel", english[id], texts[id])
		}
	}
	return out, nil
}

func tomcat(f fs.FS) (out pairs, err error) {
	all := make(map[string]map[string]string) // file → key → text
	jars, err := fs.Glob(f, "*.jar")
	if err != nil {
		return nil, err
	}
	for _, jar := range jars {
		data, err := fs.ReadFile(f, jar)
		if err != nil {
			return nil, err
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", jar, err)
		}
		for _, file := range z.File {
			if base := path.Base(file.Name); base != "LocalStrings.properties" && base != "LocalStrings_zh_CN.properties" {
				continue
			}
			r, err := file.Open()
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			all[file.Name] = properties(string(text))
		}
	}
	for _, name := range sorted(all) {
		dir, isChinese := strings.CutSuffix(name, "_zh_CN.properties")
		if !isChinese {
			continue
		}
		english := all[dir+".properties"]
		for _, key := range sorted(all[name]) {
			out.add("parallel", english[key], all[name][key])
		}
	}
	return out, nil
}

func properties(text string) map[string]string {
	out := make(map[string]string)
	text = strings.ReplaceAll(text, "\\\n", "")
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			out[strings.TrimSpace(key)] = escaped().ReplaceAllStringFunc(value, func(e string) string {
				r, err := strconv.ParseUint(e[2:], 16, 16)
				if err != nil {
					return e
				}
				return string(rune(r))
			})
		}
	}
	return out
}

var escaped = pattern(`\\u[0-9a-fA-F]{4}`)

// gettext reads every .mo file of a folder.
func gettext(f fs.FS) (out pairs, err error) {
	return out, walk(f, ".mo", func(name string, data []byte) error {
		if len(data) < 28 || binary.LittleEndian.Uint32(data) != 0x950412de {
			return fmt.Errorf("%s: no message catalogue", name)
		}
		word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
		n, from, to := word(8), word(12), word(16)
		text := func(table, i uint32) string {
			size, at := word(table+8*i), word(table+8*i+4)
			s, _, _ := strings.Cut(string(data[at:at+size]), "\x00")
			if _, rest, ok := strings.Cut(s, "\x04"); ok {
				return rest
			}
			return s
		}
		for i := range n {
			if a := text(from, i); a != "" {
				out.add("parallel", a, text(to, i))
			}
		}
		return nil
	})
}

// wordnet pairs the words of a synset with one another and with its gloss.
func wordnet(f fs.FS) (out pairs, err error) {
	for _, name := range []string{"data.noun", "data.verb", "data.adj", "data.adv"} {
		file, err := f.Open(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			line := lines.Text()
			fields := strings.Fields(line)
			_, gloss, ok := strings.Cut(line, "| ")
			if !ok || len(fields) < 6 || strings.HasPrefix(line, " ") {
				continue
			}
			n, err := strconv.ParseUint(fields[3], 16, 8)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is no number of words: %w", name, fields[3], err)
			}
			var words []string
			for i := range int(n) {
				w, _, _ := strings.Cut(fields[4+2*i], "(")
				if strings.ToLower(w) == w { // names of places and people say nothing here
					words = append(words, strings.ReplaceAll(w, "_", " "))
				}
			}
			if len(words) == 0 {
				continue
			}
			gloss, _, _ = strings.Cut(gloss, "; \"")
			out.add("words", strings.Join(words, " "), gloss)
			for i := 1; i < len(words); i++ {
				out.add("words", words[0], words[i])
			}
		}
		file.Close()
	}
	return out, nil
}

var (
	tag      = pattern(`(?s)<(?:script|style|pre)\b.*?</(?:script|style|pre)>|<!--.*?-->`)
	blockEnd = pattern(`</?(?:p|div|h[1-6]|li|dt|dd|tr|td|section|table|ul|ol|br)\b[^>]*>`)
	anyTag   = pattern(`<[^>]*>`)
	rstMarks = pattern("`{1,2}([^`<]*?)(?:\\s*<[^>]*>)?`{1,2}_{0,2}|:[a-z:+-]+:`~?([^`<]*?)(?:\\s*<[^>]*>)?`|\\*{1,2}([^*]+)\\*{1,2}")
	mdLinks  = pattern(`\[([^\]]*)\]\([^)]*\)|\[([^\]]*)\]\[[^\]]*\]`)
	sentence = pattern(`[.!?]\s+`)
)

// documents pairs headings with the paragraph below them and each sentence with
// the next of its paragraph.
func documents(f fs.FS) (out pairs, err error) {
	block := func(heading string, text string) {
		parts := sentence().Split(text, 6)
		if len(strings.Fields(text)) < 8 {
			return
		}
		if heading != "" && len(heading) < 100 {
			out.add("text", heading, text)
		}
		for i := 1; i < len(parts) && i < 4; i++ {
			if len(strings.Fields(parts[i-1])) > 5 && len(strings.Fields(parts[i])) > 5 {
				out.add("text", parts[i-1], parts[i])
			}
		}
	}
	for _, ending := range []string{".html", ".rst.txt", ".md.gz"} {
		err := walk(f, ending, func(name string, data []byte) error {
			text := string(data)
			switch ending {
			case ".html":
				text = blockEnd().ReplaceAllString(tag().ReplaceAllString(text, ""), "\n\n")
				text = html.UnescapeString(anyTag().ReplaceAllString(text, ""))
			case ".md.gz":
				r, err := gzip.NewReader(bytes.NewReader(data))
				if err != nil {
					return err
				}
				if data, err = io.ReadAll(r); err != nil {
					return err
				}
				text = mdLinks().ReplaceAllString(string(data), "$1$2")
			default:
				text = rstMarks().ReplaceAllString(text, "$1$2$3")
			}
			last := ""
			for part := range strings.SplitSeq(text, "\n\n") {
				lines := strings.Split(strings.TrimSpace(part), "\n")
				first := strings.Trim(lines[0], "# ")
				if strings.HasPrefix(first, "..") || strings.HasPrefix(first, "[") || strings.HasPrefix(part, "    ") || strings.HasPrefix(first, "<!--") || strings.HasPrefix(first, "```") {
					continue
				}
				joined := plain(strings.Join(lines, " "))
				underlined := len(lines) == 2 && strings.Trim(lines[1], "=-~^*+\"") == ""
				switch words := len(strings.Fields(joined)); {
				case underlined, strings.HasPrefix(lines[0], "#"), ending == ".html" && words > 1 && words < 8:
					last = plain(first)
				case words >= 8:
					block(last, joined)
					last = ""
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func walk(f fs.FS, ending string, each func(name string, data []byte) error) error {
	return fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ending) {
			return err
		}
		data, err := fs.ReadFile(f, name)
		if err != nil {
			return err
		}
		return each(name, data)
	})
}

// extract reads the packages below a folder into the files of dataDir: what is
// given twice is kept once, and of a text's pairs so many that the files stay
// within the size that travels with the code.
func extract(from, dataDir string, log io.Writer) error {
	const most = 9000 // pairs of text of one package
	seen := make(map[pair]bool)
	files := map[string]*bytes.Buffer{"parallel": {}, "words": {}, "text": {}}
	for _, p := range packages {
		all, err := p.read(os.DirFS(filepath.Join(from, p.folder)))
		if err != nil {
			return fmt.Errorf("%s: %w", p.folder, err)
		}
		all = slices.DeleteFunc(all, func(x pair) bool {
			twice := seen[x]
			seen[x] = true
			return twice || x.kind == "parallel" && !strings.ContainsFunc(x.b, isHan)
		})
		step := 1
		if n := len(all); n > most && all[0].kind == "text" {
			step = (n + most - 1) / most
		}
		n := 0
		for i := 0; i < len(all); i += step {
			x := all[i]
			fmt.Fprintf(files[x.kind], "%s\t%s\n", strings.ReplaceAll(x.a, "\t", " "), strings.ReplaceAll(x.b, "\t", " "))
			n++
		}
		fmt.Fprintf(log, "%-16s %6d of %6d pairs\n", p.folder, n, len(all))
	}
	for kind, text := range files {
		if err := writeGzip(filepath.Join(dataDir, kind+".tsv.gz"), text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func isHan(r rune) bool { return 0x4e00 <= r && r <= 0x9fff }

func writeGzip(name string, text []byte) error {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o600)
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
