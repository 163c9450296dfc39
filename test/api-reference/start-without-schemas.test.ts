/** The schemas of responses, and TypeBox with them, are loaded when somebody requests the reference. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';

const PROGRAM = `
  import { registerHooks } from 'node:module';
  let modules = 0;
  const load = (url, context, next) => {
    if (url.includes('/node_modules/typebox/')) modules += 1;
    return next(url, context);
  };
  registerHooks({ load });
  await import('./src/start/serve.ts');
  console.log(modules);
  await import('./src/api-reference/current-document.ts');
  console.log(modules > 100);`;

it('a server loads no module of TypeBox until the API reference is requested', () => {
  const cwd = path.resolve(import.meta.dirname, '../..');
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd });
  assert.equal(output.toString(), '0\ntrue\n');
});
