/** Holds docs/conformance.md and docs/conformance-fapi2.md to the tests there are; part of `npm run check`. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { clauseCount, conformanceProblems, moduleProblems } from './conformance-rules.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const sourceOf = (file: string) => (existsSync(path.join(ROOT, file)) ? read(file) : undefined);

const [clauses, modules] = [read('docs/conformance.md'), read('docs/conformance-fapi2.md')];
const problems = [...conformanceProblems(clauses, sourceOf), ...moduleProblems(modules, sourceOf)];
if (problems.length > 0) {
  console.error(`The conformance pages do not hold:\n  ${problems.join('\n  ')}`);
  process.exitCode = 1;
} else {
  console.log(`${clauseCount(clauses)} clauses of the requirement, each with a test that exists.`);
}
