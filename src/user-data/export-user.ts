/** Exports all stored data about a user as one JSON document of any size. */
import type { By } from '../audit/audit-entry.ts';
import { instantText } from '../lib/rendered-json.ts';
import type { UserRecords } from './user-records.ts';

/** The format version. It rises when a field is removed or changes its meaning. */
export const EXPORT_VERSION = 1;

export type ExportDeps = {
  readonly userRecords: UserRecords;
  readonly now: () => number;
};

export type UserToExport = { readonly clientId: string; readonly userId: string };

/**
 * Returns the document in pieces to be joined, each created on demand, so that at most one page of records is in
 * memory. Concurrent changes are included or not. Returns `undefined` if the user does not exist.
 */
export async function exportUser(
  { clientId, userId }: UserToExport,
  { userRecords, now, by }: ExportDeps & By,
): Promise<AsyncGenerator<string> | undefined> {
  if (!(await userRecords.beginExport(clientId, userId, by))) return undefined;
  return piecesOf({ clientId, userId }, { userRecords, now });
}

async function* piecesOf({ clientId, userId }: UserToExport, deps: ExportDeps): AsyncGenerator<string> {
  const { userRecords, now } = deps;
  const head = {
    kalends_user_export: EXPORT_VERSION,
    exported_at: instantText(now()),
    client_id: clientId,
    user_id: userId,
  };
  yield JSON.stringify(head).slice(0, -1);
  for (const kind of userRecords.kinds) {
    yield `,\n${JSON.stringify(kind)}:[`;
    let isFirst = true;
    for await (const page of userRecords.pagesOf(kind, clientId, userId)) {
      if (page.length === 0) continue;
      const text = page.map((record) => JSON.stringify(record)).join(',\n');
      yield isFirst ? `\n${text}` : `,\n${text}`;
      isFirst = false;
    }
    yield ']';
  }
  yield '}\n';
}
