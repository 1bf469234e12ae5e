package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
)

func (a *app) rolesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "roles",
		Short: "Show which roles you hold on the project",
		Long: "Show which roles you hold, and whether you are management. Management is only\n" +
			"who says so in their own role.md and stands under management in the project's\n" +
			"shared/_roles.md.",
		Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			st, err := m.Standing()
			if err != nil {
				return err
			}
			out := struct {
				User       string   `json:"user"`
				Roles      []string `json:"roles"`
				Management bool     `json:"management"`
				Claims     bool     `json:"claims_management"`
				Listed     bool     `json:"listed_as_management"`
				Reviewed   bool     `json:"project_has_management"`
			}{m.User(), m.Viewer().Roles, st.Management, st.Claims, st.Listed, st.Reviewed}
			return a.print(out, func(w io.Writer) {
				fmt.Fprintf(w, "user        %s\nroles       %s\nmanagement  %s\n", m.User(), cmp.Or(strings.Join(out.Roles, ", "), "none"), management(st))
			})
		}),
	}
	cmd.AddCommand(a.rolesInitCommand())
	return cmd
}

func management(st orihon.Standing) string {
	switch {
	case st.Management:
		return "yes"
	case st.Claims:
		return "no: your role.md says so, the project's _roles.md does not"
	case st.Listed:
		return "no: the project's _roles.md says so, your role.md does not"
	case !st.Reviewed:
		return "no: this project has none, nothing waits for review"
	}
	return "no"
}

func (a *app) rolesInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [ROLE…]",
		Short: "Make the shared, role and personal folders and the two lists",
		Long: "Make the folders of shared, role and personal memory, the project's list of\n" +
			"roles (shared/_roles.md) and your own (role.md). Who does so first is the\n" +
			"project's management. Without names the roles are programmer, art and planner.\n" +
			"Doing it again changes nothing.",
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, roles []string) error {
			if err := m.Register(cmd.Context()); err != nil {
				return err
			}
			made, err := m.Review().InitRoles(cmd.Context(), roles)
			return a.result(map[string]any{"user": m.User(), "made": orEmpty(made)}, err, func(w io.Writer) {
				for _, path := range made {
					fmt.Fprintf(w, "made  %s\n", relative(m.Project().Root, path))
				}
				if len(made) == 0 {
					fmt.Fprintln(w, "everything is there already")
				}
			})
		}),
	}
}
