/** The dashboard's words: one catalogue of ICU messages, so that other languages can follow. */
import { IntlMessageFormat } from 'intl-messageformat';

import { type CatalogueMessages, createMessages } from '../../design/messages.ts';
import { lazy } from '../../lib/once.ts';
import en from './en.json' with { type: 'json' };

export type DashboardMessageKey = keyof typeof en;
export type DashboardMessages = CatalogueMessages<DashboardMessageKey>;

const LANGUAGE = 'en';

/** English, which is all there is. */
export const dashboardMessages: DashboardMessages = createMessages<DashboardMessageKey>(
  LANGUAGE,
  (key) => new IntlMessageFormat(en[key], LANGUAGE, undefined, { ignoreTag: true }),
);

/** Returns the format of numbers in the pages. */
export const numberFormat = lazy(() => new Intl.NumberFormat(LANGUAGE));
