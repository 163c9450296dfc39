/** Renders small charts as SVG without styles, which the Content-Security-Policy would block. */
import { type Html, html } from '../http/html.ts';
import { ICONS } from './parts.page.ts';

/** One bar: the successes, and the failures on top of them. */
export type Bar = { readonly label: string; readonly good: number; readonly bad?: number };

export type BarChartWords = {
  readonly language: string;
  readonly title: string;
  /** The heading of the labels, such as `Hour`: the first column of the table. */
  readonly labels: string;
  readonly good: string;
  /** Without it the chart has one series. */
  readonly bad?: string;
  /** The text instead of a chart without values: what will be here, and from when. */
  readonly empty: string;
  readonly numbers: string;
};

const HEIGHT = 60;
const STEP = 10;
const BAR = 8;
/** The smallest height of a value above zero, so that it stays visible. */
const LEAST_HEIGHT = 1.5;

/** Renders bars, the oldest first, with a legend, sums and a table. If all values are zero, shows `words.empty`. */
export function barChart(bars: readonly Bar[], words: BarChartWords): Html {
  const counts = bars.map(({ label, good, bad }) => ({ label, good: count(good), bad: count(bad) }));
  const highest = Math.max(0, ...counts.map(({ good, bad }) => good + bad));
  const number = new Intl.NumberFormat(words.language);
  if (highest === 0) {
    return html`<figure class="chart"><figcaption>${words.title}</figcaption><p class="chart-empty">${words.empty}</p></figure>`;
  }
  const series = (['good', 'bad'] as const).flatMap((name) => {
    const called = words[name];
    const sum = number.format(counts.reduce((total, bar) => total + bar[name], 0));
    return called === undefined ? [] : [{ name, called, sum: `${called}: ${sum}` }];
  });
  const drawn = counts.map(({ good, bad }) => ({
    good: scaleHeight(good, highest),
    bad: words.bad === undefined ? 0 : scaleHeight(bad, highest),
  }));
  const paths = series.map(
    ({ name }) => html`<path class="series-${name}" d="${drawn.map((bar, i) => drawBar(bar, i, name))}"/>`,
  );
  const width = counts.length * STEP;
  const description = `${words.title}. ${series.map(({ sum }) => sum).join(', ')}`;
  const plot = html`<svg class="chart-plot" role="img" aria-label="${description}" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none">
<path class="baseline" vector-effect="non-scaling-stroke" d="M0 ${HEIGHT}H${width}"/>${paths}</svg>`;
  return html`<figure class="chart"><figcaption>${words.title}<span class="chart-legend">${series.map(
    ({ name, sum }) => html`<span class="series-${name}">${sum}</span> `,
  )}</span></figcaption>
${plot}
<div class="chart-ends" aria-hidden="true"><span>${counts[0]?.label}</span><span>${counts.at(-1)?.label}</span></div>
<details><summary>${words.numbers}${ICONS.unfold}</summary><table>
<thead><tr><th scope="col">${words.labels}</th>${series.map(({ called }) => html`<th scope="col">${called}</th>`)}</tr></thead>
<tbody>${counts.map(
    (bar) =>
      html`<tr><th scope="row">${bar.label}</th>${series.map(({ name }) => html`<td>${number.format(bar[name])}</td>`)}</tr>`,
  )}</tbody>
</table></details></figure>`;
}

/** Renders a line, the oldest value first. Screen readers read only `text`, which includes the number that matters. */
export function sparkline(values: readonly number[], text: string): Html {
  const counts = values.map(count);
  const highest = Math.max(1, ...counts);
  const points = counts.length > 1 ? counts : [counts[0] ?? 0, counts[0] ?? 0];
  const width = (points.length - 1) * STEP;
  const line = points.map((value, i) => `${i * STEP} ${rounded(HEIGHT - (value / highest) * HEIGHT)}`);
  return html`<svg class="sparkline" role="img" aria-label="${text}" viewBox="0 -3 ${width} ${HEIGHT + 6}" preserveAspectRatio="none"><path vector-effect="non-scaling-stroke" d="M${line.join('L')}"/></svg>`;
}

/** Counts everything except a finite number above zero as zero. */
const count = (value: number | undefined): number =>
  value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;

const rounded = (length: number): number => Math.round(length * 100) / 100;

const scaleHeight = (value: number, highest: number): number =>
  value === 0 ? 0 : rounded(Math.max(LEAST_HEIGHT, (value / highest) * (HEIGHT - LEAST_HEIGHT)));

/** Returns one bar's rectangle as a part of its series' path: `bad` stands on `good`. */
function drawBar(bar: Record<'good' | 'bad', number>, index: number, name: 'good' | 'bad'): string {
  const height = bar[name];
  if (height === 0) return '';
  const bottom = name === 'good' ? HEIGHT : rounded(HEIGHT - bar.good);
  return `M${index * STEP + (STEP - BAR) / 2} ${bottom}v${-height}h${BAR}v${height}z`;
}
