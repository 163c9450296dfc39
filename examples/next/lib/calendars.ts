/** The client of this application, and the calendars of its users. */
import { type Kalends, kalends, type UserCalendars } from '@kalends/client';

import { storage } from './storage';

/** Next.js may load this module more than once: what is to be there once for the process is kept here. */
const kept = globalThis as typeof globalThis & {
  calendars?: Kalends;
  users?: Map<string, UserCalendars>;
};

/** The process's one client. The environment is read when it is first asked for, which no build does. */
export function calendars(): Kalends {
  const { PORT = '3000', ...env } = process.env;
  kept.calendars ??= kalends({
    url: env.KALENDS_URL ?? '',
    clientId: env.KALENDS_CLIENT_ID ?? '',
    clientSecret: env.KALENDS_CLIENT_SECRET ?? '',
    redirectUri: `http://localhost:${PORT}/callback`,
    webhookSecret: env.KALENDS_WEBHOOK_SECRET,
  });
  return kept.calendars;
}

/** One object for each user, so that requests that run at the same time share one refresh. */
export function calendarsOf(userId: string): UserCalendars {
  kept.users ??= new Map();
  const user =
    kept.users.get(userId) ??
    calendars().user({
      load: () => storage().tokensOf(userId),
      save: (tokens) => storage().saveTokens(userId, tokens),
    });
  kept.users.set(userId, user);
  return user;
}

/** Drops the object of a user, whose tokens are then loaded again. */
export function forgetCalendars(userId: string): void {
  kept.users?.delete(userId);
}
