// Package evolve makes files of habits that belong together: commands, skills,
// agents and rules, as coding agents read them. Instincts are put together by
// their words, each group gets a kind and a name, and what comes of it is shown
// before anything is written.
//
// It learns nothing and changes no instinct. What an instinct says is foreign
// text: it decides no path, ends no front matter, runs nothing when a client loads
// the file, and names of files are made of a few plain letters. A file that a
// person changed is theirs from then on.
//
// Start with [Evolver.Evolve].
package evolve
