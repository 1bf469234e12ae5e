package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// TrustFile is the record of what the user accepted of this project's text. It
// lies in the user's home even where private memory does not, since what a
// repository says of its own trust counts for nothing.
func (p *Project) TrustFile() string {
	return filepath.Join(p.Home, "projects", p.ID, "trust.jsonl")
}

// RolesList is the project's list of roles and the hash that an acceptance of
// it holds for; both are empty when there is none.
func (p *Project) RolesList() (text, hash string, err error) {
	text, err = readSmall(p.RolesFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256([]byte("roles\n" + text))
	return text, hex.EncodeToString(sum[:16]), nil
}

// readSmall reads a file that a person keeps by hand.
func readSmall(path string) (string, error) {
	const most = 64 << 10 // bytes
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return "", errNoList(path)
	}
	data, err := os.ReadFile(path)
	return string(data), err
}
