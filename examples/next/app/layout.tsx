/** What every page is in. */
import type { Metadata } from 'next';
import type { ReactNode } from 'react';

export const metadata: Metadata = { title: 'Agenda' };

/** The document around a page. */
export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <h1>Agenda</h1>
        {children}
      </body>
    </html>
  );
}
