/** What Kalends asks Google and Microsoft for, as their adapters have it: for the guide that says what to register. */
import type { RequestedScope } from '../cli/command.ts';

export const requestedScope: RequestedScope = async (kind, { google, microsoft }) => {
  if (kind === 'microsoft')
    return (await import('../providers/microsoft/scopes.ts')).requestedScope(microsoft.asksForShared);
  return (await import('../providers/google/scopes.ts')).requestedScope(google.asksForCalendars);
};
