// Package reader reads what a person types to an agent for statements that will
// still be true and useful in later sessions: decisions, preferences, standing
// instructions, facts, pitfalls, corrections, and requests to forget.
//
// A prompt is cut into clauses. What each says by its words, its place and its
// neighbours, and what one says about the next, is put together to the likeliest
// reading of the whole (a conditional random field); a small convolutional network
// reads the words once more in their order. What is likely to be a statement is then
// judged by both as a whole: whether it says a statement with
// nothing missing, and no other matter. Everything is a weight in
// model.bin, which go run ./internal/reader/train learns from train/data; there is
// no list of words here.
//
// It keeps nothing and asks nobody. Start with [Read].
package reader
