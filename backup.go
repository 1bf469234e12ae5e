package orihon

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"orihon/backup"
	"orihon/erase"
	"orihon/internal/project"
)

// The folders of a backup.
const (
	homeFolder    = "home"    // the user's home of Orihon
	projectFolder = "project" // the project's .orihon
)

// Backup writes the truth of the user's home, with all projects, and of this
// project's own folder as one archive: text, journals, logs and settings, but
// no index and no locks. Others may write meanwhile.
func (m *Memory) Backup(ctx context.Context, w io.Writer) (*backup.Manifest, error) {
	return backup.Write(ctx, w, map[string]string{"project": m.Project().Name, "project_id": m.Project().ID},
		backup.Folder{Name: homeFolder, Dir: m.Project().Home, Skip: derived},
		backup.Folder{Name: projectFolder, Dir: m.Project().Folder, Skip: func(rel string, dir bool) bool {
			// For the folder around the home, this is part of the home already.
			return project.Within(m.Project().Home, m.Project().Folder) || derived(rel, dir)
		}})
}

// derived reports whether a file of a home or of a project's folder is made
// from others, or means nothing without the processes that run now or on another
// machine.
func derived(rel string, dir bool) bool {
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	if dir {
		parts := strings.Split(rel, "/")
		space := len(parts) == 1 || len(parts) == 2 && parts[0] == "local" || len(parts) == 3 && parts[0] == "projects"
		return base == ".locks" || base == "index" && space || rel == "cache" || strings.HasPrefix(base, ".restoring-")
	}
	return base == ".lock" || rel == erase.OutsideName || strings.HasPrefix(base, ".") && (strings.HasSuffix(base, ".lock") || strings.Contains(base, ".tmp-")) || base == ".unsynced"
}

// VerifyBackup checks a backup against its manifest.
func VerifyBackup(ctx context.Context, file string) (*backup.Manifest, error) {
	return backup.Verify(ctx, file)
}

// RestoreOptions of [Memory.RestoreBackup].
type RestoreOptions struct {
	// Into is a folder that becomes the home; empty is the user's own, and then
	// the project's folder is restored, too.
	Into string
	// Force keeps folders aside that hold other files.
	Force bool
}

// RestoreBackup unpacks a backup after checking all of it. What the project's
// own folder held goes back to it when it is the same project and its own home,
// else below the home as restored/<project>/.orihon. The handle is of no use
// afterwards.
func (m *Memory) RestoreBackup(ctx context.Context, file string, o RestoreOptions) (*backup.Restored, error) {
	man, err := backup.Verify(ctx, file)
	if err != nil {
		return nil, err
	}
	if err := m.Close(); err != nil {
		return nil, err
	}
	into := map[string]backup.Place{homeFolder: {Dir: m.Project().Home}, projectFolder: {Dir: m.Project().Folder}}
	if o.Into != "" {
		home, err := filepath.Abs(o.Into)
		if err != nil {
			return nil, err
		}
		into[homeFolder] = backup.Place{Dir: home}
	}
	home := into[homeFolder].Dir
	if o.Into != "" || man.About["project_id"] != m.Project().ID || project.Within(home, m.Project().Folder) {
		into[projectFolder] = backup.Place{Dir: home, Below: "restored/" + project.SafeName(man.About["project"]) + "/.orihon"}
	}
	return backup.Restore(ctx, file, &backup.RestoreOptions{Into: into, Force: o.Force, Now: m.home().Now})
}
