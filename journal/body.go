package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/jsonl"
	"orihon/memory"
)

const (
	maxInline = 32 << 10 // bytes of payload in a line
	headSize  = 2 << 10  // bytes of a body that its reference repeats
)

// reference is the payload of an event whose body stands in io/.
type reference struct {
	Ref  string `json:"ref"`
	Size int    `json:"size"` // bytes of the body
	Head string `json:"head"` // its beginning, for people and previews
}

// bodies collects what must be written to io/ before the events are.
type bodies map[string][]byte // by hash

// pack returns what stands in the line for a payload. A small payload that looks
// like a reference goes to io/ as well, so that nobody takes it for one.
func (b *bodies) pack(payload json.RawMessage) json.RawMessage {
	if len(payload) <= maxInline {
		if _, forged := parseReference(payload); !forged {
			return payload
		}
	}
	sum := sha256.Sum256(payload)
	name := hex.EncodeToString(sum[:])
	if *b == nil {
		*b = bodies{}
	}
	(*b)[name] = payload
	head := strings.ToValidUTF8(string(payload[:min(len(payload), headSize)]), "")
	// A struct of strings and a number always encodes.
	packed, _ := jsonl.Encode(reference{Ref: "io/" + name, Size: len(payload), Head: head})
	return packed
}

// store writes bodies that are not there yet. The caller holds the lock.
func (j *Journal) store(ctx context.Context, b bodies) error {
	for name, data := range b {
		path := filepath.Join(j.dir, "io", name)
		// A power failure can leave a body of another size under the name.
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(data)) {
			continue
		}
		if _, err := os.Lstat(path + packedEnd); err == nil {
			continue
		}
		if err := jsonl.Place(path, data); err != nil {
			return err
		}
		if _, err := jsonl.Append(ctx, filepath.Join(j.dir, "io", unsyncedName), j.lineOptions(), []byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// Body returns the whole payload of an event, from io/ when it stands there. A
// body that is missing or does not have its hash is an error that names the
// file.
func (j *Journal) Body(e Event) ([]byte, error) { return body(j.dir, e) }

func body(dir string, e Event) ([]byte, error) {
	ref, ok := parseReference(e.Payload)
	if !ok {
		return e.Payload, nil
	}
	path := filepath.Join(dir, filepath.FromSlash(ref.Ref))
	info, packed, err := stat(path, os.Lstat)
	if err != nil {
		return nil, fmt.Errorf("body of event %d: %w", e.Seq, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("body of event %d: %s %w: not a regular file", e.Seq, path, memory.ErrInvalid)
	}
	var data []byte
	if packed {
		data, err = readPacked(path, ref.Size)
	} else {
		data, err = jsonl.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("body of event %d: %w", e.Seq, err)
	}
	if sum := sha256.Sum256(data); "io/"+hex.EncodeToString(sum[:]) != ref.Ref {
		return nil, fmt.Errorf("body of event %d: %s %w: its content does not have the hash in its name", e.Seq, path, memory.ErrInvalid)
	}
	return data, nil
}

// Decode reads the whole payload of an event into one of the payload structs.
func (j *Journal) Decode(e Event, payload any) error { return decode(j.dir, e, payload) }

func decode(dir string, e Event, payload any) error {
	data, err := body(dir, e)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, payload); err != nil {
		return fmt.Errorf("payload of event %d (%s): %w", e.Seq, e.Type, err)
	}
	return nil
}

// parseReference reads a payload that is a reference. Only a hash can follow
// "io/", so that no reference leads out of the folder.
func parseReference(payload []byte) (reference, bool) {
	var ref reference
	if len(payload) > 4*headSize+maxInline || !strings.Contains(string(payload), `"ref"`) {
		return ref, false
	}
	if json.Unmarshal(payload, &ref) != nil {
		return ref, false
	}
	name, ok := strings.CutPrefix(ref.Ref, "io/")
	return ref, ok && isHash(name)
}

func isHash(name string) bool {
	return len(name) == 2*sha256.Size && strings.Trim(name, "0123456789abcdef") == ""
}
