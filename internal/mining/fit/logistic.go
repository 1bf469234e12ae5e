package main

import (
	"math"

	"orihon/internal/mining"
)

// logistic fits a model by Newton's method; ridge keeps the weights of scaled facts
// small. The first fact is 1 for all and is not held back.
func logistic(rows []mining.Example, ridge float64) []float64 {
	if len(rows) == 0 {
		return nil
	}
	n := len(rows[0].Facts)
	scale := make([]float64, n)
	for i := range n {
		sum, square := 0.0, 0.0
		for _, r := range rows {
			sum += r.Facts[i]
			square += r.Facts[i] * r.Facts[i]
		}
		mean := sum / float64(len(rows))
		scale[i] = math.Sqrt(max(1e-9, square/float64(len(rows))-mean*mean))
		if i == 0 || scale[i] < 1e-4 {
			scale[i] = 1
		}
	}
	w := make([]float64, n)
	for range 30 {
		gradient := make([]float64, n)
		hessian := make([][]float64, n)
		for i := range hessian {
			hessian[i] = make([]float64, n)
			if i > 0 {
				gradient[i] = -ridge * w[i]
				hessian[i][i] = ridge
			} else {
				hessian[i][i] = 1e-6
			}
		}
		x := make([]float64, n)
		for _, r := range rows {
			sum := 0.0
			for i := range n {
				x[i] = r.Facts[i] / scale[i]
				sum += w[i] * x[i]
			}
			p := 1 / (1 + math.Exp(-sum))
			y := 0.0
			if r.Right {
				y = 1
			}
			for i := range n {
				if x[i] == 0 {
					continue
				}
				gradient[i] += (y - p) * x[i]
				for j := 0; j <= i; j++ {
					hessian[i][j] += p * (1 - p) * x[i] * x[j]
				}
			}
		}
		step := solve(hessian, gradient)
		largest := 0.0
		for i := range w {
			w[i] += step[i]
			largest = max(largest, math.Abs(step[i]))
		}
		if largest < 1e-6 {
			break
		}
	}
	for i := range w {
		w[i] /= scale[i]
	}
	return w
}

// solve is x of a·x = b for a positive definite a, of which the lower half is given.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	l := make([][]float64, n)
	for i := range n {
		l[i] = make([]float64, n)
		for j := 0; j <= i; j++ {
			sum := a[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(sum, 1e-12))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	x := make([]float64, n)
	for i := range n {
		sum := b[i]
		for k := range i {
			sum -= l[i][k] * x[k]
		}
		x[i] = sum / l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		sum := x[i]
		for k := i + 1; k < n; k++ {
			sum -= l[k][i] * x[k]
		}
		x[i] = sum / l[i][i]
	}
	return x
}
