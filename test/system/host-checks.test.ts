/** The checks of certificates and of the disk, at a real TLS server and on the real disk. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { createServer } from 'node:tls';

import { checkCertificates, checkDisk } from '../../src/system/doctor-host-checks.ts';

const DAY = 24 * 3_600_000;

/** Starts a server with a new certificate that expires in 30 days, and returns its origin. */
async function startServer(t: TestContext): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kalends-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=localhost'];
  execFileSync('openssl', ['req', ...kind, '-keyout', String(keyFile), '-out', String(certFile)], {
    stdio: 'ignore',
  });
  const server = createServer({ key: readFileSync(String(keyFile)), cert: readFileSync(String(certFile)) });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return `https://localhost:${port}`;
}

it('a certificate has a warning 14 days before it expires and fails 3 days before', async (t) => {
  const url = await startServer(t);
  const statusIn = async (days: number) =>
    (await checkCertificates({ url, dashboardUrl: undefined }, Date.now() + days * DAY))[0]?.status;
  assert.deepEqual(
    [
      await statusIn(0),
      await statusIn(15),
      await statusIn(17),
      await statusIn(26),
      await statusIn(28),
      await statusIn(40),
    ],
    ['ok', 'ok', 'warn', 'warn', 'fail', 'fail'],
  );
});

it('addresses without https, or that cannot be reached, have no problem with certificates', async () => {
  assert.deepEqual(await checkCertificates({ url: 'http://127.0.0.1:9', dashboardUrl: undefined }, 0), []);
  const [check] = await checkCertificates({ url: 'https://127.0.0.1:9', dashboardUrl: undefined }, 0);
  assert.deepEqual([check?.name, check?.status], ['certificate', 'ok']);
});

it('a disk needs twice the size of the database', async () => {
  const sqlite = { dataDir: tmpdir(), databaseUrl: undefined };
  const [check] = await checkDisk(sqlite, Number.MAX_SAFE_INTEGER);
  assert.deepEqual([check?.name, check?.status], ['disk', 'warn']);
  assert.deepEqual(await checkDisk({ ...sqlite, databaseUrl: 'postgres://h/d' }, 1), []);
});
