/** The behavior of each kind of server where CalDAV leaves it open, or where a server departs from it. */
import type { Account } from './accounts.ts';

export type ServerBehaviour = {
  readonly kind: 'icloud' | 'caldav';
  /** The path where a client without prior knowledge finds its principal. */
  readonly rootPath: string;
  readonly challenge: readonly string[];
  /** A listing of members includes the collection itself. */
  readonly listsItself: boolean;
  /** PROPFIND without names, or with `allprop`, is allowed. */
  readonly allowsAllprop: boolean;
  /** Calendars can also be created by extended MKCOL (RFC 5689). */
  readonly allowsMkcol: boolean;
  readonly hasFreeBusyReport: boolean;
  /** Events without DTEND or DURATION are accepted. */
  readonly allowsStartAlone: boolean;
  /** The same UID may be in two calendars of one person. */
  readonly allowsUidTwice: boolean;
  /** calendar-query requires a filter for VEVENT or VTODO. */
  readonly wantsComponentFilter: boolean;
  /** The server sends invitations and responses itself (RFC 6638). */
  readonly schedules: boolean;
  /** Collections in a home besides the calendars, by name. */
  readonly boxes: Readonly<Record<string, string>>;
  pathOfPrincipal(account: Account): string;
  pathOfHome(account: Account): string;
  /** Returns what a path refers to, from its decoded segments. */
  locate(segments: readonly string[]): Location | undefined;
};

export type Location =
  | { readonly place: 'root' }
  | { readonly place: 'principal'; readonly id: string }
  /** `names` is empty for the home; then it has the calendar's name, then the object's. */
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
 * The behavior of iCloud as known from its clients. Unconfirmed by a live account: the exact statuses of its errors
 * (403 for allprop and for a start without an end, 405 for MKCOL, 403 for free-busy), and how it refuses a UID in two
 * calendars.
 */
export const ICLOUD_BEHAVIOUR: ServerBehaviour = {
  kind: 'icloud',
  rootPath: '/',
  // Apple's own scheme comes first: a client that uses only the first challenge cannot sign in.
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

/** Returns the same server with scheduling: as in RFC 6638, and like sabre/dav's plugin where that leaves a choice. */
export const withScheduling = (behaviour: ServerBehaviour): ServerBehaviour => ({
  ...behaviour,
  schedules: true,
  boxes: {
    ...behaviour.boxes,
    inbox: '<d:collection/><c:schedule-inbox/>',
    outbox: '<d:collection/><c:schedule-outbox/>',
  },
});
