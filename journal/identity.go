package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Digest is a short name for a text: 16 hex digits of its SHA-256.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// AnswerID is the identity of an answer that comes without one: the same words to
// the same prompt, told by a hook or by a transcript, are one event.
func AnswerID(prompt, text string) string {
	return "said:" + Digest(prompt+"\x00"+strings.TrimSpace(text))
}
