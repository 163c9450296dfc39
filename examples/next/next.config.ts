/** How Next.js builds the application. */
import path from 'node:path';

import type { NextConfig } from 'next';

const config: NextConfig = {
  // One copy for the process: an error of its classes is one of them in each route and page.
  serverExternalPackages: ['@kalends/client'],
  // The checkout, whose lock file Next.js finds beside this folder's. Alone, the application needs no such line.
  turbopack: { root: path.join(import.meta.dirname, '../..') },
};

export default config;
