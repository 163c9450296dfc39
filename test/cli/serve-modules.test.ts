import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';

const PROGRAM = `
  import { registerHooks } from 'node:module';
  const commands = new Set();
  const load = (url, context, next) => {
    const [, name] = /\\/src\\/cli\\/([\\w-]+-commands?)\\.ts$/.exec(url) ?? [];
    if (name !== undefined) commands.add(name);
    return next(url, context);
  };
  registerHooks({ load });
  await import('./src/cli/serve-command.ts');
  await import('./src/start/serve.ts');
  console.log([...commands].sort().join());
  await import('./src/cli/cli.ts');
  console.log(commands.size > 10);`;

it('a server loads the modules of no other command', () => {
  const cwd = path.resolve(import.meta.dirname, '../..');
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd });
  assert.equal(output.toString(), 'run-command,serve-command\ntrue\n');
});
