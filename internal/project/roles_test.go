package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestManagementTakesBothSides(t *testing.T) {
	const listed, notListed = "# Roles\n\n## Management\n\n- ann\n", "# Roles\n\n## management\n- ben\n\n## programmer\n- ann\n"
	const claims, plain = "- programmer\n* management\n", "# Mine\n- programmer\n"
	tests := []struct {
		name, own, project string
		want               Standing
	}{
		{"nothing is set up", "", "", Standing{}},
		{"both", claims, listed, Standing{Roles: []string{"management", "programmer"}, Management: true, Claims: true, Listed: true, Reviewed: true}},
		{"as git writes her name", claims, "## management\n- Ann\n", Standing{Roles: []string{"management", "programmer"}, Management: true, Claims: true, Listed: true, Reviewed: true}},
		{"another name", claims, "## management\n- Anna\n", Standing{Roles: []string{"management", "programmer"}, Claims: true, Reviewed: true}},
		{"only she says so", claims, notListed, Standing{Roles: []string{"management", "programmer"}, Claims: true, Reviewed: true}},
		{"only the project says so", plain, listed, Standing{Roles: []string{"programmer"}, Listed: true, Reviewed: true}},
		{"no list at all", claims, "", Standing{Roles: []string{"management", "programmer"}, Claims: true}},
		{"a list in a comment", claims, "<!--\n## management\n- ann\n-->\n", Standing{Roles: []string{"management", "programmer"}, Claims: true}},
		{"names that lead elsewhere", "- ../x\n- a/b\n- .hidden\n", "", Standing{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &Project{Home: t.TempDir(), ID: "p-1", folder: filepath.Join(t.TempDir(), ".orihon")}
			for path, text := range map[string]string{p.OwnRolesFile(): tt.own, p.RolesFile(): tt.project} {
				if text == "" {
					continue
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := p.Standing("ann", accepted)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhoSetsRolesUpFirstIsManagement(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".orihon")
	ann := &Project{Home: t.TempDir(), ID: "p-1", folder: folder}
	ben := &Project{Home: t.TempDir(), ID: "p-1", folder: folder}
	if _, err := ann.InitRoles("ann", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := ben.InitRoles("ben", []string{"art"}); err != nil {
		t.Fatal(err)
	}
	for user, p := range map[string]*Project{"ann": ann, "ben": ben} {
		st, err := p.Standing(user, accepted)
		if err != nil {
			t.Fatal(err)
		}
		if st.Management != (user == "ann") {
			t.Errorf("%s: %+v", user, st)
		}
	}
	if made, err := ann.InitRoles("ann", nil); err != nil || len(made) > 0 {
		t.Errorf("a second time makes %v, %v", made, err)
	}
	if _, err := ann.InitRoles("ann", []string{"../x"}); err == nil {
		t.Error("a role that leads elsewhere is made")
	}
	if err := os.Remove(ann.RolesFile()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(ann.RolesFile(), 0o700); err != nil {
		t.Fatal(err)
	}
	if st, err := ann.Standing("ann", accepted); err == nil || st.Management || !strings.Contains(err.Error(), "_roles.md") {
		t.Errorf("a folder for a list: %+v, %v", st, err)
	}
}

// accepted stands for a person who accepted the project's list.
func accepted(string) bool { return true }
