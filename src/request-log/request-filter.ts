import type { RequestFilter } from './request-log.ts';

/** Parses a status such as 429, or a class such as 4xx; otherwise returns undefined. */
export function parseStatus(text: string): Pick<RequestFilter, 'status' | 'statusClass'> | undefined {
  const [, first, rest] = /^([1-5])(xx|\d\d)$/i.exec(text) ?? [];
  if (first === undefined || rest === undefined) return undefined;
  return /^\d/.test(rest) ? { status: Number(text) } : { statusClass: Number(first) };
}
