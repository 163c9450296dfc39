/**
 * Fastify with nothing on it but what it takes to answer the same bytes: a form POST, a GET and a page.
 * The ceiling of whatever is built on it. Argument: a file with the answer's body.
 */
import { readFileSync } from 'node:fs';

import formbody from '@fastify/formbody';
import Fastify from 'fastify';

import { servePeer } from './peer-channel.ts';

const body: unknown = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const app = Fastify({ logger: false });
app.register(formbody);
app.post('/token', async () => body);
app.get('/bearer', async () => body);
const text = JSON.stringify(body);
app.get('/text', async (_, reply) => reply.type('application/json; charset=utf-8').send(text));
app.get('/page', async (_, reply) => reply.type('text/html; charset=utf-8').send(body));

await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
if (address === null || typeof address === 'string') throw new Error('A TCP server has a port');
servePeer(address.port, async () => []);
