/** Where providers are told to tell of changes. */
import type { ProviderKind } from '../calendars/provider-facts.ts';

export type ReceiverSettings = {
  /** The instance's public origin. */
  readonly url: string;
  readonly google: { readonly apiUrl: string };
  readonly microsoft: { readonly apiUrl: string };
};

/**
 * Google and Microsoft tell https addresses only; one that is itself at a plain http address, as a sandbox is, tells those
 * as well. Apple and CalDAV tell of nothing.
 */
export function receiverUrls(settings: ReceiverSettings): (provider: ProviderKind) => string | undefined {
  const { url } = settings;
  return (provider) => {
    if (provider !== 'google' && provider !== 'microsoft') return undefined;
    const isTold = url.startsWith('https:') || settings[provider].apiUrl.startsWith('http:');
    return isTold ? `${url}/api/webhook-receiver/${provider}` : undefined;
  };
}
