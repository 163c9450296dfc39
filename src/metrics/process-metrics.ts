/** What the process itself takes: time, memory, files, and how long its event loop is held up. */
import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { figure, gauge } from './counter.ts';
import type { MetricFamily } from './metrics-text.ts';

const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.99, 1];

/** Starts watching the event loop. The delays answered are those since the last time they were asked for. */
export function processMetrics(): () => Promise<MetricFamily[]> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return async () => {
    const { user, system } = process.cpuUsage();
    const loop = QUANTILES.map((quantile) => ({
      labels: { quantile: String(quantile) },
      // What is measured is from one look to the next.
      value:
        delays.count === 0 ? 0 : Math.max(0, delays.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000),
    }));
    delays.reset();
    return [
      gauge('kalends_event_loop_delay_seconds', loop),
      figure('process_cpu_seconds_total', (user + system) / 1e6),
      figure('process_resident_memory_bytes', process.memoryUsage.rss()),
      figure('process_start_time_seconds', Math.round(performance.timeOrigin) / 1000),
      ...(await openFiles()),
    ];
  };
}

/** None where the system does not say. */
async function openFiles(): Promise<MetricFamily[]> {
  try {
    return [figure('process_open_fds', (await readdir('/proc/self/fd')).length)];
  } catch {
    return [];
  }
}
