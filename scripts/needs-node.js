/**
 * Ends a script with one sentence on a Node that cannot run it. package.json runs it before each TypeScript script,
 * which the oldest Node cannot read. Scripts that a contributor runs also import it first: Node 22 reads them, but
 * lacks `import.meta.main`, and would exit successfully without doing anything.
 */
import { nodeVersionProblem } from '../src/cli/node-version.js';

const problem = nodeVersionProblem(process.versions.node, { checkout: true });
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
