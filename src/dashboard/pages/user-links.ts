/**
 * Addresses of a user's pages. The id is in the query, where it can be anything. For who may not read it, it is sealed: a
 * masked name with the name in its link would be no mask.
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
  | 'user/export'
  | 'user/delete';

export type UserLinkDeps = { readonly userReferenceKey: Buffer };
type Reader = Pick<Person, 'role'>;
type OfUser = { readonly clientId: string; readonly userId: string };

const CONTEXT = 'a user of ';

/** What names the user in the query. */
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

/** The user that a query or form names: by `ref`, else by `id`. Undefined for one that was not sealed here. */
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

/** Where the next page of a list begins, for its address: sealed, since it names somebody. */
export const sealedPlace = (place: object, { userReferenceKey }: UserLinkDeps): string =>
  sealWith(userReferenceKey, JSON.stringify(place), PLACE);

/** The place that was sealed here; undefined for anything else, which is the first page. */
export function referredPlace<Place>(sealed: string, { userReferenceKey }: UserLinkDeps): Place | undefined {
  if (sealed === '') return undefined;
  try {
    return JSON.parse(openWith(userReferenceKey, sealed, PLACE)) as Place; // Only `sealedPlace` makes what opens.
  } catch {
    return undefined;
  }
}
