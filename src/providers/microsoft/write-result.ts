/** Reads the result of a write: the current event, and the hrefs that no longer exist. */
import type { WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import { readEvent, type Source } from './read-events.ts';

export async function readWriteResult(
  source: Source,
  target: WriteTarget,
  isSeries: boolean,
): Promise<WriteResult> {
  const changed = await readEvent(source, target.href, isSeries);
  if (changed === 'gone') return deletedResult(target);
  const existingHrefs = new Set(changed.map(({ href }) => href));
  return { changed, removed: listStoredHrefs(target).filter((href) => !existingHrefs.has(href)) };
}

export const deletedResult = (target: WriteTarget): WriteResult => ({
  changed: [],
  removed: listStoredHrefs(target),
});

const listStoredHrefs = ({ href, stored, override }: WriteTarget): string[] => [
  ...new Set([href, ...stored.map((resource) => resource.href), ...(override ? [override.href] : [])]),
];
