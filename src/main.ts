#!/usr/bin/env node
/**
 * The program. Only the Node version is checked before anything else loads: the rest does not even parse on an older
 * one.
 */
import module from 'node:module';
import path from 'node:path';

import { nodeVersionProblem } from './cli/node-version.js';

const problem = nodeVersionProblem(process.versions.node);
if (problem === undefined) {
  // Compiled code is kept for the next start, which it makes twice as fast. start.js has done so before.
  // Beside the packages, whose owner is the program's own: code is nothing to read from a shared folder.
  const home = path.dirname(module.findPackageJSON('..', import.meta.url) ?? import.meta.filename);
  module.enableCompileCache(path.join(home, 'node_modules/.cache/kalends'));
  // A reader of the output may close it early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const { runCommand } = await import('./cli/cli.ts');
  const { inspectStorage, openStorage, prepareRestore } = await import('./start/open-storage.ts');
  const { requestedScope } = await import('./start/requested-scope.ts');
  process.exitCode = await runCommand(process.argv.slice(2), process, {
    openStorage,
    inspectStorage,
    prepareRestore,
    requestedScope,
    now: Date.now,
    // Commands that do not serve do without loading what serving needs.
    serve: async (config, options) => {
      const { serve } = await import('./start/serve.ts');
      // Otherwise written at the end, which a server that is killed does not come to.
      module.flushCompileCache();
      return serve(config, options);
    },
    runSandbox: async (request) => {
      const { runSandbox } = await import('../sandbox/run-sandbox.ts');
      return runSandbox(request);
    },
  });
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
