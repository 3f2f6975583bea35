-- Tells this database from others whose backups are in the same directory. A backup has its
-- database's, and so has a database that is restored from it.
CREATE TABLE database_id (id TEXT NOT NULL) STRICT;

INSERT INTO database_id (id) VALUES (lower(hex(randomblob(16))));
