/**
 * Copies the files of a series to the new series of its later half. Graph accepts up to 3 MB in one request; larger
 * files, attached items, cloud links and whatever Outlook refuses stay with the old one (docs/providers.md).
 */
import type { FileAttachment } from '@microsoft/microsoft-graph-types';

import { findGraphCode, findGraphStatus } from './api-refusal.ts';
import type { GraphItem } from './event-resource.ts';
import { eventUrl, type Source } from './read-events.ts';

/** Graph's limit for a file in one request. */
const MOST_BYTES = 3_000_000;
const MOST_FILES = 20;
/** Maximum number of attachments to list. Events with more use them for another purpose. */
const MOST_LISTED = 250;

type Attachment = FileAttachment & { readonly '@odata.type'?: unknown };

/** Copies the attachments of a series, except existing copies. `item` is as Graph sent it, with its stored text. */
export async function copyAttachments(source: Source, item: GraphItem, newId: string): Promise<void> {
  // Pictures in the text do not count in `hasAttachments`.
  const hasPictures = item.body?.content?.includes('cid:') ?? false;
  const oldId = item.id;
  if (!oldId || (item.hasAttachments !== true && !hasPictures)) return;
  const listed = (id: string) => unlessRefused(source, newId, () => listAttachments(source, id));
  const attachments = await listed(oldId);
  if (attachments === undefined || attachments.length === 0) return;
  const copied = attachments.filter(({ size }) => (size ?? 0) <= MOST_BYTES).slice(0, MOST_FILES);
  for (const { id } of listMissing((await listed(newId)) ?? [], copied)) {
    const url = `${eventUrl(source, oldId)}/attachments/${encodeURIComponent(id ?? '')}`;
    await unlessRefused(source, newId, () => copyAttachment(source, url, newId));
  }
}

/** Returns the files without a copy. A copy matches by name and size, else by name: sizes may differ. */
function listMissing(there: readonly Attachment[], wanted: readonly Attachment[]): readonly Attachment[] {
  const missing = [...wanted];
  const others = there.filter(
    ({ name, size }) => !removeFirst(missing, (one) => one.name === name && one.size === size),
  );
  for (const { name } of others) removeFirst(missing, (one) => one.name === name);
  return missing;
}

function removeFirst(attachments: Attachment[], isIt: (attachment: Attachment) => boolean): boolean {
  const at = attachments.findIndex(isIt);
  if (at !== -1) attachments.splice(at, 1);
  return at !== -1;
}

/** Returns the result of `work`. A permanent refusal is only logged, since a missing file must not fail the copy. */
async function unlessRefused<T>(
  source: Source,
  newId: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (failure) {
    const status = findGraphStatus(failure) ?? 0;
    if (!PERMANENT_STATUSES.has(status)) throw failure;
    const where = { calendar: source.url, href: newId, status, code: findGraphCode(failure) };
    source.log.warn(
      { event: 'file_not_copied', ...where },
      'A file stays with the old series, because Outlook refuses it for the new one',
    );
    return undefined;
  }
}

/** 507: the mailbox is full. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 413, 415, 422, 507]);

/** Lists attachments without their contents. */
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
  // The published type: all its members are optional.
  const attachment: Attachment = await source.graph.get({ operation: 'attachments.get', url });
  if (attachment['@odata.type'] !== FILE || !attachment.contentBytes) return;
  const { name, contentType, contentBytes, contentId, isInline } = attachment;
  await source.graph.write({
    operation: 'attachments.create',
    method: 'POST',
    url: `${eventUrl(source, newId)}/attachments`,
    body: { '@odata.type': FILE, name, contentType, contentBytes, isInline, ...(contentId && { contentId }) },
  });
}

const FILE = '#microsoft.graph.fileAttachment';
