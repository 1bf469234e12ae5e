package project

// Setting is an entry of a git configuration file, for the parser's tests.
type Setting = setting

// ParseGitConfig is the parser of git configuration files.
func ParseGitConfig(text string) []Setting { return parseGitConfig(text) }

// ParseRemote gives the two readings of a git URL.
func ParseRemote(raw string) (name, path string) {
	r := parseRemote(raw)
	return r.Name, r.Path
}
