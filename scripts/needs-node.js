/**
 * Ends a script on a Node that cannot run it, with one sentence: package.json runs it before each script that is TypeScript, which the
 * oldest cannot read. Those that a contributor runs import it first as well: Node 22 reads them, knows no `import.meta.main`, and would end well with
 * nothing done.
 */
import { nodeVersionProblem } from '../src/cli/node-version.js';

const problem = nodeVersionProblem(process.versions.node, { checkout: true });
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
