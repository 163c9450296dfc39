/** Returns the permissions that Kalends requests from Google and Microsoft, for the guide to registering apps. */
import type { RequestedScope } from '../system/provider-setup.ts';

export const requestedScope: RequestedScope = async (kind, { google, microsoft }) => {
  if (kind === 'microsoft')
    return (await import('../providers/microsoft/scopes.ts')).requestedScope(microsoft.asksForShared);
  return (await import('../providers/google/scopes.ts')).requestedScope(google.asksForCalendars);
};
