/** Contract tests for both drivers of the Database interface. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { BatchStatement, Database } from '../../src/store/drivers/database.ts';
import { tenTimes } from './calendar-rows.ts';

const PUT = 'INSERT INTO setting (name, value) VALUES (:name, :value)';
const NAMES = 'SELECT name AS "name" FROM setting ORDER BY name';

const PUT_BATCH: BatchStatement = {
  columns: { name: 'TEXT', value: 'TEXT' },
  sql: ({ value, from }) => `
    INSERT INTO setting (name, value) SELECT ${value('name')}, ${value('value')} ${from} WHERE 1 = 1
    RETURNING name AS "name"`,
  key: 'name',
  writes: true,
};
const PUT_PAIR: BatchStatement = {
  ...PUT_BATCH,
  followedBy: [
    ({ value, andFrom }) => `
      INSERT INTO setting (name, value) SELECT ${value('name')} || ' too', s.value FROM setting AS s${andFrom}
       WHERE s.name = ${value('name')}`,
  ],
};
const GET_BATCH: BatchStatement = {
  columns: { name: 'TEXT' },
  sql: ({ value, andFrom }) => `
    SELECT s.name AS "name", s.value AS "value" FROM setting AS s${andFrom} WHERE s.name = ${value('name')}`,
  key: 'name',
  writes: false,
};

/** Finds all names that begin with the caller's. */
const FIND_EACH: BatchStatement = {
  columns: { name: 'TEXT', most: 'BIGINT' },
  sql: ({ value, fromEach }) => `
    SELECT ${value('name')} AS "name", c.name AS "found" ${fromEach(
      `SELECT s.name FROM setting s WHERE s.name LIKE ${value('name')} || '%' ORDER BY s.name LIMIT ${value('most')}`,
      'c',
    )}`,
  key: 'name',
  writes: false,
};
/** Adds a row whose value is the name of the locked row, as long as there are fewer than three. */
const COUNT_LOCKED: BatchStatement = {
  columns: { name: 'TEXT', made: 'TEXT' },
  precededBy: [
    ({ value, from }) =>
      `UPDATE setting SET value = setting.value ${from} WHERE setting.name = ${value('name')}`,
  ],
  sql: ({ value, fromEach }) => `
    INSERT INTO setting (name, value)
    SELECT ${value('made')}, ${value('name')} ${fromEach(
      `SELECT 1 FROM setting l WHERE l.name = ${value('name')}
          AND (SELECT COUNT(*) FROM setting o WHERE o.value = ${value('name')}) < 3`,
      'free',
    )} WHERE 1 = 1 RETURNING value AS "name", name AS "made"`,
  key: 'name',
  writes: true,
};

async function namesIn(db: Database): Promise<string[]> {
  return (await db.all<{ name: string }>(NAMES)).map(({ name }) => name);
}

const failed = (results: PromiseSettledResult<unknown>[]): number[] =>
  results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []));

export function databaseContract(database: string, open: () => Promise<Database>): void {
  describe(`Writes on ${database}`, () => {
    it('writes that fail harm no other write of the same moment', async () => {
      const db = await open();
      await db.write(PUT, { name: 'n3', value: '' });

      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => db.write(PUT, { name: `n${i}`, value: '' })),
      );

      assert.deepEqual(failed(results), [3]);
      assert.equal((await namesIn(db)).length, 10);
    });

    it('writes that fail harm no other call of their batch', async () => {
      const db = await open();
      await db.write(PUT, { name: 'n3', value: '' });

      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) =>
          db.batch(PUT_BATCH, { name: i === 7 ? 'n\0' : `n${i}`, value: '' }),
        ),
      );

      assert.deepEqual(failed(results), [3, 7]);
      assert.equal((await namesIn(db)).length, 9);
    });

    for (const flush of ['now', 'later'] as const)
      it(`writes that follow one in a batch are undone with it, and harm no other call; flushed ${flush}`, async () => {
        const db = await open();
        await db.write(PUT, { name: 'n3 too', value: '' });
        const pair = { ...PUT_PAIR, flush };

        const results = await Promise.allSettled(
          Array.from({ length: 5 }, (_, i) =>
            db.batch<{ name: string }>(pair, { name: `n${i}`, value: 'v' }),
          ),
        );

        assert.deepEqual(failed(results), [3]);
        const names = results.flatMap((result) =>
          result.status === 'fulfilled' && result.value ? [result.value.name] : [],
        );
        assert.deepEqual(names, ['n0', 'n1', 'n2', 'n4']);
        const pairs = names.flatMap((name) => [name, `${name} too`]);
        assert.deepEqual(await namesIn(db), [...pairs, 'n3 too'].sort());
      });

    it('returns how many rows a change wrote, alone and in a transaction', async () => {
      const db = await open();
      const RENAME = "UPDATE setting SET value = 'new' WHERE value = :value";
      for (const name of ['a', 'b', 'c'])
        await db.change(PUT, { name, value: name === 'c' ? 'other' : 'old' });

      assert.equal(await db.change(RENAME, { value: 'none' }), 0);
      assert.equal(await db.transaction((tx) => tx.change(RENAME, { value: 'old' })), 2);
      assert.equal(await db.change('DELETE FROM setting'), 3);
    });

    it('returns rows as they are stored, under the names of their columns and with null', async () => {
      const db = await open();
      await db.change(PUT, { name: 'a', value: 'text' });
      const text = 'SELECT name AS a_name, value, NULL AS no_value FROM setting';

      assert.deepEqual(await db.storedRows(text), [{ a_name: 'a', value: 'text', no_value: null }]);
      assert.deepEqual(await db.all(text), [{ aName: 'a', value: 'text', noValue: undefined }]);
    });

    it('writes answer what their RETURNING list names', async () => {
      const db = await open();

      const rows = await db.write(`${PUT} RETURNING name AS "aName", 1 + 1 AS "two"`, {
        name: 'n',
        value: '',
      });

      assert.deepEqual(
        rows.map((row) => ({ ...(row as object) })),
        [{ aName: 'n', two: 2 }],
      );
    });
  });

  describe(`Batches that answer several rows on ${database}`, () => {
    it('batches that answer several rows give each caller its own', async () => {
      const db = await open();
      for (const name of ['a1', 'a2', 'a3', 'b1']) await db.write(PUT, { name, value: '' });

      const answers = await Promise.all(
        [['a', 2] as const, ['b', 9] as const, ['c', 9] as const].map(([name, most]) =>
          db.batchAll<{ found: string }>(FIND_EACH, { name, most }),
        ),
      );

      assert.deepEqual(
        answers.map((rows) => rows.map(({ found }) => found).sort()),
        [['a1', 'a2'], ['b1'], []],
      );
    });

    it('calls of a batch that locks first see what the ones before made of their key', async () => {
      const db = await open();
      for (const name of ['x', 'y']) await db.write(PUT, { name, value: 'lock' });

      const made = await tenTimes((i) =>
        db.batchAll<{ made: string }>(COUNT_LOCKED, { name: i % 2 === 0 ? 'x' : 'y', made: `n${i}` }),
      );

      const counts = [0, 1].map((odd) => made.filter((rows, i) => i % 2 === odd && rows.length === 1).length);
      assert.deepEqual(counts, [3, 3]);
      assert.ok(made.every((rows, i) => rows.every((row) => row.made === `n${i}`)));
    });

    it('calls of a batch that gather are run when they are enough, and otherwise after a while', async () => {
      const db = await open();
      const enough = { ...PUT_BATCH, gather: { calls: 3, ms: 3_600_000 } };
      const soon = { ...PUT_BATCH, gather: { calls: 1_000, ms: 1 } };

      await Promise.all(['a', 'b', 'c'].map((name) => db.batch(enough, { name, value: '' })));
      await db.batch(soon, { name: 'd', value: '' });

      assert.deepEqual(await namesIn(db), ['a', 'b', 'c', 'd']);
    });
  });

  describe(`Look-ups of one batch on ${database}`, () => {
    it('look-ups of one batch answer every call, of those that ask for the same too', async () => {
      const db = await open();
      for (const name of ['a', 'b']) await db.write(PUT, { name, value: `of ${name}` });
      const names = ['a', 'b', 'a', 'none', 'a', 'none'];

      const rows = await Promise.all(
        names.map((name) => db.batch<{ name: string; value: string }>(GET_BATCH, { name })),
      );

      assert.deepEqual(
        rows.map((row) => row?.value),
        ['of a', 'of b', 'of a', undefined, 'of a', undefined],
      );
    });
  });

  describe(`Transactions on ${database}`, () => {
    it('a transaction that throws undoes everything of its own, and nothing of those beside it', async () => {
      const db = await open();

      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) =>
          db.transaction(async (tx) => {
            await tx.all(PUT, { name: `n${i}`, value: '' });
            if (i === 4) throw new Error('refused by the caller');
          }),
        ),
      );

      assert.deepEqual(failed(results), [4]);
      assert.deepEqual(await namesIn(db), ['n0', 'n1', 'n2', 'n3', 'n5', 'n6', 'n7', 'n8', 'n9']);
    });

    it('a transaction fails with a statement that failed, whether or not the caller caught it', async () => {
      const db = await open();
      await db.write(PUT, { name: 'taken', value: '' });

      const transaction = db.transaction(async (tx) => {
        await tx.all(PUT, { name: 'before', value: '' });
        await tx.all(PUT, { name: 'taken', value: '' }).catch(() => {});
      });

      await assert.rejects(transaction, /unique/i);
      assert.deepEqual(await namesIn(db), ['taken']);
    });

    it('transactions show nothing of themselves to readers before they are committed', async () => {
      const db = await open();
      await namesIn(db);

      await db.transaction(async (tx) => {
        await tx.all(PUT, { name: 'n', value: '' });
        assert.equal((await tx.all(NAMES)).length, 1);
        assert.deepEqual(await namesIn(db), []);
      });

      assert.deepEqual(await namesIn(db), ['n']);
    });

    it('transactions take no statement after their end', async () => {
      const db = await open();

      const tx = await db.transaction(async (statements) => statements);

      for (const late of [tx.all(NAMES), tx.get('DELETE FROM setting')]) {
        await assert.rejects(late, /after the end of its transaction/);
      }
    });

    it('transactions all get their turn, though there are more than connections', async () => {
      const db = await open();
      await db.write(PUT, { name: 'count', value: '0' });

      await Promise.all(
        Array.from({ length: 40 }, () =>
          db.transaction(async (tx) => {
            // The row is written first, which locks it before it is read.
            await tx.all("UPDATE setting SET value = value WHERE name = 'count'");
            const row = await tx.get<{ value: string }>("SELECT value FROM setting WHERE name = 'count'");
            const value = String(Number(row?.value) + 1);
            await tx.all("UPDATE setting SET value = :value WHERE name = 'count'", { value });
          }),
        ),
      );

      assert.equal((await db.get<{ value: string }>('SELECT value FROM setting'))?.value, '40');
    });
  });

  describe(`Parameters on ${database}`, () => {
    it('parameters are a list where one is asked for, of any length, and of none', async () => {
      const db = await open();
      const odd = ["it's", 'a,b', '{"x"}', '\\', 'é😀', ''];
      for (const name of odd) await db.write(PUT, { name, value: '' });
      const count = async (keys: string[]) =>
        (await db.all(`SELECT name FROM setting WHERE name ${db.dialect.oneOf('keys')}`, { keys })).length;

      assert.equal(await count(odd), 6);
      assert.equal(
        await count([...odd, 'other', 'a\0', ...Array.from({ length: 3000 }, (_, i) => `k${i}`)]),
        6,
      );
      assert.equal(await count([]), 0);
      const numbers = `SELECT 1 AS "one" WHERE 2 ${db.dialect.oneOf('numbers', 'BIGINT')}`;
      assert.equal((await db.all(numbers, { numbers: [1, 2 ** 48] })).length, 0);
    });

    it('parameters equal nothing when no database could hold them', async () => {
      const db = await open();
      await db.write(PUT, { name: 'a', value: '' });
      await db.write(PUT, { name: 'a\ufffd', value: '' });

      for (const name of ['a\0', '\0', 'a\ud800', '\udc00']) {
        assert.equal(await db.get('SELECT 1 AS "one" FROM setting WHERE name = :name', { name }), undefined);
        assert.equal(await db.batch(GET_BATCH, { name }), undefined);
      }
    });

    it('parameters that no database could hold are refused with 400 where they would be written', async () => {
      const db = await open();

      for (const value of ['a\0', 'a\ud800']) {
        await assert.rejects(async () => db.write(PUT, { name: 'n', value }), { status: 400 });
        await assert.rejects(db.batch(PUT_BATCH, { name: 'n', value }), { status: 400 });
        await assert.rejects(
          db.transaction((tx) => tx.all(PUT, { name: 'n', value })),
          { status: 400 },
        );
      }
      assert.deepEqual(await namesIn(db), []);
    });

    it('parameters keep every character they can hold', async () => {
      const db = await open();
      const value = `\u0001\u001a\t\r\n${"'"}"\\\u{10ffff}\u00e9e\u0301\ufffe ' ; --`;

      await db.write(PUT, { name: 'n', value });

      assert.equal((await db.get<{ value: string }>('SELECT value FROM setting'))?.value, value);
    });

    it('parameters must all be given', async () => {
      const db = await open();

      await assert.rejects(async () => db.write(PUT, { name: 'n' }), /no value for :value/);
    });
  });

  describe(`Closing ${database}`, () => {
    it('closing the database waits for everything under way, and refuses what comes after', async () => {
      const db = await open();
      const under = [
        tenTimes((i) => db.write(PUT, { name: `w${i}`, value: '' })),
        tenTimes((i) => db.batch(PUT_BATCH, { name: `b${i}`, value: '' })),
        tenTimes((i) => db.transaction((tx) => tx.all(PUT, { name: `t${i}`, value: '' }))),
      ];

      await Promise.all([db.close(), db.close(), ...under]);

      await assert.rejects(async () => db.write(PUT, { name: 'late', value: '' }), /closed/);
      await assert.rejects(async () => db.all(NAMES));
      await assert.rejects(async () => db.batch(PUT_BATCH, { name: 'late', value: '' }), /closed/);
    });
  });
}
