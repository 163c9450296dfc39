import type { RequestFilter } from './request-log.ts';

export type StatusFilter = Pick<RequestFilter, 'status' | 'statusClass' | 'isError'>;

/** Parses a status such as 429, a class such as 4xx, `errors` or `all`; otherwise returns undefined. */
export function parseStatus(text: string): StatusFilter | undefined {
  if (text === 'all') return {};
  if (text === 'errors') return { isError: true };
  const [, first, rest] = /^([1-5])(xx|\d\d)$/i.exec(text) ?? [];
  if (first === undefined || rest === undefined) return undefined;
  return /^\d/.test(rest) ? { status: Number(text) } : { statusClass: Number(first) };
}
