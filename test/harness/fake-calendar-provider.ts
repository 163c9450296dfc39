/**
 * A calendar provider in memory behind the same port as the real ones. Tests change its calendars and choose its
 * failures. Its sync tokens are versions.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { ProviderCalendar } from '../../src/calendars/calendar.ts';
import type { CalendarAccount, CalendarProvider, Changes } from '../../src/calendars/calendar-provider.ts';
import type { CalendarWriting } from '../../src/calendars/calendar-writing.ts';
import type { EventResource, LeftOutResource } from '../../src/calendars/event.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { fakeEventWriting, type WritableCalendars } from './fake-event-writing.ts';

type StoredCalendar = {
  calendar: ProviderCalendar;
  resources: Map<string, EventResource>;
  /** The version at which each resource last changed or was deleted. */
  changedAt: Map<string, number>;
};

export class FakeCalendarProvider {
  readonly kind: ProviderKind;
  readonly calendars = new Map<string, StoredCalendar>();
  /** The calls so far, in order: `list`, or `changes <href> <token>`. */
  readonly calls: string[] = [];
  /** Errors thrown by the next call whose name begins with `call`, each once. */
  readonly failures: { call: string; error: Error }[] = [];
  /** Errors thrown after the next such call has done its work, as if its response were lost; each once. */
  readonly lostAnswers: { call: string; error: Error }[] = [];
  /** The duration of every call, in milliseconds. */
  latency = 0;
  /** The highest number of concurrent calls so far. */
  mostAtOnce = 0;
  /** The reasons why resources are left out, by href. */
  readonly leftOut = new Map<string, string>();
  /** The reasons why resources cannot be read, by href. */
  readonly unreadable = new Map<string, string>();
  /** How events name the account's user; if undefined, the provider is not asked. */
  addresses: readonly string[] | undefined;
  /** Whether overrides of occurrences that a changed rule no longer has stay. */
  keepsStrays = false;
  partSize = 50;
  /** Awaited before each part is returned. */
  beforePart: (part: number) => Promise<void> = async () => {};
  #atOnce = 0;
  #version = 0;
  #oldestToken = 0;

  constructor(kind: ProviderKind = 'caldav') {
    this.kind = kind;
  }

  put(href: string, ...resources: EventResource[]): void {
    const stored = this.#find(href);
    for (const resource of resources) {
      this.#version += 1;
      stored.resources.set(resource.href, { ...resource, etag: `"${this.#version}"` });
      stored.changedAt.set(resource.href, this.#version);
    }
  }

  remove(href: string, resourceHref: string): void {
    this.#version += 1;
    const stored = this.#find(href);
    stored.resources.delete(resourceHref);
    stored.changedAt.set(resourceHref, this.#version);
  }

  addCalendar(calendar: ProviderCalendar): void {
    this.calendars.set(calendar.href, { calendar, resources: new Map(), changedAt: new Map() });
  }

  /** Makes every token issued so far unknown. */
  forgetTokens(): void {
    this.#version += 1;
    this.#oldestToken = this.#version;
    for (const stored of this.calendars.values()) {
      for (const href of stored.changedAt.keys()) {
        if (!stored.resources.has(href)) stored.changedAt.delete(href);
      }
    }
  }

  asProvider(): CalendarProvider {
    const account: CalendarAccount = {
      listCalendars: () =>
        this.#call('list', () => [...this.calendars.values()].map(({ calendar }) => calendar)),
      changesSince: (href: string, token: string | undefined) => this.#changesSince(href, token),
      writing: fakeEventWriting(this.#writable()),
      calendarWriting: this.#calendarWriting(),
    };
    const withAddresses: CalendarAccount = {
      ...account,
      userAddresses: () => this.#call('addresses', () => this.addresses ?? []),
    };
    const verify = async () => {
      throw new ProviderError('unauthorized', 'Nobody signs in here');
    };
    const takesAnyPassword = async () => false;
    return {
      kind: this.kind,
      signIn: { method: 'password', verify, takesAnyPassword },
      open: () => (this.addresses === undefined ? account : withAddresses),
    };
  }

  async *#changesSince(href: string, token: string | undefined): AsyncGenerator<Changes> {
    const stored = await this.#call(`changes ${href} ${token ?? 'all'}`, () => this.#find(href));
    const since = token === undefined ? -1 : Number(token);
    if (token !== undefined && since < this.#oldestToken) {
      throw new ProviderError('sync_token_expired', 'The token is too old');
    }
    const next = String(this.#version);
    const complete = token === undefined;
    const names = complete
      ? [...stored.resources.keys()]
      : [...stored.changedAt].filter(([, version]) => version > since).map(([name]) => name);
    for (let at = 0, part = 0; at === 0 || at < names.length; at += this.partSize, part += 1) {
      await this.beforePart(part);
      const slice = names.slice(at, at + this.partSize);
      const there = slice.flatMap((name) => stored.resources.get(name) ?? []);
      const leftOut = there.flatMap(({ href, etag }): LeftOutResource[] => {
        const [complex, unreadable] = [this.leftOut.get(href), this.unreadable.get(href)];
        if (complex !== undefined) return [{ kind: 'too_complex', href, etag, reason: complex }];
        return unreadable === undefined ? [] : [{ kind: 'unreadable', href, etag, reason: unreadable }];
      });
      const changed = there.filter(({ href }) => !leftOut.some((left) => left.href === href));
      const removed = slice.filter((name) => !stored.resources.has(name));
      const last = at + this.partSize >= names.length;
      yield { changed, leftOut, removed, complete, ...(last ? { next } : {}) };
    }
  }

  /** Returns the resources of a calendar as the provider has them. */
  resourcesOf(href: string): EventResource[] {
    return [...this.#find(href).resources.values()];
  }

  #calendarWriting(): CalendarWriting {
    return {
      create: ({ title, color, description, timeZone = 'UTC' }, key) =>
        this.#call(`make ${title}`, () => {
          const href = `/made/${key}/`;
          const details = { ...(color && { color }), ...(description && { description }) };
          if (!this.calendars.has(href))
            this.addCalendar({ href, title, ...details, timeZone, access: 'write', original: {} });
          return href;
        }),
      change: (href, change) =>
        this.#call(`change ${href}`, () => {
          const stored = this.#find(href);
          const { description, color, ...others } = { ...stored.calendar, ...change };
          stored.calendar = { ...others, ...(description && { description }), ...(color && { color }) };
        }),
      delete: (href) =>
        this.#call(`drop ${href}`, () => {
          this.calendars.delete(href);
        }),
    };
  }

  #writable(): WritableCalendars {
    return {
      resource: (calendarHref, href) => this.#find(calendarHref).resources.get(href),
      put: (calendarHref, resource) => {
        this.put(calendarHref, resource);
        return this.#find(calendarHref).resources.get(resource.href) ?? resource;
      },
      remove: (calendarHref, href) => this.remove(calendarHref, href),
      keepsStrays: () => this.keepsStrays,
      run: (name, work) => this.#call(name, work),
    };
  }

  #find(href: string): StoredCalendar {
    const stored = this.calendars.get(href);
    if (stored === undefined) throw new ProviderError('not_found', 'There is no such calendar');
    return stored;
  }

  async #call<T>(name: string, answer: () => T): Promise<T> {
    this.calls.push(name);
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      if (this.latency > 0) await sleep(this.latency);
      const failing = this.failures.findIndex(({ call }) => name.startsWith(call));
      if (failing >= 0) throw this.failures.splice(failing, 1)[0]?.error;
      const answered = answer();
      const losing = this.lostAnswers.findIndex(({ call }) => name.startsWith(call));
      if (losing >= 0) throw this.lostAnswers.splice(losing, 1)[0]?.error;
      return answered;
    } finally {
      this.#atOnce -= 1;
    }
  }
}
