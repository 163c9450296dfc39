/** `kalends migrate`: applies pending migrations, so that servers start on a current database. */
import type { Command } from './command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Apply pending migrations to the database',
  options: [{ name: 'check', doc: 'Only list pending migrations. Exit code 1 if there are any.' }],
  notes: [
    'Creates a missing database. A command that is interrupted continues where it stopped when it runs again. Servers with KALENDS_MIGRATIONS=wait start when it is done (docs/operations.md#upgrade).',
  ],
  async run({ options }, { config, deps }) {
    const check = options.check === true;
    const names = await deps.migrateStorage(config(), { check });
    const lines = names.map((name) => `\n  ${name}`).join('');
    if (names.length === 0) return { json: toDocument([], []), text: 'The database is up to date.' };
    return check
      ? { json: toDocument(names, []), text: `Pending migrations:${lines}`, exitCode: 1 }
      : { json: toDocument([], names), text: `Applied migrations:${lines}` };
  },
};

const toDocument = (pending: readonly string[], applied: readonly string[]): object => ({ pending, applied });
