package config

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Schema is the JSON schema (draft 2020-12) of a config.yaml, for editors. It
// ends in a newline and is the same every time.
func Schema() ([]byte, error) {
	root := object()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Orihon configuration"
	def := Default()
	for _, k := range Keys() {
		at, name := root, k.Name
		for {
			head, rest, nested := strings.Cut(name, ".")
			props := at["properties"].(map[string]any)
			if !nested {
				props[head] = k.schema(reflect.ValueOf(def).Elem())
				break
			}
			if _, ok := props[head]; !ok {
				props[head] = object()
			}
			at, name = props[head].(map[string]any), rest
		}
	}
	root["properties"].(map[string]any)[modelsKey] = modelsSchema()
	builder := root["properties"].(map[string]any)["context_builder"].(map[string]any)
	builder["properties"].(map[string]any)["options"].(map[string]any)["additionalProperties"] = true // those of a plug-in
	for head, s := range root["properties"].(map[string]any) {
		if long(head) != head {
			s.(map[string]any)["type"] = []string{"object", "string"}
		}
	}
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

func object() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

// schema describes a key of a struct with its defaults.
func (k *Key) schema(def reflect.Value) map[string]any {
	doc := k.Doc
	switch k.Project {
	case OnlyUser:
		doc += " Ignored in a project's file."
	case Lower, Raise:
		verb := string(k.Project)
		if k.Type == "bool" {
			verb = "switch off"
		}
		doc += " A project's file may only " + verb + " this."
	case Runs:
		doc += " A project's file counts once you accepted the program (orihon review --repository)."
	case Unset:
		doc += " A project's file counts only where yours does not set it."
	case Add:
		doc += " A project's file adds to this."
	case Offering:
		doc += " What a project's file adds runs only once the person has accepted it."
	}
	s := map[string]any{"description": doc, "default": def.FieldByIndex(k.index).Interface()}
	switch k.Type {
	case "bool":
		s["type"] = "boolean"
	case "int", "number":
		s["type"] = map[string]string{"int": "integer", "number": "number"}[k.Type]
		if k.Max != "" {
			s["minimum"], s["maximum"] = json.Number(k.Min), json.Number(k.Max)
		}
		if k.share() {
			s["type"], s["pattern"] = []string{"number", "string"}, `^[0-9]+(\.[0-9]+)? ?%$`
		}
	case "duration":
		s["type"], s["default"] = "string", k.Default
		s["pattern"] = `^([0-9]+d|([0-9]+(\.[0-9]+)?(h|m|s|ms))+)$`
		s["description"] = doc + " From " + k.Min + " to " + k.Max + "."
	case "list":
		s["type"], s["default"] = "array", []string{}
		items := map[string]any{"type": "string", "minLength": 1}
		if k.Enum != nil {
			items["enum"] = k.Enum
		}
		s["items"] = items
	default:
		s["type"] = "string"
		if k.Enum != nil {
			s["enum"] = k.Enum
		}
	}
	return s
}

// modelsSchema is the list in the JSON schema.
func modelsSchema() map[string]any {
	entry := object()
	for _, k := range ModelKeys() {
		s := k.schema(reflect.ValueOf(defaultModel("anthropic")))
		if k.Default == "" {
			delete(s, "default")
		}
		entry["properties"].(map[string]any)[strings.TrimPrefix(k.Name, modelsKey+".")] = s
	}
	entry["required"] = []string{"type"}
	return map[string]any{
		"type": []string{"array", "null"}, "items": entry, "maxItems": maxModels,
		"description": "Language models to ask, the one to ask first, first. Ignored in a project's file.",
	}
}
