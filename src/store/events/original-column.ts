/** A provider's own object as answers have it: none where it takes more than LONGEST_ORIGINAL (docs/wire.md 2.5). */
import { LONGEST_ORIGINAL } from '../../calendars/mirrored-event.ts';

/**
 * The column as `original`, null where it is too long or `asked` is 0; a long one is not even read, and of a
 * calendar's nothing is kept but an empty text.
 */
export const originalColumn = (column: string, asked: string): string =>
  `CASE WHEN ${asked} = 1 AND octet_length(${column}) BETWEEN 1 AND ${LONGEST_ORIGINAL} THEN ${column} END AS original`;

/** How many bytes of an answer the column takes. */
export const originalSize = (column: string): string =>
  `CASE WHEN octet_length(${column}) <= ${LONGEST_ORIGINAL} THEN octet_length(${column}) ELSE 0 END`;

/** Whether a row of the mirror has an object of its own, shown or not. */
export const hasOriginal = (alias = ''): string =>
  `CASE WHEN ${alias}original IS NULL AND ${alias}original_digest IS NULL THEN 0 ELSE 1 END`;

/** As originalColumn with `:originals`; what has none of its own shows an empty object. */
export const originalOrEmpty = (alias = ''): string =>
  `CASE WHEN ${alias}original IS NULL AND ${alias}original_digest IS NULL THEN '{}'
        WHEN :originals = 1 AND octet_length(${alias}original) <= ${LONGEST_ORIGINAL} THEN ${alias}original
    END AS original`;
