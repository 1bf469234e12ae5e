package capture

import (
	_ "embed"

	"orihon/internal/terms"
)

//go:embed words.txt
var lists terms.Lists
