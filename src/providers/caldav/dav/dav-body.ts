/** Response bodies as plain data, so that they can pass to a thread. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { decodeICalendar } from '../../../lib/icalendar/content-line.ts';

export type DavBody = { readonly bytes: Uint8Array; readonly charset: string };

/** Returns the body with its character set: UTF-8 unless the server states another one. */
export function toDavBody(answer: EgressResponse): DavBody {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(answer.header('content-type') ?? '') ?? [];
  return { bytes: answer.body, charset };
}

/** Decodes the body. Fails as `invalid_response` for an unknown character set. */
export function decodeBody({ bytes, charset }: DavBody): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (cause) {
    throw new ProviderError('invalid_response', 'The server responds in an unknown character set', { cause });
  }
}

/** Decodes iCalendar, whose lines can be folded within a character. Fails for an unknown character set. */
export const decodeCalendar = (body: DavBody): string =>
  /^utf-?8$/i.test(body.charset) ? decodeICalendar(body.bytes) : decodeBody(body);
