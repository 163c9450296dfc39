/** Each form of the dashboard and each command has an operation, or is in a list of those without one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  COMMANDS_WITHOUT_OPERATION,
  FORMS_WITHOUT_OPERATION,
  OPERATION_FORMS,
} from '../../scripts/administration-faces.ts';
import { ADMIN_OPERATIONS } from '../../src/administration/operations/operations.ts';
import { COMMANDS } from '../../src/cli/cli.ts';
import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { openDashboardApp } from '../dashboard/dashboard-app.ts';
import { onSqlite } from '../harness/databases.ts';

const sorted = (names: readonly string[]) => names.toSorted();

onSqlite((open) => {
  it('each form of the dashboard has an operation or is listed without one, and no other form is listed', async () => {
    const { app, deps } = await openDashboardApp(await open());
    const forms = allDashboardRoutes(deps)
      .filter(({ method }) => method === 'POST')
      .map(({ path }) => path.replace(/^\/dashboard/, ''))
      .filter((path) => !FORMS_WITHOUT_OPERATION.some((one) => path === one || path.startsWith(`${one}/`)));
    const withOperation = Object.values(OPERATION_FORMS).flat();
    assert.deepEqual(sorted(withOperation), sorted(forms));
    await app.close();
  });
});

it('each command has an operation or is listed without one, and no other command is listed', () => {
  const withOperation = ADMIN_OPERATIONS.flatMap(({ command }) => command ?? []);
  const commands = COMMANDS.map(({ name }) => name);
  assert.deepEqual(sorted([...new Set(withOperation), ...COMMANDS_WITHOUT_OPERATION]), sorted(commands));
});

it('each form with an operation names one that exists', () => {
  const ids = ADMIN_OPERATIONS.map(({ id }) => id);
  for (const id of Object.keys(OPERATION_FORMS)) assert.ok(ids.includes(id), id);
});
