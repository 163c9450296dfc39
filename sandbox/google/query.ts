/** Query parameters and bodies of API requests, refused as Google refuses them. */
import { type FaultEffect, hasEffect } from '../core/faults.ts';
import { isJsonObject, type JsonObject } from '../core/json-object.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { rfc3339, zoneNamed } from './event-times.ts';

const invalid = (name: string, value: string) =>
  new SandboxRefusal(400, 'invalidParameter', `Invalid value '${value}' for the parameter ${name}.`);

export function flag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (value !== 'true' && value !== 'false') throw invalid(name, value);
  return value === 'true';
}

/** A number of entries from 1; more than `most` is taken as `most`. */
export function pageSize(query: URLSearchParams, usual: number, most: number): number {
  const value = query.get('maxResults');
  if (value === null || value === '') return usual;
  if (!/^\d{1,9}$/.test(value) || Number(value) < 1) throw invalid('maxResults', value);
  return Math.min(Number(value), most);
}

/** `maxAttendees`; no limit when absent. */
export function guestLimit(query: URLSearchParams): number {
  const value = query.get('maxAttendees');
  if (value === null || value === '') return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(value) || Number(value) < 1) throw invalid('maxAttendees', value);
  return Number(value);
}

/** The parameters that have to be the same on every page, as text. */
export function parametersOf(query: URLSearchParams): string {
  const parameters = [...query].filter(([name]) => name !== 'pageToken' && name !== 'maxResults');
  return new URLSearchParams(parameters.sort()).toString();
}

/** A page as the faults of its request have it: its items twice, or in another order. */
export function withFaults<T>(items: readonly T[], effects: readonly FaultEffect[]): T[] {
  const repeated = hasEffect(effects, 'duplicate') ? [...items, ...items] : [...items];
  return hasEffect(effects, 'reorder') ? repeated.reverse() : repeated;
}

/** Epoch milliseconds of a time whose offset is mandatory. */
export function instant(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  const time = rfc3339(value);
  // Google answers no more than this to a time without an offset.
  if (time === undefined) throw new SandboxRefusal(400, 'badRequest', 'Bad Request');
  return time;
}

export function zone(query: URLSearchParams, usual: string): string {
  const value = query.get('timeZone');
  return value === null || value === '' ? usual : zoneNamed(value, 'response');
}

/** The body as a JSON object. The caller types it by Google's published type: members are checked where used. */
export function jsonBody(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SandboxRefusal(400, 'parseError', 'Parse Error');
  }
  if (isJsonObject(value)) return value;
  throw new SandboxRefusal(400, 'parseError', 'This API does not support parsing this form of input.');
}
