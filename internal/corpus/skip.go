package corpus

import (
	"bytes"
	"slices"
	"strings"
)

// skippedFolder says why a folder is left out by its name, wherever it stands.
func skippedFolder(name string) Reason {
	switch strings.ToLower(name) {
	case ".git", ".hg", ".svn", ".jj", ".orihon":
		return Data // the tools' own, and memory itself
	case "node_modules", "bower_components", "vendor", "third_party", ".venv", "venv", "site-packages", ".bundle", "pods", "carthage":
		return Vendored
	case "dist", "__pycache__", ".next", ".nuxt", ".svelte-kit", ".gradle", ".terraform", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox",
		".cache", ".parcel-cache", ".turbo", ".idea", ".vs", "coverage", ".nyc_output", "deriveddata":
		return Generated
	case ".ssh", ".gnupg", ".aws", ".kube", ".docker":
		return Secret
	}
	return ""
}

// skippedName says why a file is left out by its name.
func skippedName(name string) Reason {
	name = strings.ToLower(name)
	switch {
	case secretName(name):
		return Secret
	case generatedName(name):
		return Generated
	case dataName(name):
		return Data
	}
	return ""
}

func secretName(name string) bool {
	switch name {
	case ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials", ".dockercfg", ".s3cfg", ".boto", "credentials",
		"credentials.json", "secrets.yaml", "secrets.yml", "secrets.json", "secrets.toml", "kubeconfig", "master.key", "terraform.tfvars", ".my.cnf":
		return true
	}
	if name == ".env" || name == ".envrc" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env") {
		return true
	}
	begins := []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "service-account", "service_account"}
	return slices.ContainsFunc(begins, func(s string) bool { return strings.HasPrefix(name, s) }) || ends(name,
		".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc", ".gpg", ".age", ".pkcs12", ".p8", ".ovpn",
		".tfstate", ".tfstate.backup", ".tfvars", ".mobileprovision", ".crt.key")
}

func generatedName(name string) bool {
	switch name {
	case "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "go.work.sum", "packages.lock.json", "gradle.lockfile", "podfile.lock":
		return true
	}
	return ends(name, ".lock", ".lockb", ".min.js", ".min.css", ".min.mjs", ".bundle.js", ".map", ".pb.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2_grpc.py",
		".g.dart", ".designer.cs", ".snap", ".tsbuildinfo")
}

// dataName reports files whose bytes are no text, or whose text says nothing to
// a reader; those that are binary by content need not be in the list, but are
// not opened so.
func dataName(name string) bool {
	return ends(name, ".svg", ".csv", ".tsv", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".log", ".parquet", ".arrow",
		".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tiff", ".psd", ".pdf", ".woff", ".woff2", ".ttf", ".otf", ".eot",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".war", ".whl", ".mp3", ".mp4", ".wav", ".ogg", ".webm", ".mov", ".avi",
		".exe", ".dll", ".so", ".dylib", ".a", ".o", ".obj", ".class", ".pyc", ".wasm", ".bin", ".dat", ".db", ".sqlite", ".sqlite3", ".safetensors",
		".onnx", ".gguf", ".pt", ".npy", ".npz", ".pkl")
}

func ends(name string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// generated reports whether the head of a file says that a program wrote it.
// Only a line that is nothing but a remark counts: programs that write such
// lines hold them in quotes.
func generated(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		body := bytes.TrimLeft(line, "/#*;-<! ")
		if len(body) == len(line) {
			continue
		}
		if bytes.HasPrefix(body, []byte("Code generated ")) && bytes.Contains(body, []byte("DO NOT EDIT")) || bytes.HasPrefix(body, []byte("@generated")) {
			return true
		}
	}
	return false
}

// machineMade tells minified files by the length of their lines.
// Prose may have a paragraph to a line.
func machineMade(name string, raw []byte) Reason {
	if !ends(strings.ToLower(name), ".js", ".mjs", ".cjs", ".ts", ".css", ".html", ".htm", ".json", ".xml") {
		return ""
	}
	const large, long = 8 << 10, 500 // bytes; of a file that is looked at, and of its lines on average
	if len(raw) > large && len(raw)/(1+bytes.Count(raw, []byte("\n"))) > long {
		return Generated
	}
	return ""
}
