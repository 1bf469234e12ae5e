// Package gate says how likely it is that a reader wants a passage now, by what
// recall measured of it. The model is a sum of small decision trees, fitted by
// go run ./internal/gate/fit on judged prompts that travel with the code.
package gate

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// Model gives signals a probability: the logistic function of a sum of trees.
type Model struct {
	Bias  float64
	Trees []Tree
}

// Tree asks about one signal at each of its nodes. Node n goes on to 2n+1 when
// the signal is at most Limit, else to 2n+2; what is behind the last nodes are
// the values, from left to right.
type Tree struct {
	Signal []int
	Limit  []float64
	Value  []float64
}

// Probability is that of some signals, 0..1.
func (m *Model) Probability(signals []float64) float64 {
	sum := m.Bias
	for i := range m.Trees {
		sum += m.Trees[i].value(signals)
	}
	return 1 / (1 + math.Exp(-sum))
}

func (t *Tree) value(signals []float64) float64 {
	n := 0
	for n < len(t.Signal) {
		if signals[t.Signal[n]] <= t.Limit[n] {
			n = 2*n + 1
		} else {
			n = 2*n + 2
		}
	}
	return t.Value[n-len(t.Signal)]
}

//go:embed statements.txt
var statements string

//go:embed turns.txt
var turns string

// Statements is the model for statements, nil while none is fitted.
var Statements = sync.OnceValue(func() *Model { return fitted(statements) })

// Turns is the model for what the user said in other sessions, nil while none is
// fitted.
var Turns = sync.OnceValue(func() *Model { return fitted(turns) })

func fitted(text string) *Model {
	m, err := Parse(text)
	if err != nil {
		return nil
	}
	return m
}

// String is the model as text: the bias, then a tree a line, signals with limits
// and then values.
func (m *Model) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.5g\n", m.Bias)
	for _, t := range m.Trees {
		for i, s := range t.Signal {
			fmt.Fprintf(&b, "%d:%.5g ", s, t.Limit[i])
		}
		for i, v := range t.Value {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%.4g", v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Parse reads what [Model.String] wrote. Errors name the line.
func Parse(text string) (*Model, error) {
	m := new(Model)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fields := strings.Fields(line)
		if i == 0 {
			var err error
			if m.Bias, err = strconv.ParseFloat(line, 64); err != nil {
				return nil, fmt.Errorf("line 1: a number is wanted: %w", err)
			}
			continue
		}
		var t Tree
		for _, f := range fields {
			signal, limit, node := strings.Cut(f, ":")
			if node {
				s, err := strconv.Atoi(signal)
				l, err2 := strconv.ParseFloat(limit, 64)
				if err != nil || err2 != nil || s < 0 {
					return nil, fmt.Errorf("line %d: %q is no node", i+1, f)
				}
				t.Signal, t.Limit = append(t.Signal, s), append(t.Limit, l)
				continue
			}
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q is no value", i+1, f)
			}
			t.Value = append(t.Value, v)
		}
		if n := len(t.Signal) + 1; n&(n-1) != 0 {
			return nil, fmt.Errorf("line %d: %d nodes make no tree", i+1, len(t.Signal))
		}
		if len(t.Value) != len(t.Signal)+1 {
			return nil, fmt.Errorf("line %d: %d values for %d nodes", i+1, len(t.Value), len(t.Signal))
		}
		m.Trees = append(m.Trees, t)
	}
	return m, nil
}
