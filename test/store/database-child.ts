/**
 * A process of its own on a database, for tests of several processes and of sudden ends. It takes the
 * settings as JSON, and opens the database as the program does.
 *
 *   database-child.ts open '{…}'     opens, prints what became of it as one line of JSON, closes
 *   database-child.ts write '{…}'    then writes without end, printing each id once it is acknowledged
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';

import type { Statements } from '../../src/store/drivers/database.ts';
import { openDatabase } from '../../src/store/drivers/open-database.ts';

const STREAMS = 16;

const [, , mode, text = ''] = process.argv;
const { masterKey, ...settings } = JSON.parse(text);
const key = masterKey === undefined ? undefined : Buffer.from(masterKey, 'base64');

try {
  const { db, sealer } = await openDatabase({ ...settings, masterKey: key }, Date.now);
  print({ keyId: sealer.keyId });
  if (mode === 'write') {
    const put = 'INSERT INTO setting (name, value) VALUES (:name, :value)';
    await Promise.all(
      Array.from({ length: STREAMS }, async (_, stream) => {
        for (;;) {
          const name = randomUUID();
          // Half of them in transactions of two statements, and half of these are flushed later.
          if (stream % 2) await db.write(put, { name, value: 'x' });
          else {
            const pair = async (tx: Statements) => {
              await tx.all(put, { name: `${name} first`, value: 'x' });
              await tx.all(put, { name, value: 'pair' });
            };
            await db.transaction(pair, { flush: stream % 4 ? 'later' : 'now' });
          }
          writeSync(1, `${name}\n`);
        }
      }),
    );
  }
  await db.close();
} catch (reason) {
  print({ refused: reason instanceof Error ? reason.message : String(reason) });
  process.exitCode = 1;
}

function print(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
