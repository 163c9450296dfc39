import assert from 'node:assert/strict';
import { it } from 'node:test';

import { ADMIN_OPERATIONS } from '../../src/administration/operations/operations.ts';
import { COMMANDS } from '../../src/cli/cli.ts';

it('each operation of the administration API has its own id and path, its command exists, and each removal has a dry run', () => {
  const names = COMMANDS.map(({ name }) => name);
  for (const { id, command } of ADMIN_OPERATIONS)
    assert.ok(command === undefined || names.includes(command), `${id}: ${command}`);
  for (const { id, method, fields } of ADMIN_OPERATIONS)
    assert.equal('dry_run' in fields, method === 'delete' || id === 'applyManifest', id);
  const paths = ADMIN_OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(paths).size, ADMIN_OPERATIONS.length);
  assert.equal(new Set(ADMIN_OPERATIONS.map(({ id }) => id)).size, ADMIN_OPERATIONS.length);
});
