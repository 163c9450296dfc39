/** User ids of the dashboard's playground. No application's own user has this prefix. */

const PREFIX = 'playground:';

export const isPlaygroundUser = (userId: string): boolean => userId.startsWith(PREFIX);

/** Returns a test user's id; `name` is the developer's label, `random` makes it unguessable and unique. */
export const playgroundUserId = (name: string, random: string): string => `${PREFIX}${name}-${random}`;
