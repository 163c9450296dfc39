/** `/events/{id}/attachments`: files of up to 3 MB, as one request of Graph accepts them. */
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { contextOf } from './calendar-operations.ts';
import { eventOfCall } from './event-operations.ts';
import { editable } from './event-writes.ts';
import { itemNotFound } from './graph-error.ts';
import { type GraphCall, type GraphDeps, jsonAnswer, jsonBody } from './graph-request.ts';
import type { StoredAttachment } from './mailbox.ts';
import { allowOnly, pageOf, selected } from './page.ts';

export function answerAttachments(call: GraphCall): SandboxAnswer {
  const { searchParams } = call.request.url;
  allowOnly(searchParams, ['$top', '$skip', '$select']);
  const { items, nextLink } = pageOf(eventOfCall(call).event.attachments, call);
  return jsonAnswer(
    {
      '@odata.context': contextOf(call, `users('${call.account.oid}')/events/attachments`),
      ...(nextLink === undefined ? {} : { '@odata.nextLink': nextLink }),
      value: items.map((one) => selected(resourceOf(one), searchParams)),
    },
    call,
  );
}

export function answerAttachment(call: GraphCall): SandboxAnswer {
  const { searchParams } = call.request.url;
  allowOnly(searchParams, ['$select']);
  const attachment = eventOfCall(call).event.attachments.find(({ id }) => id === call.parts.attachmentId);
  if (attachment === undefined) throw itemNotFound();
  return jsonAnswer(selected(resourceOf(attachment), searchParams), call);
}

/** Only files are accepted; no source says which other bodies are refused. */
const Body = Type.Object({
  '@odata.type': Type.Literal('#microsoft.graph.fileAttachment'),
  name: Type.String({ minLength: 1 }),
  contentBytes: Type.String(),
  contentType: Type.Optional(Type.String()),
  isInline: Type.Optional(Type.Boolean()),
  contentId: Type.Optional(Type.String()),
});

export function answerNewAttachment(call: GraphCall, { store, now }: GraphDeps): SandboxAnswer {
  const { event, calendar } = eventOfCall(call);
  const body = jsonBody(call.request);
  if (!Value.Check(Body, body))
    throw new SandboxRefusal(400, 'RequestBodyRead', 'The attachment cannot be read.');
  const attachment = newAttachment({
    ...{ type: body['@odata.type'], name: body.name, contentBytes: body.contentBytes },
    ...{ contentType: body.contentType ?? 'application/octet-stream', isInline: body.isInline ?? false },
    contentId: body.contentId ?? null,
  });
  if (sizeOf(attachment) > MOST_BYTES)
    throw new SandboxRefusal(413, 'ErrorMessageSizeExceeded', 'The attachment is over 3 MB.');
  const place = { account: call.account, calendar: editable(calendar), key: event.key };
  store.write(place, (change) => ({
    ...event,
    ...{ change, modifiedAt: now(), attachments: [...event.attachments, attachment] },
  }));
  return jsonAnswer(resourceOf(attachment), call, 201);
}

const MOST_BYTES = 3_000_000;

const sizeOf = ({ contentBytes }: StoredAttachment): number => Buffer.byteLength(contentBytes, 'base64');

export const newAttachment = (attachment: Omit<StoredAttachment, 'id'>): StoredAttachment => ({
  ...attachment,
  id: `AAMkAttachment${randomBytes(12).toString('base64url')}`,
});

/** Renders an attachment; an item or a link has no content. */
function resourceOf(attachment: StoredAttachment) {
  const { type, contentBytes, contentId, ...rest } = attachment;
  const content = type === '#microsoft.graph.fileAttachment' ? { contentBytes, contentId } : {};
  return { '@odata.type': type, ...rest, size: sizeOf(attachment), ...content };
}
