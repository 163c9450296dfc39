/** The process: its version, CPU time, memory, files, and what delays its event loop. */
import { readdir } from 'node:fs/promises';
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceNodeEntry,
  PerformanceObserver,
} from 'node:perf_hooks';
import { version } from '../lib/version.ts';
import { figure, gauge } from './counter.ts';
import { histogram } from './histogram.ts';
import type { MetricFamily } from './metrics-text.ts';

const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.99, 1];

/** Starts measuring the event loop and garbage collections. The returned delays cover the time since the previous call. */
export function processMetrics(): () => Promise<MetricFamily[]> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const collections = measureCollections();
  const build = { version: version(), node: process.versions.node };
  return async () => {
    const { user, system } = process.cpuUsage();
    const loop = QUANTILES.map((quantile) => ({
      labels: { quantile: String(quantile) },
      value:
        delays.count === 0 ? 0 : Math.max(0, delays.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000),
    }));
    delays.reset();
    const { rss, heapUsed } = process.memoryUsage();
    return [
      gauge('kalends_build_info', [{ labels: build, value: 1 }]),
      gauge('kalends_event_loop_delay_seconds', loop),
      figure('process_cpu_seconds_total', (user + system) / 1e6),
      figure('process_resident_memory_bytes', rss),
      figure('nodejs_heap_size_used_bytes', heapUsed),
      collections.family(),
      figure('process_start_time_seconds', Math.round(performance.timeOrigin) / 1000),
      ...(await openFiles()),
    ];
  };
}

const COLLECTIONS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

function measureCollections() {
  const durations = histogram('nodejs_gc_duration_seconds');
  const observer = new PerformanceObserver((list) => {
    // Entries of garbage collections are of this class.
    for (const { detail, duration } of list.getEntries() as PerformanceNodeEntry[])
      durations.observe({ kind: COLLECTIONS[detail.kind] ?? 'other' }, duration / 1000);
  });
  observer.observe({ entryTypes: ['gc'] });
  return durations;
}

/** Returns no family if the system does not report open files. */
async function openFiles(): Promise<MetricFamily[]> {
  try {
    return [figure('process_open_fds', (await readdir('/proc/self/fd')).length)];
  } catch {
    return [];
  }
}
