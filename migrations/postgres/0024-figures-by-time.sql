-- A read of a past time searches its pair's series by the time of the figures: by the publisher's date
-- it would pass every figure of a day that a desk quotes each minute.
CREATE INDEX figures_by_time ON figures (base, quote, source, kind, as_of, revision);
