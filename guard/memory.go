package guard

import (
	"encoding/json"
	"reflect"
)

// remembering makes a rule of a function over what it remembers. A memory that
// cannot be read is begun afresh: the rule knows less then, and no more.
func remembering[T any](judge func(o *Options, e *Event, memory *T) Verdict) func(*Options, *Event, []byte) (Verdict, []byte, error) {
	return func(o *Options, e *Event, raw []byte) (Verdict, []byte, error) {
		memory := new(T)
		if len(raw) > 0 && json.Unmarshal(raw, memory) != nil {
			memory = new(T)
		}
		v := judge(o, e, memory)
		if reflect.ValueOf(memory).Elem().IsZero() {
			return v, nil, nil // which most rules do in most hooks: to write it down costs more than the rule
		}
		raw, err := json.Marshal(memory)
		return v, raw, err
	}
}

// recall reads what a rule remembers; one that is broken remembers nothing.
func recall[T any](s *State, rule string) (memory T) {
	if raw := s.Rules[rule]; len(raw) > 0 && json.Unmarshal(raw, &memory) != nil {
		var none T
		return none
	}
	return memory
}
