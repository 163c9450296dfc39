/** /.well-known/security.txt (RFC 9116): there where the operator named a contact, and never out of date. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { type SecurityTxtDeps, securityTxtRoute } from '../../src/http/security-txt.route.ts';
import { createServer } from '../../src/http/server.ts';
import { recordingLog } from '../servers/recording-log.ts';

const NOW = Date.UTC(2026, 10, 22, 18, 30);
const YEAR_MS = 365 * 24 * 3600 * 1000;
const PATH = '/.well-known/security.txt';

describe('security.txt', () => {
  const servers: FastifyInstance[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  const ask = (deps: Partial<SecurityTxtDeps>) => {
    const server = createServer({ log: recordingLog().log, trustProxy: undefined, secure: true });
    servers.push(server);
    server.register(securityTxtRoute({ publicUrl: 'https://kalends.example', now: () => NOW, ...deps }));
    return server.inject(PATH);
  };
  const fieldOf = (text: string, name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(text)?.[1];

  it('security.txt is not there where the operator named no contact', async () => {
    assert.equal((await ask({})).statusCode, 404);
  });

  it('security.txt says the contact, in which language, and where it itself is', async () => {
    const answer = await ask({ securityContact: 'mailto:security@kalends.example' });

    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(fieldOf(answer.body, 'Contact'), 'mailto:security@kalends.example');
    assert.equal(fieldOf(answer.body, 'Preferred-Languages'), 'en');
    assert.equal(fieldOf(answer.body, 'Canonical'), `https://kalends.example${PATH}`);
  });

  it('security.txt holds from now on for less than a year', async () => {
    const { body } = await ask({ securityContact: 'https://kalends.example/report' });

    const expires = Date.parse(fieldOf(body, 'Expires') ?? '');
    assert.ok(expires > NOW && expires < NOW + YEAR_MS, body);
  });

  it('security.txt does not name its own address unless that is https', async () => {
    const { body } = await ask({ securityContact: 'mailto:a@b.example', publicUrl: 'http://127.0.0.1:8080' });

    assert.equal(fieldOf(body, 'Canonical'), undefined);
  });

  it('security.txt has the lines of its own fields only, whatever the contact holds', async () => {
    const { body } = await ask({ securityContact: 'https://a.example/\r\nCanonical: https://evil.example/' });

    assert.equal(body.split('\r\n').filter((line) => line.startsWith('Canonical')).length, 1, body);
  });
});
