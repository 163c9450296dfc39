/** Parses the text filters for a list of requests. */
import type { RequestFilter } from './request-log.ts';

/** A status such as 429, or a class such as 4xx; undefined for what is neither. */
export function parseStatus(text: string): Pick<RequestFilter, 'status' | 'statusClass'> | undefined {
  const [, first, rest] = /^([1-5])(xx|\d\d)$/i.exec(text) ?? [];
  if (first === undefined || rest === undefined) return undefined;
  return /^\d/.test(rest) ? { status: Number(text) } : { statusClass: Number(first) };
}
