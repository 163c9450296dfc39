/** How the repository's scripts start a thread of the work pools: as start.js starts the program, and for its reasons. */
import module from 'node:module';
import path from 'node:path';

module.enableCompileCache?.(path.join(import.meta.dirname, '../node_modules/.cache/kalends'));
await import('./work-thread.ts');
