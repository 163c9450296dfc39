-- Rules of RFC 7529 and below a day are followed now, so that their series have longer time spans. CalDAV calendars and
-- feeds are compared again because their sync states have a new version. Resources with such rules are read again because
-- no row of them has an etag.
UPDATE event SET etag = NULL
 WHERE (calendar_key, href) IN (
   SELECT series.calendar_key, series.href
     FROM event series
     JOIN calendar ON calendar.calendar_key = series.calendar_key
     JOIN account ON account.account_key = calendar.account_key
    WHERE account.provider IN ('apple', 'caldav') AND series.shape = 'series'
      AND (UPPER(series.timing) LIKE '%FREQ=HOURLY%' OR UPPER(series.timing) LIKE '%FREQ=MINUTELY%'
        OR UPPER(series.timing) LIKE '%RSCALE=%' OR UPPER(series.timing) LIKE '%SKIP=%'));
