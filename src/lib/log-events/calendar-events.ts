/** Log events of calendars: their syncs, their servers, and what is written to them. */
import type { LogEvent } from './log-event.ts';

const LOOK = 'Check the calendar in its own application; `href` names the event there';

export const CALENDAR_EVENTS = {
  sync_failed: {
    level: 'warn',
    when: 'a calendar, or the list of an account’s calendars, could not be synced',
    act: 'For a single one, nothing: Kalends tries again, and the account’s health says who must act. For many of one `provider`, check its status page and the request budget',
    fields: ['accountKey', 'provider', 'job', 'kind', 'reason', 'err'],
  },
  sync_fault: {
    level: 'error',
    when: 'a sync failed with an internal error',
    act: 'Report it with `err`',
    fields: ['accountKey', 'provider', 'job', 'err'],
  },
  sync_set_aside: {
    level: 'error',
    when: 'a sync did not finish in three attempts and is now tried once a day',
    act: 'Check the memory and time limits of the process; then report it',
    fields: ['accountKey', 'kind'],
  },
  addresses_not_read: {
    level: 'warn',
    when: 'the addresses of an account’s user in events could not be read',
    fields: ['accountKey', 'kind', 'err'],
  },
  watches_not_kept: {
    level: 'warn',
    when: 'a watch could not be created or renewed; the account is polled meanwhile',
    fields: ['accountKey', 'kind', 'err'],
  },
  calendar_not_watched: {
    level: 'warn',
    when: 'a provider sends no push notifications for a calendar; it is polled instead',
    act: 'If `reason` names the address: Google and Microsoft must reach KALENDS_URL over https',
    fields: ['accountKey', 'reason'],
  },
  notices_refused: {
    level: 'warn',
    when: 'push notifications were rejected: of an unknown watch (`unknown`) or with a wrong token (`forged`); at most one line a minute',
    act: 'Many `unknown`: another deployment used this address before. `forged` ones have no effect',
    fields: ['unknown', 'forged'],
  },
  event_not_read: {
    level: 'warn',
    when: 'an event, or a part of it, cannot be read; the rest of its calendar was read',
    act: LOOK,
    fields: ['calendar', 'href', 'reason'],
  },
  event_too_complex: {
    level: 'warn',
    when: 'an event is too large or too complex and was left out',
    act: LOOK,
    fields: ['calendar', 'href', 'reason'],
  },
  calendars_foreign: {
    level: 'warn',
    when: 'a server lists calendars at another host; they were left out, because the password is not sent there',
    act: 'If it is your server, correct its addresses',
    fields: ['host', 'foreign'],
  },
  sync_collection_left: {
    level: 'info',
    when: 'a server failed to report changes (RFC 6578); its calendar is compared in full for a day',
    fields: ['calendar', 'reason'],
  },
  write_failed: {
    level: 'warn',
    when: 'a provider refused an application’s change; the application received an error',
    fields: ['accountKey', 'provider', 'kind', 'err'],
  },
  write_turn_not_renewed: {
    level: 'warn',
    when: 'a write could not renew its lease of a calendar',
    act: 'Check that the database is reachable, accepts writes and has disk space; `kalends doctor` helps',
    fields: ['calendarKey', 'err'],
  },
  write_not_stored: {
    level: 'warn',
    when: 'after a provider made a change, Kalends could not store it, release its calendar or mark its account as healthy; a later sync repairs this',
    act: 'If `err` names the database, check that it is reachable, accepts writes and has disk space',
    fields: ['accountKey', 'calendarKey', 'err'],
  },
  occurrence_not_moved: {
    level: 'warn',
    when: 'after a series was split, a moved occurrence is back at its regular time, because its series cannot have it elsewhere',
    act: LOOK,
    fields: ['calendar', 'href', 'occurrence'],
  },
  occurrence_not_kept: {
    level: 'warn',
    when: 'after a split or move, an occurrence has fields of its series, because the provider refused its own',
    act: LOOK,
    fields: ['calendar', 'occurrence', 'members'],
  },
  file_not_copied: {
    level: 'warn',
    when: 'after a split, a file stays with the old series, because Outlook refuses it for the new one',
    act: LOOK,
    fields: ['calendar', 'href', 'status', 'code'],
  },
  split_unsure: {
    level: 'warn',
    when: 'the split of a series may have started; it is finished or undone later',
    fields: ['splitId', 'err'],
  },
  split_unfinished: {
    level: 'warn',
    when: 'the split of a series cannot be finished yet; Kalends tries again',
    fields: ['splitId', 'step', 'err'],
  },
  split_closed: {
    level: 'warn',
    when: 'the split of a series was closed before it finished; both series stay as they are',
    act: 'Check both series in the calendar’s own application',
    fields: ['splitId', 'step', 'old'],
  },
  split_cleanup_refused: {
    level: 'warn',
    when: 'a series was split, but its provider refused to delete later exceptions of the earlier half',
    act: LOOK,
    fields: ['splitId', 'calendar', 'href', 'err'],
  },
  split_attendees_missing: {
    level: 'error',
    when: 'a series was split, but its provider refused ten times to invite the attendees of the later half, or the split was closed before',
    act: 'Tell the organizer to add the attendees again; `href` names the new series',
    fields: ['splitId', 'calendar', 'href', 'err'],
  },
  split_given_up: {
    level: 'error',
    when: 'the split of a series was given up, because its plan cannot be read',
    act: 'Report it; check both series in the calendar’s own application',
    fields: ['splitId', 'step'],
  },
} as const satisfies Readonly<Record<string, LogEvent>>;
