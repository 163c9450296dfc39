/** A calendar collection (RFC 4791 §4.2) in memory: its objects by name, and what changed when (RFC 6578). */
import { randomBytes } from 'node:crypto';

export type CalendarObject = {
  /** The last segment of its href, decoded. */
  readonly name: string;
  readonly uid: string;
  readonly icalendar: string;
  /** The etag, with its quotes. */
  readonly etag: string;
  /**
   * The schedule tag of RFC 6638 §3.2.10, with its quotes: like the etag, but a guest's response does not change it.
   */
  readonly scheduleTag: string;
};

export type CollectionChanges = {
  readonly changed: readonly CalendarObject[];
  /** The names of removed objects. */
  readonly removed: readonly string[];
  readonly syncToken: string;
  /** True if there are more changes: ask again with the token. */
  readonly truncated: boolean;
};

/** An object as of `revision`; without an object, it was removed then. */
type Member = { readonly revision: number; readonly object: CalendarObject | undefined };

/** A whole collection, as structured data. */
export type CollectionState = {
  readonly name: string;
  readonly components: readonly string[];
  readonly readOnly: boolean;
  readonly properties: Map<string, string>;
  readonly members: readonly (readonly [name: string, member: Member])[];
  readonly revision: number;
  readonly epoch: string;
};

export class CalendarCollection {
  /** The last segment of its href, decoded. */
  readonly name: string;
  /** The components that it accepts: `VEVENT`, `VTODO`. */
  readonly components: readonly string[];
  readonly readOnly: boolean;
  /** The properties that clients set: the inner XML of each by its Clark name. */
  readonly properties: Map<string, string>;
  /** In the order of their revisions. */
  readonly #members = new Map<string, Member>();
  readonly #namesOfUids = new Map<string, string>();
  #revision = 0;
  /** Draws the tag after a change, if the tag is not exact. */
  readonly #newTag: (() => string) | undefined;
  #tag: string | undefined;
  #epoch = newEpoch();

  constructor(options: {
    name: string;
    components: readonly string[];
    readOnly: boolean;
    properties: ReadonlyMap<string, string>;
    newTag?: (() => string) | undefined;
  }) {
    this.name = options.name;
    this.components = options.components;
    this.readOnly = options.readOnly;
    this.properties = new Map(options.properties);
    this.#newTag = options.newTag;
    this.#tag = this.#newTag?.();
  }

  /** Restores a collection from its state. */
  static of(state: CollectionState): CalendarCollection {
    const collection = new CalendarCollection(state);
    for (const [name, member] of state.members) {
      collection.#members.set(name, member);
      if (member.object !== undefined) collection.#namesOfUids.set(member.object.uid, name);
    }
    collection.#revision = state.revision;
    collection.#epoch = state.epoch;
    return collection;
  }

  state(): CollectionState {
    const { name, components, readOnly, properties } = this;
    const members = [...this.#members];
    return { name, components, readOnly, properties, members, revision: this.#revision, epoch: this.#epoch };
  }

  object(name: string): CalendarObject | undefined {
    return this.#members.get(name)?.object;
  }

  /** The object with this UID. */
  objectOfUid(uid: string): CalendarObject | undefined {
    return this.object(this.#namesOfUids.get(uid) ?? '');
  }

  objects(): CalendarObject[] {
    return [...this.#members.values()].flatMap(({ object }) => object ?? []);
  }

  /** Creates or replaces an object. */
  put(name: string, uid: string, icalendar: string): CalendarObject {
    const before = this.object(name);
    if (before !== undefined) this.#namesOfUids.delete(before.uid);
    this.#namesOfUids.set(uid, name);
    const object: CalendarObject = { name, uid, icalendar, etag: newEtag(), scheduleTag: newEtag() };
    this.#change(name, object);
    return object;
  }

  /** Replaces an object by one that also has the responses of guests: its schedule tag stays. */
  putAnswered(before: CalendarObject, icalendar: string): void {
    this.#change(before.name, { ...before, icalendar, etag: newEtag() });
  }

  remove(name: string): void {
    const before = this.object(name);
    if (before === undefined) return;
    this.#namesOfUids.delete(before.uid);
    this.#change(name, undefined);
  }

  #change(name: string, object: CalendarObject | undefined): void {
    this.#revision += 1;
    this.#members.delete(name);
    this.#members.set(name, { revision: this.#revision, object });
    this.#tag = this.#newTag?.();
  }

  /** An absolute URI, as RFC 6578 §4 wants it. */
  get syncToken(): string {
    return this.#tokenOf(this.#revision);
  }

  /** The collection's tag: different after every change, unless its server draws tags. */
  get ctag(): string {
    return this.#tag ?? `${this.#epoch}-${this.#revision}`;
  }

  /** The sync token as listings of calendars show it: as coarse as the tag. */
  get shownToken(): string {
    return this.#tag === undefined ? this.syncToken : `${TOKENS}${this.#tag}`;
  }

  /** Makes all sync tokens so far unknown. */
  forgetSyncTokens(): void {
    this.#epoch = newEpoch();
  }

  /**
   * Returns at most `most` changes since the token, or all objects for `''`. Returns `undefined` for an unknown token.
   */
  changesSince(syncToken: string, most: number): CollectionChanges | undefined {
    const since = syncToken === '' ? 0 : this.#revisionOf(syncToken);
    if (since === undefined) return undefined;
    const changed: CalendarObject[] = [];
    const removed: string[] = [];
    let last = since;
    for (const [name, { revision, object }] of this.#members) {
      if (revision <= since || (since === 0 && object === undefined)) continue;
      if (changed.length + removed.length === most)
        return { changed, removed, syncToken: this.#tokenOf(last), truncated: true };
      if (object === undefined) removed.push(name);
      else changed.push(object);
      last = revision;
    }
    return { changed, removed, syncToken: this.syncToken, truncated: false };
  }

  #tokenOf(revision: number): string {
    return `${TOKENS}${revision}-${this.#epoch}`;
  }

  #revisionOf(syncToken: string): number | undefined {
    const [, revision, epoch] = /^(\d{1,15})-([\da-f]+)$/.exec(syncToken.slice(TOKENS.length)) ?? [];
    const isCurrent =
      syncToken.startsWith(TOKENS) && epoch === this.#epoch && Number(revision) <= this.#revision;
    return isCurrent ? Number(revision) : undefined;
  }
}

const TOKENS = 'https://sandbox.invalid/ns/sync/';

const newEtag = (): string => `"${randomBytes(8).toString('hex')}"`;

const newEpoch = (): string => randomBytes(6).toString('hex');
