/** Everything kept about a user as one JSON document, whatever its size. */
import { instantText } from '../lib/rendered-json.ts';
import type { UserRecords } from './user-records.ts';

/** What names the document's form; it is raised when a member is taken away or changes its meaning. */
export const EXPORT_VERSION = 1;

export type ExportDeps = {
  readonly userRecords: UserRecords;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type UserToExport = { readonly clientId: string; readonly userId: string };

/**
 * The document in pieces, to be joined; each is made when it is asked for, so that no more than a page of records is in
 * memory. What changes meanwhile is shown as it was or as it became. `undefined` when there is no such user.
 */
export async function exportUser(
  { clientId, userId }: UserToExport,
  { userRecords, now }: ExportDeps,
): Promise<AsyncGenerator<string> | undefined> {
  if (!(await userRecords.beginExport(clientId, userId))) return undefined;
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
