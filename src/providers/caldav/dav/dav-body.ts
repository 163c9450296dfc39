/** The body of an answer as plain data, so that a thread can be given it. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { decodeICalendar } from '../../../lib/icalendar/content-line.ts';

export type DavBody = { readonly bytes: Uint8Array; readonly charset: string };

/** The body with its character set: UTF-8 unless the server says otherwise. */
export function bodyOf(answer: EgressResponse): DavBody {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(answer.header('content-type') ?? '') ?? [];
  return { bytes: answer.body, charset };
}

/** The body as text. Fails as `invalid_response` for a character set that nobody knows. */
export function textOfBody({ bytes, charset }: DavBody): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (cause) {
    throw new ProviderError('invalid_response', 'The server answers in an unknown character set', { cause });
  }
}

/** A body that is iCalendar as text: lines can be folded in the middle of a character. Fails as textOfBody does. */
export const calendarTextOf = (body: DavBody): string =>
  /^utf-?8$/i.test(body.charset) ? decodeICalendar(body.bytes) : textOfBody(body);
