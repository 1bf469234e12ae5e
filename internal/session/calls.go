package session

// CallsName is the file in a session's folder that says what models were asked for
// it, a line each, without a word of it.
const CallsName = "calls.jsonl"
