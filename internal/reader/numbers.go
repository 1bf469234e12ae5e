package reader

import "math"

func number(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// weighed is what each four bits of a slot say, in steps.
var weighed = [16]int32{-64, -49, -36, -25, -16, -9, -4, -1, 0, 1, 4, 9, 16, 25, 36, 49}

// steps are the four bits of a weight.
func steps(x, step float32) byte {
	if step == 0 {
		return 8
	}
	n := math.Round(math.Sqrt(math.Abs(float64(x / step))))
	return byte(8 + math.Copysign(n, float64(x)))
}
