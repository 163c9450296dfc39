/**
 * The files of a series, put with the new series that its later half becomes. Graph takes files of up to 3 MB in one request;
 * larger ones, attached items and links into a cloud are left with the old series (docs/providers.md).
 */
import type { FileAttachment } from '@microsoft/microsoft-graph-types';

import { undefinedIf } from '../expected-failure.ts';
import type { GraphItem } from './event-resource.ts';
import { eventUrl, type Source } from './read-events.ts';
import { writeTo } from './write-requests.ts';

/** Graph's own bound for a file in a request. */
const MOST_BYTES = 3_000_000;
const MOST_FILES = 20;
/** Who has more has them for another purpose. */
const MOST_LISTED = 250;

type Attachment = FileAttachment & { readonly '@odata.type'?: unknown };

/** `item` is the series as Graph answered it, its text as it is kept. Those that are there by their name are not put twice. */
export async function copyAttachments(source: Source, item: GraphItem, newId: string): Promise<void> {
  // Pictures in the text do not count as attachments of an event.
  const hasPictures = item.body?.content?.includes('cid:') ?? false;
  if (!item.id || (item.hasAttachments !== true && !hasPictures)) return;
  const attachments = await listAttachments(source, item.id);
  if (attachments.length === 0) return;
  const there = new Set((await listAttachments(source, newId)).map(({ name }) => name));
  const wanted = attachments.filter(({ name, size }) => !there.has(name) && (size ?? 0) <= MOST_BYTES);
  for (const { id } of wanted.slice(0, MOST_FILES))
    await copyAttachment(
      source,
      `${eventUrl(source, item.id)}/attachments/${encodeURIComponent(id ?? '')}`,
      newId,
    );
}

/** Without their contents. */
async function listAttachments(source: Source, id: string): Promise<readonly Attachment[]> {
  const url = `${eventUrl(source, id)}/attachments?$select=id,name,size`;
  const attachments: Attachment[] = [];
  const request = { operation: 'attachments.list', url };
  for await (const { value } of source.graph.list<Attachment>(request)) {
    attachments.push(...value);
    if (attachments.length > MOST_LISTED) break;
  }
  return attachments.filter(({ id: attachmentId }) => attachmentId);
}

async function copyAttachment(source: Source, url: string, newId: string): Promise<void> {
  // What Graph publishes for an attachment; its members are all optional and read as such.
  const found: Promise<Attachment> = source.graph.get({ operation: 'attachments.get', url });
  const attachment = await undefinedIf('not_found', found);
  if (attachment?.['@odata.type'] !== FILE || !attachment.contentBytes) return;
  const { name, contentType, contentBytes, contentId, isInline } = attachment;
  await writeTo(source, {
    operation: 'attachments.create',
    method: 'POST',
    url: `${eventUrl(source, newId)}/attachments`,
    body: { '@odata.type': FILE, name, contentType, contentBytes, isInline, ...(contentId && { contentId }) },
  });
}

const FILE = '#microsoft.graph.fileAttachment';
