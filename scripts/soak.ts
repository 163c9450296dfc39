/** `npm run soak`: the same tests with twenty times the rounds (test/harness/rounds.ts). Takes what test.ts takes. */
import './needs-node.js';

process.env.KALENDS_TEST_SCALE ??= '20';

await import('./test.ts');
