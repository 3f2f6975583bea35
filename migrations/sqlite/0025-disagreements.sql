-- How a held figure differs from another publisher's, in JSON with the figures that it was compared
-- with and the SHA-256 of their documents. None: it is held for its jump alone.
ALTER TABLE held_rates ADD COLUMN disagreement TEXT;
