package follow

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"orihon/guard"
	"orihon/internal/activity"
	"orihon/internal/inert"
)

// knowledge is the knowledge folder, within the project; empty for none.
func (s *Session) knowledge() string {
	return strings.Trim(filepath.ToSlash(s.v.Config.Guard.Knowledge), "/")
}

// maxPage bounds a page, in bytes.
const maxPage = 1 << 20

// page is the page that a call is about to write, as it would be; nil when it is
// none, or when what would come of the call cannot be told.
func (s *Session) page(ctx context.Context, call *activity.Action) *guard.Page {
	if s.off(guard.ContentGateRule) || call.Effect() != activity.Editing || len(call.Files) != 1 || !strings.EqualFold(filepath.Ext(call.Files[0]), ".md") {
		return nil
	}
	knowledge := s.knowledge()
	file := s.inProject(call.Files[0])
	name, ok := strings.CutPrefix(file, knowledge+"/")
	if knowledge == "" || !ok {
		return nil
	}
	exists := func(name string) bool {
		_, ok := s.projectFile(knowledge+"/"+name, maxPage)
		return ok
	}
	if !exists(guard.IndexPage) && name != guard.IndexPage {
		return nil // a folder of that name, and no knowledge folder
	}
	old, known := s.projectFile(file, maxPage)
	p := &guard.Page{Path: file, Name: name, New: !known, Exists: exists}
	if p.Text, ok = written(call, string(old)); !ok || len(p.Text) > maxPage {
		return nil
	}
	p.Foreign = s.checkPage(ctx, p)
	return p
}

// written is a file as a call would leave it; false when that cannot be told.
func written(call *activity.Action, old string) (string, bool) {
	if text := call.Text("content"); text != "" || call.Text("file_text") != "" {
		return text + call.Text("file_text"), true
	}
	type edit struct {
		Old string `json:"old_string"`
		New string `json:"new_string"`
		All bool   `json:"replace_all"`
	}
	var in struct {
		edit
		Edits []edit `json:"edits"`
	}
	if json.Unmarshal(call.Input, &in) != nil {
		return "", false
	}
	edits := in.Edits
	if in.Old != "" {
		edits = append([]edit{in.edit}, edits...)
	}
	if len(edits) == 0 {
		return "", false
	}
	for _, e := range edits {
		if e.Old == "" || !strings.Contains(old, e.Old) {
			return "", false // the tool itself will say so
		}
		if e.All {
			old = strings.ReplaceAll(old, e.Old, e.New)
		} else {
			old = strings.Replace(old, e.Old, e.New, 1)
		}
	}
	return old, true
}

// mayAct asks the guardian whether a call may run; the reason why not is empty
// when it may.
func (s *Session) mayAct(ctx context.Context, a *Action, call *activity.Action) (refuse string, err error) {
	e := guard.Event{Kind: guard.Acting, Agent: a.Agent}
	e.Call.Page = s.page(ctx, call)
	if e.Call.Page == nil && len(s.hooksFor("before")) == 0 {
		return "", nil
	}
	e.Call.Name, e.Call.Command, e.Call.Files = named(call), s.clean(call.Command), call.Files
	d, err := s.watch(ctx, &e)
	if err != nil || d.Block == nil {
		return "", err
	}
	return inert.Line(s.clean(d.Block.Text)), nil
}
