/** The stylesheets that pages share, as text: a feature's own rules follow them in the same inline style. */
import { readFileSync } from 'node:fs';

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The start of every page's stylesheet: tokens, elements, components. */
export const BASE_STYLE = readText('./base.css');

/** For pages that have charts, after the base. */
export const CHARTS_STYLE = readText('./charts.css');
