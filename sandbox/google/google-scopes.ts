/** Google's scopes, and the scopes that each method of the Calendar API accepts, as its published client lists them. */

const AUTH = 'https://www.googleapis.com/auth/';
const calendar = (...names: string[]) =>
  names.map((name) => `${AUTH}calendar${name === '' ? '' : `.${name}`}`);

/** The scopes with their texts on a consent page. A scope without a text is part of signing in. */
export const SCOPES: ReadonlyMap<string, string | undefined> = new Map([
  ['openid', undefined],
  [`${AUTH}userinfo.email`, undefined],
  [`${AUTH}userinfo.profile`, undefined],
  [`${AUTH}calendar`, 'See, edit, share and permanently delete all the calendars you can access'],
  [`${AUTH}calendar.readonly`, 'See and download any calendar you can access'],
  [`${AUTH}calendar.calendarlist`, 'See, add and remove calendars you’re subscribed to'],
  [`${AUTH}calendar.calendarlist.readonly`, 'See the list of calendars you’re subscribed to'],
  [`${AUTH}calendar.calendars`, 'See and change the properties of your calendars, and create calendars'],
  [`${AUTH}calendar.calendars.readonly`, 'See the title, description and other properties of your calendars'],
  [`${AUTH}calendar.events`, 'View and edit events on all your calendars'],
  [`${AUTH}calendar.events.readonly`, 'View events on all your calendars'],
  [`${AUTH}calendar.events.freebusy`, 'See the availability on calendars you have access to'],
  [`${AUTH}calendar.freebusy`, 'View your availability in your calendars'],
]);

/** The short names of OpenID Connect, which are granted under Google's own names. */
const ALIASES: Readonly<Record<string, string>> = {
  email: `${AUTH}userinfo.email`,
  profile: `${AUTH}userinfo.profile`,
};

export const EMAIL_SCOPE = `${AUTH}userinfo.email`;
export const PROFILE_SCOPE = `${AUTH}userinfo.profile`;

/** Returns the scopes of a `scope` parameter under their full names, each once, or `undefined` if one is unknown. */
export function scopesOf(text: string): readonly string[] | undefined {
  const scopes = text.split(/\s+/).filter((part) => part !== '');
  const scopeNames = scopes.map((scope) => ALIASES[scope] ?? scope);
  return scopeNames.every((scope) => SCOPES.has(scope)) ? [...new Set(scopeNames)] : undefined;
}

const LISTING = calendar('', 'readonly', 'calendarlist', 'calendarlist.readonly');
const READING = calendar('', 'readonly', 'events', 'events.readonly', 'events.freebusy');
const WRITING = calendar('', 'events');
const CALENDARS = calendar('', 'calendars');
const LIST_WRITING = calendar('', 'calendarlist');

/** The scopes of each method; one of them is enough. */
export const METHOD_SCOPES = {
  'calendarList.list': LISTING,
  'calendarList.get': LISTING,
  'calendarList.patch': LIST_WRITING,
  'calendarList.watch': LISTING,
  'calendars.get': [...CALENDARS, ...calendar('calendars.readonly', 'readonly')],
  'calendars.insert': CALENDARS,
  'calendars.patch': CALENDARS,
  'calendars.delete': CALENDARS,
  'events.list': READING,
  'events.get': READING,
  'events.instances': READING,
  'events.watch': READING,
  'events.insert': WRITING,
  'events.update': WRITING,
  'events.patch': WRITING,
  'events.delete': WRITING,
  'freebusy.query': calendar('', 'readonly', 'freebusy', 'events.freebusy'),
  'channels.stop': [...new Set([...READING, ...LISTING])],
} as const satisfies Record<string, readonly string[]>;

export type CalendarMethod = keyof typeof METHOD_SCOPES;

/** Returns whether the granted scopes show nothing of events except when the user is busy. */
export const showsBusyOnly = (granted: readonly string[]): boolean =>
  !calendar('', 'readonly', 'events', 'events.readonly').some((scope) => granted.includes(scope));
