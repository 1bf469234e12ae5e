package main

// gently starts a process that yields to all others, where that can be asked for.
func gently(start func() error) error { return start() }
