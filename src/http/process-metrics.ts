/** What the process itself takes: time, memory, and how long its event loop is held up. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { MetricFamily } from './metrics-text.ts';

const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.99, 1];

/** Starts watching the event loop. The delays answered are those since the last time they were asked for. */
export function processMetrics(): () => MetricFamily[] {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    const loop = QUANTILES.map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: delays.count === 0 ? 0 : delays.percentile(quantile * 100) / 1e9,
    }));
    delays.reset();
    return [
      {
        name: 'kalends_event_loop_delay_seconds',
        type: 'gauge',
        help: 'How late the event loop was since the last scrape.',
        samples: loop,
      },
      {
        name: 'kalends_process_cpu_seconds_total',
        type: 'counter',
        help: 'Processor time of this process, its threads included.',
        samples: [{ value: (user + system) / 1e6 }],
      },
      {
        name: 'kalends_process_resident_memory_bytes',
        type: 'gauge',
        help: 'Resident memory of this process.',
        samples: [{ value: process.memoryUsage.rss() }],
      },
    ];
  };
}
