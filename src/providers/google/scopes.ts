/**
 * Maps scopes to Google permissions. No published page says in full whether `calendar.events.freebusy` suffices for
 * events.list, or which fields it returns.
 */
import type { Scope } from '../../oauth/scope.ts';

const CALENDAR = 'https://www.googleapis.com/auth/calendar';
const LIST = `${CALENDAR}.calendarlist.readonly`;

/** The smallest sufficient permissions: for events at that level, and for the list of calendars. */
const NEEDED: Readonly<Record<Scope, readonly string[]>> = {
  'free-busy': [`${CALENDAR}.events.freebusy`, LIST],
  read: [`${CALENDAR}.events.readonly`, LIST],
  'read-write': [`${CALENDAR}.events`, LIST],
};

/** Larger permissions that include a needed one. They may have been granted earlier or elsewhere. */
const INCLUDED_IN: Readonly<Record<string, readonly string[]>> = {
  [`${CALENDAR}.events.freebusy`]: [
    `${CALENDAR}.events.readonly`,
    `${CALENDAR}.events`,
    `${CALENDAR}.readonly`,
    CALENDAR,
  ],
  [`${CALENDAR}.events.readonly`]: [`${CALENDAR}.events`, `${CALENDAR}.readonly`, CALENDAR],
  [`${CALENDAR}.events`]: [CALENDAR],
  [LIST]: [`${CALENDAR}.calendarlist`, `${CALENDAR}.readonly`, CALENDAR],
};

/** The permissions for writing calendars and the list with their colors; they include LIST. */
const CALENDARS_TOO = [`${CALENDAR}.events`, `${CALENDAR}.calendars`, `${CALENDAR}.calendarlist`];

/**
 * Returns the `scope` of the authorization request; `openid email` identify the user. With `calendarsToo`, read-write
 * also requests calendars. The user may untick that: `covers` does not require it.
 */
export const requestedScope =
  (calendarsToo: boolean) =>
  (scope: Scope): string => {
    const scopes = scope === 'read-write' && calendarsToo ? CALENDARS_TOO : NEEDED[scope];
    return ['openid', 'email', ...scopes].join(' ');
  };

/** Returns whether the granted permissions cover the scope. Users can untick any of them. */
export const covers = (grantedScopes: readonly string[], scope: Scope): boolean =>
  NEEDED[scope].every((needed) => holds(grantedScopes, needed));

const holds = (grantedScopes: readonly string[], needed: string): boolean =>
  [needed, ...(INCLUDED_IN[needed] ?? [])].some((name) => grantedScopes.includes(name));

/** Returns whether calendars themselves may be created, changed and deleted. */
export const mayWriteCalendars = (grantedScopes: readonly string[]): boolean =>
  [CALENDAR, `${CALENDAR}.calendars`].some((name) => grantedScopes.includes(name));

/** Returns whether the user's list of calendars may be changed, which has the colors. */
export const maySetColors = (grantedScopes: readonly string[]): boolean =>
  [CALENDAR, `${CALENDAR}.calendarlist`].some((name) => grantedScopes.includes(name));
