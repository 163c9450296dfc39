/** Pseudonyms of users in the audit log. They identify nobody once the user is deleted. */
import { createHmac, randomBytes } from 'node:crypto';

/** 96 bits: enough to tell the users of an instance apart. */
const CHARACTERS = 16;

/** Creates a user's key, which is stored in the user's row and deleted with it. */
export const newUserKey = (): string => randomBytes(32).toString('base64url');

/** Returns the user's subject: HMAC-SHA-256 of its id under its key, shortened. */
export const userSubject = (key: string, userId: string): string =>
  `user_${createHmac('sha256', key).update(userId).digest('base64url').slice(0, CHARACTERS)}`;
