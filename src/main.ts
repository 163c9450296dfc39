#!/usr/bin/env node
/** The program. It checks the Node version before other modules load, because older versions cannot parse them. */
import { statSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';

import { nodeVersionProblem } from './cli/node-version.js';

// The threads of libuv, before their first use. Lookups of host names may hold half of them (shared-lookup.ts).
process.env.UV_THREADPOOL_SIZE ??= '16';

const problem = nodeVersionProblem(process.versions.node);
if (problem === undefined) {
  enableCompileCache();
  // A reader such as `head` may close the output early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const isServe = process.argv[2] === 'serve';
  const { runCommand } = await (isServe ? import('./cli/serve-command.ts') : import('./cli/cli.ts'));
  const { inspectStorage, migrateStorage, openStorage, prepareRestore } = await import(
    './start/open-storage.ts'
  );
  const { requestedScope } = await import('./start/requested-scope.ts');
  process.exitCode = await runCommand(process.argv.slice(2), process, {
    openStorage,
    inspectStorage,
    migrateStorage,
    prepareRestore,
    requestedScope,
    now: Date.now,
    // Other commands do not load the modules that only the server needs.
    serve: async (config, options) => {
      const { serve } = await import('./start/serve.ts');
      // Node writes the cache at exit, which a killed server does not reach.
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

/**
 * Keeps compiled code for the next start, which takes half the time: in the package, or if that is read-only in a private
 * data folder. A shared folder is not used, because others could plant code.
 */
function enableCompileCache(): void {
  const home = path.dirname(module.findPackageJSON('..', import.meta.url) ?? import.meta.filename);
  const { status } = module.enableCompileCache(path.join(home, 'node_modules/.cache/kalends'));
  if (status !== module.constants.compileCacheStatus.FAILED) return;
  const dataDir = path.resolve(process.env.KALENDS_DATA_DIR || 'data');
  try {
    const { uid, mode } = statSync(dataDir);
    const isPrivate = uid === process.getuid?.() && mode % 0o1000 === 0o700;
    if (isPrivate) module.enableCompileCache(path.join(dataDir, '.compile-cache'));
  } catch {
    // Whether the folder is needed, and what is wrong with it, is known when it is opened.
  }
}
