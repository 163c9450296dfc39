/**
 * Addresses of a user's pages. The id is in the query, where it may contain any character. It is sealed for members who
 * may not read user names: otherwise the link would reveal the masked name.
 */
import { openWith, sealWith } from '../../lib/sealing.ts';
import { mayRole } from '../../people/permission.ts';
import type { Person } from '../../people/person.ts';
import { applicationPath } from './applications.page.ts';

/** The pages and forms about one user, behind the application's path. */
export type UserPath =
  | 'user'
  | 'user/account'
  | 'user/sync'
  | 'user/revoke'
  | 'user/disconnect'
  | 'user/reconnect-link'
  | 'user/export'
  | 'user/delete';

export type UserLinkDeps = { readonly userReferenceKey: Buffer };
type Reader = Pick<Person, 'role'>;
type OfUser = { readonly clientId: string; readonly userId: string };

const CONTEXT = 'a user of ';

/** Returns the query parameter that identifies the user. */
export function userReference(
  { clientId, userId }: OfUser,
  reader: Reader,
  { userReferenceKey }: UserLinkDeps,
): Readonly<Record<string, string>> {
  if (mayRole(reader.role, 'user.name')) return { id: userId };
  return { ref: sealWith(userReferenceKey, userId, CONTEXT + clientId) };
}

/** The page about the user, with what else is in its query. */
export const userLink = (
  path: UserPath,
  of: OfUser,
  {
    reader,
    more = {},
    ...deps
  }: UserLinkDeps & {
    readonly reader: Reader;
    readonly more?: Readonly<Record<string, string>>;
  },
): string =>
  `${applicationPath(of.clientId)}/${path}?${new URLSearchParams({ ...userReference(of, reader, deps), ...more })}`;

/** Returns the user that a query or form identifies by `ref`, else by `id`. Undefined if `ref` was not sealed here. */
export function referredUser(
  clientId: string,
  { id, ref }: { readonly id: string; readonly ref: string },
  { userReferenceKey }: UserLinkDeps,
): string | undefined {
  if (ref === '') return id;
  try {
    return openWith(userReferenceKey, ref, CONTEXT + clientId);
  } catch {
    return undefined;
  }
}

const PLACE = 'a place in a list';

/** Seals the position of a list's next page for its address, because it contains a user's name. */
export const sealedPlace = (place: object, { userReferenceKey }: UserLinkDeps): string =>
  sealWith(userReferenceKey, JSON.stringify(place), PLACE);

/** Opens a position that was sealed here. Undefined for anything else, which means the first page. */
export function referredPlace<Place>(sealed: string, { userReferenceKey }: UserLinkDeps): Place | undefined {
  if (sealed === '') return undefined;
  try {
    return JSON.parse(openWith(userReferenceKey, sealed, PLACE)) as Place; // Only `sealedPlace` makes what opens.
  } catch {
    return undefined;
  }
}
