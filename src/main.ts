#!/usr/bin/env node
/**
 * The program. Only the Node version is looked at before anything else loads: what follows does not
 * even parse on an older one.
 */
import { nodeVersionProblem } from './cli/node-version.ts';

const problem = nodeVersionProblem(process.versions.node);
if (problem === undefined) {
  const { runCommand } = await import('./cli/cli.ts');
  const { inspectStorage, openStorage } = await import('./open-storage.ts');
  process.exitCode = await runCommand(process.argv.slice(2), process, {
    openStorage,
    inspectStorage,
    now: Date.now,
    // Commands that do not serve do without loading what serving needs.
    serve: async (config, options) => (await import('./serve.ts')).serve(config, options),
  });
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
