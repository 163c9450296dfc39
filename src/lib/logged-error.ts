/** Errors as the log has them. Calendar servers put their users' e-mail addresses into URLs and into what they say. */
import { stdSerializers } from 'pino';

/** As it stands in a text or in a URL. */
const ADDRESS = /[\p{L}\p{N}.!#$'*_%+~-]{1,64}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/giu;
/** What a server said can be long: so much of a text is kept. */
const MOST_CHARACTERS = 10_000;

/**
 * The error with its stack and causes, and in the place of each e-mail address a word that says so. What was thrown and
 * is no error stays away.
 */
export function loggedError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const whole = stdSerializers.err(error);
  try {
    return withoutAddresses(whole);
  } catch {
    // Its fields refer to each other, or have what JSON has not.
    const { type, message, stack } = whole;
    return withoutAddresses({ type, message, stack });
  }
}

function withoutAddresses(value: object): object {
  const text = JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'string' ? one.slice(0, MOST_CHARACTERS).replace(ADDRESS, '[e-mail address]') : one,
  );
  return JSON.parse(text);
}
