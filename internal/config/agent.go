package config

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadAgent reads how an agent's file has its context built: the section
// context_builder, in which auto_summarize stands too. It knows the keys and limits of
// the user's file. What is named by a path lies below the agent's folder. As with
// [Load], the configuration is complete and the error joins a [*Problem] for each
// mistake.
func ReadAgent(file string, section *yaml.Node, dir string) (*Config, error) {
	l := loader{config: Default(), sources: &Sources{Home: dir}, agent: true}
	l.config.origin = map[string]string{}
	section = resolve(section)
	name := &yaml.Node{Kind: yaml.ScalarNode, Value: builderKey, Line: section.Line}
	found := leaves(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{name, section}})
	for i := range found {
		if inner := strings.TrimPrefix(found[i].name, builderKey+"."); inner == "auto_summarize" || strings.HasPrefix(inner, "auto_summarize.") {
			found[i].name = inner
		}
	}
	l.take(file, found, nil)
	l.agree()
	return l.config, errors.Join(l.problems...)
}

const builderKey = "context_builder"
