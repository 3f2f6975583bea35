-- An account sees which program began each of its sessions, such as Firefox on Linux. NULL for a
-- program that named itself as none that Kurs knows.
ALTER TABLE sessions ADD COLUMN client text;
