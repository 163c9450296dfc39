/** The answer to a write: the event as it is now, with what is gone of it. */
import type { WriteTarget, Written } from '../../calendars/event-writing.ts';
import { readEvent, type Source } from './read-events.ts';

/** What became of the target. */
export async function readWriteResult(
  source: Source,
  target: WriteTarget,
  isSeries: boolean,
): Promise<Written> {
  const changed = await readEvent(source, target.href, isSeries);
  if (changed === 'gone') return deletedResult(target);
  const there = new Set(changed.map(({ href }) => href));
  return { changed, removed: hrefsOf(target).filter((href) => !there.has(href)) };
}

/** Nothing is left of it. */
export const deletedResult = (target: WriteTarget): Written => ({ changed: [], removed: hrefsOf(target) });

const hrefsOf = ({ href, known, override }: WriteTarget): string[] => [
  ...new Set([href, ...known.map((resource) => resource.href), ...(override ? [override.href] : [])]),
];
