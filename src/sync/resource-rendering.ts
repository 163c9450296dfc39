/** Renders a provider's resources: small ones here with pauses, larger ones in a thread within a time limit. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventResource, LeftOutResource } from '../calendars/event.ts';
import { isLight } from '../calendars/light-resource.ts';
import type { MirroredResource } from '../calendars/mirrored-event.ts';
import { renderResource } from '../calendars/render-event.ts';
import { stoppedBySystem } from '../calendars/stopped-error.ts';
import type { WorkPool } from '../lib/work-pool/work-pool.ts';
import { RENDER_TASK, type RenderInput } from './render-task.ts';

/** The calendar and the owner (WorkTask.owner). `calendarZone` is an IANA name. */
export type RenderFor = { readonly calendarZone: string; readonly owner: string };

/** Renders resources in order. Throws ProviderError as described at stoppedBySystem. */
export type ResourceRendering = (
  resources: readonly EventResource[],
  renderFor: RenderFor,
) => Promise<{ readonly changed: readonly MirroredResource[]; readonly leftOut: readonly LeftOutResource[] }>;

/** Milliseconds on the main thread between pauses. */
const TURN_MS = 8;
/** CPU time per resource, in milliseconds. */
const RESOURCE_MS = 2_000;

export function resourceRendering(work: Pick<WorkPool, 'run'>): ResourceRendering {
  return async (resources, renderFor) => {
    const changed: MirroredResource[] = [];
    const leftOut: LeftOutResource[] = [];
    let turnEnds = performance.now() + TURN_MS;
    for (const resource of resources) {
      if (isLight(resource)) changed.push(renderResource(resource, renderFor.calendarZone));
      else {
        const rendered = await renderInThread(resource, renderFor, work);
        if ('reason' in rendered) leftOut.push(rendered);
        else changed.push(rendered);
      }
      if (performance.now() < turnEnds) continue;
      await nextTurn();
      turnEnds = performance.now() + TURN_MS;
    }
    return { changed, leftOut };
  };
}

async function renderInThread(
  resource: EventResource,
  { calendarZone, owner }: RenderFor,
  work: Pick<WorkPool, 'run'>,
): Promise<MirroredResource | LeftOutResource> {
  const input: RenderInput = { resource, calendarZone };
  const task = { name: RENDER_TASK, input, owner, partMs: RESOURCE_MS };
  const { parts, stopped } = await work.run<MirroredResource>(task);
  const [rendered] = parts;
  if (rendered !== undefined) return rendered;
  if (stopped === undefined) throw new Error('A resource was not rendered');
  const ofSystem = stoppedBySystem(stopped);
  if (ofSystem !== undefined) throw ofSystem;
  const { href, etag } = resource;
  const why = stopped.reason === 'memory' ? 'takes too much memory' : 'takes too long';
  return { kind: 'too_complex', href, etag, reason: `placing it ${why}` };
}
