/** The resource at a path, and the path of every resource. */
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Account, Accounts } from './accounts.ts';
import type { CalendarCollection, CalendarObject } from './collection.ts';
import type { ServerBehaviour } from './server-behaviour.ts';

export type DavResource =
  | { readonly type: 'root' }
  | { readonly type: 'principal'; readonly account: Account }
  | { readonly type: 'home'; readonly account: Account }
  /** A collection in a home other than a calendar. */
  | { readonly type: 'box'; readonly account: Account; readonly name: string }
  | { readonly type: 'calendar'; readonly account: Account; readonly calendar: CalendarCollection }
  | {
      readonly type: 'object';
      readonly account: Account;
      readonly calendar: CalendarCollection;
      readonly object: CalendarObject;
    };

/** A path without a resource where one can be created. */
export type Vacancy =
  | { readonly type: 'no calendar'; readonly account: Account; readonly name: string }
  | {
      readonly type: 'no object';
      readonly account: Account;
      readonly calendar: CalendarCollection;
      readonly name: string;
    };

export type Tree = {
  readonly behaviour: ServerBehaviour;
  readonly accounts: Accounts;
};

/** Returns `undefined` if nothing exists there and nothing can be created. */
export function resourceAt(path: string, { behaviour, accounts }: Tree): DavResource | Vacancy | undefined {
  const location = behaviour.locate(segmentsOf(path));
  if (location === undefined || location.place === 'root')
    return location === undefined ? undefined : { type: 'root' };
  const account = accounts.byId(location.id);
  if (account === undefined) return undefined;
  if (location.place === 'principal') return { type: 'principal', account };
  const [calendarName, name, ...deeper] = location.names;
  if (calendarName === undefined) return { type: 'home', account };
  // Received messages are in the inbox; clients cannot write there, and the inbox is not among the calendars.
  const isInbox = behaviour.schedules && calendarName === account.inbox.name;
  if (isInbox && name !== undefined && deeper.length === 0) {
    const object = account.inbox.object(name);
    return object && { type: 'object', account, calendar: account.inbox, object };
  }
  const calendar = account.calendars.get(calendarName);
  if (calendar === undefined && name === undefined) {
    const isBox = Object.hasOwn(behaviour.boxes, calendarName);
    return { type: isBox ? 'box' : 'no calendar', account, name: calendarName };
  }
  if (calendar === undefined || deeper.length > 0) return undefined;
  if (name === undefined) return { type: 'calendar', account, calendar };
  const object = calendar.object(name);
  return object === undefined
    ? { type: 'no object', account, calendar, name }
    : { type: 'object', account, calendar, object };
}

function segmentsOf(path: string): string[] {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new SandboxRefusal(400, 'bad path', 'The path is not valid percent-encoding');
  }
}

/** Returns a path; those of collections end with a slash. */
export function pathOf(resource: DavResource, behaviour: ServerBehaviour): string {
  if (resource.type === 'root') return behaviour.rootPath;
  if (resource.type === 'principal') return behaviour.pathOfPrincipal(resource.account);
  const home = behaviour.pathOfHome(resource.account);
  if (resource.type === 'home') return home;
  if (resource.type === 'box') return `${home}${resource.name}/`;
  const calendar = `${home}${encodeURIComponent(resource.calendar.name)}/`;
  return resource.type === 'calendar' ? calendar : calendar + encodeURIComponent(resource.object.name);
}

/** Returns the direct members of a resource. */
export function membersOf(resource: DavResource, behaviour: ServerBehaviour): DavResource[] {
  if (resource.type === 'home') {
    const { account } = resource;
    const boxes = Object.keys(behaviour.boxes).map((name): DavResource => ({ type: 'box', account, name }));
    const calendars = [...account.calendars.values()].map(
      (calendar): DavResource => ({ type: 'calendar', account, calendar }),
    );
    return [...calendars, ...boxes];
  }
  if (resource.type === 'box' && behaviour.schedules && resource.name === resource.account.inbox.name) {
    const { account } = resource;
    return account.inbox
      .objects()
      .map((object) => ({ type: 'object', account, calendar: account.inbox, object }));
  }
  if (resource.type !== 'calendar') return [];
  const { account, calendar } = resource;
  return calendar.objects().map((object) => ({ type: 'object', account, calendar, object }));
}
