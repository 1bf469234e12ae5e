package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
)

func TestAScopeIsReadAsItIsWritten(t *testing.T) {
	for _, tt := range []struct {
		in      string
		name    string
		private bool
	}{
		{"global", "", true},
		{"shared", "", false},
		{"role:art", "art", false},
		{"role:企劃", "企劃", false},
		{"role:策划", "策划", false},
		{"personal:ann", "ann", true},
		{"personal:Ann.B_c-d@example+1", "Ann.B_c-d@example+1", true},
		{"personal:" + strings.Repeat("x", 64), strings.Repeat("x", 64), true},
	} {
		s, err := memory.ParseScope(tt.in)
		if err != nil || string(s) != tt.in {
			t.Errorf("ParseScope(%q) = %q, %v", tt.in, s, err)
		}
		if s.Name() != tt.name || s.Private() != tt.private {
			t.Errorf("%s: name %q, private %v; want %q, %v", s, s.Name(), s.Private(), tt.name, tt.private)
		}
	}
}

func TestAScopeThatCouldLeaveItsFolderIsRefused(t *testing.T) {
	for _, in := range []string{
		"", " ", "Global", "global ", "everyone", "global:x", "shared:", "team:art", "role", "personal",
		"role:", "personal:", "personal:.", "personal:..", "personal:.hidden", "personal:../bob", "role:a/b", `role:a\b`,
		"role:a:b", "role:a b", "role:a\x00", "role:a\n", "role:a\xff", "role:a*", "role:~", "personal:%2e", "personal:a\u202e",
		"personal:" + strings.Repeat("x", 65), "role:" + strings.Repeat("畫", 22),
	} {
		if s, err := memory.ParseScope(in); !errors.Is(err, memory.ErrInvalid) || s != "" {
			t.Errorf("ParseScope(%q) = %q, %v, want ErrInvalid", in, s, err)
		}
	}
}

func TestAViewerSeesTheirOwnScopesOnly(t *testing.T) {
	for _, tt := range []struct {
		viewer memory.Viewer
		want   []memory.Scope
	}{
		{memory.Viewer{}, []memory.Scope{"global", "shared"}},
		{memory.Viewer{User: "ann"}, []memory.Scope{"global", "shared", "personal:ann"}},
		{memory.Viewer{User: "ann", Roles: []string{"programmer", "美術"}}, []memory.Scope{"global", "shared", "role:programmer", "role:美術", "personal:ann"}},
	} {
		if diff := cmp.Diff(tt.want, tt.viewer.Scopes()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.viewer, diff)
		}
	}
}
