/** Resources of the process: CPU time, memory, files, and delays of its event loop. */
import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { figure, gauge } from './counter.ts';
import type { MetricFamily } from './metrics-text.ts';

const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.99, 1];

/** Starts measuring the event loop. The returned delays cover the time since the previous call. */
export function processMetrics(): () => Promise<MetricFamily[]> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return async () => {
    const { user, system } = process.cpuUsage();
    const loop = QUANTILES.map((quantile) => ({
      labels: { quantile: String(quantile) },
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

/** Returns no family if the system does not report open files. */
async function openFiles(): Promise<MetricFamily[]> {
  try {
    return [figure('process_open_fds', (await readdir('/proc/self/fd')).length)];
  } catch {
    return [];
  }
}
