package session

import (
	"errors"
	"strconv"

	"golang.org/x/sys/windows"
)

// startOf is the time a process was created, in units of 100 ns.
func startOf(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}

func alive(p Process) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(p.PID))
	if err != nil {
		// That is what a number nobody has is called; anything else, such as a
		// missing permission, means that somebody has it.
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer windows.CloseHandle(h)
	if event, err := windows.WaitForSingleObject(h, 0); err == nil && event == windows.WAIT_OBJECT_0 {
		return false // it has ended; somebody still holds a handle
	}
	start := startOf(p.PID)
	return p.Start == "" || start == "" || start == p.Start
}

func shellParent(int) (parent int, shell bool) { return 0, false }
