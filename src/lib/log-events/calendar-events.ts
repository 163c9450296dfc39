/** Log events of calendars: their syncs, their servers, and what is written to them. */
import type { LogEvent } from './log-event.ts';

const LOOK = 'Look at the calendar in its own application; `href` names the event there';

export const CALENDAR_EVENTS = {
  sync_failed: {
    level: 'warn',
    when: 'a calendar, or the list of an account’s calendars, could not be synced',
    act: 'Nothing for one: it is tried again, and the account’s health says who must act. For many of one `provider`: its status page, and the budget of requests',
    fields: ['accountKey', 'provider', 'job', 'kind', 'reason', 'err'],
  },
  sync_fault: {
    level: 'error',
    when: 'a sync met a fault of our own',
    act: 'Report it with `err`',
    fields: ['accountKey', 'provider', 'job', 'err'],
  },
  sync_set_aside: {
    level: 'error',
    when: 'a sync did not come to its end three times in a row, and is tried once a day',
    act: 'Look at memory and time limits of the process; then report it',
    fields: ['accountKey', 'kind'],
  },
  addresses_not_read: {
    level: 'warn',
    when: 'by which addresses events name an account’s user could not be read',
    fields: ['accountKey', 'kind', 'err'],
  },
  watches_not_kept: {
    level: 'warn',
    when: 'a provider could not be asked to tell of changes; the account is polled meanwhile',
    fields: ['accountKey', 'kind', 'err'],
  },
  calendar_not_watched: {
    level: 'warn',
    when: 'a provider will not tell of a calendar’s changes; it is polled instead',
    act: 'Where `reason` is of the address: Google and Microsoft must reach KALENDS_URL over https',
    fields: ['accountKey', 'reason'],
  },
  notices_refused: {
    level: 'warn',
    when: 'notices came that are of no watch here (`unknown`), or without its token (`forged`); one line a minute at most',
    act: 'Many that are unknown: another instance used this address before. Forged ones change nothing',
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
    when: 'a server lists calendars at another host, to which no password is sent; they were left out',
    act: 'Mend the server’s addresses, if it is yours',
    fields: ['host', 'foreign'],
  },
  sync_collection_left: {
    level: 'info',
    when: 'a server failed at telling what changed (RFC 6578), and its calendar is compared for a day',
    fields: ['calendar', 'reason'],
  },
  write_failed: {
    level: 'warn',
    when: 'a provider refused a change that an application made; the application was told',
    fields: ['accountKey', 'provider', 'kind', 'err'],
  },
  write_turn_not_renewed: {
    level: 'warn',
    when: 'a write could not renew its turn at a calendar',
    act: 'Look at the database',
    fields: ['calendarKey', 'err'],
  },
  occurrence_not_moved: {
    level: 'warn',
    when: 'a moved occurrence is back in its place after a series was split, since its series has it where it cannot be',
    act: LOOK,
    fields: ['calendar', 'href', 'occurrence'],
  },
  occurrence_not_kept: {
    level: 'warn',
    when: 'after a split or move, an occurrence has members of its series, because the provider refused its own',
    act: LOOK,
    fields: ['calendar', 'occurrence', 'members'],
  },
  file_not_copied: {
    level: 'warn',
    when: 'a file stays with the old series after a split, since Outlook refuses it with the new one',
    act: LOOK,
    fields: ['calendar', 'href', 'status', 'code'],
  },
  split_unsure: {
    level: 'warn',
    when: 'the split of a series may have been begun; it is finished or undone later',
    fields: ['splitId', 'err'],
  },
  split_unfinished: {
    level: 'warn',
    when: 'the split of a series cannot be finished yet; it is tried again',
    fields: ['splitId', 'step', 'err'],
  },
  split_closed: {
    level: 'warn',
    when: 'the split of a series is closed half-way, and both series stay as they are',
    act: 'Look at both series in the calendar’s own application',
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
    when: 'the split of a series is given up, because its plan cannot be read',
    act: 'Report it; look at both series in the calendar’s own application',
    fields: ['splitId', 'step'],
  },
} as const satisfies Readonly<Record<string, LogEvent>>;
