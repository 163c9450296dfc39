/**
 * Starts the program for the repository's scripts. It is JavaScript, so that files whose types were stripped before
 * come from the compile cache, and the stripper (18 MB, a tenth of a second) is not loaded. The published package is
 * JavaScript anyway and starts with main.js.
 */
import module from 'node:module';
import path from 'node:path';

import { nodeVersionProblem } from './cli/node-version.js';

// An older Node cannot read the program itself, and is what npm leaves where it did not bring the right one.
const problem = nodeVersionProblem(process.versions.node, { checkout: true });
if (problem === undefined) {
  // Compiled code is kept for the next start: beside the packages, whose owner is the program's own, since
  // code is nothing to read from a shared folder.
  module.enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/kalends'));
  await import('./main.ts');
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
