/** Reports the use of slots that applications share: as metrics, if enabled, and in the log. */
import type { SlotListener, SlotLoad } from '../lib/fair-slots/slot-listener.ts';
import type { Log } from '../lib/log.ts';
import { counter, gauge } from '../metrics/counter.ts';
import { histogram } from '../metrics/histogram.ts';
import type { MetricFamily } from '../metrics/metrics-text.ts';

export type SlotMeters = Omit<SlotListener, 'exhausted'> & { families(): MetricFamily[] };

export function slotMeters(): SlotMeters {
  const loads: { readonly work: string; readonly load: () => SlotLoad }[] = [];
  const refusals = counter('kalends_slots_refused_total');
  const waits = histogram('kalends_slot_wait_seconds');
  /** Several places can share the slots of one kind of work, such as two pools of threads. */
  const sum = (work: string, state: keyof SlotLoad) =>
    loads.filter((one) => one.work === work).reduce((all, { load }) => all + load()[state], 0);
  return {
    opened(work, load) {
      loads.push({ work, load });
      // An alert can only see a series grow from 0 if it existed before.
      refusals.add({ work }, 0);
    },
    waited: (work, seconds) => waits.observe({ work }, seconds),
    refused: (work) => refusals.add({ work }),
    families() {
      const samples = [...new Set(loads.map(({ work }) => work))].flatMap((work) =>
        (['held', 'waiting'] as const).map((state) => ({ labels: { work, state }, value: sum(work, state) })),
      );
      return [gauge('kalends_slots', samples), refusals.family(), waits.family()];
    },
  };
}

const MINUTE_MS = 60_000;

/** Passes everything to the meters. Logs at most once a minute that an application holds all slots it may. */
export function slotListener(
  meters: SlotMeters | undefined,
  log: Pick<Log, 'warn'>,
  now: () => number = () => performance.now(),
): SlotListener {
  /** The time of the last log line of each application, the oldest first. */
  const logged = new Map<string, number>();
  return {
    opened: (work, load) => meters?.opened(work, load),
    waited: (work, seconds) => meters?.waited(work, seconds),
    refused: (work) => meters?.refused(work),
    exhausted(line) {
      const at = now();
      for (const [clientId, loggedAt] of logged) {
        if (at - loggedAt < MINUTE_MS) break;
        logged.delete(clientId);
      }
      if (logged.has(line.clientId)) return;
      logged.set(line.clientId, at);
      log.warn({ event: 'slots_exhausted', ...line }, 'An application held its full share of slots');
    },
  };
}
