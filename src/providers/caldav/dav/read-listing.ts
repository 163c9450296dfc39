/** Reads the response to a listing of a collection. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { toDavBody } from './dav-body.ts';
import { type DavSession, toDavError } from './dav-client.ts';
import { LISTING, type Listed } from './listed-object.ts';
import type { Multistatus } from './multistatus.ts';

/** More than any calendar has. The size limit of a response allows no more either. */
const MOST_LISTED = 150_000;

/** Returns all responses of a listing. Fails unless the status is 207, and as LISTING does. */
export async function readListing(
  { reading }: DavSession,
  answer: EgressResponse,
  collection: URL,
): Promise<Multistatus<Listed>> {
  if (answer.status !== 207) throw toDavError(answer);
  const responses: Listed[] = [];
  let syncToken: string | undefined;
  for await (const part of reading.parts(LISTING, { body: toDavBody(answer), collection: collection.href })) {
    for (const listed of part.listed) responses.push(listed);
    if (responses.length > MOST_LISTED)
      throw new ProviderError('too_large', `The calendar lists more than ${MOST_LISTED} objects`);
    syncToken = part.syncToken;
  }
  return { responses, syncToken };
}
