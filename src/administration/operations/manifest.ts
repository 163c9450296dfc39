/** Reads the parts of a manifest, and finds the objects that its entries name. */
import { asObject, type Field, type Members, SENTENCES, type Table } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { unknownProblem } from './operation.ts';

/** Notes a problem of a manifest. `path` is such as `applications.Tideline.theme`. */
export type Report = (path: string, problem: string) => void;

/** A part of a manifest: its path and its members. */
export type Part = { readonly path: string; readonly fields: Members };

/** Returns the path of a member, such as `endpoints["https://app.example/hook"]`. */
export function pathOf(parent: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

/**
 * Returns the given fields as a request can have them. Null becomes the value that removes a field. Reports everything
 * that `table` does not allow.
 */
export function readPart(
  path: string,
  part: unknown,
  { table, report }: { readonly table: Table; readonly report: Report },
): Part {
  const given = asObject(part ?? {});
  if (given === undefined) report(path, SENTENCES.noObject);
  const fields = Object.entries(given ?? {}).flatMap(([name, sent]) => {
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    const value = sent ?? (row && removalOf(row));
    let problem = row === undefined ? unknownProblem(name, Object.keys(table)) : 'cannot be removed';
    let inner = '';
    if (value !== undefined) problem = row === undefined ? problem : 'must not be empty';
    const input = row?.read(value, (sentence, place = '') => {
      [problem, inner] = [sentence, place];
    });
    // Words are read in any case. Objects and lists are compared and sent as they are.
    if (input !== undefined) return [[name, typeof input === 'object' ? value : input]];
    report(pathOf(path, name) + inner, problem);
    return [];
  });
  return { path, fields: Object.fromEntries(fields) };
}

/** Returns the value with which a request removes a field, undefined if it cannot. */
const removalOf = (field: Field<unknown>): unknown =>
  ['', []].find((value) => field.read(value, () => undefined) !== undefined);

/** Returns the members that have the name of a member of the table. */
export const pick = (given: Members, table: Members): Members =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in table));

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns the result of a check for invalid values. Reports their problem as that of `path`. */
export async function check<T>(
  path: string,
  run: () => T | Promise<T>,
  report: Report,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (reason) {
    if (!(reason instanceof ApiError)) throw reason;
    report(path, `is not valid: ${reason.message}`);
    return undefined;
  }
}

/** `before` and `after` are absent for a secret. */
export type Change = { readonly field: string; readonly before?: unknown; readonly after?: unknown };

/** Returns the fields that differ from those of the document. A new object has none. */
export function differences(fields: Members, document: Members | undefined): Change[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const [before, after] = [document?.[field], value].map((one) => (isEmpty(one) ? null : one));
    // Fields that a document does not have, such as `share_address`, are no settings.
    const isSetting = document === undefined || field in document;
    if (!isSetting || comparable(field, before) === comparable(field, after)) return [];
    return [field === 'client_secret' ? { field } : { field, before, after }];
  });
}

const isEmpty = (value: unknown): boolean =>
  value === '' || value === undefined || (Array.isArray(value) && value.length === 0);

/** Only redirect URIs have an order. */
const comparable = (field: string, value: unknown): string =>
  JSON.stringify(Array.isArray(value) && field !== 'redirect_uris' ? [...new Set(value)].sort() : value);

/** An existing object. `name` is the name by which a manifest without its id means it. */
export type Item = { readonly id: string; readonly name: string };

export type Entry = Part & { readonly key: string; readonly name: string };

type Section<I> = {
  readonly table: Table;
  readonly items: readonly I[];
  readonly readName: (key: string, fields: Members) => string;
  /** The field with the id of an object. */
  readonly idField: string;
  readonly report: Report;
};

/** Returns the entries of a section, each with the item of its id or name, and the items that no entry names. */
export function readSection<I extends Item>(
  parent: string,
  section: unknown,
  { table, items, readName, idField, report }: Section<I>,
): { readonly pairs: readonly (readonly [Entry, I | undefined])[]; readonly rest: readonly I[] } {
  if (asObject(section ?? {}) === undefined) report(parent, SENTENCES.noObject);
  const entries = Object.entries(asObject(section) ?? {}).map(([key, entry]): Entry => {
    const part = readPart(pathOf(parent, key), entry, { table, report });
    return { ...part, key, name: readName(key, part.fields) };
  });
  const idOf = ({ fields }: Entry) => asText(fields[idField]);
  // Each lookup is by key: a manifest can have thousands of entries.
  const itemsById = new Map(items.map((item) => [item.id, item]));
  const entriesById = Map.groupBy(entries, idOf);
  const withoutId = items.filter(({ id }) => !entriesById.has(id));
  const itemsByName = Map.groupBy(withoutId, (item) => item.name);
  const namesakes = Map.groupBy(entriesById.get(undefined) ?? [], (entry) => entry.name);
  const pairs = entries.map((entry) => {
    const { path, name } = entry;
    const id = idOf(entry);
    if (id !== undefined) {
      const item = itemsById.get(id);
      if (item === undefined) report(pathOf(path, idField), 'names no such object');
      if (entriesById.get(id)?.[0] !== entry) report(pathOf(path, idField), 'is in another entry too');
      return [entry, item] as const;
    }
    const candidates = itemsByName.get(name) ?? [];
    const choice = candidates.map((item) => item.id).join(', ');
    if (candidates.length > 1) report(path, `is ambiguous: add ${idField}, which is one of ${choice}`);
    else if (namesakes.get(name)?.length !== 1) report(path, 'is ambiguous: another entry has the same name');
    return [entry, candidates[0]] as const;
  });
  const matched = new Set(pairs.map(([, item]) => item));
  return { pairs, rest: withoutId.filter((item) => !matched.has(item)) };
}
