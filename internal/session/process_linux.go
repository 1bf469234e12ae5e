package session

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// startOf is the start of a process in clock ticks since boot, and the PID
// namespace that its number belongs to.
func startOf(pid int) string {
	stat, err := readStat(pid)
	if err != nil {
		return ""
	}
	return stat.start + "@" + namespace()
}

func alive(p Process) bool {
	start, space, ok := strings.Cut(p.Start, "@")
	if ok && space != namespace() {
		return true // in a container of its own: its numbers mean nothing here
	}
	stat, err := readStat(p.PID)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat("/proc/self/stat")
		return err != nil // without /proc nothing can be told
	}
	if err != nil {
		return true
	}
	return stat.state != "Z" && stat.state != "X" && (start == "" || start == stat.start)
}

type procStat struct {
	name, state, parent, start string
}

var errStat = errors.New("unknown form of /proc/<pid>/stat")

// readStat reads /proc/<pid>/stat. The name stands in parentheses and may hold
// any character, so the fields are counted behind the last one.
func readStat(pid int) (procStat, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, err
	}
	text := string(data)
	begin, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return procStat{}, errStat
	}
	fields := strings.Fields(text[end+1:]) // from field 3, the state, on
	if len(fields) < 20 {
		return procStat{}, errStat
	}
	return procStat{name: text[begin+1 : end], state: fields[0], parent: fields[1], start: fields[19]}, nil
}

func namespace() string {
	link, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.Trim(link, "pid:[]")
}

// shellParent is the parent of a process, and whether that process is a shell.
func shellParent(pid int) (parent int, shell bool) {
	stat, err := readStat(pid)
	if err != nil {
		return 0, false
	}
	switch stat.name {
	case "sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "busybox":
		parent, err = strconv.Atoi(stat.parent)
		return parent, err == nil
	}
	return 0, false
}
