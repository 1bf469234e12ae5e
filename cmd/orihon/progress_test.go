package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressIsShownAfterHalfASecondAndTakenAwayAgain(t *testing.T) {
	for _, tt := range []struct {
		name string
		took time.Duration
		step func(m *meter)
		want string // the last line drawn; empty for nothing at all
	}{
		{"what is quick shows nothing", 400 * time.Millisecond, nil, ""},
		{"how far is not known", 2100 * time.Millisecond, nil, "讀取 … 2 s"},
		{"so many so far", 700 * time.Millisecond, func(m *meter) { m.step(7, 0) }, "讀取 … 7 · 0 s"},
		{"so many of all", 700 * time.Millisecond, func(m *meter) { m.step(7, 20) }, "讀取 … 7 of 20 · 0 s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				m := newMeter(&out, "讀取")
				if tt.step != nil {
					tt.step(m)
				}
				time.Sleep(tt.took)
				m.end()
				m.end()
				const erase = "\r\x1b[K"
				if tt.want == "" {
					if out.Len() > 0 {
						t.Errorf("shown: %q", out.String())
					}
					return
				}
				if !strings.HasSuffix(out.String(), erase+tt.want+erase) {
					t.Errorf("shown %q, want %q and then nothing", out.String(), tt.want)
				}
			})
		})
	}
}

func TestNoProgressIsShownOffATerminal(t *testing.T) {
	var out bytes.Buffer
	a := &app{errs: &out}
	step, end := a.progress("reading")
	step(1, 2)
	end()
	if out.Len() > 0 {
		t.Errorf("shown: %q", out.String())
	}
}
