package eval

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
)

// watchPeak follows how much memory a running process has had at most, in
// bytes, until ctx ends, and sends the last it saw: 0 where the system does not
// tell. What the system says of a finished process will not do: on Linux it
// counts in the parent that started it.
func watchPeak(ctx context.Context, pid int) <-chan int64 {
	out := make(chan int64, 1)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		var most int64
		for {
			most = max(most, highWater(pid))
			select {
			case <-ctx.Done():
				out <- most
				return
			case <-tick.C:
			}
		}
	}()
	return out
}

func highWater(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for s := bufio.NewScanner(bytes.NewReader(status)); s.Scan(); {
		if f := bytes.Fields(s.Bytes()); len(f) == 3 && string(f[0]) == "VmHWM:" {
			n, _ := strconv.ParseInt(string(f[1]), 10, 64)
			return n << 10
		}
	}
	return 0
}
