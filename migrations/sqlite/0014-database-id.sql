-- Tells this database from others whose backups are in the same directory. A backup has its
-- database's; a restore keeps that of the replaced database.
CREATE TABLE database_id (id TEXT NOT NULL) STRICT;

INSERT INTO database_id (id) VALUES (lower(hex(randomblob(16))));
