package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"orihon/internal/jsonl"
	"orihon/llm"
)

// When a backend is left alone: maxFailures in a row switch it off for restTime,
// and maxRests of these within restsWithin until the next quarter of the day.
const (
	maxFailures = 2
	restTime    = time.Minute
	maxRests    = 2
	restsWithin = 10 * time.Minute
	quarter     = 6 // hours
	// maxRest is longer than any rest lasts, also when the clock is changed for
	// the summer: one that seems longer is of a clock that was set back.
	maxRest = 8 * time.Hour
)

const (
	healthFile    = "health.json"
	healthVersion = 1
)

// health is how backends have been lately, in a file that all processes share.
type health struct {
	dir string
	now func() time.Time
}

// vitals is what is known of one backend.
type vitals struct {
	ID       string      `json:"id"`                 // its identity
	Failures int         `json:"failures,omitempty"` // in a row
	Rests    []time.Time `json:"rests,omitempty"`    // when it was switched off lately
	Until    time.Time   `json:"until,omitzero"`
	Long     bool        `json:"long,omitempty"`
	Asked    bool        `json:"asked,omitempty"` // the person, about this long rest
	Why      string      `json:"why,omitempty"`   // of the last failure, in our own words
}

// resting reports whether it is left alone at present.
func (v *vitals) resting(now time.Time) bool {
	left := v.Until.Sub(now)
	return left > 0 && left <= maxRest
}

type healthOf struct {
	V        int                `json:"v"`
	Backends map[string]*vitals `json:"backends"`
}

// of is what is known of a backend as it is configured now; nil when nothing is.
func (h healthOf) of(b *Backend) *vitals {
	if v := h.Backends[b.Name]; v != nil && v.ID == b.Identity {
		return v
	}
	return nil
}

// read reads the file. One that cannot be read is as good as none: backends are
// then asked.
func (h *health) read() healthOf {
	known, _ := h.load()
	return known
}

func (h *health) path() string { return filepath.Join(h.dir, healthFile) }

// load tells besides whether the file may be replaced: not one of a later version.
func (h *health) load() (known healthOf, ours bool) {
	data, err := jsonl.ReadFile(h.path())
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil || known.V != healthVersion {
		return healthOf{}, known.V <= healthVersion
	}
	return known, true
}

// change changes the file under the lock; change says whether it did.
func (h *health) change(ctx context.Context, change func(healthOf) bool) error {
	unlock, err := lock(ctx, h.dir)
	if err != nil {
		return err
	}
	defer unlock()
	known, ours := h.load()
	if !ours {
		return nil
	}
	if known.Backends == nil {
		if known, err = (healthOf{V: healthVersion, Backends: make(map[string]*vitals)}), h.clear(); err != nil {
			return err
		}
	}
	if !change(known) {
		return nil
	}
	data, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return jsonl.WriteFile(h.path(), append(data, '\n'))
}

// clear moves away what stands where the file belongs and cannot be read.
func (h *health) clear() error {
	_, err := jsonl.Aside(h.path())
	return err
}

func lock(ctx context.Context, dir string) (unlock func(), err error) {
	return jsonl.Lock(ctx, filepath.Join(dir, ".lock"))
}

// worked notes an answer: who gives one, though left alone, is so no longer.
func (h *health) worked(ctx context.Context, b *Backend) error {
	if v := h.read().of(b); v == nil || v.Failures == 0 && !v.resting(h.now()) {
		return nil
	}
	return h.forget(ctx, b.Name)
}

// forget forgets the failures of a backend.
func (h *health) forget(ctx context.Context, name string) error {
	return h.change(ctx, func(known healthOf) bool {
		v := known.Backends[name]
		if v == nil {
			return false
		}
		rests := v.Rests
		if v.resting(h.now()) {
			rests = nil
		}
		known.Backends[name] = &vitals{ID: v.ID, Rests: rests}
		return true
	})
}

// failed notes a failure, unless it is the request's own.
func (h *health) failed(ctx context.Context, b *Backend, f *llm.Failure) error {
	if f.Request {
		return nil
	}
	return h.change(ctx, func(known healthOf) bool {
		v := known.of(b)
		if v == nil {
			v = &vitals{ID: b.Identity}
			known.Backends[b.Name] = v
		}
		v.fail(h.now(), f)
		return true
	})
}

// fail is the rule of rests.
func (v *vitals) fail(now time.Time, f *llm.Failure) {
	v.Why = cmp.Or(f.Why, "failed")
	v.Failures++
	until := now
	if f.RetryAfter > 0 {
		until = now.Add(f.RetryAfter)
		if last := boundary(now); until.After(last) {
			until = last
		}
	}
	if v.Failures >= maxFailures {
		v.Failures = 0
		v.Rests = slices.DeleteFunc(v.Rests, func(at time.Time) bool { return now.Sub(at) > restsWithin || at.After(now) })
		v.Rests = append(v.Rests, now)
		rest := now.Add(restTime)
		v.Long = len(v.Rests) >= maxRests
		if v.Long {
			rest, v.Rests, v.Asked = boundary(now), nil, false
		}
		if rest.After(until) {
			until = rest
		}
	}
	if until.After(now) && !(v.resting(now) && v.Until.After(until)) {
		v.Until = until
	}
}

// boundary is the next 0, 6, 12 or 18 o'clock.
func boundary(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), (now.Hour()/quarter+1)*quarter, 0, 0, 0, now.Location())
}

// ask marks that the person is asked about these, and returns those that they had
// not been asked about.
func (h *health) ask(ctx context.Context, states []State) (names []string, err error) {
	known := h.read()
	if !slices.ContainsFunc(states, func(s State) bool { v := known.Backends[s.Name]; return v != nil && !v.Asked }) {
		return nil, nil
	}
	err = h.change(ctx, func(known healthOf) bool {
		for _, s := range states {
			if v := known.Backends[s.Name]; v != nil && v.Long && !v.Asked {
				v.Asked = true
				names = append(names, s.Name)
			}
		}
		return len(names) > 0
	})
	if errors.Is(err, fs.ErrPermission) { // a home that cannot be written is asked in each session
		return nil, nil
	}
	return names, err
}
