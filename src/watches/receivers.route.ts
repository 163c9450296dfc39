/** The endpoints for Google's and Microsoft's push notifications (docs/wire.md 1.13). They contain only HTTP. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS } from '../branding/settings-error.ts';
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import { SERVER } from '../http/server-error.ts';
import { FORM_BYTES, NOTICE_BYTES } from '../http/sizes.ts';
import { type Notice, type Notices, type NoticesDeps, notices, WATCHES } from './notices.ts';

export type ReceiverRouteDeps = NoticesDeps;

/** Microsoft's values are much shorter. */
const LONGEST_VALIDATION = 4_000;
/** Each is looked up. A body has no room for more of Microsoft's notifications, which have some 600 bytes each. */
const MOST_NOTICES = 100;

export function receiverRoutes(deps: ReceiverRouteDeps): FastifyPluginAsync {
  const received = notices(deps);
  return async (app) => {
    // Microsoft's handshake is of type text/plain, without a body.
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null, undefined));
    app.post('/webhook-receiver/google', { bodyLimit: FORM_BYTES }, (request, reply) =>
      google(request, reply, received),
    );
    app.post('/webhook-receiver/microsoft', { bodyLimit: NOTICE_BYTES }, (request, reply) =>
      microsoft(request, reply, received),
    );
    const other = { bodyLimit: FORM_BYTES };
    app.post<{ Params: { provider: string } }>('/webhook-receiver/:provider', other, async ({ params }) => {
      const { provider } = params;
      if (provider === 'apple' || provider === 'caldav')
        throw new ApiError(SERVER.not_found, `${provider} sends no push notifications`);
      throw new ApiError(SETTINGS.invalid_provider);
    });
  };
}

async function google({ headers }: FastifyRequest, reply: FastifyReply, taken: Notices) {
  const watchId = headers['x-goog-channel-id'];
  const token = headers['x-goog-channel-token'];
  if (typeof watchId !== 'string')
    throw new ApiError(ANY_CALL.invalid_request, 'X-Goog-Channel-ID is missing');
  const notice = { provider: 'google', watchId, token: String(token ?? ''), says: 'changed' } as const;
  // A wrong token gets the same response as an unknown channel.
  if (!(await taken.take(notice))) throw new ApiError(WATCHES.channel_not_found);
  return reply.code(200).send({ success: true });
}

async function microsoft(request: FastifyRequest, reply: FastifyReply, taken: Notices) {
  const { validationToken } = Object(request.query);
  if (typeof validationToken === 'string' && validationToken.length <= LONGEST_VALIDATION)
    return reply.type('text/plain; charset=utf-8').send(validationToken);
  const entries = readEntries(request.body);
  if (entries === undefined)
    throw new ApiError(ANY_CALL.invalid_request, 'The body is not a collection of change notifications');
  // Several notifications for one calendar in one request count once.
  const hints = new Map(
    entries.flatMap(parseNotice).map((one) => [`${one.watchId} ${one.token} ${one.says}`, one]),
  );
  for (const notice of [...hints.values()].slice(0, MOST_NOTICES)) await taken.take(notice);
  return reply.code(202).send({ success: true });
}

function readEntries(body: unknown): readonly unknown[] | undefined {
  const { value } = Object(body);
  return Array.isArray(value) ? value : undefined;
}

const LIFECYCLE: ReadonlyMap<unknown, Notice['says']> = new Map([
  ['reauthorizationRequired', 'ending'],
  ['subscriptionRemoved', 'gone'],
  ['missed', 'missed'],
]);

/** Returns an empty list for an entry that cannot be ours. */
function parseNotice(entry: unknown): Notice[] {
  const { clientState, lifecycleEvent } = Object(entry);
  const says = lifecycleEvent == null ? 'changed' : LIFECYCLE.get(lifecycleEvent);
  if (typeof clientState !== 'string' || clientState.length > 128 || says === undefined) return [];
  const [watchId = '', token = ''] = clientState.split('.');
  return [{ provider: 'microsoft', watchId, token, says }];
}
