/** The chart of a day: API requests, or delivery attempts of applications or of one endpoint. */
import { barChart } from '../../design/charts.ts';
import type { Html } from '../../http/html.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { REQUESTS } from './requests.page.ts';

/** `at` is the start of the hour in epoch milliseconds. */
type ChartHour = { readonly at: number; readonly good: number; readonly bad: number };

const FAILURES = { calls: 'refusals', delivered: 'failed' } as const;

/** Renders an hour as a bar, the oldest first. */
export const dayChart = (hours: readonly ChartHour[], kind: keyof typeof FAILURES): Html =>
  barChart(
    hours.map(({ at, ...counts }) => ({ label: new Date(at).toISOString().slice(11, 16), ...counts })),
    {
      language: messages.language,
      title: messages.text(`overview.chart.${kind}`),
      labels: messages.text('overview.chart.hour'),
      good: messages.text(`overview.chart.${kind}.good`),
      bad: messages.text(`overview.chart.${FAILURES[kind]}`),
      ...(kind === 'calls' && { badPath: `${REQUESTS}?status=errors&period=24h` }),
      empty: messages.text(`overview.chart.${kind}.empty`),
      numbers: messages.text('overview.chart.numbers'),
    },
  );
