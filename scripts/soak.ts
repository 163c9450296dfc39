/**
 * `npm run soak`: the same tests with twenty times the rounds (test/harness/rounds.ts), and the contracts of stores under all
 * isolation levels of PostgreSQL. Takes what test.ts takes. `npm run soak -- failover` is soak-failover.ts.
 */
import './needs-node.js';

process.env.KALENDS_TEST_SCALE ??= '20';
process.env.KALENDS_TEST_ISOLATION ??= 'repeatable read,serializable';

await import(process.argv[2] === 'failover' ? './soak-failover.ts' : './test.ts');
