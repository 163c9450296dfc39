/**
 * What happens to text that no database can store: PostgreSQL refuses U+0000 (22021), and half a surrogate pair has no
 * UTF-8 form, so that another text would come back.
 */
import { randomUUID } from 'node:crypto';

import { ANY_CALL, ApiError } from '../../http/refusal.ts';

const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Equals no stored text: it is random and never written. */
const NOTHING = `matches nothing ${randomUUID()}`;

/** The text to look for. A text that cannot be stored equals nothing that is. */
export const textToFind = (text: string): string => (storable(text) ? text : NOTHING);

/** The text to write; throws 400 for one that cannot be stored. */
export function textToWrite(text: string): string {
  if (storable(text)) return text;
  throw new ApiError(ANY_CALL.unusable_text);
}
