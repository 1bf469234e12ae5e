-- Filter columns stand apart from the text: every match looks its row up here,
-- and narrow rows keep that cheap.
CREATE TABLE passage (
  rowid      INTEGER PRIMARY KEY,
  scope      TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  topic      TEXT    NOT NULL,
  tier       TEXT    NOT NULL,
  confidence REAL    NOT NULL,
  created    INTEGER NOT NULL,            -- Unix nanoseconds, 0 unknown
  valid_from INTEGER NOT NULL,            -- 0 open
  valid_to   INTEGER NOT NULL,            -- 0 open
  superseded INTEGER NOT NULL,
  retired    INTEGER NOT NULL,
  turn       INTEGER NOT NULL,            -- a turn of a conversation
  session    TEXT    NOT NULL
);

CREATE INDEX passage_created ON passage (created);
-- Few among many, whose newest are asked for.
CREATE INDEX passage_episode   ON passage (created) WHERE kind = 'episodic';
CREATE INDEX passage_settled   ON passage (created) WHERE tier = 'settled';
CREATE INDEX passage_stated    ON passage (created) WHERE turn = 0;
CREATE INDEX passage_directive ON passage (created) WHERE topic IN ('preference','pitfall','decision','procedure');

CREATE TABLE body (
  rowid INTEGER PRIMARY KEY,
  id    TEXT NOT NULL UNIQUE,
  file  TEXT NOT NULL,
  sum   BLOB NOT NULL,                    -- of doc and near: unchanged rows are skipped
  doc   BLOB NOT NULL,                    -- the passage, see doc.go
  own   TEXT NOT NULL,                    -- its terms, space-separated: needed to take it out again
  near  TEXT NOT NULL                     -- its neighbours' terms, distance 1 | distance 2
);
CREATE INDEX body_file ON body (file);

-- The inverted index, see posting.go: which passages of a block hold a term.
-- n counts those that hold it in their own text.
CREATE TABLE posting (
  term TEXT NOT NULL, block INTEGER NOT NULL, n INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (term, block)
) WITHOUT ROWID;
-- What terms are found by when they are mistyped, see terms.Halves: of every term
-- in posting.
CREATE TABLE half (half TEXT NOT NULL, term TEXT NOT NULL, PRIMARY KEY (half, term)) WITHOUT ROWID;
-- Lengths of the passages of a block, 16 bits each: in terms, and with the
-- neighbours' terms by weight.
CREATE TABLE length (block INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE word (word TEXT NOT NULL, passage INTEGER NOT NULL, PRIMARY KEY (word, passage)) WITHOUT ROWID;
CREATE INDEX word_passage ON word (passage);
CREATE TABLE tag  (tag TEXT NOT NULL, passage INTEGER NOT NULL, PRIMARY KEY (tag, passage)) WITHOUT ROWID;
CREATE INDEX tag_passage ON tag (passage);
CREATE TABLE use  (id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (id, at)) WITHOUT ROWID;

-- Vectors, see vector_store.go: 1 or 2 bits a dimension to choose by, 8 bits to
-- compare by. chunk = generation << 40 | passage / passages in a row.
CREATE TABLE code (chunk INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE vec  (chunk INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE file (
  path TEXT PRIMARY KEY, kind TEXT NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
  hash TEXT NOT NULL, read_to INTEGER NOT NULL, mark TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
