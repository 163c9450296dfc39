/** The schemas of responses, with TypeBox, and the libraries of the documentation are loaded when somebody requests them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';

const PROGRAM = `
  import { registerHooks } from 'node:module';
  let modules = 0;
  const load = (url, context, next) => {
    if (/\\/node_modules\\/(?:typebox|highlight\\.js|minisearch|marked)\\//.test(url)) modules += 1;
    return next(url, context);
  };
  registerHooks({ load });
  await import('./src/start/serve.ts');
  console.log(modules);
  await import('./src/documentation/site.ts');
  console.log(modules > 100);`;

it('a server loads no library of the documentation until the documentation is requested', () => {
  const cwd = path.resolve(import.meta.dirname, '../..');
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd });
  assert.equal(output.toString(), '0\ntrue\n');
});
