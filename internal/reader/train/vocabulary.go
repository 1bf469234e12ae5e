package main

import "orihon/internal/reader"

// vocabulary counts the prompts of the features, or words, that are seen often enough
// to be learnt.
func vocabulary(data []*prompt, s settings, of func(*reader.Features) []uint32) map[uint32]int {
	type seen struct {
		prompts, voices int
		prompt          *prompt
		voice           string
	}
	count := make(map[uint32]*seen)
	for _, p := range data {
		for i := range p.Features {
			for _, h := range of(&p.Features[i]) {
				c := count[h]
				if c == nil {
					c = new(seen)
					count[h] = c
				}
				if c.prompt != p {
					c.prompt = p
					c.prompts++
				}
				if c.voice != p.voice {
					c.voice = p.voice
					c.voices++
				}
			}
		}
	}
	often := make(map[uint32]int)
	for h, c := range count {
		if c.prompts >= s.prompts && c.voices >= s.voices {
			often[h] = c.prompts
		}
	}
	return often
}
