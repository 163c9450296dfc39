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
  /** The list of the failures, to which their sum links. */
  readonly badPath?: string;
  /** The text instead of a chart without values: what will be here, and from when. */
  readonly empty: string;
  readonly numbers: string;
};

const HEIGHT = 60;
const STEP = 10;
/** Pixels: the top of the highest bar, the x-axis, and the baseline of its labels. The style gives the chart 192. */
const [TOP, BOTTOM, LABELS] = [8, 168, 188];
/** The smallest height of a value above zero in pixels, so that it stays visible. */
const LEAST_HEIGHT = 2;
/** A period starts at the first hour with data, but has at least this many bars. */
const FEWEST_BARS = 6;
const MOST_LABELS = 6;

type Counts = { readonly label: string; readonly good: number; readonly bad: number };

/** Renders bars, the oldest first, with axes, a legend with sums, and a table. If all values are zero, shows `words.empty`. */
export function barChart(bars: readonly Bar[], words: BarChartWords): Html {
  const all = bars.map(({ label, good, bad }) => ({
    ...{ label, good: count(good), bad: words.bad === undefined ? 0 : count(bad) },
  }));
  const first = all.findIndex(({ good, bad }) => good + bad > 0);
  if (first === -1) {
    return html`<figure class="chart"><figcaption><h3>${words.title}</h3></figcaption><p class="chart-empty">${words.empty}</p></figure>`;
  }
  const counts = all.slice(Math.max(0, Math.min(first, all.length - FEWEST_BARS)));
  const number = new Intl.NumberFormat(words.language);
  const series = (['good', 'bad'] as const).flatMap((name) => {
    const label = words[name];
    const sum = number.format(counts.reduce((total, bar) => total + bar[name], 0));
    return label === undefined ? [] : [{ name, label, sum, text: `${sum} ${label}` }];
  });
  const legend = series.map(({ name, label, sum }) => {
    const text = html`<b>${sum}</b> ${label}`;
    const isLink = name === 'bad' && words.badPath !== undefined;
    return html`<li class="series-${name}">${isLink ? html`<a href="${words.badPath}">${text}</a>` : html`<span>${text}</span>`}</li>`;
  });
  return html`<figure class="chart"><figcaption><h3>${words.title}</h3><ul class="chart-legend">${legend}</ul></figcaption>
${plot(counts, `${words.title}: ${series.map(({ text }) => text).join(', ')}`, number)}
<details><summary>${words.numbers}${ICONS.unfold}</summary><table>
<thead><tr><th scope="col">${words.labels}</th>${series.map(({ label }) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${counts.map(
    (bar) =>
      html`<tr><th scope="row">${bar.label}</th>${series.map(({ name }) => html`<td>${number.format(bar[name])}</td>`)}</tr>`,
  )}</tbody>
</table></details></figure>`;
}

function plot(counts: readonly Counts[], description: string, number: Intl.NumberFormat): Html {
  const highest = roundUp(Math.max(...counts.map(({ good, bad }) => good + bad)));
  const lines = [highest, highest / 2, 0].map((value) => {
    const y = rounded(BOTTOM - (value / highest) * (BOTTOM - TOP));
    const label =
      Number.isInteger(value) && html`<text class="y" x="-10" y="${y + 4}">${number.format(value)}</text>`;
    return html`<line class="${value === 0 ? 'axis' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}"/>${label}`;
  });
  const scale = (value: number) =>
    value === 0 ? 0 : rounded(Math.max(LEAST_HEIGHT, (value / highest) * (BOTTOM - TOP)));
  const bars = counts.map((bar, i) => {
    const good = scale(bar.good);
    // A thick line, whose width is in the style.
    const line = (bottom: number, height: number) =>
      height > 0 ? `M${(i + 0.5) * STEP} ${rounded(bottom - height)}v${height}` : '';
    return { good: line(BOTTOM, good), bad: line(BOTTOM - good, Math.min(scale(bar.bad), BOTTOM - good)) };
  });
  const paths = (['good', 'bad'] as const).map((name) => {
    const d = bars.map((bar) => bar[name]).join('');
    return d !== '' && html`<path class="series-${name}" d="${d}"/>`;
  });
  const every = Math.ceil(counts.length / MOST_LABELS);
  const labels = counts.map(
    ({ label }, i) =>
      i % every === 0 &&
      html`<text class="x" x="${rounded(((i + 0.5) * 100) / counts.length)}%" y="${LABELS}">${label}</text>`,
  );
  return html`<svg class="chart-plot" role="img" aria-label="${description}">${lines}
<svg viewBox="0 0 ${counts.length * STEP} ${LABELS}" preserveAspectRatio="none" width="100%" height="${LABELS}">${paths}</svg>${labels}</svg>`;
}

/** Returns the next of 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
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
