// Package meaning holds a table of word vectors, English and Chinese, and with it
// says which words and texts are near in meaning: deploy is near 上线, though they
// share no letter.
//
// Words are the terms of package terms, so that what is near can be looked up in
// an index as it is. The table is part of the binary and is read where it lies:
// nothing is parsed when a process starts. It is trained by
// go run ./internal/meaning/train from what stands in train/data.
package meaning
