/** User ids that the dashboard's playground alone gives out: what begins so belongs to no application's own users. */

const PREFIX = 'playground:';

/** Whether an id is one that only the playground may begin a flow with. */
export const isPlaygroundUser = (userId: string): boolean => userId.startsWith(PREFIX);

/** The id of a test user; `name` is what its developer calls it, `random` keeps it from being guessed or met again. */
export const playgroundUserId = (name: string, random: string): string => `${PREFIX}${name}-${random}`;
