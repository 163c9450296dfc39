/** Errors for the log. Calendar servers put e-mail addresses of users into URLs and messages. */
import { stdSerializers } from 'pino';

const ADDRESS = /[\p{L}\p{N}.!#$'*_%+~-]{1,64}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/giu;
/** Limits each text: a server's message can be long. */
const MOST_CHARACTERS = 10_000;

/** Returns an error with stack and causes, e-mail addresses replaced. For a thrown non-Error, returns its type. */
export function loggedError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const whole = stdSerializers.err(error);
  try {
    return withoutAddresses(whole);
  } catch {
    // Its fields refer to each other, or have values that JSON lacks.
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
