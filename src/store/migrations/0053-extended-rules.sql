-- Rules of RFC 7529 and below a day are followed now, so that their series have longer time spans. Calendars are compared
-- again because their sync states have a new version, and these series are read again because they have no etag.
UPDATE event SET etag = NULL
 WHERE shape = 'series'
   AND (UPPER(timing) LIKE '%FREQ=HOURLY%' OR UPPER(timing) LIKE '%FREQ=MINUTELY%'
     OR UPPER(timing) LIKE '%RSCALE=%' OR UPPER(timing) LIKE '%SKIP=%');
