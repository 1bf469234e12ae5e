package project

import (
	"crypto/sha256"
	"encoding/hex"

	"orihon/internal/redact"
)

// stored is a key or a path as the registry holds it. A folder may be called
// like a secret: a hash then stands for what is left out, so that the folder is
// still known again.
func stored(text string) string {
	clean := withoutSecrets(text)
	if clean == text {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return clean + "#" + hex.EncodeToString(sum[:8])
}

func withoutSecrets(s string) string {
	s, _ = redact.Text(s)
	return s
}
