import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { recordingLog } from '../../test/servers/recording-log.ts';
import { createServer } from './server.ts';

const HEAD =
  'POST /slow HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n';

/** Starts a server whose /slow responds after `ms`, and opens a keep-alive connection to it. */
async function openServer(ms: number) {
  const { log } = recordingLog();
  const app = createServer({ log, trustProxy: undefined, secure: false });
  app.post('/slow', async () => {
    await sleep(ms);
    return { done: true };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  assert.ok(address !== null && typeof address === 'object');
  const socket = connect(address.port, '127.0.0.1');
  await once(socket, 'connect');
  return { app, socket };
}

/** Returns everything that the server sends before it closes the connection. */
async function answered(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}

/** Closes the server and returns the milliseconds it took. Fails if a supervisor would not wait that long. */
async function closed(app: { close(): Promise<unknown> }): Promise<number> {
  const started = performance.now();
  const late = sleep(8000, undefined, { ref: false }).then(() => assert.fail('The server did not close'));
  await Promise.race([app.close(), late]);
  return performance.now() - started;
}

describe('a closing server', () => {
  it('finishes a running request, however long, and then closes its connection', async () => {
    const { app, socket } = await openServer(2600);
    socket.write(`${HEAD}{}`);
    await sleep(100);

    const [text, took] = await Promise.all([answered(socket), closed(app)]);

    assert.match(text, /^HTTP\/1\.1 200 .*connection: close.*\{"done":true\}/is);
    assert.ok(took < 5000, `${took} ms`);
  });

  it('serves a request whose body arrives during the closing', async () => {
    const { app, socket } = await openServer(10);
    socket.write(`${HEAD}{`);
    await sleep(100);
    const closing = closed(app);
    await sleep(100);
    socket.write('}');

    assert.match(await answered(socket), /^HTTP\/1\.1 200 .*connection: close/is);
    assert.ok((await closing) < 2000);
  });

  for (const [what, bytes] of [
    ['body', `${HEAD}{`],
    ['head', 'POST /slow HTT'],
  ] as const) {
    it(`does not wait for a request whose ${what} never arrives completely`, async () => {
      const { app, socket } = await openServer(10);
      socket.on('error', () => {}); // the server resets the connection
      socket.write(bytes);
      await sleep(100);

      assert.ok((await closed(app)) < 5000);
      socket.destroy();
    });
  }
});
