package claudecode

// bom is what some editors on Windows put before the text of a file.
const bom = "\ufeff"
