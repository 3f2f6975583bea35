-- The mails that were given up are counted while the service runs: by these rows alone.
CREATE INDEX mails_given_up ON mails (given_up_at) WHERE given_up_at IS NOT NULL;
