/** The URLs that receive providers' push notifications. */
import type { ProviderKind } from '../calendars/provider-facts.ts';

/**
 * Returns the receiver's URL by provider. Google and Microsoft send notifications only to https addresses; a sandbox at
 * a plain http address sends them to http too.
 */
export function receiverUrls(settings: {
  readonly url: string;
  readonly google: { readonly apiUrl: string };
  readonly microsoft: { readonly apiUrl: string };
}): (provider: ProviderKind) => string | undefined {
  const { url } = settings;
  return (provider) => {
    if (provider !== 'google' && provider !== 'microsoft') return undefined;
    const isReachable = url.startsWith('https:') || settings[provider].apiUrl.startsWith('http:');
    return isReachable ? `${url}/api/webhook-receiver/${provider}` : undefined;
  };
}
