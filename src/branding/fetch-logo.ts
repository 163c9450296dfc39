/** Fetches a logo from an address, once, when it is set. */
import { ApiError } from '../http/refusal.ts';
import type { Egress, EgressRequest } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import { SETTINGS } from './settings-error.ts';

/** See docs/wire.md 5.3. */
const MOST_FETCHED_BYTES = 2 * 1024 * 1024;
const SECONDS = 15;

type LogoAddress = Pick<EgressRequest, 'url' | 'publicOnly'>;

/** Returns the response body, whatever its type. Throws ApiError 400 with a sentence about `name`, such as "logo". */
export async function fetchLogo(
  from: LogoAddress,
  name: string,
  egress: Pick<Egress, 'request'>,
): Promise<Uint8Array> {
  const refusal = (why: string, cause?: unknown) =>
    new ApiError(SETTINGS.invalid_client_metadata, {
      message: `The ${name} cannot be fetched: ${why}`,
      cause,
    });
  const headers = { accept: 'image/svg+xml,image/webp,image/png,image/jpeg' };
  const limits = { timeoutMs: SECONDS * 1000, maxBytes: MOST_FETCHED_BYTES };
  try {
    const { status, body } = await egress.request({ method: 'GET', ...from, headers, ...limits });
    if (status !== 200) throw refusal(`its URL returns status ${status}`);
    return body;
  } catch (reason) {
    if (!(reason instanceof EgressError)) throw reason;
    throw refusal(
      reason.kind === 'too_large' ? 'it is larger than 2 MB' : lowerFirst(reason.message),
      reason,
    );
  }
}

/** Prepares the end of a sentence. A host name at the start is in lower case already. */
const lowerFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);
