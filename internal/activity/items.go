package activity

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Item is an entry of a list that the agent keeps.
type Item struct{ Text, Status string }

// Items are the entries of the lists that the client's own tools keep, in their
// order: those that are open and those that are done.
func Items(actions []Action) (open, done []Item) {
	type item struct {
		Item
		id string
	}
	var items []item
	created := 0
	for i := range actions {
		a := &actions[i]
		switch {
		case a.Failed:
		case slices.Contains(listTools, a.Tool):
			var in struct {
				Todos, Plan []struct{ Content, Description, Step, Status string }
			}
			if json.Unmarshal(a.Input, &in) != nil {
				continue
			}
			items = slices.DeleteFunc(items, func(t item) bool { return t.id == "" })
			for _, t := range append(in.Todos, in.Plan...) {
				if text := oneLine(t.Content + t.Description + t.Step); text != "" {
					items = append(items, item{Item: Item{text, t.Status}})
				}
			}
		case a.Tool == addTool:
			created++
			if subject := oneLine(a.Text("subject")); subject != "" {
				items = append(items, item{Item{subject, "pending"}, number(a.Output, created)})
			}
		case a.Tool == changeTool:
			for j := range items {
				if items[j].id != "" && items[j].id == a.Text("taskId") && a.Text("status") != "" {
					items[j].Status = a.Text("status")
				}
			}
		}
	}
	for _, t := range items {
		switch t.Status {
		case "deleted", "cancelled":
		case "completed", "done":
			done = append(done, t.Item)
		default:
			open = append(open, t.Item)
		}
	}
	return open, done
}

// number is what the client gave an entry ("Task #3 created …"), else its
// place.
func number(output string, place int) string {
	_, rest, ok := strings.Cut(output, "#")
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if ok && n > 0 {
		return rest[:n]
	}
	return strconv.Itoa(place)
}
