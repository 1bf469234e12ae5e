#!/bin/sh
# edit.sh FILE replaces the text in $OLD, of which there must be exactly one, by $NEW.
set -eu
new=$(mktemp)
trap 'rm -f "$new"' EXIT
awk '
BEGIN { old = ENVIRON["OLD"] }
{ text = text $0 "\n" }
END {
	at = old == "" ? 0 : index(text, old)
	if (!at) { print "the text does not stand in the file"; exit 1 }
	rest = substr(text, at + length(old))
	if (index(rest, old)) { print "the text stands there more than once: give more of what is around it"; exit 1 }
	printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["NEW"], rest
}' "$1" > "$new" || { cat "$new"; exit 1; }
cat "$new" > "$1"
echo "replaced in $1"
