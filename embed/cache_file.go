package embed

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"

	"orihon/internal/jsonl"
)

// A cache file is little-endian:
//
//	header  64 bytes: magic, version, dimension, places, and how many vectors
//	        were ever written, which is where the next one goes, modulo places
//	blocks  each the keys of 256 places, then their vectors
//	vector  dimension numbers of 4 bytes, and a CRC-32 of key and vector
//
// Keys lie together so that looking some up reads a hundredth of the file. The
// checksum makes whatever was torn, half overwritten or never written a vector
// that is not there, so that readers need no lock; writers take turns.
const (
	cacheMagic   = "orihonVC"
	cacheVersion = 1
	cacheHeader  = 64
	blockPlaces  = 256
	keySize      = 32
)

type vectorKey [keySize]byte

// vectorFile is an open cache file with its header.
type vectorFile struct {
	*os.File
	dim, places int64
	written     int64
}

func (f *vectorFile) vectorSize() int64 { return f.dim*4 + 4 }

func (f *vectorFile) blockAt(block int64) int64 {
	return cacheHeader + block*blockPlaces*(keySize+f.vectorSize())
}

func (f *vectorFile) keyAt(place int64) int64 {
	return f.blockAt(place/blockPlaces) + place%blockPlaces*keySize
}

func (f *vectorFile) vectorAt(place int64) int64 {
	return f.blockAt(place/blockPlaces) + blockPlaces*keySize + place%blockPlaces*f.vectorSize()
}

// errNoCache means that a file is none, or one of another version.
var errNoCache = errors.New("no cache of vectors")

func openVectors(path string, flag int) (*vectorFile, error) {
	file, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	f := &vectorFile{File: file}
	var b [cacheHeader]byte
	le := binary.LittleEndian
	if _, err := file.ReadAt(b[:], 0); err == nil && string(b[:8]) == cacheMagic && le.Uint32(b[8:]) == cacheVersion {
		f.dim, f.places, f.written = int64(le.Uint32(b[12:])), int64(le.Uint32(b[16:])), int64(le.Uint64(b[24:]))
	}
	if f.dim <= 0 || f.dim > maxDimensions || f.places <= 0 || f.places%blockPlaces != 0 || f.written < 0 {
		return nil, errors.Join(errNoCache, file.Close())
	}
	return f, nil
}

func (f *vectorFile) writeHeader() error {
	var b [cacheHeader]byte
	le := binary.LittleEndian
	copy(b[:], cacheMagic)
	le.PutUint32(b[8:], cacheVersion)
	le.PutUint32(b[12:], uint32(f.dim))
	le.PutUint32(b[16:], uint32(f.places))
	le.PutUint64(b[24:], uint64(f.written))
	_, err := f.WriteAt(b[:], 0)
	return err
}

// lookUp fills in the vectors of the keys that a cache file has. What it cannot
// read it does not have.
func lookUp(path string, wanted map[vectorKey][]float32) {
	f, err := openVectors(path, os.O_RDONLY)
	if err != nil {
		return
	}
	defer f.Close()
	buf := make([]byte, blockPlaces*keySize)
	used := min(f.written, f.places)
	for place := int64(0); place < used; place += blockPlaces {
		n, err := f.ReadAt(buf, f.keyAt(place))
		if err != nil && !errors.Is(err, io.EOF) {
			return
		}
		for i := int64(0); i < min(int64(n)/keySize, used-place); i++ {
			k := vectorKey(buf[i*keySize : (i+1)*keySize])
			if v, ok := wanted[k]; ok && v == nil {
				if v := f.vector(place+i, k); v != nil {
					wanted[k] = v
				}
			}
		}
	}
}

// vector is the one in a place, or nil when it is not whole.
func (f *vectorFile) vector(place int64, k vectorKey) []float32 {
	b := make([]byte, f.vectorSize())
	if _, err := f.ReadAt(b, f.vectorAt(place)); err != nil {
		return nil
	}
	le := binary.LittleEndian
	if le.Uint32(b[f.dim*4:]) != sumOf(k, b[:f.dim*4]) {
		return nil
	}
	v := make([]float32, f.dim)
	for i := range v {
		v[i] = math.Float32frombits(le.Uint32(b[4*i:]))
	}
	return v
}

func sumOf(k vectorKey, numbers []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(k[:]), crc32.IEEETable, numbers)
}

// store writes vectors into a cache file, which it creates when there is none,
// or one of other vectors.
func store(ctx context.Context, path string, maxBytes int64, keys []vectorKey, vectors [][]float32) error {
	if len(vectors) == 0 {
		return nil
	}
	unlock, err := jsonl.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	dim := int64(len(vectors[0]))
	f, err := openVectors(path, os.O_RDWR)
	if err == nil && f.dim != dim {
		err = errors.Join(errNoCache, f.Close())
	}
	if err != nil {
		if f, err = createVectors(path, dim, maxBytes); err != nil {
			return err
		}
	}
	defer f.Close()
	for i, v := range vectors {
		if int64(len(v)) != dim {
			continue
		}
		if err := f.put(keys[i], v); err != nil {
			return err
		}
	}
	return f.writeHeader()
}

// createVectors begins a file anew. Whoever reads the old one goes on doing so.
func createVectors(path string, dim, maxBytes int64) (*vectorFile, error) {
	if dim == 0 {
		return nil, errNoCache
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	f := &vectorFile{File: file, dim: dim}
	blocks := maxBytes / (blockPlaces * (keySize + f.vectorSize()))
	f.places = max(1, min(blocks, math.MaxUint32/blockPlaces/2)) * blockPlaces
	if err := f.writeHeader(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// put writes one vector into the next place, the key last: only then is it
// there.
func (f *vectorFile) put(k vectorKey, v []float32) error {
	le := binary.LittleEndian
	b := make([]byte, 0, f.vectorSize())
	for _, x := range v {
		b = le.AppendUint32(b, math.Float32bits(x))
	}
	b = le.AppendUint32(b, sumOf(k, b))
	place := f.written % f.places
	if _, err := f.WriteAt(b, f.vectorAt(place)); err != nil {
		return err
	}
	if _, err := f.WriteAt(k[:], f.keyAt(place)); err != nil {
		return err
	}
	f.written++
	return nil
}
