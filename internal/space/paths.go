package space

import "path/filepath"

// IndexPath is the file of the index.
func (sp *Space) IndexPath() string { return filepath.Join(sp.Dir.Index(), "index.db") }

// damagePath is a file that is there while the index is thought to be damaged.
func (sp *Space) damagePath() string { return sp.IndexPath() + ".damaged" }

// scopePath is a file that says whose index it is: the folder of a text decides
// its scope, and a user may be called differently tomorrow.
func (sp *Space) scopePath() string { return sp.IndexPath() + ".scope" }

// sharedPath is a file that says how the files that others write lay on the disk when
// the index was synced.
func (sp *Space) sharedPath() string { return sp.IndexPath() + ".shared" }

// SyncLockPath is the lock of whoever brings the index up to date.
func (sp *Space) SyncLockPath() string { return sp.IndexPath() + ".sync" }

func (sp *Space) modelLockPath() string { return filepath.Join(sp.Dir.Index(), "model.lock") }
