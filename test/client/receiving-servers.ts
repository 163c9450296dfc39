/** Real servers of the frameworks under which applications receive webhooks, each as its documentation has it. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';

import { getRequestListener } from '@hono/node-server';
import Fastify from 'fastify';
import { Hono } from 'hono';

import {
  type NodeRequest,
  type NodeResponse,
  type WebhookReceiver,
  webhookExpressHandler,
  webhookFastifyPlugin,
  webhookFetchHandler,
} from '../../packages/client/src/kalends.ts';
import { close, listen } from '../harness/loopback.ts';

type ExpressHandler = (request: NodeRequest, response: NodeResponse) => unknown;
type Express = {
  (): RequestListener & {
    set(setting: 'env', value: string): void;
    post(path: string, ...handlers: ExpressHandler[]): void;
  };
  raw(options: { type: string; limit: string }): ExpressHandler;
  text(options: { type: string; limit: string }): ExpressHandler;
  json(): ExpressHandler;
};
// It has no types of its own.
const express: Express = createRequire(import.meta.url)('express');

/** A server with the receiver at `/webhooks`. */
export type ReceivingServer = { readonly url: string; close(): Promise<void> };

export type Framework = {
  readonly name: string;
  /** A parser of the framework’s own that reads on after it refused a body. */
  readonly readsOn?: true;
  open(receiver: WebhookReceiver): Promise<ReceivingServer>;
};

const TYPE = { type: 'application/json', limit: '1mb' };

/** All of them; each is to behave alike. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Express with express.raw',
    readsOn: true,
    open: (receiver) => openExpress(receiver, express.raw(TYPE)),
  },
  {
    name: 'Express with express.text',
    readsOn: true,
    open: (receiver) => openExpress(receiver, express.text(TYPE)),
  },
  { name: 'Express without a parser', open: (receiver) => openExpress(receiver) },
  { name: 'node:http', open: (receiver) => openHttp(createServer(webhookExpressHandler(receiver))) },
  { name: 'Fastify', open: openFastify },
  { name: 'Hono', open: (receiver) => openHono(receiver, async () => {}) },
];

/** Express with the application's own JSON parser before every route. */
export function openExpressWithJson(receiver: WebhookReceiver): Promise<ReceivingServer> {
  return openExpress(receiver, express.json());
}

/** Hono where something reads the body before the route. */
export function openHonoWithReader(receiver: WebhookReceiver): Promise<ReceivingServer> {
  return openHono(receiver, async (request) => {
    await request.json();
  });
}

function openExpress(receiver: WebhookReceiver, ...parsers: ExpressHandler[]): Promise<ReceivingServer> {
  const app = express();
  // It prints no errors then.
  app.set('env', 'test');
  app.post('/webhooks', ...parsers, webhookExpressHandler(receiver));
  return openHttp(createServer(app));
}

/** Beside the plugin stands a route at `/others` that answers with its parsed body’s type. */
async function openFastify(receiver: WebhookReceiver): Promise<ReceivingServer> {
  const app = Fastify();
  await app.register(webhookFastifyPlugin, { path: '/webhooks', ...receiver });
  app.post('/others', async ({ body }) => ({ isParsed: !Buffer.isBuffer(body), body }));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => app.close() };
}

function openHono(
  receiver: WebhookReceiver,
  before: (request: { json(): Promise<unknown> }) => Promise<void>,
): Promise<ReceivingServer> {
  const app = new Hono();
  const answer = webhookFetchHandler(receiver);
  app.use(async ({ req }, next) => {
    await before(req);
    await next();
  });
  app.post('/webhooks', (context) => answer(context.req.raw));
  return openHttp(createServer(getRequestListener(app.fetch)));
}

async function openHttp(server: Server): Promise<ReceivingServer> {
  return { url: await listen(server), close: () => close(server) };
}
