/** The counters of caps on PostgreSQL that are not the sum of the days. */
export const WRONG_COUNTERS = `
  SELECT c.line, c.period, c.units, d.units AS daily FROM capped_usage c LEFT JOIN LATERAL (
    SELECT coalesce(sum(units), 0) AS units FROM daily_usage d
    JOIN api_keys k ON k.id = d.api_key_id
    WHERE (k.id = c.line OR k.line = c.line) AND substr(d.day, 1, 7) = c.period
  ) d ON true WHERE c.units <> d.units
  AND EXISTS (SELECT FROM api_keys k
    WHERE (k.id = c.line OR k.line = c.line) AND k.units_per_period IS NOT NULL)`;
