/** How the audit log names users of applications, so that nothing says who a user was once the user is deleted. */
import { createHmac, randomBytes } from 'node:crypto';

/** 96 bits: enough that no two users of an instance are taken for each other. */
const CHARACTERS = 16;

/** A key for one user; it is kept in the user's row and deleted with it. */
export const newUserKey = (): string => randomBytes(32).toString('base64url');

/** The user's name in the log: HMAC-SHA-256 of its id under its key, shortened. */
export const userSubject = (key: string, userId: string): string =>
  `user_${createHmac('sha256', key).update(userId).digest('base64url').slice(0, CHARACTERS)}`;
