// Package memorytest holds the contract suites of memory's protocols, which
// every adapter runs in its own tests, and in-memory fakes that pass them.
//
// Nothing outside tests imports it. Start with [TestStore] and [Store].
package memorytest
