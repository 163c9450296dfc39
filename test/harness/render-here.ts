import { renderResource } from '../../src/calendars/render-event.ts';
import type { ResourceRendering } from '../../src/sync/resource-rendering.ts';

/** Rendering without threads. */
export const renderHere: ResourceRendering = async (resources, { calendarZone }) => ({
  changed: resources.map((resource) => renderResource(resource, calendarZone)),
  leftOut: [],
});
