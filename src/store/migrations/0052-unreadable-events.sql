-- Why a resource, or a part of it, cannot be read; and as JSON which resources of a calendar those are (count, ids, message).
ALTER TABLE event ADD COLUMN unreadable TEXT;
ALTER TABLE calendar ADD COLUMN unreadable TEXT;
CREATE INDEX event_unreadable ON event (calendar_key, href) WHERE unreadable IS NOT NULL;

-- Resources without an etag are read again: Outlook's events that could not be read, and these CalDAV resources. They have
-- more VEVENTs than rows, their text is not stored, or it has a time or a duration that was not read, such as
-- 20131009T170000+0100 or PT1W. LIKE has _ for a backslash.
UPDATE event SET etag = NULL WHERE content = '' AND too_complex IS NULL;
UPDATE event SET etag = NULL WHERE (calendar_key, href) IN (
  SELECT e.calendar_key, e.href
    FROM event e JOIN calendar c ON c.calendar_key = e.calendar_key JOIN account a ON a.account_key = c.account_key
   WHERE a.provider IN ('caldav', 'apple')
   GROUP BY e.calendar_key, e.href
  HAVING COUNT(*) < MAX((LENGTH(e.original) - LENGTH(REPLACE(e.original, 'BEGIN:VEVENT', ''))) / 12)
      OR MAX(e.original_digest) IS NOT NULL
      OR MAX(CASE WHEN
           e.original LIKE '%:________T______T_r_n%'
        OR e.original LIKE '%:________T______T,%'
        OR e.original LIKE '%:________T______+____%'
        OR e.original LIKE '%:________T______-____%'
        OR e.original LIKE '%:________T____+____%'
        OR e.original LIKE '%:________T____-____%'
        OR e.original LIKE '%:____-__-__T__:__:__+__:__%'
        OR e.original LIKE '%:____-__-__T__:__:__-__:__%'
        OR e.original LIKE '%:____-__-__T__:__+__:__%'
        OR e.original LIKE '%:____-__-__T__:__-__:__%'
        OR e.original LIKE '%,________T______T_r_n%'
        OR e.original LIKE '%,________T______T,%'
        OR e.original LIKE '%,________T______+____%'
        OR e.original LIKE '%,________T______-____%'
        OR e.original LIKE '%,________T____+____%'
        OR e.original LIKE '%,________T____-____%'
        OR e.original LIKE '%,____-__-__T__:__:__+__:__%'
        OR e.original LIKE '%,____-__-__T__:__:__-__:__%'
        OR e.original LIKE '%,____-__-__T__:__+__:__%'
        OR e.original LIKE '%,____-__-__T__:__-__:__%'
        OR e.original LIKE '%:PT_W%'
        OR e.original LIKE '%:PT__W%'
        OR e.original LIKE '%:PT___W%'
        OR e.original LIKE '%/PT_W%'
        OR e.original LIKE '%/PT__W%'
        OR e.original LIKE '%/PT___W%'
        THEN 1 ELSE 0 END) = 1);
