/** The changes that streams have still to deliver (StreamStore.pendingChanges). */
import { byBytes } from '../../lib/byte-order.ts';
import type { PendingChange } from '../../webhooks/message.ts';
import type { StreamStore } from '../../webhooks/stream-store.ts';
import type { BatchStatement, Database, Dialect } from '../drivers/database.ts';

type ChangeRow = Omit<PendingChange, 'createdOwn' | 'deleted' | 'fields' | 'was'> & {
  place: string;
  createdOwn: number;
  deleted: number;
  fields: string | undefined;
  was: string | undefined;
};

const pendingBatch = ({ byBytes: collation }: Dialect): BatchStatement => ({
  columns: { place: 'TEXT', calendarKey: 'TEXT', seq: 'BIGINT', id: 'TEXT', most: 'BIGINT' },
  sql: ({ value, fromEach }) => `
    SELECT ${value('place')} AS place, c.event_id AS id, c.seq, c.created_seq,
           c.created_own, c.foreign_seq, c.deleted, c.noted_at, c.fields, c.was
      ${fromEach(
        `SELECT * FROM event_change h
          WHERE h.calendar_key = ${value('calendarKey')} AND h.seq >= ${value('seq')}
            AND (h.seq > ${value('seq')} OR h.event_id ${collation} > ${value('id')})
          ORDER BY h.seq, h.event_id ${collation} LIMIT ${value('most')}`,
        'c',
      )}`,
  key: 'place',
  writes: false,
  plan: 'once',
});

/** Reads the changes behind the positions of several streams at once. */
export function pendingChanges(db: Database): StreamStore['pendingChanges'] {
  const pending = pendingBatch(db.dialect);
  return async ({ calendarKey, told }, limit) => {
    const { seq, id = null } = told;
    const place = `${calendarKey} ${seq} ${id ?? ''}`;
    const rows = await db.batchAll<ChangeRow>(pending, { place, calendarKey, seq, id, most: limit });
    return rows
      .map(({ place: _, createdOwn, deleted, fields, was, ...row }) => ({
        ...row,
        createdOwn: createdOwn === 1,
        deleted: deleted === 1,
        // Both were written by change-journal.ts.
        fields: JSON.parse(fields ?? '{}'),
        was: was === undefined ? undefined : JSON.parse(was),
      }))
      .sort((a, b) => a.seq - b.seq || byBytes(a.id, b.id));
  };
}
