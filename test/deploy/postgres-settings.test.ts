/** deploy/postgresql.conf, which the benchmarks' PostgreSQL starts with (bench/durable-postgres.ts). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import pg from 'pg';

import { cleanUpAtEnd, postgresUrl } from '../harness/databases.ts';
import { ROOT } from './docs-blocks.ts';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const settings = [...read('deploy/postgresql.conf').matchAll(/^(\w+) = (\S+)$/gm)].map(
  ([, name = '', value = '']) => ({ name, value }),
);

cleanUpAtEnd();

describe('the settings of PostgreSQL', () => {
  it('are such as PostgreSQL has, each with another value than its own', async () => {
    const client = new pg.Client({ connectionString: await postgresUrl() });
    await client.connect();
    try {
      for (const { name, value } of settings) {
        const { rows } = await client.query('SELECT current_setting($1) AS "standard"', [name]);
        assert.notEqual(rows[0]?.standard, value, name);
      }
    } finally {
      await client.end();
    }
  });

  it('are what the documentation gives to a container', () => {
    const flags = settings.map(({ name, value }) => `-c ${name}=${value}`);

    assert.ok(settings.length > 0);
    assert.ok(read('docs/operations.md').includes(`\`postgres ${flags.join(' ')}\``));
  });
});
