// Package clienttest runs the real Claude Code client against a scripted API on
// loopback, so that a test sees what the client makes of our hooks: [Messages]
// is the API, [Client] the client.
//
// It is for tests only and part of no binary. The client is fetched once from
// npm into the user's cache; where that is not possible, tests are skipped and
// say why.
package clienttest
