/** Pages of a collection as OData has them, with what a fault does to their members. */
import { type FaultEffect, hasEffect } from '../core/faults.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { unsupportedQuery } from './graph-error.ts';
import type { GraphCall } from './graph-request.ts';

/** No source confirms it. */
const DEFAULT_SIZE = 10;
/** Graph's own bound for events. */
const LARGEST_SIZE = 1000;

/**
 * The page of `items` that `$top` and `$skip` name, and the link to the next one: the same address, further on. Items that
 * come or go meanwhile shift the pages, as they do at Graph.
 */
export function pageOf<T>(
  items: readonly T[],
  { request, prefer, view, effects }: GraphCall,
): { readonly items: readonly T[]; readonly nextLink: string | undefined } {
  const { searchParams } = request.url;
  const size = count(searchParams, '$top') ?? Math.min(prefer.maxPageSize ?? DEFAULT_SIZE, LARGEST_SIZE);
  if (size > LARGEST_SIZE || size === 0) {
    throw new SandboxRefusal(
      400,
      'ErrorInvalidParameter',
      `The value of $top must be between 1 and ${LARGEST_SIZE}.`,
    );
  }
  const skip = count(searchParams, '$skip') ?? 0;
  const next = new URL(request.url.pathname + request.url.search, view.origin);
  next.searchParams.set('$top', String(size));
  next.searchParams.set('$skip', String(skip + size));
  const more = skip + size < items.length;
  return {
    items: withFaults(items.slice(skip, skip + size), effects),
    nextLink: more ? next.href : undefined,
  };
}

function count(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,6}$/.test(text))
    throw new SandboxRefusal(400, 'BadRequest', `Invalid value '${text}' for ${name}.`);
  return Number(text);
}

/** Members in another order, or one of them twice. */
export function withFaults<T>(items: readonly T[], effects: readonly FaultEffect[]): readonly T[] {
  const ordered = hasEffect(effects, 'reorder') ? [...items].reverse() : items;
  return hasEffect(effects, 'duplicate') ? [...ordered.slice(0, 1), ...ordered] : ordered;
}

/** Answered only when `$select` names them; users report that of `originalStart`, the others are documented. */
const ON_SELECT = ['cancelledOccurrences', 'occurrenceId', 'originalStart'];

/** Only the members that `$select` names, the id and annotations beside them; without one, what is shown by default. */
export function selected<T extends object>(item: T, parameters: URLSearchParams): Partial<T> {
  const names = parameters
    .get('$select')
    ?.split(',')
    .map((name) => name.trim());
  const isSelected = (name: string) =>
    names === undefined
      ? !ON_SELECT.includes(name)
      : name === 'id' || name.includes('@') || names.includes(name);
  // Some of the entries of a T, unchanged.
  return Object.fromEntries(Object.entries(item).filter(([name]) => isSelected(name))) as Partial<T>;
}

/** Refuses the query options that an operation does not support. */
export function allowOnly(parameters: URLSearchParams, allowed: readonly string[]): void {
  for (const name of parameters.keys()) {
    if (name.startsWith('$') && !allowed.includes(name)) throw unsupportedQuery(name);
  }
}
