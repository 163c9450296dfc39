/** The task of a work thread that renders one resource (src/work-thread.ts). */
import type { EventResource } from '../calendars/event.ts';
import type { MirroredResource } from '../calendars/mirrored-event.ts';
import { renderResource } from '../calendars/render-event.ts';

export const RENDER_TASK = 'render-resource';

export type RenderInput = { readonly resource: EventResource; readonly calendarZone: string };

/** Yields the resource in its stored form, as the only part. */
export function* renderTask({ resource, calendarZone }: RenderInput): Generator<MirroredResource> {
  yield renderResource(resource, calendarZone);
}
