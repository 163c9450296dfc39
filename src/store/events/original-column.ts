/** The provider's own object in responses. It is left out if it exceeds LONGEST_ORIGINAL (docs/wire.md 2.5). */
import { LONGEST_ORIGINAL } from '../../calendars/mirrored-event.ts';

/** Returns the column as `original`: null if it is too long, which is then not read, or if `asked` is 0. */
export const originalColumn = (column: string, asked: string): string =>
  `CASE WHEN ${asked} = 1 AND octet_length(${column}) BETWEEN 1 AND ${LONGEST_ORIGINAL} THEN ${column} END AS original`;

/** Returns the number of bytes that the column takes in a response. */
export const originalSize = (column: string): string =>
  `CASE WHEN octet_length(${column}) <= ${LONGEST_ORIGINAL} THEN octet_length(${column}) ELSE 0 END`;

/** Returns 1 if a row of the mirror has an object of its own, even one that is not shown. */
export const hasOriginal = (alias = ''): string =>
  `CASE WHEN ${alias}original IS NULL AND ${alias}original_digest IS NULL THEN 0 ELSE 1 END`;

/** Selects as originalColumn with `:originals` does. A row without an object of its own has an empty object. */
export const originalOrEmpty = (alias = ''): string =>
  `CASE WHEN ${alias}original IS NULL AND ${alias}original_digest IS NULL THEN '{}'
        WHEN :originals = 1 AND octet_length(${alias}original) <= ${LONGEST_ORIGINAL} THEN ${alias}original
    END AS original`;
