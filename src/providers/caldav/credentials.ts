/** The stored credentials of a connected CalDAV account; sealed at rest. */
import type { ProviderCredentials } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';

export type CalDavCredentials = {
  readonly username: string;
  readonly password: string;
  readonly principal: string;
  readonly homes: readonly string[];
  /** The only origins that ever get the password. */
  readonly origins: readonly string[];
};

/** Parses stored credentials. Fails as `unauthorized` if they are invalid: reconnecting the account fixes that. */
export function readCredentials(credentials: ProviderCredentials): CalDavCredentials {
  const { username, password, principal, homes, origins } = credentials;
  if (
    typeof username === 'string' &&
    typeof password === 'string' &&
    typeof principal === 'string' &&
    URL.canParse(principal) &&
    isTexts(homes) &&
    homes.every((home) => URL.canParse(home)) &&
    isTexts(origins)
  )
    return { username, password, principal, homes, origins };
  throw new ProviderError('unauthorized', 'The stored credentials cannot be read');
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');
