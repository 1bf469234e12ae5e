package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/backup"
	"orihon/internal/jsonl"
	"orihon/memory"
)

func (a *app) backupCommand() *cobra.Command {
	var restore, verify, into string
	var force bool
	cmd := &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Pack the home into one file, check one, or restore it",
		Long: "Pack the home into one archive: all text, journals, logs and settings of all\n" +
			"projects, and this project's .orihon; no index and no locks. It may be taken\n" +
			"while others write.\n\n" +
			"--restore checks every file of an archive before it changes anything. Files that\n" +
			"exist with other content are refused; with --force the whole home is kept aside.",
		Example: "  orihon backup memory.tar.gz\n  orihon backup --verify memory.tar.gz\n  orihon backup --restore memory.tar.gz --into elsewhere",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			switch {
			case restore != "" && verify != "", (restore != "" || verify != "") && len(names) > 0:
				return fmt.Errorf("%w: give one of FILE, --restore FILE and --verify FILE", errUsage)
			case restore == "" && (into != "" || force):
				return fmt.Errorf("%w: --into and --force go with --restore", errUsage)
			case verify != "":
				b, err := orihon.VerifyBackup(ctx, verify)
				if err != nil {
					return err
				}
				return a.print(summary(verify, b), func(w io.Writer) {
					fmt.Fprintf(w, "%s  %s, every one as the manifest says\n", a.bold("verified"), plural(len(b.Files), "file"))
				})
			}
			m, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer m.Close()
			if restore != "" {
				return a.restoreBackup(ctx, m, restore, orihon.RestoreOptions{Into: into, Force: force})
			}
			name := "orihon-" + time.Now().Format("2006-01-02") + ".tar.gz"
			if len(names) > 0 {
				name = names[0]
			}
			return a.backup(ctx, m, name)
		},
	}
	f := cmd.Flags()
	f.StringVar(&restore, "restore", "", "unpack this archive")
	f.StringVar(&verify, "verify", "", "check this archive")
	f.StringVar(&into, "into", "", "folder that becomes the home (default the home itself)")
	f.BoolVar(&force, "force", false, "keep what is there aside")
	return cmd
}

func (a *app) backup(ctx context.Context, m *orihon.Memory, name string) error {
	full, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	if err := confined(m.Project().Root, full); err != nil {
		return err
	}
	if home, err := filepath.EvalSymlinks(m.Project().Home); err == nil {
		if rel, err := filepath.Rel(home, full); err == nil && filepath.IsLocal(rel) {
			return fmt.Errorf("%w: %s lies in the home that it backs up: choose a place elsewhere", memory.ErrRefused, name)
		}
	}
	if _, err := os.Lstat(full); err == nil {
		return fmt.Errorf("%w: %s exists: choose another name or delete it", memory.ErrRefused, name)
	}
	var b *backup.Manifest
	if err := jsonl.Rewrite(full, func(w io.Writer) error {
		b, err = m.Backup(ctx, w)
		return err
	}); err != nil {
		return err
	}
	if err := m.Erase().WroteOutside(ctx, "backup", full); err != nil {
		return err
	}
	return a.print(summary(name, b), func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s, %.1f MB, to %s\n", a.bold("backed up"), plural(len(b.Files), "file"), float64(b.Size())/(1<<20), name)
	})
}

func (a *app) restoreBackup(ctx context.Context, m *orihon.Memory, name string, o orihon.RestoreOptions) error {
	r, err := m.RestoreBackup(ctx, name, o)
	if err != nil {
		return err
	}
	if o.Into != "" {
		if err := m.Erase().WroteOutside(ctx, "restored", o.Into); err != nil {
			return err
		}
	}
	return a.print(map[string]any{"file": name, "files": r.Files, "kept_aside": r.Aside}, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s\n", a.bold("restored"), plural(r.Files, "file"))
		for _, dir := range r.Aside {
			fmt.Fprintf(w, "kept aside  %s\n", dir)
		}
	})
}

func summary(name string, b *backup.Manifest) map[string]any {
	return map[string]any{"file": name, "files": len(b.Files), "bytes": b.Size(), "about": b.About}
}
