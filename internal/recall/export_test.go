package recall

// AsksPast is asksPast of a prompt.
func AsksPast(prompt string) bool { return asksPast(&parsed{text: prompt, intent: Classify(prompt)}) }
