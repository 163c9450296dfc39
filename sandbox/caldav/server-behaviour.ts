/** How a server of each kind behaves where CalDAV leaves it open, or where one of them departs from it. */
import type { Account } from './accounts.ts';

export type ServerBehaviour = {
  readonly kind: 'icloud' | 'caldav';
  /** Where a client that knows nothing asks for its principal. */
  readonly rootPath: string;
  readonly challenge: readonly string[];
  /** A listing of members names the collection as well. */
  readonly listsItself: boolean;
  /** PROPFIND without names, or with `allprop`, is answered. */
  readonly allowsAllprop: boolean;
  /** Calendars can be made by extended MKCOL (RFC 5689) too. */
  readonly allowsMkcol: boolean;
  readonly hasFreeBusyReport: boolean;
  /** Events without DTEND or DURATION are taken. */
  readonly allowsStartAlone: boolean;
  /** The same UID may be in two calendars of one person. */
  readonly allowsUidTwice: boolean;
  /** calendar-query wants a filter for VEVENT or VTODO. */
  readonly wantsComponentFilter: boolean;
  /** It sends invitations and answers itself (RFC 6638). */
  readonly schedules: boolean;
  /** Collections beside the calendars in a home, by name. */
  readonly boxes: Readonly<Record<string, string>>;
  pathOfPrincipal(account: Account): string;
  pathOfHome(account: Account): string;
  /** What a path is about, from its decoded segments. */
  locate(segments: readonly string[]): Location | undefined;
};

export type Location =
  | { readonly place: 'root' }
  | { readonly place: 'principal'; readonly id: string }
  /** `names`: none for the home, then that of the calendar, then that of the object. */
  | { readonly place: 'home'; readonly id: string; readonly names: readonly string[] };

const segment = encodeURIComponent;

/** A server that keeps to the RFCs. */
export const CALDAV_BEHAVIOUR: ServerBehaviour = {
  kind: 'caldav',
  rootPath: '/dav/',
  challenge: ['Basic realm="Calendars", charset="UTF-8"'],
  listsItself: false,
  allowsAllprop: true,
  allowsMkcol: true,
  hasFreeBusyReport: true,
  allowsStartAlone: true,
  allowsUidTwice: true,
  wantsComponentFilter: false,
  schedules: false,
  boxes: {},
  pathOfPrincipal: ({ id }) => `/dav/principals/${segment(id)}/`,
  pathOfHome: ({ id }) => `/dav/calendars/${segment(id)}/`,
  locate([base, kind, id, ...names]) {
    if (base !== 'dav') return undefined;
    if (kind === undefined) return { place: 'root' };
    if (id === undefined) return undefined;
    if (kind === 'principals') return names.length === 0 ? { place: 'principal', id } : undefined;
    return kind === 'calendars' ? { place: 'home', id, names } : undefined;
  },
};

/**
 * What is known of iCloud from its clients. Unconfirmed by a live account: the exact statuses of its refusals (403 for
 * allprop and for a start without an end, 405 for MKCOL, 403 for free-busy), and how it refuses a UID in two calendars.
 */
export const ICLOUD_BEHAVIOUR: ServerBehaviour = {
  kind: 'icloud',
  rootPath: '/',
  // Its own scheme first: a client that takes the first challenge for the only one does not get in.
  challenge: ['x-mobileme-authtoken realm="MMCalDav"', 'Basic realm="MMCalDav"'],
  listsItself: true,
  allowsAllprop: false,
  allowsMkcol: false,
  hasFreeBusyReport: false,
  allowsStartAlone: false,
  allowsUidTwice: false,
  wantsComponentFilter: true,
  schedules: false,
  boxes: {
    inbox: '<d:collection/><c:schedule-inbox/>',
    outbox: '<d:collection/><c:schedule-outbox/>',
    notification: '<d:collection/><cs:notification/>',
  },
  pathOfPrincipal: ({ id }) => `/${id}/principal/`,
  pathOfHome: ({ id }) => `/${id}/calendars/`,
  locate([id, kind, ...names]) {
    if (id === undefined) return { place: 'root' };
    if (kind === 'principal') return names.length === 0 ? { place: 'principal', id } : undefined;
    return kind === 'calendars' ? { place: 'home', id, names } : undefined;
  },
};

/** The same server with scheduling: as RFC 6638 has it, and as sabre/dav's plugin does where that leaves a choice. */
export const withScheduling = (behaviour: ServerBehaviour): ServerBehaviour => ({
  ...behaviour,
  schedules: true,
  boxes: {
    ...behaviour.boxes,
    inbox: '<d:collection/><c:schedule-inbox/>',
    outbox: '<d:collection/><c:schedule-outbox/>',
  },
});
