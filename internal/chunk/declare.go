package chunk

import "strings"

// kind is what a line declares.
type kind int

const (
	nothing kind = iota
	leaf         // a function, a type, a value
	class        // its members are declarations of their own
	space        // a namespace or module, with declarations as at the outer level
)

// declare says what a line of code, without its texts and remarks, declares;
// member says that it stands in a class.
func declare(is language, code string, member bool) (name string, what kind) {
	switch is {
	case golang:
		return declareGo(code)
	case javascript:
		return declareJavaScript(code, member)
	case rust:
		return declareRust(code)
	case clang:
		return declareC(code)
	case proto:
		word, rest := ident(code)
		switch word {
		case "message", "enum", "service", "extend":
			return after(rest), leaf
		}
		return "", nothing
	}
	return declareJava(is, code, member)
}

// after is the identifier that a text begins with, blanks aside.
func after(rest string) string {
	name, _ := ident(strings.TrimLeft(rest, " *&"))
	return name
}

// without drops leading words out of a list, which has a blank on either side
// of each.
func without(code, list string) string {
	for {
		word, rest := ident(code)
		if word == "" || !strings.Contains(list, " "+word+" ") {
			return code
		}
		code = strings.TrimLeft(rest, " ")
		if word == "pub" && strings.HasPrefix(code, "(") {
			_, code, _ = strings.Cut(code, ")")
		}
		if word == "extern" && strings.HasPrefix(code, `"`) {
			code = code[1:]
		}
		code = strings.TrimLeft(code, " ")
	}
}

func declareGo(code string) (string, kind) {
	word, rest := ident(code)
	rest = strings.TrimLeft(rest, " ")
	switch word {
	case "func":
		if !strings.HasPrefix(rest, "(") {
			return after(rest), leaf
		}
		receiver, rest, _ := strings.Cut(rest[1:], ")")
		receiver, _, _ = strings.Cut(receiver, "[")
		fields := strings.Fields(receiver)
		if len(fields) == 0 {
			return after(rest), leaf
		}
		return strings.TrimLeft(fields[len(fields)-1], "*") + "." + after(rest), leaf
	case "type", "var", "const":
		if strings.HasPrefix(rest, "(") {
			return "", leaf
		}
		return after(rest), leaf
	}
	return "", nothing
}

func declareJavaScript(code string, member bool) (string, kind) {
	code = without(code, " export default declare abstract async public private protected static readonly override accessor ")
	word, rest := ident(code)
	rest = strings.TrimLeft(rest, " ")
	if member {
		return memberOfJavaScript(code, word, rest)
	}
	switch word {
	case "function":
		return after(rest), leaf
	case "class", "interface":
		return after(rest), class
	case "namespace", "module":
		if name := after(rest); name != "" {
			return name, space
		}
	case "enum", "type", "const", "let", "var":
		name := after(rest)
		if name == "enum" {
			name = after(strings.TrimPrefix(rest, "enum"))
		}
		return name, leaf
	case "exports":
		if strings.HasPrefix(rest, ".") && strings.Contains(rest, "=") {
			return after(rest[1:]), leaf
		}
	}
	if at := strings.Index(code, ".prototype."); at > 0 && strings.Contains(code, "=") {
		return code[:at] + "." + after(code[at+len(".prototype."):]), leaf
	}
	return "", nothing
}

func memberOfJavaScript(code, word, rest string) (string, kind) {
	if (word == "get" || word == "set") && rest != "" && (isIdent(rest[0]) || rest[0] == '#') {
		code = rest
	}
	code = strings.TrimLeft(code, "*# ")
	if word, rest = ident(code); word == "" || control(word) {
		return "", nothing
	}
	rest = strings.TrimLeft(rest, " ?!")
	if rest == "" || strings.IndexByte("(=:;<", rest[0]) < 0 {
		return "", nothing
	}
	return word, leaf
}

func declareRust(code string) (string, kind) {
	code = without(code, " pub async unsafe extern default crate ")
	word, rest := ident(code)
	if word == "const" && strings.HasPrefix(strings.TrimLeft(rest, " "), "fn ") {
		word, rest = ident(strings.TrimLeft(rest, " "))
	}
	rest = strings.TrimLeft(rest, " ")
	switch word {
	case "fn", "struct", "enum", "union", "type":
		return after(rest), leaf
	case "const", "static":
		return after(strings.TrimPrefix(rest, "mut ")), leaf
	case "macro_rules":
		return after(strings.TrimPrefix(rest, "!")), leaf
	case "trait":
		return after(rest), class
	case "mod":
		if name := after(rest); !strings.HasSuffix(code, ";") {
			return name, space
		}
	case "impl":
		return implementation(rest), class
	}
	return "", nothing
}

// implementation is the type behind an impl: "Store" or "Read for Store".
func implementation(rest string) string {
	if inside := bracketed(rest, '<', '>'); inside > 0 {
		rest = rest[inside:]
	}
	rest, _, _ = strings.Cut(rest, "{")
	rest, _, _ = strings.Cut(rest, " where")
	return strings.TrimSpace(rest)
}

func declareC(code string) (string, kind) {
	code = strings.TrimSpace(without(code, " static inline extern typedef constexpr virtual explicit friend export "))
	code = strings.TrimSpace(strings.TrimLeft(code, "\""))
	word, rest := ident(code)
	head, _, body := strings.Cut(code, "{")
	switch word {
	case "namespace":
		return strings.TrimSpace(strings.TrimPrefix(head, word)), space
	case "":
		if strings.HasPrefix(code, "{") { // extern "C"
			return "", space
		}
		if code == "" || code[0] != '~' {
			return "", nothing
		}
	case "class", "struct", "union", "enum":
		if strings.Contains(head, "(") && body || strings.Contains(head, "=") {
			break
		}
		if !body && strings.HasSuffix(code, ";") {
			return after(rest), leaf
		}
		base, _, _ := strings.Cut(strings.ReplaceAll(head, "::", "\x00"), ":")
		fields := strings.Fields(strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(base), " final"), "\x00", "::"))
		if len(fields) > 1 && fields[len(fields)-1] != "class" {
			return fields[len(fields)-1], class
		}
		return "", class
	case "using", "template", "public", "private", "protected", "return", "if", "else", "for", "while", "switch", "case", "do", "goto", "default":
		return "", nothing
	}
	if name := called(head, "~:"); name != "" {
		return name, leaf
	}
	if strings.HasSuffix(code, ";") || body || strings.HasSuffix(code, "=") {
		head, _, _ = strings.Cut(head, "=")
		head, _, _ = strings.Cut(head, "[")
		return lastWord(strings.TrimRight(head, "; ")), leaf
	}
	return "", nothing
}

// called is the name before the first bracket: letters, and what is in also.
func called(head, also string) string {
	at := strings.IndexByte(head, '(')
	if at < 0 {
		return ""
	}
	head = strings.TrimRight(head[:at], " ")
	if op := strings.LastIndex(head, "operator"); op >= 0 {
		return head[op:]
	}
	if strings.ContainsAny(head, "=") {
		return ""
	}
	if strings.HasSuffix(head, ">") {
		if open := strings.IndexByte(head, '<'); open > 0 {
			head = head[:open]
		}
	}
	end := len(head)
	for end > 0 && (isIdent(head[end-1]) || strings.IndexByte(also, head[end-1]) >= 0) {
		end--
	}
	name := strings.Trim(head[end:], ":")
	if name == "" || control(name) {
		return ""
	}
	return name
}

func lastWord(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return r < 0x80 && !isIdent(byte(r)) })
	if len(fields) == 0 {
		return ""
	}
	return fields[len(fields)-1]
}

// control reports a word that looks like a call and declares nothing.
func control(word string) bool {
	return word != "" && strings.Contains(" if else for foreach while do switch match when case catch try finally return throw new await "+
		"yield using lock synchronized super this delete assert sizeof defer guard import echo print require include elseif ", " "+word+" ")
}

func declareJava(is language, code string, member bool) (string, kind) {
	for strings.HasPrefix(code, "@") && !strings.HasPrefix(code, "@interface") {
		code = annotated(code)
	}
	code = without(code, " public private protected internal static final abstract sealed open override virtual async partial readonly unsafe extern inline "+
		"suspend operator infix tailrec lateinit data inner annotation companion const required convenience mutating nonmutating fileprivate lazy weak "+
		"indirect default synchronized native strictfp transient volatile non implicit expect actual export factory late ")
	word, rest := ident(strings.TrimPrefix(code, "@"))
	rest = strings.TrimLeft(rest, " ")
	switch word {
	case "class", "interface", "enum", "struct", "object", "trait", "protocol", "extension", "actor", "mixin", "record":
		name := after(rest)
		if word == "class" && (name == "func" || name == "var") { // of the class itself, in Swift
			return after(strings.TrimPrefix(rest, name)), leaf
		}
		if (word == "enum" || word == "record") && (name == "class" || name == "struct") {
			name = after(strings.TrimPrefix(rest, name))
		}
		if word == "record" && name == "" {
			break
		}
		return name, class
	case "namespace":
		name, _, _ := strings.Cut(rest, "{")
		if is == php || strings.HasSuffix(rest, ";") {
			return "", nothing
		}
		return strings.TrimSpace(name), space
	case "fun", "func", "function", "fn", "def":
		if strings.HasPrefix(rest, "<") {
			_, rest, _ = strings.Cut(rest, ">")
		}
		if name := called(rest, "."); name != "" {
			return name, leaf
		}
		return after(rest), leaf
	case "init", "deinit", "constructor", "subscript":
		if strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "?") {
			return word, leaf
		}
	case "val", "var", "let", "typealias", "associatedtype", "type", "given":
		return after(rest), leaf
	case "case":
		if is == java && strings.HasPrefix(rest, "class ") {
			return after(rest[len("class "):]), class
		}
		return "", nothing
	case "package", "import", "use", "using":
		return "", nothing
	}
	head, _, body := strings.Cut(code, "{")
	if name := called(head, ""); name != "" && is == java && (strings.Contains(strings.TrimSpace(head[:strings.IndexByte(head, '(')]), " ") || member && name == word) {
		return name, leaf
	}
	if (body || strings.Contains(code, "=>")) && member && is == java { // a property
		head, _, _ = strings.Cut(head, "=")
		if name := lastWord(head); name != "" && name != word && !control(word) {
			return name, leaf
		}
	}
	return "", nothing
}

// annotated drops the annotation a line begins with.
func annotated(code string) string {
	_, rest := ident(code[1:])
	for strings.HasPrefix(rest, ".") {
		_, rest = ident(rest[1:])
	}
	inside := bracketed(rest, '(', ')')
	if inside == 0 && strings.HasPrefix(rest, "(") {
		return ""
	}
	return strings.TrimLeft(rest[inside:], " ")
}

// bracketed is the length of what begins a text in brackets, others within them
// included; 0 when none does, or it does not end. An arrow closes nothing.
func bracketed(text string, open, end byte) int {
	depth := 0
	for i := range len(text) {
		switch {
		case text[i] == open:
			depth++
		case depth == 0:
			return 0
		case text[i] == end && (end != '>' || text[i-1] != '-'):
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
